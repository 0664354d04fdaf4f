"""Random traffic, deaths, freezes and lack of memory, against a model of what the transport promises."""

import collections

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.distributed.transport.simulated_mpi import ANY_SOURCE, MS, SECOND, TAG_HELLO, US, endpoints
from tests.threads import rounds

CHUNK = 100  # bytes
SIZES = {"nothing": (0, 0), "inside": (40, 0), "one chunk": (0, 60), "exactly one": (3, 100), "many": (0, 750)}

Sent = collections.namedtuple("Sent", "number payload may_be_overtaken")
RANKS, BY = st.integers(0, 3), st.integers(1, 3)


class Transports(RuleBasedStateMachine):
    """The model: what each has sent to each, who has died, who was given up and by whom."""

    def __init__(self):
        super().__init__()
        self.network = None

    @initialize(n=st.integers(2, 4), keeps_failed=st.booleans(), cancels=st.booleans(), tolerant=st.booleans())
    def start(self, n, keeps_failed, cancels, tolerant):
        self.network, self.ends = endpoints(n, CHUNK, fault_tolerant=tolerant)
        self.network.keeps_failed, self.network.cancels = keeps_failed, cancels
        self.sent = collections.defaultdict(list)  # by (from, to)
        self.frozen_for_good = set()

    # -- What happens

    def end(self, rank):
        return self.ends[rank % self.network.size]

    def acts(self, rank):
        """Whether the process does anything."""
        return rank % self.network.size not in self.network.dead | self.network.frozen

    def living(self):
        gone = self.network.dead | self.frozen_for_good
        return [e for e in self.ends if e.rank not in gone]

    @rule(
        rank=RANKS,
        by=BY,
        size=st.sampled_from(sorted(SIZES)),
        may_be_overtaken=st.booleans(),
        n=st.sampled_from([1, 1, 2, 5, 80]),
    )
    def send(self, rank, by, size, may_be_overtaken, n):
        end, to = self.end(rank), (rank + by) % self.network.size
        if to == end.rank or not self.acts(rank):
            return
        inside, payload = SIZES[size]
        for _ in range(n):
            number = end.send(to, inside, payload, may_be_overtaken)
            self.sent[end.rank, to].append(Sent(number, payload, may_be_overtaken))

    @rule(rank=RANKS, n=st.integers(1, 4))
    def poll(self, rank, n):
        for _ in range(n):
            if self.acts(rank):
                self.end(rank).poll()

    @rule(rank=RANKS)
    def flush(self, rank):
        if self.acts(rank):
            self.end(rank).flush()

    @rule(choices=st.lists(st.integers(0, 200), min_size=1, max_size=12))
    def something_happens(self, choices):
        for choice in choices:
            if events := self.network.events():
                self.network.do(events[choice % len(events)])

    @rule(draw=st.randoms(use_true_random=False), times=st.integers(1, 15))
    def all_act(self, draw, times):
        """Much happens, in any order."""
        for _ in range(times):
            for end in draw.sample(self.ends, len(self.ends)):
                if self.acts(end.rank):
                    end.poll()
            events = self.network.events()
            for event in draw.sample(events, draw.randint(0, len(events))):
                self.network.do(event)
            self.network.now += 20 * US

    @rule(ns=st.sampled_from([US, 50 * US, MS, 300 * MS]))
    def time_passes(self, ns):
        self.network.now += ns

    @rule(rank=RANKS, none=st.booleans())
    def memory(self, rank, none):
        self.end(rank).no_memory = none

    @precondition(lambda self: self.network and len(self.living()) > 1)
    @rule(rank=RANKS, lose_arrived=st.booleans())
    def dies(self, rank, lose_arrived):
        rank %= self.network.size
        if rank not in self.network.dead and len(self.living()) > 1:
            self.network.kill(rank, lose_arrived)

    @rule(rank=RANKS, choice=RANKS)
    def death_is_noticed(self, rank, choice):
        if self.network.dead:
            dead = sorted(self.network.dead)[choice % len(self.network.dead)]
            self.network.notice(rank % self.network.size, dead)

    @rule(rank=RANKS)
    def freezes(self, rank):
        if rank % self.network.size not in self.network.dead:
            self.network.frozen.add(rank % self.network.size)

    @rule(rank=RANKS)
    def goes_on(self, rank):
        self.network.frozen -= {rank % self.network.size} - self.frozen_for_good

    @precondition(lambda self: self.network and len(self.living()) > 1)
    @rule(rank=RANKS, by=RANKS)
    def is_given_up(self, rank, by):
        """A process that is frozen for long is taken for dead, and ended by the others."""
        rank %= self.network.size
        if rank in self.network.frozen and (rank in self.frozen_for_good or len(self.living()) > 1):
            self.frozen_for_good.add(rank)
            if self.acts(by):
                self.end(by).disconnect(rank)

    @rule(rank=RANKS, by=BY)
    def a_request_fails(self, rank, by):
        """A death, as it is seen by a request before anything else."""
        rank, peer = rank % self.network.size, (rank + by) % self.network.size
        if peer in self.network.dead and rank not in self.network.dead:
            for r in self.network.of(rank):
                if r.peer == peer and r.state == "pending" and r.matched is None:
                    self.network.fail(r)
                    return

    # -- What must be so

    @invariant()
    def promises(self):
        if self.network is None:
            return
        self.network.check()  # memory, contents, nothing from those that have failed
        for end in self.ends:
            for peer, _ in end.failures:
                assert peer in self.network.dead | self.frozen_for_good, end.failures
            for source in range(self.network.size):
                self.check_order(end, source)

    def check_order(self, end, source):
        sent = self.sent[source, end.rank]
        got = {}
        for place, d in enumerate(d for d in end.delivered if d.source == source):
            assert d.number not in got, "a message arrives twice"
            got[d.number] = place
            assert d.number < len(sent), "a message arrives that nobody has sent"
            assert d.whole or sent[d.number].payload in end.refused, "a message is lost for no reason"
        for number, place in got.items():
            for earlier in sent[:number]:
                may_be_overtaken = earlier.may_be_overtaken and earlier.payload
                assert may_be_overtaken or got.get(earlier.number, place) < place, (earlier, number, got)

    def settle(self, done, what):
        for _ in range(3000):
            if done():
                return
            for end in self.ends:
                if self.acts(end.rank):
                    end.poll()
            for event in self.network.events():
                self.network.do(event)
            self.network.now += MS
            self.promises()
        raise AssertionError(f"{what}; open: {list(self.network.requests.values())}")

    def teardown(self):
        if self.network is None:
            return
        gone = self.network.dead | self.frozen_for_good
        self.network.frozen = set(self.frozen_for_good)
        living = self.living()
        for end in living:
            for dead in self.network.dead:
                self.network.notice(end.rank, dead)
            for frozen in self.frozen_for_good:
                end.disconnect(frozen)
        self.settle(lambda: all(self.has_all(end, gone) for end in living), "not everything arrives")
        self.shut_down(living)

    def has_all(self, end, gone):
        """Whether everything of those that live has come, and all that it can hear of the others' ends."""
        hears = [g for g in gone if self.network.fault_tolerant or g in self.frozen_for_good - self.network.dead]
        return all(end.has_failed(g) for g in hears) and all(
            len(end.numbers(other.rank)) == len(self.sent[other.rank, end.rank]) for other in self.living()
        )

    def shut_down(self, living):
        gone = self.network.dead | self.frozen_for_good
        before = self.network.now
        for end in living:
            end.shutdown()
        self.settle(lambda: all(end.is_shut_down() for end in living), "they can't shut down")
        assert self.network.now - before < 2 * SECOND
        for end in living:
            used = [r for r in self.network.of(end.rank) if r.peer not in (*gone, ANY_SOURCE)]
            used = [r for r in used if r.kind == "send" and r.tag != TAG_HELLO]
            assert used == [], "requests are left"
            end.close()
            self.network.check()
            if not self.network.of(end.rank):
                assert end.live() == 0


TestTransports = Transports.TestCase
TestTransports.settings = settings(max_examples=rounds(100), stateful_step_count=40)
