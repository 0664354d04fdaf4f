"""Messages over MPI: here between processes of one host, which are told not to share memory."""

import time

import pytest

from tests.distributed import mpi

TRAFFIC = ["-m", "tests.distributed.traffic", "8"]
OVER_MPI = {"TFCORE_TRANSPORT": "mpi"}


def test_all_types_and_sizes_arrive_in_order():
    job = mpi.run(TRAFFIC, ranks=3, env={**OVER_MPI, "TFCORE_LINK_CHUNK": "100000"})  # large ones go in several pieces
    assert job.code == 0, job.text
    assert job.lines("right") == 3 * ["right 342 foreign 2"]
    assert len(job.lines("throughput")) == 2


@pytest.mark.parametrize("env", [{}, OVER_MPI], ids=["shared memory", "mpi"])
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


def test_a_link_that_breaks_down_is_no_hang():
    job = mpi.run(
        """
        import time
        import tfcore as tf
        from tfcore.distributed import fabric, mpi_link

        tf.train.Server(tf.train.ClusterSpec.from_mpi())
        if fabric.rank() == 0:
            def look(self):
                raise OSError("the cable is cut")
            mpi_link.Link._look = look
        other = 1 - fabric.rank()
        while fabric.alive(other):
            time.sleep(0.01)
        print(fabric.description(other))
        """,
        ranks=2,
        env=OVER_MPI,
    )
    assert job.lines("/job")[1].endswith("(rank 1): the link to other hosts has broken down: the cable is cut"), (
        job.text
    )
    assert "(rank 0): it" in job.lines("/job")[0]  # it gives no sign of life, or its process has ended
    assert job.text.count("OSError: the cable is cut") == 1


def test_without_memory_one_step_fails_and_the_next_one_runs():
    job = mpi.run(
        """
        import numpy as np
        import tfcore as tf
        from tfcore.distributed import fabric
        from tfcore.framework import errors

        server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1))
        if fabric.rank() == 0:
            allocate, left = fabric.allocate, [1]

            def without_memory_once(header):
                if fabric.payload_bytes(header) and left:
                    left.pop()
                    raise errors.ResourceExhaustedError(None, None, "OOM when receiving a tensor")
                return allocate(header)

            fabric.allocate = without_memory_once
            server.join()
        x = tf.placeholder(tf.float32, [None])
        with tf.device("/job:ps/task:0"):
            total = tf.reduce_sum(x)
        with tf.Session(server.target) as session:
            ones = np.ones(1_000_000, "f4")
            try:
                session.run(total, {x: ones})
            except tf.errors.ResourceExhaustedError as error:
                print("first:", error.message.splitlines()[0])
            print("second:", int(session.run(total, {x: ones})))
        """,
        ranks=2,
        env={**OVER_MPI, "TFCORE_LINK_CHUNK": "1000003"},
    )
    assert job.code == 0, job.text
    assert "OOM when receiving a tensor" in job.lines("first:")[0], job.text
    assert job.lines("second:") == ["second: 1000000"], job.text
