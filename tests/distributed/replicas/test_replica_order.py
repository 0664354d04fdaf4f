"""Changes of variables and their replicas, without a cluster: a state machine against a model, and single cases."""

import ctypes

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.distributed.replicas.simulated_replicas import BACKUP, COPYING, OFF, ON, PRIMARY, Process
from tests.threads import rounds

ROWS = 40
NAMES = ["a", "b", "c"]
ROOM = 12  # messages that the backup's memory has room for


class Pair:
    """A primary and its backup, and the messages between them.

    shares: they share memory. Then the first ROOM messages lie in the backup's memory, the others in the primary's.
    """

    def __init__(self, shares=False):
        self.shares, self.given_up = shares, False
        self.lives = 2
        self.primary, self.backup = Process(PRIMARY, 1, 2), Process(BACKUP, 2, 1)
        self.to_backup, self.to_primary = [], []
        self.variables = {}
        self.snapshots = {}  # number of a change -> values of all variables when it was made
        self.steps = 0
        self.waiting = {}  # step -> its change
        self.copied = 0  # the change that has made the last copy complete
        self.copy()

    def values(self):
        found = {name: self.primary.read(v) for name, v in self.variables.items()}
        return {name: value for name, value in found.items() if value is not None}

    def collect(self):
        """Takes what both have sent."""
        self.to_backup += self.primary.messages()
        self.to_primary += self.backup.messages()
        if self.given_up:
            self.drop(self.to_backup)
        for step in self.primary.released():
            del self.waiting[step]
        self.primary.c.set_memory(self.shares, 0 if self.given_up else ROOM - len(self.to_backup))

    def note(self):
        """After changes: the last one is the state of the primary at this moment; those before changed nothing else."""
        values, last = self.values(), self.primary.counts()[1]
        while last not in self.snapshots and last > 0:
            self.snapshots[last] = values
            last -= 1
        self.collect()

    def copy(self):
        self.collect()
        assert self.primary.c.tfc_replica_copy()
        self.copied = self.primary.counts()[1]
        self.note()

    def assign(self, name, value, rows=ROWS):
        if name not in self.variables:
            self.variables[name] = ctypes.c_void_p(self.primary.c.make_variable(name.encode(), 0))
        self.primary.c.assign(self.variables[name], ctypes.c_int64(rows), value)

    def write(self, name, rows, value):
        self.primary.c.write_rows(self.variables[name], len(rows), (ctypes.c_int64 * len(rows))(*rows), value)

    def end(self, ok=True):
        """Ends a step; whether it is held back."""
        self.steps += 1
        holds = bool(self.primary.c.end_run(ctypes.c_int64(self.steps), ok))
        if holds:
            self.waiting[self.steps] = self.primary.counts()[1]
        self.note()
        return holds

    def deliver(self, lost=False):
        self.backup.c.deliver(self.to_backup.pop(0), lost)
        self.collect()

    def acknowledge(self):
        self.primary.c.deliver(self.to_primary.pop(0), False)
        self.collect()

    def deliver_all(self):
        while self.to_backup or self.to_primary:
            self.deliver() if self.to_backup else self.acknowledge()

    def drop(self, messages):
        while messages:
            self.primary.c.drop(messages.pop())

    def drop_messages(self):
        self.drop(self.to_backup)
        self.drop(self.to_primary)

    def give_up_primary(self):
        """The backup takes the primary for dead, and reads what lies in its own memory."""
        self.backup.c.lose_other()
        for _ in range(min(ROOM, len(self.to_backup)) if self.shares else 0):
            self.deliver()
        self.given_up = True
        self.backup.c.drain_other()
        self.collect()

    def replace_backup(self):
        """The backup dies, and another process takes its place."""
        self.drop_messages()
        self.primary.c.lose_other()
        self.collect()
        self.lives += 1
        self.backup = Process(BACKUP, self.lives, self.primary.life)
        self.primary.c.set_life(BACKUP, self.lives)

    def replace_primary(self, loses_backup=False):
        """The primary dies, and another process takes its place; what it gets from the backup, or None.

        loses_backup: the backup is replaced before the new process continues with what it has got.
        """
        if not self.given_up:
            self.give_up_primary()
        self.drop_messages()
        self.given_up = False
        self.lives += 1
        self.primary = Process(PRIMARY, self.lives, self.backup.life)
        self.backup.c.set_life(PRIMARY, self.lives)
        changes = ctypes.c_int64()
        given = self.backup.c.tfc_replica_give(self.lives, ctypes.byref(changes))
        for message in self.backup.messages():
            self.primary.c.deliver(message, False)
        found = self.primary.listed(take=True)
        self.waiting, self.variables = {}, {}
        if given < 0:
            assert not found
            self.snapshots = {}
            return None
        assert len(found) == given
        for name, (number, value) in found.items():
            self.variables[name] = ctypes.c_void_p(self.primary.c.make_variable(name.encode(), ctypes.c_uint64(number)))
            if value is not None:
                self.primary.c.assign(self.variables[name], ctypes.c_int64(len(value)), 0)
                for row, element in enumerate(value):
                    self.write(name, [row], element)
        giver = self.backup.life
        if loses_backup:
            self.replace_backup()
        self.primary.c.tfc_replica_go_on(changes, giver)
        self.copied = changes.value
        self.collect()
        return changes.value

    def state(self):
        return self.primary.counts()[0]

    def kept(self):
        """The values of the replicas, if these are complete."""
        found = self.backup.listed()
        return {name: value for name, (_, value) in found.items() if value is not None}


class Replicas(RuleBasedStateMachine):
    """Steps change variables while changes and acknowledgements are on their way, and both sides die."""

    @initialize(shares=st.booleans())
    def begin(self, shares):
        self.pair = Pair(shares)

    @rule(name=st.sampled_from(NAMES), value=st.integers(1, 1 << 20), rows=st.sampled_from([0, 1, ROWS]))
    def assign(self, name, value, rows):
        self.pair.assign(name, value, rows)

    @rule(
        name=st.sampled_from(NAMES),
        rows=st.lists(st.integers(-1, ROWS), max_size=ROWS),
        value=st.integers(1, 1 << 20),
    )
    def write(self, name, rows, value):
        if self.pair.values().get(name):
            self.pair.write(name, rows, value)

    @rule(ok=st.booleans())
    def end(self, ok):
        state = self.pair.state()
        holds = self.pair.end(ok)
        assert not holds or (ok and state == ON)
        _, changes, committed, _, _ = self.pair.primary.counts()
        if ok and self.pair.state() == ON:
            assert holds == (committed < changes)

    @rule(name=st.sampled_from(NAMES))
    def forget(self, name):
        if name in self.pair.variables:
            self.pair.end()  # nothing is changed, so that the variable ends now
            self.pair.primary.c.drop_variable(self.pair.variables.pop(name))
            self.pair.note()

    @precondition(lambda self: self.pair.to_backup)
    @rule(count=st.integers(1, 6))
    def deliver(self, count):
        for _ in range(min(count, len(self.pair.to_backup))):
            self.pair.deliver()

    @precondition(lambda self: self.pair.to_primary)
    @rule()
    def acknowledge(self):
        waited = dict(self.pair.waiting)
        self.pair.acknowledge()
        state, _, committed, _, _ = self.pair.primary.counts()
        for step, change in waited.items():
            assert step in self.pair.waiting or state == OFF or change <= committed

    @rule(names=st.sets(st.sampled_from(NAMES)), value=st.integers(1, 1 << 20), arrives=st.booleans())
    def step(self, names, value, arrives):
        """A step that changes several variables as a whole or a row of them."""
        for name in sorted(names):
            if value % 2 and self.pair.values().get(name):
                self.pair.write(name, [value % ROWS], value)
            else:
                self.pair.assign(name, value)
        self.end(True)
        if arrives:
            self.pair.deliver_all()

    @rule(what=st.sampled_from(["payload", "memory", "backup", "primary", "primary"]))
    def disturb(self, what):
        {
            "payload": self.lose_payload,
            "memory": self.run_out_of_memory,
            "backup": self.replace_backup,
            "primary": self.replace_primary,
        }[what]()
        if self.pair.state() == OFF:
            self.pair.copy()

    @rule()
    def take_for_dead(self):
        """The primary continues, but no step of it ends any more."""
        if not self.pair.given_up:
            self.pair.give_up_primary()

    def lose_payload(self):
        """The backup has no memory for a message: its replicas are worth nothing until there is a new copy."""
        if self.pair.to_backup:
            self.pair.deliver(lost=True)
        self.pair.deliver_all()

    def run_out_of_memory(self):
        self.pair.primary.c.set_failing(1)
        self.pair.end()
        self.pair.primary.c.set_failing(0)

    def replace_backup(self):
        if self.pair.given_up:  # others have taken the primary for dead, too
            self.replace_primary()
        self.pair.replace_backup()
        assert not self.pair.waiting and self.pair.state() == OFF
        assert not self.pair.end()

    def replace_primary(self):
        state, _, committed, _, _ = self.pair.primary.counts()
        is_safe = state == ON and committed >= self.pair.copied
        changes = self.pair.replace_primary()
        assert not is_safe or (changes is not None and changes >= committed)
        if changes is None:
            return
        assert self.pair.values() == self.pair.snapshots[changes]
        assert self.pair.state() == ON
        self.pair.snapshots = {changes: self.pair.values()}

    @invariant()
    def replicas_are_the_primary_at_a_change(self):
        state, changes, committed, _, _ = self.pair.primary.counts()
        _, _, _, complete, applied = self.pair.backup.counts()
        if complete:
            assert self.pair.kept() == self.pair.snapshots[applied]
        if complete and state == ON:
            assert applied <= changes and (self.pair.shares or committed <= applied)

    @invariant()
    def the_core_is_lent_while_steps_wait_for_the_backup(self):
        pair = self.pair
        if pair.waiting:
            assert pair.primary.c.lends_at_once()
        elif not (pair.to_backup or pair.to_primary or pair.given_up):
            assert not pair.primary.c.lends_at_once()

    def teardown(self):
        if hasattr(self, "pair"):
            self.pair.drop_messages()


TestReplicas = Replicas.TestCase
TestReplicas.settings = settings(max_examples=rounds(100), stateful_step_count=40, deadline=None)


def test_a_step_ends_when_its_change_is_acknowledged():
    pair = Pair()
    pair.assign("a", 1)
    assert pair.end() and pair.waiting
    pair.deliver_all()
    assert not pair.waiting and pair.kept() == {"a": (1,) * ROWS}
    assert not pair.end()  # it has changed nothing


def test_a_step_waits_for_a_change_that_another_one_has_sent():
    pair = Pair()
    pair.assign("a", 1)
    assert pair.end() and pair.end()
    pair.deliver_all()
    assert not pair.waiting


def test_a_change_counts_as_a_whole():
    pair = Pair()
    pair.assign("a", 1)
    pair.assign("b", 1)
    pair.end()
    pair.deliver_all()
    pair.assign("a", 2)
    pair.assign("b", 2)
    pair.end()
    assert len(pair.to_backup) == 2
    pair.deliver()
    changes = pair.replace_primary()
    assert pair.values() == {"a": (1,) * ROWS, "b": (1,) * ROWS} == pair.snapshots[changes]


def test_only_rows_are_sent_until_they_are_most_of_the_variable():
    pair = Pair()
    pair.assign("a", 1)
    pair.end()
    pair.deliver_all()
    for rows in [[3], [3, 5, 3], [-1, ROWS, 7], list(range(ROWS))]:
        pair.write("a", rows, 7)
        pair.end()
        pair.deliver_all()
        assert pair.kept() == pair.values()
    pair.write("a", [-1], 8)  # no row of it
    assert not pair.end()


def test_what_an_earlier_process_has_sent_has_no_effect():
    pair = Pair()
    pair.assign("a", 1)
    pair.end()
    pair.deliver_all()
    pair.assign("a", 2)
    pair.end()
    late, pair.to_backup = pair.to_backup, []
    changes = pair.replace_primary()
    assert pair.values() == {"a": (1,) * ROWS} and pair.state() == ON
    for message in late:
        pair.backup.c.deliver(message, False)
    assert pair.kept() == {"a": (1,) * ROWS} and pair.backup.counts()[4] == changes


def test_steps_go_on_while_a_new_backup_gets_its_copy():
    pair = Pair()
    pair.assign("a", 1)
    assert pair.end()
    assert pair.primary.c.lends_at_once()
    pair.replace_backup()
    assert not pair.primary.c.lends_at_once()  # nobody has to run for a step to end
    assert not pair.waiting and not pair.end()
    assert not pair.primary.c.tfc_replica_await_loss(ctypes.c_int64(0)) or pair.state() == OFF
    pair.assign("b", 3)
    pair.copy()
    assert pair.state() == ON and pair.state() != COPYING
    pair.assign("a", 2)
    assert pair.end()
    assert pair.replace_primary() is None  # nothing has arrived
    pair.copy()
    pair.assign("a", 4)
    pair.end()
    pair.deliver_all()
    assert pair.kept() == pair.values() == {"a": (4,) * ROWS}


def test_within_a_host_a_step_ends_when_its_change_is_published():
    pair = Pair(shares=True)
    pair.assign("a", 1)
    assert pair.end()  # the backup has not shown yet that it can read the primary's memory
    pair.deliver_all()
    for value in 2, 3:
        pair.assign("a", value)
        pair.write("a", [7], value + 10)
        assert not pair.end()
    assert len(pair.to_backup) == 2 and pair.kept() == {"a": (1,) * ROWS}
    values = pair.values()
    changes = pair.replace_primary()
    assert pair.values() == values == pair.snapshots[changes]
    pair.assign("a", 4)
    assert not pair.end()  # it has what the backup had, which so has read its memory
    pair.deliver_all()
    assert pair.kept() == pair.values()


def test_what_finds_no_room_is_acknowledged():
    pair = Pair(shares=True)
    pair.deliver_all()
    pair.assign("a", 0)
    pair.assign("b", 0)
    assert not pair.end()
    pair.deliver_all()
    for value in range(1, ROOM + 1):
        pair.assign("a", value)
        assert not pair.end()
    pair.assign("a", 100)
    assert pair.end() and pair.end()  # the second one has changed nothing, but might have
    assert len(pair.waiting) == 2 and len(pair.to_backup) == ROOM + 2
    pair.deliver_all()
    assert not pair.waiting and pair.kept() == pair.values()
    for value in range(1, ROOM + 2):
        pair.assign("b", value)
        assert pair.end() == (value > ROOM)
    pair.replace_primary()
    assert pair.values() == {"a": (100,) * ROWS, "b": (ROOM,) * ROWS}


def test_large_changes_are_acknowledged():
    pair = Pair(shares=True)
    pair.deliver_all()
    pair.assign("a", 1, rows=20_000)  # 320 KB
    assert pair.end()
    pair.deliver_all()
    assert not pair.waiting
    held = []
    for value in range(18):
        pair.assign("a", value, rows=16_000)
        held.append(pair.end())
        pair.deliver()
    assert held == [False] * 16 + [True] * 2  # 4 MB may not have been read, as no acknowledgement has come
    pair.deliver_all()
    assert not pair.waiting
    for value in range(20):  # the backup keeps up
        pair.assign("a", value, rows=16_000)
        assert not pair.end()
        pair.deliver_all()
    assert pair.kept() == pair.values()


def test_who_was_given_up_ends_no_step():
    pair = Pair(shares=True)
    pair.assign("a", 1)
    pair.end()
    pair.deliver_all()
    pair.assign("a", 2)
    assert not pair.end()
    pair.give_up_primary()
    assert pair.kept() == {"a": (2,) * ROWS}
    pair.assign("a", 3)
    assert pair.end() and not pair.to_backup
    pair.replace_primary()
    assert pair.values() == {"a": (2,) * ROWS}


@pytest.mark.parametrize("rows", [0, 1, ROWS])
def test_rows_that_were_noted_before_the_backup_was_lost_may_be_gone_when_a_new_one_gets_its_copy(rows):
    pair = Pair()
    pair.assign("a", 1)
    pair.end()
    pair.deliver_all()
    pair.write("a", [ROWS - 1], 2)
    pair.replace_backup()  # before the step has ended
    pair.end()
    pair.assign("a", 3, rows)
    pair.copy()
    pair.deliver_all()
    assert pair.state() == ON and pair.kept() == pair.values() == {"a": (3,) * rows}
    pair.write("a", [0], 4)
    pair.end()
    pair.deliver_all()
    assert pair.kept() == pair.values()


def test_who_takes_the_place_of_a_primary_and_loses_its_backup_meanwhile_has_no_replicas():
    pair = Pair()
    pair.assign("a", 1)
    pair.end()
    pair.deliver_all()
    assert pair.replace_primary(loses_backup=True) is not None
    assert pair.state() == OFF and not pair.end()
    pair.copy()
    pair.deliver_all()
    assert pair.state() == ON and pair.kept() == pair.values() == {"a": (1,) * ROWS}
