"""What a task keeps for masters, and what masters tell it: called directly, without messages."""

import threading
import types

import numpy as np
import pytest
from tfcore.core.registry.kernel import ResourceManager

import tfcore as tf
from tfcore.client.config import SessionOptions
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices
from tfcore.compiler.program_def import to_graph_def
from tfcore.distributed.collectives import collective
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions import master, steps
from tfcore.distributed.partitions.worker import Worker, pack, unpack

TASK = ("worker", 0, 0)


@pytest.fixture
def worker(monkeypatch):
    """A Worker for which all masters are alive."""
    monkeypatch.setattr(fabric, "serve", lambda method, fn: None)
    monkeypatch.setattr(fabric, "on_failure", lambda fn: None)
    monkeypatch.setattr(fabric, "lives", lambda rank, incarnation: True)
    return Worker(ResourceManager(), TASK)


def header(**changes):
    """What a master says of a partition."""
    plain = {"session": 1, "drop": [], "forget": [], "fuses_loops": True, "threads": 0, "inter_op": 0, "epoch": 0}
    return {**plain, **changes}


def partition(value=1.0, **changes):
    """What a master sends to register a partition."""
    with tf.Graph().as_default():
        op = tf.constant(value).op
    program = Compiler(ResourceManager(), devices=Devices(client=TASK)).program([], [], [op])
    return pack(header(**changes), to_graph_def(program))


@pytest.mark.parametrize(
    "end",
    [
        lambda worker: worker._close_session(3, pack({"session": 1})),
        lambda worker: worker._reset(4, pack({"containers": []})),
        lambda worker: worker._forget_master(3),
    ],
    ids=["closed", "reset", "its master fails"],
)
def test_a_session_that_ends_while_a_partition_is_compiled_leaves_nothing(worker, monkeypatch, end):
    before = set(steps._partitions)
    worker._register(3, partition())
    lower = Compiler.lower
    monkeypatch.setattr(Compiler, "lower", lambda *args: (lower(*args), end(worker))[0])
    with pytest.raises(tf.errors.AbortedError, match="session was closed"):
        worker._register(3, partition(2.0))
    assert set(steps._partitions) == before and not worker._sessions


def test_a_partition_of_a_later_membership_epoch_waits_until_the_task_knows_it(worker, monkeypatch):
    """Its collectives would be those of the earlier epoch, and nobody would compile them again."""
    with pytest.raises(tf.errors.AbortedError, match="has joined"):
        worker._register(3, partition(epoch=1))
    monkeypatch.setattr(collective, "epoch", lambda: 1)
    worker._register(3, partition(epoch=1))


def test_an_abandoned_session_is_told_to_all(monkeypatch):
    def notify(rank, method, payload):
        told.append(rank)
        if rank == 1:
            raise MemoryError

    told = []
    monkeypatch.setattr(master.fabric, "notify", notify)
    master._abandon_session(1, {1: None, 2: None})
    assert told == [1, 2]


@pytest.fixture
def register(monkeypatch):
    """A function that registers a partition as a master does, and returns the master's node for it.

    `answer(header)` stands for the task: it returns a handle or raises.
    """

    def call(rank, method, payload, timeout_s=None, incarnation=None):
        said, _ = unpack(payload)
        if method == "close_session":
            closed.append((rank, incarnation, said["session"]))
            return b""
        return pack({"handle": call.answer(said), "has_fused_loops": False})

    def register(partition, answer):
        call.answer = answer
        return master.ClusterCompiler._register(compiler, partition)

    compiler = types.SimpleNamespace(
        _lock=threading.Lock(),
        _tasks={},
        _number=1,
        _options=SessionOptions.of(tf.ConfigProto()),
        devices=Devices(client=TASK),
        _closed=False,
        changes=lambda: 0,
    )
    closed = []
    register.tasks, register.compiler, register.closed = compiler._tasks, compiler, closed
    monkeypatch.setattr(fabric, "call", call)
    monkeypatch.setattr(fabric, "incarnation", lambda rank: 1)
    return register


def part_of(*values):
    """A partition of another task with these constants."""
    with tf.Graph().as_default():
        targets = [tf.constant(value).op for value in values]
    program = Compiler(ResourceManager(), devices=Devices(client=TASK)).program([], [], targets)
    return types.SimpleNamespace(rank=1, task=("ps", 0, 0), program=program, share=lambda: "its share")


def test_dropped_handles_are_told_until_the_task_knows(register):
    def fail(header):
        told.append(header["drop"])
        del handles[0]  # dropped meanwhile
        raise tf.errors.AbortedError(None, None, "closed")

    told = []
    handles = [register(part_of(1.0), lambda header, i=i: i) for i in (7, 8, 9)]
    del handles[0]
    with pytest.raises(tf.errors.AbortedError, match=r"closed\. its share"):
        register(part_of(1.0), fail)
    register(part_of(1.0), lambda header: (told.append(header["drop"]), 10)[1])
    register(part_of(1.0), lambda header: (told.append(header["drop"]), 11)[1])
    assert told == [[7], [7, 8], [10]]


def test_a_session_that_is_closed_while_it_registers_a_partition_leaves_nothing(register):
    def answer(header):
        register.compiler._closed = True  # the task gets to know first that the session is closed
        return 7

    with pytest.raises(tf.errors.CancelledError, match=r"Session has been closed\."):
        register(part_of(1.0), answer)
    assert register.closed == [(1, 1, 1)]


def test_constants_go_with_the_last_partition_that_has_them(register):
    """The master keeps track; it says which ones the task may forget."""

    def answer(header):
        told.append(sorted(header["forget"]))
        return len(told)

    told, big = [], [np.full(1000, i, np.float32) for i in range(4)]
    first = register(part_of(big[0], big[1]), answer)
    both = part_of(big[0], big[1])
    second = register(both, answer)
    task = register.tasks[1]
    assert first.handle.number == 1 and len(task.sent) == 4
    del first
    third = register(part_of(big[2]), answer)
    assert len(task.sent) == 3
    again = register(both, answer)
    del second
    for i in range(50):
        third = register(part_of(big[3] + i), answer)
        assert len(task.sent) <= 4 and len(task.uses) <= 4
    assert told[:4] == [[], [], [0, 1], []] and {len(numbers) for numbers in told[6:]} == {1}
    del again, third


def test_a_task_forgets_constants_and_takes_new_ones(worker):
    def send(part, sent, forget):
        worker._register(3, pack(header(forget=forget), to_graph_def(part.program, sent)))

    one, other = (part_of(np.full(1000, i, np.float32)) for i in range(2))
    sent = {}
    send(one, sent, [])
    size = [len(to_graph_def(p.program, dict(sent))) for p in (one, other)]
    assert size[0] < 4000 < size[1]  # the first one is there
    (session,) = worker._sessions.values()
    assert list(session.constants) == [0]
    send(one, sent, [])
    send(other, {}, [0])
    assert list(session.constants) == [0] and (session.constants[0].value == 1).all()


def test_constants_that_a_reset_has_dropped_abort_the_registration(worker):
    program, sent = part_of(np.ones(1000, np.float32)).program, {}
    worker._register(3, pack(header(), to_graph_def(program, sent)))
    worker._reset(4, pack({"containers": []}))
    with pytest.raises(tf.errors.AbortedError, match="containers were cleared"):
        worker._register(3, pack(header(), to_graph_def(program, sent)))


@pytest.mark.parametrize("kind", [tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.UnknownError])
def test_a_trace_that_cannot_be_fetched_is_left_out(monkeypatch, kind):
    """A step that fails fetches traces, too: its own error has to reach the caller."""

    def call(rank, method, payload):
        assert (rank, method) == (1, "step_stats")
        raise kind(None, None, "no trace")

    monkeypatch.setattr(fabric, "call", call)
    remote = types.SimpleNamespace(partition=types.SimpleNamespace(rank=1))
    assert master._Remote.step_stats(remote, 7) == b""


def test_a_reset_waits_until_the_variables_are_there(worker):
    """Else those that come back from their replicas would survive it."""
    worker._ready = threading.Event()
    cleared = threading.Event()
    worker.resources = types.SimpleNamespace(clear=cleared.set)
    thread = threading.Thread(target=worker._reset, args=[4, pack({"containers": []})])
    thread.start()
    assert not cleared.wait(0.05)
    worker._ready.set()
    thread.join()
    assert cleared.is_set()
