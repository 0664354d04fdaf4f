"""Loops and conditionals whose parts are on several tasks: real processes under mpirun."""

import os

from tests.distributed import mpi

EXAMPLES = int(60 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))

HEAD = """
    import random, signal, threading, time
    import numpy as np
    import tfcore as tf
    from tests.compiler import nested
    from tfcore.core import edges

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    if cluster.task_index:
        server.join()
        raise SystemExit

    def on(task):
        return tf.device(f"/job:worker/task:{task}")

    def fails(kind, fn, *parts):
        try:
            fn()
        except kind as error:
            for part in parts:
                assert part in str(error), (part, str(error))
            return error
        raise AssertionError(f"{kind.__name__} was not raised")
"""


def cluster(program, ranks=3, **more):
    """Runs a program as rank 0, whose other ranks serve; it has to get to its end."""
    job = mpi.run(HEAD + program + '\n    print("fine", flush=True)\n', ranks, **more)
    assert job.code == 0 and job.lines("fine") == ["fine"], job.text
    return job


def test_random_programs_are_those_of_one_process():
    """Values and gradients, bit for bit; every operation is anywhere."""
    cluster(
        """
    def results(target, fetches):
        with tf.Session(target) as sess:
            return [[np.float32(x).tobytes() for x in sess.run(fetches)] for _ in range(2)]

    spread = 0
    for seed in range(EXAMPLES):
        rng = random.Random(seed)
        block = nested.random_block(rng, 5, 2)
        with tf.Graph().as_default() as graph:
            numbers = [float(rng.randint(-4, 4)) for _ in range(3)]
            first = [tf.constant(x) for x in numbers]
            values = nested.with_api(block, first)
            gradients = [g for g in tf.gradients(values[3:], first) if g is not None]
            fetches = [tf.identity(v) for v in values + gradients]
            one = results("", fetches)
            assert [np.frombuffer(x, np.float32)[0] for x in one[0][: len(values)]] == nested.evaluate(block, numbers)
            for op in graph.get_operations():
                if op.colocation_groups() == [b"loc:@" + op.name.encode()]:
                    op._set_device(f"/job:worker/task:{rng.randrange(3)}")
            assert results(server.target, fetches) == one, seed
            spread += len(gradients)
    assert spread > EXAMPLES, spread
    assert edges.count()[1:] == (0, 0), edges.count()
    """.replace("EXAMPLES", str(EXAMPLES)),
        limit=240,
    )
