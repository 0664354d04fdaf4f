"""Loops and conditionals whose parts are on several tasks: real processes under mpirun."""

import os

import pytest

from tests.distributed import mpi

EXAMPLES = int(60 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))

HEAD = """
    import gc, random, signal, threading, time
    import numpy as np
    import tfcore as tf
    from tests.compiler import nested
    from tfcore.core.rendezvous import rendezvous
    from tfcore.core.runtime import memory_stats
    from tfcore.distributed.task import task

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)

    def idle():
        # What a failed step has left comes to an end soon.
        for _ in range(500):
            if not any(rendezvous.count()[1:]):
                break
            time.sleep(0.01)
        print("left", cluster.task_index, *rendezvous.count()[1:], flush=True)
        gc.collect()  # sessions that are closed
        print("held", cluster.task_index, memory_stats()["bytes_in_use"], flush=True)

    if cluster.task_index:
        task.current().join()
        idle()
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
    """Runs a program as rank 0 while other ranks serve; it must finish and leave no values or waiters anywhere."""
    job = mpi.run(HEAD + program + '\n    idle()\n    print("fine", flush=True)\n', ranks, **more)
    assert job.code == 0 and job.lines("fine") == ["fine"], job.text
    assert job.lines("left") == [f"left {rank} 0 0 0" for rank in range(ranks)], job.text
    return job


SPREAD = """
    def results(target, fetches, feed=None):
        with tf.Session(target) as sess:
            sess.run(tf.global_variables_initializer())
            return [[np.asarray(x).tobytes() for x in sess.run(fetches, feed)] for _ in range(2)]

    def spread(graph, rng):
        for op in graph.get_operations():
            alone = op.colocation_groups() == [b"loc:@" + op.name.encode()]
            alone &= not any(t.dtype is tf.resource for t in op.outputs)  # it goes to the values that it will keep
            op._set_device(f"/job:worker/task:{rng.randrange(3)}" if alone else "")
"""


@pytest.mark.parametrize(
    ("first", "count", "env"),
    [
        (0, EXAMPLES, {}),
        (1000, EXAMPLES // 5, {"TFCORE_TRANSPORT": "mpi"}),
        (2000, EXAMPLES // 3, {"TFCORE_RECEIVE_BUDGET": "0"}),
        (3000, EXAMPLES // 5, {"TFCORE_RECEIVE_BUDGET": "0", "TFCORE_TRANSPORT": "mpi"}),
        (4000, EXAMPLES // 5, {"TFCORE_TRANSPORT": "tcp"}),
    ],
)
def test_random_programs_are_those_of_one_process(first, count, env):
    """Values and gradients, bit for bit; every operation is anywhere."""
    cluster(
        SPREAD
        + f"    SEEDS = range({first}, {first + count})"
        + """
    sizes = 0
    for seed in SEEDS:
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
            spread(graph, rng)
            assert results(server.target, fetches) == one, seed
            sizes += len(gradients)
    assert sizes > len(SEEDS), sizes
    """,
        env=env,
        limit=240,
    )


def test_random_programs_with_variables():
    """Which are anywhere, too, and are read and changed in loops and branches, in program order."""
    cluster(
        SPREAD
        + f"    SEEDS = range({EXAMPLES // 2})"
        + """
    changes = 0
    for seed in SEEDS:
        rng = random.Random(seed)
        block = nested.random_block(rng, 5, 2, variables=2)
        with tf.Graph().as_default() as graph:
            variables = [tf.Variable(float(i), name=f"v{i}") for i in range(2)]
            first = [tf.constant(float(rng.randint(-4, 4))) for _ in range(3)]
            values = nested.with_api(block, first, nested.State(variables, first[0]))
            fetches = [*[tf.identity(v) for v in values], *[v._ref() for v in variables]]
            one = results("", fetches)
            for _ in range(2):
                spread(graph, rng)
                tf.Session.reset(server.target)
                assert results(server.target, fetches) == one, seed
            changes += one[0][-2:] != one[1][-2:]
    assert changes > len(SEEDS) // 3, changes
    """,
        limit=240,
    )


def test_steps_leave_no_memory_behind():
    """Not a byte, in any task, when sessions are closed and variables forgotten."""
    job = cluster(
        SPREAD
        + f"    SEEDS = range({EXAMPLES // 4})"
        + """
    def steps(seed):
        rng = random.Random(seed)
        block = nested.random_block(rng, 5, 2, variables=2)
        with tf.Graph().as_default() as graph, tf.Session(server.target) as sess:
            variables = [tf.Variable(float(i), name=f"v{i}") for i in range(2)]
            first = [tf.constant(float(rng.randint(-4, 4))) for _ in range(3)]
            fetches = nested.with_api(block, first, nested.State(variables, first[0]))
            bad = tf.while_loop(
                lambda x: tf.check_numerics(x, "bad") < 9.0, lambda x: tf.log(-abs(x + fetches[-1])), [0.0]
            )
            initialize = tf.global_variables_initializer()
            spread(graph, rng)
            for _ in range(4):
                sess.run(initialize)
                for _ in range(100):
                    sess.run(fetches)
                fails(tf.errors.InvalidArgumentError, lambda: sess.run([bad, *fetches]), "bad")
    for seed in SEEDS:
        steps(seed)
        tf.Session.reset(server.target)
    """
    )
    assert job.lines("held") == [f"held {rank} 0" for rank in range(3)], job.text


def test_a_recurrent_network_over_three_tasks():
    """Its tensor arrays and the stacks of its gradient are where their values are made."""
    cluster(
        SPREAD
        + """
    def same(found, expected):
        if not tf.test.is_gpu_available():
            return found == expected
        # In one placement a value may be computed on a GPU and in another on a CPU, which round differently.
        pairs = zip(sum(found, []), sum(expected, []), strict=True)
        return all(np.allclose(np.frombuffer(a, "f4"), np.frombuffer(b, "f4"), 1e-5, 1e-5) for a, b in pairs)

    def layer(name, task, x, size):
        with tf.device(f"/job:worker/task:{task}"):
            w = tf.Variable(np.linspace(-1, 1, 2 * size * size).reshape(2 * size, size), dtype=tf.float32, name=name)
            return lambda state, x: tf.tanh(tf.matmul(tf.concat([state, x], 1), w))

    def training():
        x = tf.placeholder(tf.float32, [5, 2, 3])
        cells = [layer(f"w{i}", i, x, 3) for i in range(3)]
        def step(states, x):
            new = []
            for i, (cell, state) in enumerate(zip(cells, states)):
                with tf.device(f"/job:worker/task:{i}"):
                    x = cell(state, x)
                new.append(x)
            return new
        states = tf.scan(step, x, [tf.zeros([2, 3])] * 3)
        loss = tf.reduce_sum(tf.square(states[-1]))
        variables = tf.trainable_variables()
        gradients = tf.gradients(loss, variables)
        with tf.control_dependencies(gradients):
            return x, [loss, *gradients, *[tf.assign_sub(v, 0.1 * g) for v, g in zip(variables, gradients)]]

    value = np.random.RandomState(0).randn(5, 2, 3).astype(np.float32)
    with tf.Graph().as_default():
        x, fetches = training()
        for op in x.graph.get_operations():
            op._set_device("")
        one = results("", fetches, {x: value})
    with tf.Graph().as_default() as graph:
        x, fetches = training()
        assert same(results(server.target, fetches, {x: value}), one)
        for seed in range(4):
            spread(graph, random.Random(seed))
            tf.Session.reset(server.target)
            assert same(results(server.target, fetches, {x: value}), one), seed
    """
    )


def test_who_only_listens_is_waited_for():
    """A loop whose values another task only takes runs ahead of it by no more iterations than it may."""
    cluster(
        SPREAD
        + """
    n, seen = tf.placeholder(tf.int32, []), []
    def slow(x):
        seen.append(rendezvous.count()[1])
        time.sleep(1.0 if len(seen) == 10 else 1e-4)
        return x
    def body(i, x, kept):
        with on(1):
            i, x = i + 1, x + 1.0
        with on(0):
            kept = kept + tf.py_func(slow, [x], tf.float32)
            kept.set_shape([])
        return i, x, kept
    def more(i, *_):
        with on(1):
            return i < n
    out = tf.while_loop(more, body, [0, 0.0, 0.0], parallel_iterations=2)[1:]
    with tf.Session(server.target) as sess:
        assert sess.run(out, {n: 200}) == (200.0, 20100.0)
        assert len(seen) == 200 and max(seen) <= 12, seen
    """
    )


AROUND = """
    def around(limit, name="around", **options):
        '''x goes from task 0 over 1 and 2 back to 0 in each iteration.'''
        def body(i, x):
            for task in range(3):
                with on(task):
                    x = tf.add(x, 1.0, name=f"on{task}")
            return i + 1, x
        return tf.while_loop(lambda i, x: i < limit, body, [tf.constant(0), tf.constant(0.0)], name=name, **options)[1]
"""


def test_side_effects_happen_in_the_order_of_iterations():
    cluster(
        AROUND
        + """
    with on(1):
        v = tf.Variable(1.0, name="v")
        log = tf.Variable(tf.zeros([6]), name="log")
    def body(i, x):
        with on(2):
            y = x * 2.0
        with on(1):
            changed = tf.assign(v, y)
            with tf.control_dependencies([changed]):
                noted = tf.scatter_update(log, i, changed)
        with on(2), tf.control_dependencies([noted]):
            return i + 1, tf.identity(v._ref()) + 1.0
    total = tf.while_loop(lambda i, x: i < 6, body, [0, 1.0])[1]
    p = tf.placeholder(tf.bool, [])
    def change():
        with on(1):
            return tf.assign_add(v, 100.0)
    def leave():
        with on(2):
            return tf.constant(-1.0)
    taken = tf.cond(p, change, leave)
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            assert sess.run([total, v._ref()])[0] == 127.0
            assert sess.run(log).tolist() == [2.0, 6.0, 14.0, 30.0, 62.0, 126.0]
            assert sess.run(v) == 126.0
        assert sess.run(taken, {p: False}) == -1.0 and sess.run(v) == 126.0
        assert sess.run([taken, v._ref()], {p: False}) == [-1.0, 126.0]
        assert sess.run([taken, v._ref()], {p: True}) == [226.0, 226.0]
        # The end of the step is after the last iteration, also for a fetch that only reads.
        assert sess.run([total, v._ref()]) == [127.0, 126.0]
    """
    )


def test_errors_end_loops_on_all_tasks():
    cluster(
        AROUND
        + """
    n = tf.placeholder(tf.int32, [])
    good = around(n)
    def body(i, x):
        with on(2):
            checked = tf.Assert(i < 500, ["too far", i], name="check")
            with tf.control_dependencies([checked]):
                y = x + 1.0
        with on(1):
            return i + 1, y * 1.0
    bad = tf.while_loop(lambda i, x: True, body, [0, 0.0])[1]
    def raises(i):
        if i == 300:
            raise KeyError("three hundred")
        return i + 1
    def with_function(i, x):
        with on(0):
            j = tf.py_func(raises, [i], tf.int32, name="function")
            j.set_shape([])
        with on(1):
            return j, x + 1.0
    with on(2):
        called = tf.while_loop(lambda i, x: x >= 0.0, with_function, [0, 0.0])[1]
    with tf.Session(server.target) as sess:
        for _ in range(3):
            error = fails(tf.errors.InvalidArgumentError, lambda: sess.run(bad), "too far", "[50", "check")
            assert error.op.name.endswith("check/Assert") or "check" in error.op.name, error.op
            assert sess.run(good, {n: 20}) == 60.0
            fails(tf.errors.UnknownError, lambda: sess.run(called), "three hundred", "function")
            assert sess.run(good, {n: 20}) == 60.0
    """
    )


def test_endless_loops_end_at_a_deadline_by_a_signal_and_with_their_session():
    cluster(
        AROUND
        + """
    import os
    endless = around(2**31 - 1, parallel_iterations=3)
    n = tf.placeholder(tf.int32, [])
    good = around(n)
    with tf.Session(server.target) as sess:
        assert sess.run(good, {n: 3}) == 9.0
        for _ in range(3):
            start = time.monotonic()
            options = tf.RunOptions(timeout_in_ms=200)
            fails(tf.errors.DeadlineExceededError, lambda: sess.run(endless, options=options))
            assert time.monotonic() - start < 10
            assert sess.run(good, {n: 3}) == 9.0
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        fails(KeyboardInterrupt, lambda: sess.run(endless))
        assert sess.run(good, {n: 3}) == 9.0
        threading.Timer(0.3, sess.close).start()
        fails(tf.errors.CancelledError, lambda: sess.run(endless))
    with tf.Session(server.target) as sess:
        assert sess.run(good, {n: 3}) == 9.0
    """
    )


@pytest.mark.cpu
def test_loops_of_another_task_are_compiled():
    """To one node there; a trace shows each iteration all the same, errors name the operation inside."""
    cluster(
        """
    n = tf.placeholder(tf.int32, [])
    with on(1):
        good = tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, 0.5 * x + 1.0), [0, 0.0], name="good")[1]
        body = lambda i, x: (i + 1, x + tf.floordiv(6, 5 - i, name="divides"))
        bad = tf.while_loop(lambda i, x: i < n, body, [0, 0])[1]
    def has_fused_loops(sess):
        ops = [op for s in sess._signatures.values() for op in s.plan.ops]
        return [op.has_fused_loops for op in ops if op.type == "_RunPartition"]
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.loop_optimization = 2
    with tf.Session(server.target) as sess, tf.Session(server.target, config=config) as plain:
        assert sess.run(good, {n: 3}) == plain.run(good, {n: 3}) == 1.75
        assert has_fused_loops(sess) == [True] and has_fused_loops(plain) == [False]
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert sess.run(good, {n: 7}, options=options, run_metadata=metadata) == plain.run(good, {n: 7})
        names = [s.node_name for d in metadata.step_stats.dev_stats for s in d.node_stats if "task:1" in d.device]
        assert names.count("good/mul") == 7, names
        for session in sess, plain:
            parts = "division by zero", "divides"
            error = fails(tf.errors.InvalidArgumentError, lambda: session.run(bad, {n: 9}), *parts)
            assert "program.py" in str(error), error
    """,
        ranks=2,
    )


@pytest.mark.cpu
def test_traces_and_costs_of_loops_over_tasks():
    cluster(
        AROUND
        + """
    n = tf.placeholder(tf.int32, [])
    out = around(n)
    config = tf.ConfigProto()
    config.graph_options.build_cost_model = 1
    with tf.Session(server.target) as sess, tf.Session(server.target, config=config) as costs:
        for _ in range(3):
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
            assert sess.run(out, {n: 5}, options=options, run_metadata=metadata) == 15.0
            for task in range(3):
                device = f"/job:worker/replica:0/task:{task}/device:CPU:0"
                (stats,) = [d for d in metadata.step_stats.dev_stats if d.device == device]
                assert f"around/on{task}" in {s.node_name for s in stats.node_stats}, stats
            assert len(metadata.partition_graphs) == 3
            assert costs.run(out, {n: 4}) == 12.0
    """
    )
