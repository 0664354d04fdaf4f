"""What a task keeps for masters, and what masters tell it: called directly, without messages."""

import pytest
from tfcore.core.kernel import ResourceManager

import tfcore as tf
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices
from tfcore.compiler.program_def import to_graph_def
from tfcore.distributed import fabric, master, steps
from tfcore.distributed.worker import Worker, pack

TASK = ("worker", 0, 0)


@pytest.fixture
def worker(monkeypatch):
    """A Worker for which all masters are alive."""
    monkeypatch.setattr(fabric, "serve", lambda method, fn: None)
    monkeypatch.setattr(fabric, "on_failure", lambda fn: None)
    monkeypatch.setattr(fabric, "alive", lambda rank: True)
    return Worker(ResourceManager(), TASK)


def partition():
    """What a master sends to register a partition."""
    with tf.Graph().as_default():
        op = tf.constant(1.0).op
    program = Compiler(ResourceManager(), devices=Devices(client=TASK)).program([], [], [op])
    header = {"session": 1, "drop": [], "fuses_loops": True, "threads": 0, "inter_op": 0}
    return pack(header, to_graph_def(program))


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
        worker._register(3, partition())
    assert set(steps._partitions) == before and not worker._sessions


def test_an_abandoned_session_is_told_to_all(monkeypatch):
    def notify(rank, method, payload):
        told.append(rank)
        if rank == 1:
            raise MemoryError

    told = []
    monkeypatch.setattr(master.fabric, "notify", notify)
    master._abandon_session(1, {1: None, 2: None})
    assert told == [1, 2]
