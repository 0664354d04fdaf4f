"""Tasks that die, leave or fork, and nonsense in shared memory."""

import mmap
import os
import resource
import struct
import threading
import time

import numpy as np
import pytest

from tests.distributed import LONG_S, tasks
from tests.distributed.fabric.test_fabric import TENSOR, wait_until, with_mailbox
from tfcore.framework import errors
from tfcore.testing.drawing import EFFORT

REPLICA = 16  # TFC_MSG_REPLICA


def arenas():
    """How many tasks' memory this process has mapped, with its own."""
    with open("/proc/self/maps") as maps:
        return len({line.split()[4] for line in maps if "memfd:tfcore-arena" in line})


def lose_a_peer(task, moment):
    """The last task is killed in the middle of traffic; the others continue with each other."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    last = task.size - 1
    told = []
    fabric.on_failure(told.append)
    held, i = [], 0
    if task.rank == last:
        threading.Timer(moment, os.kill, (os.getpid(), 9)).start()
    big = TensorValue.from_numpy(np.full(50_000, task.rank, np.int32))
    end = time.monotonic() + moment + 0.1
    while time.monotonic() < end or task.rank == last:
        for other in task.others:
            fabric.send(other, TENSOR, big if i % 5 == 0 else np.int32(task.rank))
        i += 1
        while (m := box.get(0)) is not None:
            assert set(m.value.numpy().ravel().tolist()) == {m.source}
            held = [*held[-20:], m.value]
    fabric.fail(last, "killed")
    fabric.fail(last, "a second reason")
    assert not fabric.alive(last) and fabric.failure(last) == "killed" and fabric.failure(task.rank) is None
    with pytest.raises(errors.UnavailableError, match="killed. It can't be reached"):
        fabric.send(last, TENSOR, big)
    assert all(len(set(v.numpy().ravel().tolist())) == 1 for v in held)  # memory of the dead stays readable
    held.clear()
    task.meet()
    while box.get(0.2) is not None:
        pass
    assert wait_until(lambda: fabric.stats()["outstanding"] == 0 and fabric.stats()["overflowing"] == 0)
    assert wait_until(lambda: told == [last])
    assert wait_until(lambda: arenas() == task.size - 1)  # what the dead had is given back, once nobody reads it
    task.meet()
    fabric.close()
    return i > 0


@pytest.mark.parametrize("moment", [0.0, 0.2, 0.5] if EFFORT > 1 else [0.2])
def test_a_killed_task(moment):
    assert tasks.run(3, lose_a_peer, moment, killed=[2]) == [True, True, None]


def leave_early(task):
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    if task.rank == 0:
        for i in range(100):
            fabric.send(1, TENSOR, TensorValue.from_numpy(np.full(10_000, i)))
        fabric.close()
    else:
        got = [box.get(LONG_S).value for _ in range(100)]
        assert wait_until(lambda: not fabric.alive(0))
        assert fabric.failure(0) == "it has ended"
        assert [v.numpy()[0] for v in got] == list(range(100))
        with pytest.raises(errors.UnavailableError):
            fabric.send(0, TENSOR)
    return True


def read_while_dead(task):
    """Task 0 takes the other one for dead, which still reads a tensor of it."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    n = 100_000
    if task.rank == 0:
        before = fabric.stats()["withheld"]
        fabric.send(1, TENSOR, TensorValue.from_numpy(np.full(n, 7, np.int32)))
        task.meet()  # it has come
        fabric.fail(1, "it has given no sign of life")
        others = [TensorValue.from_numpy(np.full(n, 8, np.int32)) for _ in range(50)]  # in whatever memory is free
        found = [before, fabric.stats()["outstanding"], fabric.stats()["withheld"]]
        del others
        task.meet()
        assert wait_until(lambda: fabric.stats()["withheld"] == 0)  # the process is gone
        fabric.close()
        return found
    m = box.get(LONG_S)
    task.meet()
    task.meet()
    values = set(m.value.numpy().ravel().tolist())
    assert values == {7}, values
    return None


def test_a_task_that_counts_as_dead_may_still_read():
    assert tasks.run(2, read_while_dead)[0] == [0, 0, 1]


def with_replicas(task):
    """The connected fabric and its mailbox for REPLICA messages; task 0 has got one."""
    from tfcore.distributed.fabric import fabric

    boxes = []
    task.connect(lambda: boxes.append(fabric.Mailbox(REPLICA)))
    if task.rank == 1:
        assert fabric.publish(0, np.int32(0), ring=True)
    else:
        assert boxes[0].get(LONG_S).value.numpy() == 0
    task.meet()
    return fabric, boxes[0]


def outlive(task):
    """Task 1 publishes values and is killed before the other one looks at them, which has taken it for dead by then."""
    fabric, box = with_replicas(task)
    values = [np.int32(1), np.arange(100_000), np.array([b"a", b"b" * 10_000], object), np.int32(2)]
    if task.rank == 1:
        assert all(fabric.publish(0, value) for value in values)
        task.meet()
        os.kill(os.getpid(), 9)
    task.meet()
    fabric.fail(1, "killed")
    for value in values:
        assert box.get(LONG_S).value.numpy().tolist() == value.tolist()
    assert box.get(0) is None
    assert wait_until(lambda: arenas() == 1)
    return True


def test_what_was_published_outlives_its_sender():
    assert tasks.run(2, outlive, killed=[1]) == [True, None]


def publish_in_vain(task):
    """Task 0 takes the other one for dead, but that one continues."""
    fabric, box = with_replicas(task)
    if task.rank == 0:
        fabric.fail(1, "it has given no sign of life")
        assert wait_until(lambda: arenas() == 1)
        task.meet()
        task.meet()
        assert box.get(0.2) is None
        return True
    task.meet()
    published = fabric.publish(0, np.int32(1), ring=True)
    task.meet()
    return published


def test_who_was_given_up_publishes_nothing():
    assert tasks.run(2, publish_in_vain) == [True, False]


def test_a_task_that_leaves():
    assert tasks.run(2, leave_early) == [True, True]


def tell_of_failure(task):
    """Rank 0 says that rank 1 is dead: rank 2 believes it, and for rank 1 all others are gone."""
    fabric, _ = with_mailbox(task)
    task.meet()
    if task.rank == 0:
        for other in (1, 2):
            fabric.send(other, 10, np.frombuffer(b"frozen", np.uint8), edge=1)
        task.meet()
        return True
    if task.rank == 1:
        result = wait_until(lambda: not fabric.alive(0) and not fabric.alive(2)) and fabric.excluded()
        with pytest.raises(errors.AbortedError, match=r"this task was excluded from the cluster: frozen\. It can't"):
            fabric.send(2, TENSOR)
    else:
        result = wait_until(lambda: not fabric.alive(1)) and fabric.alive(0) and not fabric.excluded()
    task.meet()
    return result


def test_tasks_tell_each_other_of_failures():
    assert tasks.run(3, tell_of_failure) == [True] * 3


def fork(task):
    """A child keeps its tensors, has no fabric, and does not disturb its parent."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    other = 1 - task.rank
    sizes = (3000, 30_000, 3_000_000)
    mine = [TensorValue.from_numpy(np.full(n, 5, np.int8)) for n in sizes]
    free = [TensorValue.from_numpy(np.full(n, 6, np.int8)) for n in sizes]
    free.clear()  # parent and child will both use this memory
    for _ in range(3):
        child = os.fork()
        if not child:
            code = 1
            try:
                with pytest.raises(errors.FailedPreconditionError, match="belong to process"):
                    fabric.send(other, TENSOR)
                with pytest.raises(errors.FailedPreconditionError, match="forked process"):
                    fabric.call(other, "double")
                with open("/proc/self/maps") as maps:
                    assert "memfd:tfcore" not in maps.read()  # neither the parent's nor the peer's
                own = [TensorValue.from_numpy(np.full(n, 7, np.int8)) for n in sizes]
                time.sleep(0.2)
                for tensors, value in ((mine, 5), (own, 7)):
                    assert [set(v.numpy().tolist()) for v in tensors] == [{value}] * 3
                mine.clear()
                code = 0
            finally:
                os._exit(code)
        task.meet()  # neither child has a tensor of the other task
        new = [TensorValue.from_numpy(np.full(n, 8, np.int8)) for n in sizes]
        for v in new:
            fabric.send(other, TENSOR, v)
        for n in sizes:
            assert box.get(LONG_S).value.numpy().tolist() == [8] * n
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert [set(v.numpy().tolist()) for v in mine] == [{5}] * 3
        assert [set(v.numpy().tolist()) for v in new] == [{8}] * 3
        mine = [TensorValue.from_numpy(np.full(n, 5, np.int8)) for n in sizes]
    task.meet()
    return True


def test_fork():
    assert tasks.run(2, fork) == [True, True]


def fork_with_few_addresses(task):
    with open("/proc/self/status") as status:
        reserved = int(next(line for line in status if line.startswith("VmSize")).split()[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (reserved + (2 << 30), -1))
    return fork(task)


def test_fork_with_few_addresses():
    """As under ulimit -v: the arenas of all tasks and a child's copy fit in."""
    assert tasks.run(2, fork_with_few_addresses) == [True, True]


# ---- Memory in which a peer has left nonsense

HEADER, RING_HEADER, LINE = 65536, 128, 64
WRITERS = 192  # in an inbox: a bit for each rank that writes to it


def record(size, kind=TENSOR, n=None):
    """A message without payload, or with one of n bytes."""
    header = struct.pack("IHHiiqQQqII", size, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return header if n is None else header + struct.pack("qqQii", n, -1, 0, 4, 1) + struct.pack("q", n)


# Case -> ring size -> (what the ring has from where on, how much of it is said to be written).
NONSENSE = {
    "beyond the end": lambda ring: ({0: record(ring - 128, kind=0), ring - 128: record(20_096, n=20_000)}, 2 * ring),
    "more than was written": lambda ring: ({0: record(1096, n=1000)}, LINE),
    "a gap beyond the end": lambda ring: ({0: record(2 * ring, kind=0)}, 4 * ring),
    "a gap of nothing": lambda ring: ({0: record(0, kind=0)}, ring),
    "gaps without end": lambda ring: ({at: record(LINE, kind=0) for at in range(0, ring, LINE)}, 1 << 62),
    "a piece of a line": lambda ring: ({0: record(56)}, 56),
    "of no kind": lambda ring: ({0: record(56, kind=1000)}, LINE),
    "less than nothing": lambda ring: ({0: record(0)}, (1 << 64) - LINE),
}


def write_nonsense(task, case):
    """Rank 0 finds in the ring of rank 2 what no task writes: it takes rank 2 for dead, and continues with rank 1."""
    fabric, box = with_mailbox(task)
    if task.rank == 0:
        with mmap.mmap(fabric._address["inbox"], 0) as inbox:
            ring = int.from_bytes(inbox[12:16], "little")
            at = HEADER + 2 * (ring + RING_HEADER)
            assert at + ring + RING_HEADER == len(inbox)
            pieces, tail = NONSENSE[case](ring)
            for offset, data in pieces.items():
                inbox[at + RING_HEADER + offset : at + RING_HEADER + offset + len(data)] = data
            inbox[at : at + 8] = struct.pack("Q", tail)
            inbox[WRITERS] |= 1 << 2
        assert wait_until(lambda: not (fabric.poll() or fabric.alive(2)))
        assert fabric.failure(2) == "it sent a malformed message"
    task.meet()
    if task.rank == 1:
        fabric.send(0, TENSOR, np.arange(5))
    if task.rank == 0:
        m = box.get(LONG_S)
        assert m.source == 1 and m.value.numpy().tolist() == list(range(5))
    return True


@pytest.mark.parametrize("case", list(NONSENSE))
def test_nonsense_in_shared_memory_is_a_failure_of_its_writer(case):
    assert tasks.run(3, write_nonsense, case) == [True] * 3


# ---- Closing


AWAKE = 128  # in an inbox: how many threads of its owner poll


def close_while_a_thread_polls(task):
    fabric, _ = with_mailbox(task)
    with mmap.mmap(fabric._address["inbox"], 0) as inbox:
        inbox[AWAKE : AWAKE + 4] = struct.pack("I", 1000)  # one that polls right now counts itself out again
        fabric.close(0.1)
        assert fabric.rank() == -1
        with pytest.raises(errors.UnavailableError, match="thread"):  # it would use the new fabric's memory
            fabric.open(task.rank, task.size)
        inbox[AWAKE : AWAKE + 4] = struct.pack("I", 0)
    task.meet()
    with_mailbox(task)
    task.meet()
    return True


def test_closing_takes_a_bounded_time():
    assert tasks.run(2, close_while_a_thread_polls) == [True, True]


def fail_and_open_again(task):
    """A step that waits for a value of a task that failed once, and is there again."""
    import tfcore as tf

    fabric, _ = with_mailbox(task)
    import tfcore.distributed.partitions.steps  # noqa: F401 - from here on steps end when a task fails

    names = dict(tensor_name="x", send_device="", send_device_incarnation=1, recv_device="")
    received = tf.raw_ops._Recv(_edge=7, _peer=1, tensor_type=tf.float32, **names)
    texts = []
    with tf.Session() as session:
        for again in (False, True):
            if not again:
                fabric.fail(1, "killed")
            with pytest.raises(errors.OpError) as error:
                session.run(received, options=tf.RunOptions(timeout_in_ms=50))
            texts.append(type(error.value).__name__)
            task.meet()
            if not again:
                fabric.close(0.05)
                task.meet()
                with_mailbox(task)
    return texts


def test_a_task_that_failed_may_be_there_again():
    assert tasks.run(2, fail_and_open_again)[0] == ["UnavailableError", "DeadlineExceededError"]


def open_without_mpi(task):
    from tfcore.distributed.fabric import fabric

    fabric.open(0, 1)
    with pytest.raises(errors.NotFoundError) as error:
        fabric.open_transport(("/no/such/library.so", {}), fabric.Doorbell(), 1000)
    fabric.close()
    return error.value.message


def test_a_library_that_is_not_loaded_is_no_mpi():
    assert tasks.run(1, open_without_mpi) == ["/no/such/library.so is not loaded."]


# ---- Addresses


def arena_of(task, size, sharing):
    from tfcore.distributed.fabric import fabric

    fabric.open(0, size, sharing)
    bytes_ = fabric.stats()["arena_bytes"]
    fabric.close()
    return bytes_


def test_the_arena_follows_the_tasks_of_the_host():
    few, many, spread = (tasks.run(1, arena_of, *sizes)[0] for sizes in [(2, 2), (8192, 8192), (8192, 2)])
    assert many <= 4 << 30 and spread == few
