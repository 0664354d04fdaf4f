"""Changes of variables and their replicas, without a cluster: a state machine against a model, and single cases."""

import ctypes

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.distributed.simulated_replicas import BACKUP, COPYING, OFF, ON, PRIMARY, Process
from tests.threads import rounds

ROWS = 40
NAMES = ["a", "b", "c"]


class Pair:
    """A primary and its backup, and the messages between them."""

    def __init__(self):
        self.lives = 2
        self.primary, self.backup = Process(PRIMARY, 1, 2), Process(BACKUP, 2, 1)
        self.to_backup, self.to_primary = [], []
        self.variables = {}
        self.snapshots = {}  # number of a change -> values of all variables when it was made
        self.steps = 0
        self.waiting = {}  # step -> its change
        self.copy()

    def values(self):
        found = {name: self.primary.read(v) for name, v in self.variables.items()}
        return {name: value for name, value in found.items() if value is not None}

    def collect(self):
        """Takes what both have sent."""
        self.to_backup += self.primary.messages()
        self.to_primary += self.backup.messages()
        for step in self.primary.released():
            del self.waiting[step]

    def note(self):
        """After a change: it is the state of the primary at this moment."""
        self.snapshots.setdefault(self.primary.counts()[1], self.values())
        self.collect()

    def copy(self):
        assert self.primary.c.tfc_replica_copy()
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

    def drop_messages(self):
        for message in self.to_backup + self.to_primary:
            self.primary.c.drop(message)
        self.to_backup, self.to_primary = [], []

    def replace_backup(self):
        """The backup dies, and another process takes its place."""
        self.drop_messages()
        self.primary.c.lose_other()
        self.collect()
        self.lives += 1
        self.backup = Process(BACKUP, self.lives, self.primary.life)
        self.primary.c.set_life(BACKUP, self.lives)

    def replace_primary(self):
        """The primary dies, and another process takes its place; what it gets from the backup, or None."""
        self.drop_messages()
        self.backup.c.lose_other()
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
        self.primary.c.tfc_replica_go_on(changes)
        return changes.value

    def state(self):
        return self.primary.counts()[0]

    def kept(self):
        """The values of the replicas, if these are complete."""
        found = self.backup.listed()
        return {name: value for name, (_, value) in found.items() if value is not None}


class Replicas(RuleBasedStateMachine):
    """Steps change variables while changes and acknowledgements are on their way, and both sides die."""

    @initialize()
    def begin(self):
        self.pair = Pair()
        self.acknowledged = 0  # the highest change that a step has waited for and got

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
        _, changes, acknowledged, _, _ = self.pair.primary.counts()
        if ok and self.pair.state() == ON:
            assert holds == (acknowledged < changes)

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
        for step, change in waited.items():
            if step not in self.pair.waiting and self.pair.state() == ON:
                self.acknowledged = max(self.acknowledged, change)

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
            self.acknowledged = 0

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
        self.pair.replace_backup()
        assert not self.pair.waiting and self.pair.state() == OFF
        assert not self.pair.end()
        self.acknowledged = 0

    def replace_primary(self):
        was_on = self.pair.state() == ON
        changes = self.pair.replace_primary()
        if changes is None:
            self.acknowledged = 0
            return
        assert not was_on or changes >= self.acknowledged
        assert self.pair.values() == self.pair.snapshots[changes]
        assert self.pair.state() == ON
        self.pair.snapshots = {changes: self.pair.values()}

    @invariant()
    def replicas_are_the_primary_at_a_change(self):
        state, changes, acknowledged, _, _ = self.pair.primary.counts()
        _, _, _, complete, applied = self.pair.backup.counts()
        if complete:
            assert self.pair.kept() == self.pair.snapshots[applied]
        if complete and state == ON:
            assert acknowledged <= applied <= changes and applied >= self.acknowledged

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
    pair.replace_backup()
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
