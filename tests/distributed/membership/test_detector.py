"""The state machine of failure detection, over a simulated network: what it promises, whatever happens.

Real processes are in test_failure.py, test_faults.py and test_hosts.py.
"""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tfcore.distributed.membership.heartbeat import DEAD, JOINED, Detector

from bench.scale.detection import Network

LIMIT_S = 1.5
USUAL_S = LIMIT_S + 0.5  # from a silence until all know of it
ELECTIONS_S = 2.0  # longer, where the root is lost too, and roots compete


def quick():
    return 1e-4


def settled(network):
    """Whether all tasks that run have the same members: just these tasks."""
    lives = network.lives()
    return all(network.tasks[rank].members == lives for rank in lives)


def reasons(network, about):
    return {network.learnt[rank][about][3] for rank in network.lives()}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7, 22, 100])
def test_nothing_happens_to_a_cluster_in_which_nothing_happens(size):
    network = Network(size, quick)
    network.run(20)
    assert not network.ended and not any(network.learnt)
    assert {task.root for task in network.tasks} == {0} and all(task.is_counted for task in network.tasks)


@pytest.mark.parametrize("size", [3, 5, 30])
@pytest.mark.parametrize("victim", [0, 1, -1])
def test_a_frozen_task_is_found_in_time_and_ends_when_it_resumes(size, victim):
    network = Network(size, quick)
    victim %= size
    network.run(3)
    network.stop(victim)
    assert network.run(USUAL_S, lambda: settled(network)), network.now
    assert network.now > 3 + LIMIT_S
    (reason,) = reasons(network, victim)
    assert reason.startswith("it has given no sign of life for 1.")
    network.go_on(victim)
    network.run(0.5)
    assert network.ended[victim][1] == reason


@pytest.mark.parametrize("size", [3, 30])
def test_a_certain_end_is_known_at_once(size):
    network = Network(size, quick)
    network.run(1)
    network.kill(0, witnesses=[2])
    assert network.run(0.05, lambda: settled(network))
    network.run(10)
    assert settled(network) and not network.ended and reasons(network, 0) == {"it is gone"}


def test_who_has_not_started_in_time_is_found():
    network = Network(4, quick)
    network.kill(3)
    network.run(9)
    assert not any(network.learnt)
    assert network.run(5, lambda: settled(network))
    assert not network.ended


def cut(network, side):
    for rank in side:
        network.side[rank] = 1


@pytest.mark.parametrize(
    "size, side, winners",
    [
        (2, [1], [0]),  # a tie: the lowest rank
        (4, [0, 1], [0, 1]),
        (4, [2, 3], [0, 1]),
        (5, [0, 1], [2, 3, 4]),
        (5, [4], [0, 1, 2, 3]),
        (3, [0], [1, 2]),
        (40, range(19), range(19, 40)),
        (40, range(1, 21), [0, *range(21, 40)]),
    ],
)
def test_the_smaller_side_of_a_cut_ends_before_the_larger_one_goes_on(size, side, winners):
    network = Network(size, quick)
    network.run(3)
    cut(network, side)
    over = lambda: network.lives() == list(winners) and settled(network)  # noqa: E731
    assert network.run(USUAL_S + ELECTIONS_S, over), (network.lives(), network.ended)
    first = min(when for rank in winners for when, *_ in network.learnt[rank].values())
    losers = set(range(size)) - set(winners)
    assert network.ended.keys() == losers and max(when for when, _ in network.ended.values()) < first
    assert all("smaller side of a network cut" in why for _, why in network.ended.values())
    network.side = [0] * size
    network.run(5)
    assert settled(network) and network.lives() == list(winners)
    assert len({network.tasks[rank].epoch for rank in winners}) == 1


@pytest.mark.parametrize("side", [[0], [1], [0, 1], [2, 3, 4]])
def test_a_short_cut_is_no_failure(side):
    network = Network(5, quick)
    network.run(3)
    cut(network, side)
    network.run(LIMIT_S - 0.7)
    network.side = [0] * 5
    network.run(10)
    assert not network.ended and not any(network.learnt)


def test_a_machine_that_stands_still_is_no_failure():
    network = Network(4, quick)
    network.run(3)
    for rank in range(4):
        network.stop(rank)
    network.run(60)
    for rank in range(4):
        network.go_on(rank)
        network.run(0.2)
    network.run(5)
    assert not network.ended and not any(network.learnt)


def test_certainly_dead_members_do_not_count_in_a_majority():
    network = Network(5, quick)
    network.run(3)
    network.kill(3, witnesses=[0])
    network.kill(4, witnesses=[0])
    network.run(0.5)
    cut(network, [0])
    assert network.run(USUAL_S + ELECTIONS_S, lambda: network.lives() == [1, 2] and settled(network))


def test_freezes_are_not_looked_for_without_a_limit():
    network = Network(3, quick, limit_s=0)
    network.run(1)
    network.stop(1)
    network.run(60)
    network.kill(2, witnesses=[0])
    network.run(1)
    assert not network.ended and network.tasks[0].members == [0, 1]


def test_a_slow_path_makes_the_limit_longer_for_all():
    network = Network(3, quick)
    network.run(1)
    network.tasks[2].go_slow()
    network.run(1)
    network.stop(1)
    network.run(8)
    assert not any(network.learnt)
    assert network.run(4, lambda: settled(network))


@pytest.mark.parametrize("side", [[0], [4], [0, 1], [3, 4], [0, 4]])
@pytest.mark.parametrize("later_s", [0.0, 0.05, 0.15, 0.25, 0.4])
def test_a_cut_when_a_slow_path_is_found_leaves_one_side_only(side, later_s):
    """Nobody may rely on the longer limit before those who judge it do."""
    network = Network(5, quick)
    network.run(3)
    network.tasks[side[-1]].go_slow()
    network.run(later_s)
    cut(network, side)
    winners = sorted(set(range(5)) - set(side))
    assert network.run(30, lambda: network.lives() == winners and settled(network))
    first = min(when for rank in winners for when, *_ in network.learnt[rank].values())
    assert network.ended.keys() == set(side) and max(when for when, _ in network.ended.values()) < first


def take_place(network, place, empty=()):
    """A process takes a place, as rank 0 has told it. empty: places that have had none before."""
    newcomer = Detector(place, network.size, LIMIT_S, now=network.now, start_s=0, number=2, empty=empty)
    for _, data in network.tasks[0].tell(place):
        newcomer.receive(network.now, data)
    network.dead.discard(place)
    network.tasks[place] = newcomer
    network.at(0, network._tick, place)
    for rank in (0, place):
        network._after(rank, network.tasks[rank].note(network.now, place, 2, JOINED, "it has joined"))


def test_a_place_can_be_taken_again():
    network = Network(4, quick)
    network.run(2)
    network.kill(1, witnesses=[0])
    network.run(1)
    take_place(network, 1)
    network.run(5)
    assert settled(network) and network.lives() == [0, 1, 2, 3] and not network.ended
    assert {task.epoch for task in network.tasks} == {2} and len({task.digest for task in network.tasks}) == 1
    network.stop(1)
    assert network.run(USUAL_S, lambda: settled(network)) and {t.epoch for t in network.tasks if t.rank != 1} == {3}


@pytest.mark.parametrize("size", [5, 40])
def test_empty_places_do_not_count(size):
    """Of five tasks in a cluster that has many more places, three are a majority. A newcomer counts at once."""
    empty = range(5, size)
    network = Network(size, quick, empty=empty)
    network.run(20)
    assert settled(network) and not network.ended and not any(network.learnt)
    assert all(network.tasks[rank].is_counted and network.tasks[rank].n_members == 5 for rank in range(5))
    if empty:
        take_place(network, 7, empty=empty)
        network.run(5)
        assert settled(network) and network.lives() == [0, 1, 2, 3, 4, 7] and not network.ended
        assert len({network.tasks[rank].digest for rank in network.lives()}) == 1
        network.stop(7)
        assert network.run(USUAL_S, lambda: settled(network))
        network.kill(7)
    cut(network, [1, 3])
    network.run(6)
    assert sorted(network.ended) == [1, 3]
    assert all(network.tasks[rank].members == [0, 2, 4] for rank in (0, 2, 4))


def test_nonsense_is_ignored():
    task = Detector(0, 3)
    task.tick(0.0)
    sent = Detector(1, 3).note(0.0, 2, 1, DEAD, "why") + Network(3).tasks[0].tick(0.0)
    good = [data for _, data in sent]
    assert len({data[0] for data in good}) == 2
    for data in good:
        for n in range(len(data)):
            task.receive(0.1, data[:n])
        task.receive(0.1, data + b"x")
        for i in range(len(data)):
            for value in (0, 1, 255):
                Detector(0, 3).receive(0.1, data[:i] + bytes([value]) + data[i + 1 :])
    assert task.members == [0, 1, 2] and task.ended is None


class Cluster(RuleBasedStateMachine):
    """Deaths, freezes, cuts and losses at random; in the end the network is whole again."""

    MOST_DELAY_S = 0.02
    PAUSE_S = LIMIT_S - 0.6

    @initialize(size=st.integers(2, 9), seed=st.integers(0, 1000))
    def start(self, size, seed):
        self.loss = 0.0
        self.network = network = Network(size, self.delay, LIMIT_S, seed=seed)
        self.disturbed = False  # by more than delays under the limit
        self.verdicts = {}  # who is out, and when somebody first continued without it
        network.on_change = self.on_change
        network.run(1)

    def delay(self):
        if self.network.random.random() < self.loss:
            return None
        return self.network.random.uniform(1e-4, self.MOST_DELAY_S)

    def on_change(self, rank, changes):
        for about, number, _, text in changes:
            assert number == 1
            if text != "it is gone" and about not in self.verdicts:
                self.verdicts[about] = self.network.now
                # Nobody continues without a task that still counts itself in, unless its process stands still.
                assert not self.network.runs(about), (about, rank, self.network.now)
                assert self.disturbed

    @rule(seconds=st.floats(0.01, 3))
    def time_passes(self, seconds):
        self.network.run(seconds)

    @rule(data=st.data(), seen=st.booleans())
    def a_process_dies(self, data, seen):
        victim = data.draw(st.integers(0, self.network.size - 1))
        witnesses = [rank for rank in self.network.lives() if rank != victim][:2] if seen else []
        self.disturbed |= not witnesses
        if victim not in self.network.ended:
            self.network.kill(victim, witnesses)

    @rule(data=st.data())
    def a_process_freezes(self, data):
        self.disturbed = True
        self.network.stop(data.draw(st.integers(0, self.network.size - 1)))

    @rule()
    def frozen_processes_go_on(self):
        for rank in sorted(self.network.stopped):
            self.network.go_on(rank)

    @rule(data=st.data())
    def the_network_is_cut(self, data):
        self.disturbed = True
        self.network.side = [data.draw(st.integers(0, 1)) for _ in range(self.network.size)]

    @rule()
    def the_network_heals(self):
        self.network.side = [0] * self.network.size

    @rule(share=st.floats(0, 0.4))
    def messages_get_lost(self, share):
        self.disturbed |= share > 0
        self.loss = share

    @precondition(lambda self: not self.disturbed)
    @rule(data=st.data())
    def a_short_pause(self, data):
        self.network.stop(rank := data.draw(st.integers(0, self.network.size - 1)))
        self.network.run(self.PAUSE_S)
        self.network.go_on(rank)
        self.network.run(1.5)

    @invariant()
    def only_one_side_goes_on(self):
        """Two tasks that run, and have gone on without somebody, have not gone on without each other."""
        network = self.network
        for rank in network.lives():
            members = set(network.tasks[rank].members)
            assert rank in members
            for other in network.lives():
                assert other in members, (rank, other, network.now)

    @invariant()
    def nobody_ends_without_a_reason(self):
        if not self.disturbed:
            assert not self.network.ended, self.network.ended

    def teardown(self):
        if not hasattr(self, "network"):
            return
        network = self.network
        self.loss = 0.0
        network.side = [0] * network.size
        for rank in sorted(network.stopped):
            network.go_on(rank)
        network.run(2 * (USUAL_S + ELECTIONS_S))
        assert settled(network), [(rank, network.tasks[rank].members) for rank in network.lives()]
        assert len({network.tasks[rank].digest for rank in network.lives()}) <= 1
        assert len({network.tasks[rank].epoch for rank in network.lives()}) <= 1


class SlowCluster(Cluster):
    """The same where messages overtake each other and take up to an interval: leases are renewed later, too."""

    MOST_DELAY_S = 0.1
    PAUSE_S = 0.3


SETTINGS = settings(
    max_examples=60,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink an example takes minutes
)
TestCluster = Cluster.TestCase
TestCluster.settings = SETTINGS
TestSlowCluster = SlowCluster.TestCase
TestSlowCluster.settings = SETTINGS
