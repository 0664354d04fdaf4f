"""Collectives between simulated hosts, and over MPI alone, against the defined order, bit for bit."""

import pytest

from tests.distributed import mpi
from tests.distributed.hosts import TCP_ONLY, Hosts

PROGRAM = """
import sys
import numpy as np
import tfcore as tf
from tests.distributed.collectives.reductions import reduced
from tests.distributed.collectives.test_collective import TYPES, run_op
from tests.distributed.collectives.test_collective_tree import random_values
from tfcore.distributed.fabric import fabric

cluster = tf.train.ClusterSpec.from_mpi(ps=0)
server = tf.train.Server(cluster)
d, me, n, seed = tf.distributed, tf.distributed.rank(), tf.distributed.size(), int(sys.argv[1])
layout = run_op(d.allgather, "int32", np.int32(min({me, *range(n)} - set(fabric.foreign())))).tolist()
rng = np.random.default_rng(seed)
for i in range(int(sys.argv[2])):
    dtype, op = str(rng.choice(TYPES)), str(rng.choice(["sum", "mean", "min", "max"]))
    op = "sum" if dtype.startswith("complex") else op
    size = int(rng.choice([1, 5, 3000, 20011, 150_001, 600_000]))
    values = random_values(dtype, [size], n, seed + i)
    want = reduced(op, values, layout)
    got = run_op(lambda x: d.allreduce(x, op, name=f"all{i}"), dtype, values[me])
    assert got.tobytes() == want.tobytes(), (dtype, op, size, layout)
    rows = run_op(lambda x: d.reduce_scatter(x, op, name=f"rows{i}"), dtype, values[me])
    assert rows.tobytes() == np.array_split(want, n)[me].tobytes()
    root = i % n
    assert run_op(lambda x: d.broadcast(x, root, name=f"one{i}"), dtype, values[me]).tobytes() == values[root].tobytes()
    gathered = run_op(lambda x: d.allgather(x, name=f"every{i}"), dtype, values[me])
    assert gathered.tobytes() == np.concatenate(values).tobytes()
print("fine", me, layout, flush=True)
"""


@pytest.mark.parametrize("spread", [[2, 2], [3, 1], [2, 1, 1], [1, 2, 1, 1]])
def test_results_between_hosts_have_the_defined_bits(spread):
    with Hosts(len(spread), delay_ms=0) as network:
        job = mpi.run(PROGRAM, args=[sum(spread), 10], call=network.mpirun(spread), env=TCP_ONLY)
    first = [sum(spread[:i]) for i in range(len(spread))]
    layout = [f for f, n in zip(first, spread) for _ in range(n)]
    assert job.code == 0, job.text
    assert job.lines("fine") == [f"fine {rank} {layout}" for rank in range(sum(spread))], job.text


@pytest.mark.parametrize("ranks", [2, 3, 10])
def test_results_over_mpi_alone_have_the_defined_bits(ranks):
    job = mpi.run(PROGRAM, ranks, args=[ranks, 10], env={"TFCORE_TRANSPORT": "mpi"})
    assert job.code == 0, job.text
    assert len(job.lines("fine")) == ranks and f"fine 0 {list(range(ranks))}" in job.text, job.text


@pytest.mark.parametrize("victim", [0, 1, 3])
def test_a_rank_is_killed_in_the_middle(victim):
    """At any moment: each result is right or an error that names the rank, and the others continue without it."""
    mpi.require_survivors()
    program = """
    import os, signal, sys, threading
    import numpy as np
    import tfcore as tf
    cluster = tf.train.ClusterSpec.from_mpi(ps=0)
    server = tf.train.Server(cluster)
    d, me, n, victim = tf.distributed, tf.distributed.rank(), tf.distributed.size(), int(sys.argv[1])
    ones = tf.ones([2_000_000])
    total = d.allreduce(ones * (me + 1.0), name="total")
    left = d.allreduce(ones, group=[r for r in range(n) if r != victim], name="left") if me != victim else None
    with tf.Session() as session:
        for i in range(5):
            assert (session.run(total) == 10).all()
        if me == victim:
            threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGKILL]).start()
        try:
            while True:
                assert (session.run(total) == 10).all()
        except tf.errors.UnavailableError as error:
            assert "'total'" in str(error) and f"(rank {victim})" in str(error), error
        assert (session.run(left) == 3).all()
        print("told", me, flush=True)
    """
    with Hosts(2, delay_ms=0) as network:
        job = mpi.run(program, args=[victim], call=network.mpirun([2, 2]), env=TCP_ONLY)
    assert job.lines("told") == [f"told {rank}" for rank in range(4) if rank != victim], job.text
