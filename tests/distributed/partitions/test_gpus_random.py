"""Random programs over two tasks with two CPU devices and two emulated GPUs each give the values of one CPU."""

import os

import pytest

from tests.distributed import PATIENCE, mpi

EXAMPLES = int(150 * float(os.environ.get("TFCORE_TEST_EFFORT", 0.1)))  # of each kind

HEAD = """
    import random, time
    import numpy as np
    import tfcore as tf
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
    from tests.compiler import nested
    from tests.compiler.test_property import Builder, instruction
    from tfcore.core.device import gpu
    from tfcore.core.rendezvous import rendezvous
    from tfcore.distributed.task import task

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster, config=tf.ConfigProto(device_count={"CPU": 2}))
    SOFT = tf.ConfigProto(allow_soft_placement=True)
    PLACES = [f"/job:worker/task:{i}/device:{d}" for i in range(2) for d in ("CPU:0", "CPU:1", "GPU:0", "GPU:1")]

    def idle():
        for _ in range(500):
            if not any(rendezvous.count()[1:]):
                break
            time.sleep(0.01)
        print("left", cluster.task_index, *rendezvous.count()[1:], flush=True)
        assert all(gpu.gpu(i).memory_stats()["bytes_in_use"] < 1 << 20 for i in range(2))

    if cluster.task_index:
        task.current().join()
        idle()
        raise SystemExit

    def everything_on(graph, place):
        for op in graph.get_operations():
            op._set_device(place)

    def place_at_random(graph, rng):
        for op in graph.get_operations():
            alone = all(group == b"loc:@" + op.name.encode() for group in op.colocation_groups())
            alone &= not any(t.dtype is tf.resource for t in op.outputs)  # it goes to the values that it will keep
            op._set_device(rng.choice(PLACES) if alone and rng.random() < 0.8 else "")
"""

STRAIGHT = """
    def results(target, fetches, feeds, init, variables):
        with tf.Session(target, config=SOFT) as sess:
            sess.run(init)
            return [v for f in feeds for v in sess.run(fetches, f)] + sess.run(variables)

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(instruction, min_size=1, max_size=25), st.integers(0, 2**32))
    def check(program, seed):
        rng = random.Random(seed)
        with tf.Graph().as_default() as graph:
            built = Builder(program)
            fetches = [built.values[-1], *rng.choices(built.values, k=3)]
            init, variables = tf.global_variables_initializer(), [v._ref() for v in built.variables]
            values = np.random.RandomState(len(program))
            shapes = {p: p.shape.as_list() for p in built.feeds}
            feeds = [{p: np.asarray(values.randn(*shape), np.float32) for p, shape in shapes.items()} for _ in range(2)]
            everything_on(graph, "/cpu:0")
            expected = results("", fetches, feeds, init, variables)
            place_at_random(graph, rng)
            tf.Session.reset(server.target)
            for a, b in zip(results(server.target, fetches, feeds, init, variables), expected):
                scale = np.abs(b[np.isfinite(b)]).max(initial=1e-3) if np.size(b) else 1
                np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4 * scale)

    check()
"""

LOOPS = """
    def results(target, fetches):
        with tf.Session(target, config=SOFT) as sess:
            sess.run(tf.global_variables_initializer())
            return [np.array(sess.run(fetches)) for _ in range(2)]

    for seed in range(EXAMPLES):
        rng = random.Random(seed)
        kept = rng.choice([0, 2])
        block = nested.random_block(rng, 5, 2, variables=kept)
        with tf.Graph().as_default() as graph:
            variables = [tf.Variable(float(i), name=f"v{i}") for i in range(kept)]
            first = [tf.constant(float(rng.randint(-3, 3))) for _ in range(3)]
            state = nested.State(variables, first[0]) if kept else None
            values = nested.with_api(block, first, *([state] if kept else []))
            gradients = [] if kept else [g for g in tf.gradients(values, first) if g is not None]
            fetches = [*[tf.identity(v) for v in values + gradients], *[v._ref() for v in variables]]
            everything_on(graph, "/cpu:0")
            expected = results("", fetches)
            place_at_random(graph, rng)
            tf.Session.reset(server.target)
            np.testing.assert_array_equal(results(server.target, fetches), expected, str(seed))
"""


@pytest.mark.parametrize("kind", ["straight", "loops"])
def test_devices_of_two_tasks(kind):
    program = HEAD + {"straight": STRAIGHT, "loops": LOOPS}[kind].replace("EXAMPLES", str(EXAMPLES))
    limit = 240 + 4 * EXAMPLES * PATIENCE
    job = mpi.run(program + "\n    idle()\n    print('fine')\n", 2, env={"TFCORE_EMULATE_GPUS": "2"}, limit=limit)
    assert job.code == 0 and job.lines("fine") == ["fine"], job.text
    assert job.lines("left") == ["left 0 0 0 0", "left 1 0 0 0"], job.text
