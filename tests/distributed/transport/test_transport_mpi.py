"""Messages over MPI: here between processes of one host, which are told not to share memory."""

import time

import pytest

from tests.distributed import mpi
from tfcore.distributed.transport import opening as mpi_transport
from tfcore.framework import errors

TRAFFIC = ["-m", "tests.distributed.traffic", "8"]
OVER_MPI, OVER_TCP = {"TFCORE_TRANSPORT": "mpi"}, {"TFCORE_TRANSPORT": "tcp"}
BETWEEN_HOSTS = pytest.mark.parametrize("env", [OVER_MPI, OVER_TCP], ids=["mpi", "tcp"])


@BETWEEN_HOSTS
def test_all_types_and_sizes_arrive_in_order(env):
    job = mpi.run(TRAFFIC, ranks=3, env={**env, "TFCORE_TRANSPORT_CHUNK": "100000"})  # large ones in several
    assert job.code == 0, job.text
    assert job.lines("right") == 3 * ["right 342 foreign 2"]
    assert len(job.lines("throughput")) == 2


@pytest.mark.parametrize("env", [{}, OVER_MPI, OVER_TCP], ids=["shared memory", "mpi", "tcp"])
def test_waiting_takes_no_processor_time(env):
    with mpi.Job(TRAFFIC, ranks=3, env={**env, "TFCORE_TEST_IDLE": "2.5"}) as job:
        job.see("throughput", 2)
        time.sleep(0.5)  # until the last naps are long
        pids = [job.pid_of(rank) for rank in range(3)]
        before = [mpi.processor_seconds(pid) for pid in pids]
        time.sleep(1)
        used = [mpi.processor_seconds(pid) - b for pid, b in zip(pids, before)]
        job.wait()
    assert job.code == 0, job.text
    assert max(used) < 0.25, used  # spinning would take the whole second


FLOOD = """
import os
import sys
import numpy as np
import tfcore as tf
from tests.distributed import LONG_S
from tfcore.distributed.fabric import fabric
from tfcore.framework import errors

KIND, ROUNDS = 15, 3000  # TFC_MSG_TEST
mailbox = fabric.Mailbox(KIND)
server = tf.train.Server(tf.train.ClusterSpec.from_mpi())
rank, size = fabric.rank(), fabric.size()
others = [r for r in range(size) if r != rank]

def fail(source, data):
    raise errors.OutOfRangeError(None, None, f"from {source}: {data.decode()}")

fabric.serve("double", lambda source, data: 2 * data)
fabric.serve("fail", fail)
for i in range(ROUNDS):  # all before any is read
    for other in others:
        fabric.send(other, KIND, None if i % 3 else np.full(i % 70 * i % 5000, i, np.int32), step=i)
expected = dict.fromkeys(others, 0)
for _ in range(ROUNDS * len(others)):
    m = mailbox.get(LONG_S)
    assert m.step == expected[m.source], m
    assert (m.value is None) == (m.step % 3 != 0)
    if m.value is not None:
        assert m.value.shape == (m.step % 70 * m.step % 5000,) and (m.value.numpy() == m.step).all()
    expected[m.source] += 1
for other in others:
    big = os.urandom(3 << 20)
    assert fabric.call(other, "double", big) == 2 * big
    assert fabric.call(other, "double") == b""
    try:
        fabric.call(other, "fail", b"why")
    except errors.OutOfRangeError as error:
        assert str(error) == f"from {rank}: why"
    else:
        raise AssertionError("no error")
print("right", sum(expected.values()), flush=True)
server.join()
"""


@BETWEEN_HOSTS
def test_thousands_of_queued_messages_and_calls_with_large_payloads(env):
    job = mpi.run(FLOOD, ranks=3, env={**env, "TFCORE_TRANSPORT_CHUNK": "4000"})
    assert job.code == 0, job.text
    assert job.lines("right") == 3 * ["right 6000"]


# What rank 0 sends the others over the transport's communicator, which they take for messages of its own
NONSENSE = """
import struct
import sys
import time
import tfcore as tf
from tests.distributed.transport import simulated_mpi
from tests.distributed.transport.simulated_mpi import TAG_CHUNK, TAG_FRAME, TAG_HELLO
from tfcore.distributed.fabric import fabric
from tfcore.distributed.transport import opening as mpi_transport
from tfcore.distributed.task import task
from tfcore.distributed.cluster import world

server = tf.train.Server(tf.train.ClusterSpec.from_mpi())
rank = fabric.rank()
if rank == 0:
    me, token = fabric.incarnation(0), fabric.job_token()
    hello = simulated_mpi.hello(0, incarnation=me, chunk_bytes=mpi_transport.CHUNK, token=token)
    while not (sent := fabric.traffic()[1]["sent"]["messages"]):  # the one by which it connects to its neighbours
        time.sleep(0.01)
    def frame(record, payload_number=0):
        return simulated_mpi.frame(0, sent + 1, record, payload_number, incarnation=me)
    def header(size=56, kind=12, source=0):
        return struct.pack("IHHiiqQQqII", size, kind, 0, source, 0, 0, 0, 0, 0, 0, 0)
    payload = struct.pack("qqQii", 40, -1, 0, 1, 1) + struct.pack("q", 10)
    strings = [struct.pack("qqQiiq", 21, offset, 0, 7, 1, 2) for offset in (-1, 0)]
    lengths = struct.pack("QQ", 2, 4) + b"words"
    messages = {
        "noise": [(TAG_FRAME, b"noise")],
        "a strange hello": [(TAG_HELLO, bytes(len(hello)))],
        "a record of nothing": [(TAG_HELLO, hello), (TAG_FRAME, frame(bytes(56)))],
        "a short record": [(TAG_HELLO, hello), (TAG_FRAME, frame(header()[:20]))],
        "another's name": [(TAG_HELLO, hello), (TAG_FRAME, frame(header(source=2)))],
        "another kind": [(TAG_HELLO, hello), (TAG_FRAME, frame(header(kind=1000)))],
        "a wrong size": [(TAG_HELLO, hello), (TAG_FRAME, frame(header(size=57)))],
        "less than it says": [(TAG_HELLO, hello), (TAG_FRAME, frame(header(size=96) + payload))],
        "strings too long": [(TAG_HELLO, hello), (TAG_FRAME, frame(header(size=117) + strings[0] + lengths))],
        "large strings too long": [
            (TAG_HELLO, hello), (TAG_FRAME, frame(header(size=96) + strings[1], 1)), (TAG_CHUNK + 1, lengths)
        ],
    }[sys.argv[1]]
    comm, mpi = task.current()._comm, world.mpi()
    if sys.argv[1] == "noise":  # in the midst of a connection
        try:
            fabric.call(1, "nothing")
        except tf.errors.NotFoundError:
            pass
    requests = [comm.Isend([data, mpi.BYTE], 1, tag) for tag, data in messages]
if rank == 1:
    while fabric.alive(0):
        time.sleep(0.01)
    try:
        fabric.call(2, "nothing")
    except tf.errors.NotFoundError:
        print("failed:", fabric.description(0), flush=True)
else:
    other = 2 if rank == 0 else 0
    while fabric.alive(other):
        time.sleep(0.01)
    print("excluded:" if rank == 0 else "told:", fabric.description(other), flush=True)
time.sleep(1000)  # the test ends it
"""
CASES = {
    "noise": "it sent a malformed message",
    "a strange hello": "it sent a malformed message",
    "a record of nothing": "it sent a malformed message (its header)",
    "a short record": "it sent a malformed message (its header)",
    "another's name": "it sent a malformed message (its source)",
    "another kind": "it sent a malformed message (its header)",
    "a wrong size": "it sent a malformed message (its header)",
    "less than it says": "it sent a malformed message (its header)",
    "strings too long": "it sent a malformed message (its strings)",
    "large strings too long": "it sent a malformed message (its strings)",
}


@pytest.mark.parametrize("case", CASES)
def test_nonsense_over_mpi_is_a_failure_of_its_sender(case):
    with mpi.Job(NONSENSE, ranks=3, args=[case], env=OVER_MPI) as job:
        job.see("failed:")
    assert "(rank 0): " + CASES[case] in job.lines("failed:")[0], job.text


def test_all_tasks_know_of_one_that_is_cut_off():
    """Rank 1, which it has sent nonsense, tells rank 2, and that one tells rank 0."""
    with mpi.Job(NONSENSE, ranks=3, args=["noise"], env=OVER_MPI) as job:
        job.see("told:")
        job.see("excluded:")
    assert "(rank 0): it sent a malformed message" in job.lines("told:")[0], job.text
    reason = "this task was excluded from the cluster: it sent a malformed message"
    assert f"(rank 2): {reason}" in job.lines("excluded:")[0], job.text


class OneThread:
    """MPI that only the main thread may call."""

    THREAD_SERIALIZED = 2

    def Query_thread(self):
        return 1


def test_mpi_for_too_few_threads_is_refused(monkeypatch):
    monkeypatch.setattr(mpi_transport.world, "mpi", OneThread)
    with pytest.raises(errors.FailedPreconditionError, match=r"level 1.*at least MPI_THREAD_SERIALIZED"):
        mpi_transport.start(object(), None)


@pytest.mark.parametrize(
    ("text", "size"),
    [(None, 64 << 20), ("1", 1), ("3000000000", (1 << 31) - 1), ("0", None), ("-1", None), ("1M", None)],
)
def test_the_size_of_chunks(monkeypatch, text, size):
    monkeypatch.delenv("TFCORE_TRANSPORT_CHUNK", raising=False)
    if text is not None:
        monkeypatch.setenv("TFCORE_TRANSPORT_CHUNK", text)
    if size is not None:
        assert mpi_transport._chunk_bytes() == size
        return
    with pytest.raises(errors.InvalidArgumentError, match=f"TFCORE_TRANSPORT_CHUNK is '{text}'.*at least 1"):
        mpi_transport._chunk_bytes()


@BETWEEN_HOSTS
def test_without_memory_one_step_fails_and_the_next_one_runs(env):
    job = mpi.run(
        """
        import numpy as np
        import tfcore as tf

        config = tf.ConfigProto(memory_limit_in_bytes=24 << 20)
        server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1), config=config)
        if server.server_def.job_name == "ps":
            with tf.Session(server.target, config=config):  # the limit holds as long as a session is open
                server.join()
        x = tf.placeholder(tf.float32, [None])
        with tf.device("/job:ps/task:0"):
            total = tf.reduce_sum(x)
        with tf.Session(server.target, config=tf.ConfigProto()) as session:
            for name, n in [("first", 1_000_000), ("second", 10_000_000), ("third", 1_000_000)]:
                try:
                    print(f"{name}: {session.run(total, {x: np.ones(n, 'f4')}):.0f}")
                except tf.errors.ResourceExhaustedError as error:
                    print(f"{name}:", error.message.splitlines()[0])
        """,
        ranks=2,
        env={**env, "TFCORE_TRANSPORT_CHUNK": "1000003"},
    )
    assert job.code == 0, job.text
    assert job.lines("first:") == ["first: 1000000"], job.text
    assert "OOM when receiving" in job.lines("second:")[0], job.text
    assert job.lines("third:") == ["third: 1000000"], job.text
