"""GPUs of other tasks, by name: real processes under mpirun, each with two emulated GPUs."""

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import mpi, tasks
from tests.distributed.cluster import test_session
from tests.distributed.collectives.test_collective import join
from tfcore.core.device import gpu

HEAD = """
    GPU = "/job:ps/task:0/device:GPU:0"
    HERE = "/job:worker/task:0/device:GPU:0"

    def on(place):
        return tf.device(place)

    def kill(rank, gpu=False):
        import os, signal
        from tests.distributed import mpi

        names = {p: mpi.describe(p) for p in mpi.processes(os.environ[mpi.MARK])}
        names = {p: name for p, name in names.items() if mpi.rank_of(p) == str(rank)}
        (found,) = [p for p, name in names.items() if (mpi.EMULATED_GPU in name) == gpu and "supervisor" not in name]
        os.kill(found, signal.SIGKILL)
"""


def cluster(program, ranks=2, ps=1, gpus="2", **env):
    """Like test_session.cluster, in processes with GPUs."""
    env = {"TFCORE_EMULATE_GPUS": gpus, **env}
    return test_session.cluster(HEAD + program, ranks, ps, env=env, limit=240)


@pytest.mark.parametrize("env", [{}, {"TFCORE_TRANSPORT": "mpi"}], ids=["shared memory", "mpi"])
def test_values_between_the_gpus_of_two_tasks(env):
    cluster(
        """
    x = tf.placeholder(tf.float32, [None, 3])
    k = tf.placeholder(tf.int32, [None])
    with on(GPU):
        a, b = tf.exp(x), k * 2
    with on("/job:ps/task:0/device:GPU:1"):
        c = a + x
    with on("/job:worker/task:0/device:GPU:1"):
        d, e = c * 2.0, b + tf.shape(c)[0]
    with on("/job:ps/task:0/cpu:0"):
        f = tf.reduce_sum(d)
    with tf.Session(server.target) as sess:
        for rows in (2, 0, 700_000, 1, 3):
            for _ in range(3):
                value = np.random.rand(rows, 3).astype(np.float32)
                numbers = np.arange(rows, dtype=np.int32)
                got = sess.run([a, c, d, e, f], {x: value, k: numbers})
                np.testing.assert_allclose(got[0], np.exp(value), rtol=1e-5)
                np.testing.assert_allclose(got[1], np.exp(value) + value, rtol=1e-5)
                np.testing.assert_allclose(got[2], 2 * got[1], rtol=1e-5)
                np.testing.assert_array_equal(got[3], 2 * numbers + rows)
                np.testing.assert_allclose(got[4], got[2].sum(dtype=np.float64), rtol=1e-3)
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        metadata = tf.RunMetadata()
        sess.run([d, e], {x: value, k: numbers}, options=options, run_metadata=metadata)
    nodes = {d.device: [n.node_name for n in d.node_stats] for d in metadata.step_stats.dev_stats}
    assert a.op.name in nodes["/job:ps/replica:0/task:0/device:GPU:0"], nodes
    assert d.op.name in nodes["/job:worker/replica:0/task:0/device:GPU:1"], nodes
    """,
        **env,
    )


def test_users_kernels_are_compiled_where_they_run():
    cluster("""
    source = '__global__ void scale(const float* x, float* y, float by) { y[threadIdx.x] = by * x[threadIdx.x]; }'

    def scale(x, by, name="scale"):
        shape = (tf.float32, lambda x: x.shape)
        return tf.gpu.cuda_kernel(source, name, [x], shape, 1, lambda x: x.size.max(1), scalars=[by])

    x = tf.placeholder(tf.float32, [None])
    with on(GPU):
        y = scale(x, 2.0)
    with on(HERE):
        z = scale(y, 3.0)
    with on(GPU):
        source = source.replace("by * x", "missing * x")
        wrong = scale(x, 2.0)
    with tf.Session(server.target) as sess:
        for n in (3, 1, 3):
            got = sess.run([y, z], {x: np.arange(n)})
            np.testing.assert_array_equal(got[0], 2 * np.arange(n))
            np.testing.assert_array_equal(got[1], 6 * np.arange(n))
        try:
            sess.run(wrong, {x: [1.0]})
        except tf.errors.InvalidArgumentError as error:
            assert "missing" in error.message and wrong.op.name in error.message, error
        else:
            raise AssertionError("it compiles")
    """)


def test_a_variable_on_the_gpu_of_a_parameter_server():
    cluster("""
    with on(tf.train.replica_device_setter(ps_tasks=1, ps_device="/job:ps/gpu:0", worker_device=HERE)):
        v = tf.get_variable("v", [300, 40], initializer=tf.zeros_initializer())
        x = tf.placeholder(tf.float32, [None, 300])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, v) - 1.0))
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
    assert v.device == "/job:ps/task:0/device:GPU:0" and loss.device == HERE, (v.device, loss.device)
    batch = np.random.rand(16, 300).astype(np.float32)
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        losses = [sess.run([loss, train], {x: batch})[0] for _ in range(30)]
        assert losses[-1] < 0.2 * losses[0], losses
        value = sess.run(v)
    with tf.Session(server.target) as sess:
        np.testing.assert_array_equal(sess.run(v), value)
        np.testing.assert_array_equal(sess.run(v.assign_add(tf.ones([300, 40]))), value + 1)
        row = tf.placeholder(tf.int32, [])
        with tf.colocate_with(v):
            got = tf.gather(v, row)
        np.testing.assert_array_equal(sess.run(got, {row: 299}), value[299] + 1)
    tf.Session.reset(server.target)
    with tf.Session(server.target) as sess:
        fails(tf.errors.FailedPreconditionError, lambda: sess.run(v), "uninitialized value v")
    """)


def test_placement_knows_the_gpus_of_all_tasks():
    job = cluster("""
    x = tf.placeholder(tf.float32, [], name="x")
    with on("/job:ps/task:0"):
        free = tf.exp(x, name="free")
    with on("/job:ps/task:0/gpu:7"):
        high = tf.exp(x, name="high")
    with on(GPU):
        text = tf.as_string(x, name="text")
    v = tf.Variable(1.0, name="v")
    where = {}
    with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=True)) as sess:
        assert sess.run([free, high, text], {x: 0.0}) == [1.0, 1.0, b"0.000000"]
        names = [d.name for d in sess.list_devices()]
        limits = {d.memory_limit_bytes for d in sess.list_devices() if d.device_type == "GPU"}
        sess.run(v.initializer)
    parts = [f"/job:{j}/replica:0/task:0/device:{d}" for j in ("ps", "worker") for d in ("CPU:0", "GPU:0", "GPU:1")]
    assert names == parts and limits == {256 << 20}, (names, limits)
    with tf.Session(server.target) as sess:
        fails(tf.errors.InvalidArgumentError, lambda: sess.run(high, {x: 0.0}), "/job:ps/replica:0/task:0/device:GPU:1")
        error = fails(tf.errors.InvalidArgumentError, lambda: sess.run(text, {x: 0.0}), "for GPU devices", "program.py")
        assert "There is no GPU" not in str(error)
    """)
    gpu = "/job:ps/replica:0/task:0/device:GPU"
    for line in (f"free: (Exp): {gpu}:0", f"high: (Exp): {gpu}:0", "text: (AsString): /job:ps/replica:0/task:0/device"):
        assert any(found.startswith(line) for found in job.lines()), job.text
    assert job.lines("v: (VariableV2): /job:worker/replica:0/task:0/device:GPU:0"), job.text
    assert any(line.startswith(f"{gpu}:1 -> device: 1, name: ") for line in job.lines()), job.text


CONFIGURED = """
    import os
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"])
    os.environ["TFCORE_EMULATE_GPUS"] = str([2, 2, 0][rank])
    import numpy as np, tfcore as tf

    cluster = tf.train.ClusterSpec.from_mpi()
    config = tf.ConfigProto()
    if rank == 0:
        config.device_count["GPU"] = 0
    if rank == 1:
        config.gpu_options.visible_device_list = "1"
        config.gpu_options.per_process_gpu_memory_fraction = 0.25
    server = tf.train.Server(cluster, config=config)
    if rank:
        server.join()
    x = tf.placeholder(tf.float32, [2])

    def run(place, **options):
        with tf.device(place), tf.Session(server.target, config=tf.ConfigProto(**options)) as sess:
            return list(sess.run(tf.exp(x * 0.0), {x: [1, 2]}))

    def error(place):
        try:
            run(place)
        except tf.errors.InvalidArgumentError as error:
            return str(error)

    with tf.Session(server.target) as sess:
        gpus = [(d.name, d.memory_limit_bytes) for d in sess.list_devices() if d.device_type == "GPU"]
    assert gpus == [("/job:worker/replica:0/task:1/device:GPU:0", 64 << 20)], gpus
    for place in ("/job:worker/task:1/gpu:0", "/gpu:0"):
        assert run(place) == [1, 1]
    assert "There is no GPU" not in error("/job:worker/task:0/gpu:0")
    text = error("/job:worker/task:2/gpu:0")
    assert "There is no GPU in /job:worker/replica:0/task:2: there is no CUDA driver" in text, text
    assert run("/job:worker/task:2/gpu:0", allow_soft_placement=True) == [1, 1]
    print("fine")
"""


def test_a_servers_config_decides_which_gpus_it_has():
    """The client, which has none, uses those of another task; a third one has no driver, and says so."""
    job = mpi.run(CONFIGURED, 3)
    assert job.code == 0 and job.lines("fine") == ["fine"], job.text


def test_errors_on_the_gpu_of_another_task():
    cluster("""
    i, n = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    with on(GPU):
        v = tf.Variable([1.0, 2.0], name="v")
        row = tf.gather(v, i, name="row")
        many = tf.reduce_sum(tf.fill([n, 1 << 20], 1.0, name="many"))
    with on(HERE):
        more = row * 2.0
    with tf.Session(server.target) as sess:
        fails(tf.errors.FailedPreconditionError, lambda: sess.run(more, {i: 0}), "uninitialized value v")
        sess.run(v.initializer)
        for _ in range(20):
            assert sess.run(more, {i: 1}) == 4.0
            for wrong in (more, row, row.op):
                text = "= 7 is not in [0, 2)"
                error = fails(tf.errors.InvalidArgumentError, lambda: sess.run(wrong, {i: 7}), text, "program.py")
                assert error.op is row.op, error.op
        place = "/job:ps/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
        fails(tf.errors.ResourceExhaustedError, lambda: sess.run(many, {n: 1000}), "OOM when allocating", place, "many")
        assert sess.run(many, {n: 1}) == 1 << 20
    """)


def test_a_lost_gpu_of_another_task():
    cluster("""
    x = tf.placeholder(tf.float32, [1000])
    with on(GPU):
        far = tf.reduce_sum(tf.exp(x), name="far")
    with on("/job:ps/task:0/cpu:0"):
        beside = tf.reduce_sum(x)
    with on("/job:ps/task:0/gpu:1"):
        other = tf.reduce_sum(x * 2.0)
    with on(HERE):
        near = far + 1.0
    zeros = np.zeros(1000)
    with tf.Session(server.target) as sess:
        assert sess.run(near, {x: zeros}) == 1001
        kill(0, gpu=True)
        for _ in range(3):
            name = "/job:ps/replica:0/task:0/device:GPU:0"
            print("lost", fails(tf.errors.UnavailableError, lambda: sess.run(near, {x: zeros}), name), flush=True)
        for _ in range(3):
            assert sess.run([beside, other], {x: zeros}) == [0, 0]
    with tf.Session(server.target) as sess:
        fails(tf.errors.UnavailableError, lambda: sess.run(far, {x: zeros}))
        assert sess.run([beside, other], {x: zeros + 1}) == [1000, 2000]
    """)


def test_control_flow_over_gpus_of_two_tasks():
    cluster("""
    from tfcore.core.rendezvous import rendezvous

    n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [3])

    def body(i, a, b):
        with on(GPU):
            a = tf.where(a > 2.0, a - 1.0, a + tf.cond(i % 3 > 1, lambda: b, lambda: b * 2.0))
        with on(HERE):
            def inner(j, c):
                with on("/job:ps/task:0/gpu:1"):
                    return j + 1, c + 1.0
            b = b + tf.while_loop(lambda j, c: j < i % 2, inner, [0, a])[1] * 0.5
        return i + 1, a, b

    with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        loop = tf.while_loop(lambda i, *_: i < n, body, [0, x, x * 0.5])
        gradient = tf.gradients(tf.reduce_sum(loop[1] + loop[2]), x)[0]

        def expected(count, a):
            b = a * np.float32(0.5)
            for i in range(count):
                a = np.where(a > 2.0, a - 1, a + (b if i % 3 > 1 else b * 2))
                b = b + (a + i % 2) * np.float32(0.5)
            return [a, b]

        start = np.array([0.1, 1.5, -2.0], np.float32)
        for count in (0, 1, 7, 20):
            for got, value in zip(sess.run(loop[1:], {n: count, x: start}), expected(count, start)):
                np.testing.assert_allclose(got, value, rtol=1e-4)
            h = np.float32(1e-2)
            near = [np.sum(expected(count, start + d), dtype=np.float64) for d in np.eye(3, dtype=np.float32) * h]
            slope = (near - np.sum(expected(count, start), dtype=np.float64)) / h
            if count < 3:  # further on the steps of `where` are too near
                np.testing.assert_allclose(sess.run(gradient, {n: count, x: start}), slope, rtol=0.02)
            assert np.isfinite(sess.run(gradient, {n: count, x: start})).all()

        endless = tf.while_loop(lambda i, a, b: a[0] < 1e30, lambda i, a, b: body(i, a * 0.0, b * 0.0), [0, x, x])
        for _ in range(3):
            options = tf.RunOptions(timeout_in_ms=300)
            fails(tf.errors.DeadlineExceededError, lambda: sess.run(endless, {x: start}, options=options))
        for got, value in zip(sess.run(loop[1:], {n: 7, x: start}), expected(7, start)):
            np.testing.assert_allclose(got, value, rtol=1e-4)
        threading.Timer(0.3, sess.close).start()
        fails(tf.errors.CancelledError, lambda: sess.run(endless, {x: start}))
    for _ in range(300):
        if not any(rendezvous.count()[1:]):
            break
        time.sleep(0.01)
    assert not any(rendezvous.count()[1:]), rendezvous.count()
    """)


def test_a_task_with_a_gpu_dies_during_a_loop():
    mpi.require_survivors()
    program = """
    def started(i):
        if i == 50:
            kill(2)
        return i

    def body(i, x):
        with on("/job:worker/task:0/cpu:0"):
            i = tf.py_func(started, [i], tf.int32)
            i.set_shape([])
        for place in ("/job:worker/task:1/gpu:0", GPU, HERE):
            with on(place):
                x = x + 1.0
        return i + 1, x

    if cluster.task_index:
        from tfcore.distributed.task import task
        atexit.register(print, "fine", flush=True)
        task.current().join()
        raise SystemExit
    endless = tf.while_loop(lambda i, x: x >= 0.0, body, [0, 0.0])[1]
    with on(GPU):
        lives = tf.while_loop(lambda x: x < 100.0, lambda x: x + 1.0, [0.0])
    with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        fails(tf.errors.UnavailableError, lambda: sess.run(endless), "/job:worker/task:1 on host")
        for _ in range(10):
            assert sess.run(lives + 1.0) == 101.0
    """
    program = test_session.HEAD.replace("PS", "1") + HEAD + program + "\n    print('fine')\n"
    job = test_session.mpi.run(program, 3, env={"TFCORE_EMULATE_GPUS": "2"})
    assert job.lines("fine") == ["fine"], job.text


def test_collectives_of_values_on_gpus():
    cluster(
        """
    d, me = tf.distributed, cluster.task_index
    parts = [np.random.RandomState(5).rand(size).astype(np.float32) for size in (3, 50_000, 700_000)]
    with on("/gpu:0"):
        tensors = [tf.constant(part) * (me + 1.0) for part in parts]
        total = d.allreduce(tensors, "mean", name="total")
        doubled = [t * 2.0 for t in total]
        rows = d.allgather(tf.fill([900 * (me + 1), 2], float(me)))
        root = d.broadcast(tensors[1], root=1)
        piece = d.reduce_scatter(tensors[2])
        meet = d.barrier()
        v = tf.Variable(tf.fill([100], float(me)), name="v")
        wrong = tf.gather(tensors[0], tf.placeholder(tf.int32, [], name="index"))
    with tf.Session() as session:
        for _ in range(4):
            for value, part in zip(session.run(doubled), parts):
                np.testing.assert_allclose(value, 3 * part, rtol=1e-5)
            assert session.run(rows).sum() == 3600
            np.testing.assert_allclose(session.run(root), 2 * parts[1], rtol=1e-6)
            np.testing.assert_allclose(session.run(piece), 3 * np.split(parts[2], 2)[me], rtol=1e-5)
            session.run(meet)
        session.run(v.initializer)
        session.run(d.broadcast_variables([v], root=1))
        assert (session.run(v) == 1).all()
    with on("/gpu:1"):
        w = tf.get_variable("w", [20, 3], initializer=tf.zeros_initializer())
        x = tf.constant(np.random.RandomState(me).rand(8, 20).astype(np.float32))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        train = tf.train.AllreduceOptimizer(tf.train.MomentumOptimizer(0.05, 0.9)).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(d.broadcast_variables())
        losses = [session.run([loss, train])[0] for _ in range(20)]
        assert losses[-1] < 0.2 * losses[0], losses
    index = wrong.op.inputs[1]
    with tf.Session() as session:
        fails(tf.errors.InvalidArgumentError, lambda: session.run(wrong, {index: 3}), "is not in [0, 3)")
        for value, part in zip(session.run(doubled), parts):
            np.testing.assert_allclose(value, 3 * part, rtol=1e-5)
    """,
        ps=0,
    )


def fail_inside(task):
    """A step fails on one rank in what is replayed elsewhere; the next ones work."""
    d = join(task)
    x = tf.placeholder(tf.float32, [None, None])
    with tf.device("/gpu:0"):
        y = tf.reduce_sum(tf.tanh(tf.matmul(x, tf.ones([3, 4])) * 0.5 + 1.0))
    total = d.allreduce(y)
    results = []
    with tf.Session() as session:
        for i in range(40):
            columns = 2 if task.rank == 1 and i in (25, 30) else 3
            try:
                results.append(float(session.run(total, {x: np.full([2, columns], i)})))
            except tf.errors.OpError as error:
                results.append(type(error).__name__)
    task.meet()
    return results, gpu.gpu(0).graph_stats()["replays"]


def test_a_step_that_fails_in_its_static_part_tells_the_other_ranks():
    for rank, (results, replays) in enumerate(tasks.run(2, fail_inside, env={"TFCORE_EMULATE_GPUS": "1"})):
        for i, found in enumerate(results):
            if i in (25, 30):
                assert found == ("InvalidArgumentError" if rank else "AbortedError")
            else:
                assert found == pytest.approx(2 * 8 * np.tanh(i * 1.5 + 1), rel=1e-5)
        assert replays > 0
