"""Messages, handles and calls of an earlier process in a place: all are refused, and nothing changes."""

import mmap
import struct
import threading

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import LONG_S, mpi, tasks
from tests.distributed.fabric.test_fabric import wait_until
from tfcore.core.rendezvous import rendezvous
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions import steps

HEADER, RING_HEADER, LINE = 65536, 128, 64
RELEASE, CALL, REPLY, TENSOR, RUN, DONE, CANCEL, COLLECTIVE, BEAT, FAILED, LEAVE, REQUEST, CLEAR, CREDIT = range(1, 15)
KINDS = range(1, 15)
STEP = 1 << 20


class Ring:
    """The ring in this process's inbox into which the other task writes."""

    def __init__(self, other):
        self._inbox = mmap.mmap(fabric._address["inbox"], 0)
        self.bytes = int.from_bytes(self._inbox[12:16], "little")
        self._at = HEADER + other * (self.bytes + RING_HEADER)

    def written(self):
        """All that was written, while that is less than a ring."""
        (tail,) = struct.unpack("Q", self._inbox[self._at : self._at + 8])
        assert tail < self.bytes
        begin = self._at + RING_HEADER
        return self._inbox[begin : begin + tail]

    def write(self, data):
        """Appends records. Nobody else writes at that time."""
        (tail,) = struct.unpack("Q", self._inbox[self._at : self._at + 8])
        assert tail + len(data) <= self.bytes
        begin = self._at + RING_HEADER + tail
        self._inbox[begin : begin + len(data)] = data
        self._inbox[self._at : self._at + 8] = struct.pack("Q", tail + len(data))


def records(data):
    """The kinds of the records in it."""
    found = []
    while data:
        size, kind = struct.unpack_from("IH", data)
        found.append(kind)
        data = data[(size + LINE - 1) // LINE * LINE :]
    return found


def replay(task):
    """Rank 0 records a message of each kind from rank 1. In their next lives it finds them in its inbox again."""
    from tfcore.core.memory.tensor import TensorValue

    from tfcore.distributed.collectives import collective

    calls, told, runs = [], [], []
    task.connect()
    assert fabric.incarnation(0) != fabric.incarnation(1) != 0
    if task.rank == 1:
        text = np.frombuffer(b"dead", np.uint8)
        big = TensorValue.from_numpy(np.arange(10_000.0))
        for kind in KINDS:
            if kind not in (LEAVE, FAILED, REPLY, CREDIT):  # those for which rank 0 would give rank 1 up
                fabric.send(0, kind, text, step=STEP, edge=1)
        fabric.send(0, TENSOR, big, step=STEP, edge=2)
    task.meet()
    if task.rank == 0:
        ring = Ring(1)
        assert wait_until(lambda: set(records(ring.written())) >= set(KINDS) - {LEAVE, FAILED, REPLY, CREDIT})
        recorded = ring.written()
        one = recorded[: (struct.unpack_from("I", recorded)[0] + LINE - 1) // LINE * LINE]
        for kind in (LEAVE, FAILED, REPLY, CREDIT):
            recorded += one[:4] + struct.pack("H", kind) + one[6:]
    task.meet()
    fabric.close(0.1)
    rendezvous.end_step(STEP)
    before = rendezvous.count()

    def serve():
        fabric.serve("anything", lambda source, payload: calls.append(source))
        fabric.on_failure(told.append)

    task.connect(serve)
    if task.rank == 0:
        refused, partitions = fabric.stats()["refused"], dict(steps._partitions)
        ring = Ring(1)
        ring.write(recorded)
        count = len(records(recorded))
        assert wait_until(lambda: (fabric.poll(), fabric.stats()["refused"] == refused + count)[1])
        assert fabric.alive(1) and not told and not calls and not runs
        assert rendezvous.count() == before and steps._partitions == partitions
        assert steps.flow_control_counts()["waiting"] == 0 and not collective.waits("anything")
        assert fabric.stats()["outstanding"] == 0
    task.meet()
    return True


def test_messages_of_an_earlier_life_are_refused_whatever_their_kind():
    assert tasks.run(2, replay) == [True, True]


def test_what_a_message_was_for_counts_too():
    """The header names the receiver's incarnation, not only the sender's."""
    assert tasks.run(2, misaddress) == [True, True]


def misaddress(task):
    calls = []
    task.connect(lambda: fabric_serve(calls))
    if task.rank == 1:
        fabric.call(0, "note", b"1", timeout_s=LONG_S)
    task.meet()
    if task.rank == 0:
        ring = Ring(1)
        recorded = bytearray(ring.written())
        size = struct.unpack_from("I", recorded)[0]
        struct.pack_into("I", recorded, 52, struct.unpack_from("I", recorded, 52)[0] ^ 1)
        ring.write(bytes(recorded[: (size + LINE - 1) // LINE * LINE]))
        assert wait_until(lambda: (fabric.poll(), fabric.stats()["refused"] == 1)[1])
        assert calls == [b"1"]
    task.meet()
    return True


def fabric_serve(calls):
    fabric.serve("note", lambda source, payload: (calls.append(payload), b"")[1])


# ---- Partitions


def run_foreign_handles(task):
    """A RUN of what was registered for, or with, another incarnation is answered ABORTED."""
    from tfcore.core.registry.kernel import ResourceManager
    from tfcore.core.step.executor import RunControl

    from tfcore.compiler.compile import Compiler
    from tfcore.compiler.devices import Devices

    ran, boxes = [], []
    task.connect(lambda: boxes.append(fabric.Mailbox(DONE) if task.rank == 1 else None))
    handles = []
    if task.rank == 0:
        resources = ResourceManager()
        with tf.Graph().as_default():
            op = tf.py_func(lambda: ran.append(1), [], [], stateful=True)
        program = Compiler(resources, devices=Devices(client=("worker", 0, 0))).program([], [], [op])
        plan = Compiler(resources, devices=Devices(client=("worker", 0, 0))).lower(program)
        control = RunControl(resources.variables, lambda name: None)
        life = fabric.incarnation(1)
        for master in ((1, life ^ 1), (0, life), (1, life)):
            handles.append(steps.register(master, plan, 0, 0, control))
        assert {handle >> 32 for handle in handles} == {fabric.incarnation(0)}
        fabric.serve("handles", lambda source, payload: struct.pack("QQQ", *handles))
    task.meet()
    if task.rank == 1:
        handles = struct.unpack("QQQ", fabric.call(0, "handles", timeout_s=LONG_S))
        another_life = handles[2] ^ 1 << 32
        first = rendezvous.first_step(1, 0) + 1
        foreign = rendezvous.first_step(2, 0) + 1
        for handle, step in zip([*handles[:2], another_life, handles[2], handles[2]], [first] * 3 + [foreign, first]):
            fabric.send(0, RUN, step=step, edge=handle)
            done = boxes[0].get(LONG_S)
            assert (done.step, done.edge) == (step, handle)
            text = bytes(done.value.numpy()).decode() if done.value is not None else ""
            if step == foreign:
                assert done.code == tf.errors.INVALID_ARGUMENT, text
                assert text.endswith("is one of rank 2, but rank 1 asks for it.")
            elif handle == handles[2]:
                assert done.code == 0, text
            else:
                assert done.code == tf.errors.ABORTED and f"Graph handle {handle} is not found: " in text
    task.meet()
    return len(ran)


def test_a_handle_is_good_for_one_life_of_server_and_master():
    assert tasks.run(2, run_foreign_handles) == [1, 0]


# ---- Calls


def answer_late(task):
    """Rank 0 answers a call of rank 1 when rank 1 has another life, in which it calls, too."""
    hold = threading.Event()

    def serve():
        fabric.serve("late", lambda source, payload: (hold.wait(LONG_S), b"late")[1])
        fabric.serve("caller", lambda source, payload: struct.pack("I", fabric.caller()))

    task.connect(serve)
    if task.rank == 1:
        with pytest.raises(tf.errors.DeadlineExceededError):
            fabric.call(0, "late", timeout_s=0.2)
        before = fabric.incarnation(1)
        assert struct.unpack("I", fabric.call(0, "caller", timeout_s=LONG_S))[0] == before
    task.meet()
    fabric.close(0.1)
    task.connect(serve)
    if task.rank == 1:
        assert fabric.incarnation(1) != before
    hold.set()
    if task.rank == 1:
        for _ in range(20):
            assert struct.unpack("I", fabric.call(0, "caller", timeout_s=LONG_S))[0] == fabric.incarnation(1)
    task.meet()
    return True


def test_an_answer_to_an_earlier_life_is_not_taken_for_one_to_this():
    assert tasks.run(2, answer_late) == [True, True]


# ---- Steps


def test_numbers_of_steps():
    assert rendezvous.first_step(0, 0) == 0
    numbers = [rendezvous.first_step(rank, life) for rank in (0, 1, 16383) for life in (0, 1, 511)]
    assert numbers == sorted(set(numbers)) and max(numbers) + (1 << 40) == 1 << 63
    for rank, generation in ((16384, 0), (0, 512), (-1, 0), (0, -1)):
        with pytest.raises(ValueError, match=f"rank {rank} and generation {generation}"):
            rendezvous.first_step(rank, generation)


COUNT = """
    import tfcore as tf
    from tfcore.core.step.executor import number_steps_from

    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    if cluster.job_name == "ps":
        server.join()
    number_steps_from((1 << 49) + (1 << 40) - 5)  # five steps before the count is exhausted
    x = tf.placeholder(tf.float32, [])
    with tf.device("/job:ps/task:0"):
        y = x + 1.0
    with tf.Session(server.target) as session:
        print([float(session.run(y, {x: i})) for i in range(10)])
"""


def test_the_count_of_steps_begins_anew():
    job = mpi.run(COUNT, ranks=2)
    assert job.code == 0 and str([i + 1.0 for i in range(10)]) in job.text, job.text


def test_too_many_tasks_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most 16,384 tasks.*this has 16,385"):
        fabric.open(0, 16385)


def test_steps_of_a_life_are_aborted_and_those_of_the_next_are_not():
    first, second = (rendezvous.first_step(3, life) + 7 for life in (0, 1))
    before = rendezvous.count()
    for step in (first, second):
        rendezvous.put(step, 1, np.float32(step == second))
    rendezvous.abort_steps(rendezvous.first_step(3, 0), rendezvous.first_step(3, 1) - 1, tf.errors.CANCELLED, "gone")
    assert rendezvous.try_take(first, 1) is None and rendezvous.try_take(second, 1)[0] == 1
    rendezvous.end_step(second)
    assert rendezvous.count() == before
