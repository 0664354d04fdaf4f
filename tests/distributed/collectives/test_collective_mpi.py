"""Collectives of real clusters: in shared memory and over MPI, also where a worker is killed."""

import pytest

from tests.distributed import mpi

PROGRAM = """
import numpy as np, tfcore as tf
cluster = tf.train.ClusterSpec.from_mpi(ps=1)
server = tf.train.Server(cluster)
if cluster.job_name == "ps":
    server.join()
d, me = tf.distributed, cluster.task_index
assert (d.rank(), d.size(), d.rank([0, 2])) == (me, 2, 1 if me else -1)
rng = np.random.default_rng(4)
parts = [rng.standard_normal(n) for n in (3, 50_000, 700_000)]
tensors = [tf.constant(p * (me + 1)) for p in parts]
rows = tf.fill([900 * (me + 1), 2], me)
with tf.Session() as session:
    for _ in range(4):
        sums = session.run(d.allreduce(tensors, "mean"))
        assert all(np.allclose(s, 1.5 * p) for s, p in zip(sums, parts))
        assert session.run(d.allgather(rows)).sum() == 3600
        assert (session.run(d.broadcast(tensors[1], root=1)) == 2 * parts[1]).all()
        assert np.allclose(session.run(d.reduce_scatter(tensors[2])), 3 * np.split(parts[2], 2)[me])
        session.run(d.barrier())
print(f"fine {me}\\n", end="", flush=True)  # one write: lines of two ranks do not mix
"""


@pytest.mark.parametrize("transport", [None, "mpi", "tcp"])
def test_workers_of_a_cluster(transport):
    job = mpi.run(PROGRAM, ranks=3, env={"TFCORE_TRANSPORT": transport})
    assert job.code == 0 and job.lines("fine") == ["fine 0", "fine 1"], job.text


def test_a_worker_is_killed():
    mpi.require_survivors()
    program = """
    import os, signal, tfcore as tf
    cluster = tf.train.ClusterSpec.from_mpi(ps=0)
    server = tf.train.Server(cluster)
    total = tf.distributed.allreduce(tf.ones([300_000]), name="total")
    with tf.Session() as session:
        for i in range(20):
            if i == 10 and cluster.task_index == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                assert session.run(total)[0] == 3
            except tf.errors.UnavailableError as error:
                assert i == 10 and "'total'" in str(error) and "(rank 1)" in str(error), error
                print("told", cluster.task_index, flush=True)
                break
    """
    job = mpi.run(program, ranks=3)
    assert job.lines("told") == ["told 0", "told 2"], job.text
