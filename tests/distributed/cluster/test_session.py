"""Sessions on a cluster: real processes under mpirun."""

import pytest

from tests.distributed import mpi

HEAD = """
    import atexit, threading, time
    import numpy as np
    import tfcore as tf

    cluster = tf.train.ClusterSpec.from_mpi(ps=PS)
    server = tf.train.Server(cluster)

    def fails(kind, fn, *parts):
        try:
            fn()
        except kind as error:
            for part in parts:
                assert part in str(error), (part, str(error))
            return error
        raise AssertionError(f"{kind.__name__} was not raised")

    if cluster.job_name == "ps":
        server.join()
"""


def cluster(program, ranks=2, ps=1, **more):
    """Runs a program whose ps tasks join; every other rank runs `program` and has to print "fine"."""
    job = mpi.run(HEAD.replace("PS", str(ps)) + program + '\n    print("fine", flush=True)\n', ranks, **more)
    assert job.code == 0 and job.lines("fine") == ["fine"] * (ranks - ps), job.text
    return job


@pytest.mark.cpu
def test_a_variable_of_another_task():
    cluster("""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([2, 3]), name="v")
        s = tf.Variable([b"a", b"bc"], name="s")
        big = tf.Variable(tf.ones([600, 700]), name="big")
    x = tf.placeholder(tf.float32, [2, 3])
    add = v.assign_add(2 * x)
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        ones = np.ones([2, 3], np.float32)
        for i in range(50):
            np.testing.assert_array_equal(sess.run(add, {x: ones}), 2 * ones * (i + 1))
        np.testing.assert_array_equal(sess.run(v), 100 * ones)
        assert list(sess.run(s)) == [b"a", b"bc"]
        value = sess.run(big)
        sess.run(big.assign_sub(tf.ones([600, 700])))
        assert (value == 1).all() and not sess.run(big).any()
        names = [d.name for d in sess.list_devices()]
        assert "/job:ps/replica:0/task:0/device:CPU:0" in names and len(names) == 2, names
    """)


def test_variables_are_shared_by_name_and_outlive_sessions():
    cluster("""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(3.0, name="v")
        with tf.container("mine"):
            w = tf.Variable(4.0, name="w")
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
    with tf.Session(server.target) as sess:
        assert sess.run([v, w]) == [3.0, 4.0]
        other = tf.Graph()
        with other.as_default(), tf.device("/job:ps/task:0"):
            same = tf.Variable(0.0, name="v")
            with tf.Session(server.target) as second:
                assert second.run(same) == 3.0
                second.run(same.assign_add(1.0))
        assert sess.run(v) == 4.0
        assert sess.run([]) == []
    tf.Session.reset(server.target, ["mine"])
    with tf.Session(server.target) as sess:
        assert sess.run(v) == 4.0
        fails(tf.errors.FailedPreconditionError, lambda: sess.run(w), "uninitialized value w")
    tf.Session.reset(server.target)
    with tf.Session(server.target) as sess:
        fails(tf.errors.FailedPreconditionError, lambda: sess.run(v), "uninitialized value v")
    """)


def test_an_error_of_another_task_names_operation_and_line():
    cluster("""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0], name="v")
        i = tf.placeholder(tf.int32, [])
        row = tf.gather(v, i, name="row")  # here
    with tf.Session(server.target) as sess:
        fails(tf.errors.FailedPreconditionError, lambda: sess.run(row, {i: 0}), "uninitialized value v")
        sess.run(v.initializer)
        for _ in range(20):
            assert sess.run(row, {i: 1}) == 2.0
            error = fails(tf.errors.InvalidArgumentError, lambda: sess.run(row, {i: 7}), "7", "row", "program.py")
            assert error.op is row.op, error.op
    """)


def test_a_constant_travels_once():
    cluster("""
    from tfcore.distributed.fabric import fabric

    big = np.arange(3_000_000, dtype=np.float32)
    with tf.device("/job:ps/task:0"):
        c = tf.constant(big)
        x = tf.placeholder(tf.float32, [])
        picked = [tf.reduce_max(c * (x + i)) for i in range(4)]
    sent = []
    call = fabric.call

    def counting_call(rank, method, payload=b"", **more):
        sent.append(len(payload))
        return call(rank, method, payload, **more)

    fabric.call = counting_call
    with tf.Session(server.target) as sess:
        for i, value in enumerate(picked):
            assert sess.run(value, {x: 1.0}) == (i + 1) * big[-1]
        assert sess.run(picked, {x: 2.0}) == [(i + 2) * big[-1] for i in range(4)]
    assert sum(size > big.nbytes for size in sent) == 1 and len(sent) >= 5, sent
    """)


def test_in_graph_replication():
    cluster(
        """
    if cluster.task_index:
        atexit.register(print, "fine", flush=True)
        server.join()
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(tf.zeros([4]), name="w")
    x = tf.placeholder(tf.float32, [None, 4])
    towers = []
    for i, part in enumerate(tf.split(x, 2)):
        with tf.device(f"/job:worker/task:{i}"):
            towers.append(tf.reduce_sum(part * (w + 1.0), name=f"tower{i}"))
    loss = tf.add_n(towers)
    grad, = tf.gradients(loss, [w])
    with tf.device("/job:ps/task:0"):
        train = w.assign_sub(0.1 * grad)
    batch = np.arange(24, dtype=np.float32).reshape(6, 4)
    here = tf.Session()
    with tf.Session(server.target) as sess:
        sess.run(w.initializer)
        for _ in range(5):
            sess.run(train, {x: batch})
        np.testing.assert_allclose(sess.run(w), -0.5 * batch.sum(0), rtol=1e-5)
    """,
        ranks=3,
    )


def test_asynchronous_steps_of_many_threads_and_tasks_are_all_counted():
    cluster(
        """
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(0, dtype=tf.int64, name="v")
    with tf.device("/job:ps/task:1"):
        w = tf.Variable(tf.zeros([300, 100], tf.int64), name="w")
        done = tf.Variable(0, name="done")
    step = tf.group(v.assign_add(1, use_locking=True), w.assign_add(tf.ones([300, 100], tf.int64), use_locking=True))
    finish = done.assign_add(1, use_locking=True)
    with tf.Session(server.target) as sess:
        if cluster.task_index == 0:
            sess.run(tf.global_variables_initializer())
        while len(sess.run(tf.report_uninitialized_variables())):
            time.sleep(0.01)
        def train():
            for _ in range(100):
                sess.run(step)
        threads = [threading.Thread(target=train) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        sess.run(finish)
        while sess.run(done) < 2:
            time.sleep(0.01)
        assert sess.run(v) == 800
        assert (sess.run(w) == 800).all()
    """,
        ranks=4,
        ps=2,
    )


@pytest.mark.cpu
def test_time_limits_and_closing_reach_other_tasks():
    cluster("""
    with tf.device("/job:ps/task:0"):
        m = tf.Variable(tf.ones([1500, 1500]), name="m")
        slow = m.value()
        for _ in range(200):
            slow = tf.matmul(slow, m) * 1e-3
        quick = tf.reduce_sum(m)
    with tf.Session(server.target) as sess:
        sess.run(m.initializer)
        start = time.monotonic()
        fails(tf.errors.DeadlineExceededError, lambda: sess.run(slow.op, options=tf.RunOptions(timeout_in_ms=100)))
        assert time.monotonic() - start < 5
        assert sess.run(quick) == 1500.0 * 1500
        thread = threading.Timer(0.2, sess.close)
        thread.start()
        fails(tf.errors.CancelledError, lambda: sess.run(slow.op))
        thread.join()
    with tf.Session(server.target) as sess:
        assert sess.run(quick) == 1500.0 * 1500
    """)


def test_graphs_that_grow_and_what_can_not_be_placed():
    cluster("""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="v")
    with tf.Session(server.target) as sess:
        sess.run(v.initializer)
        y = v
        for i in range(10):
            with tf.device(f"/job:{'ps' if i % 2 else 'worker'}/task:0"):
                y = y * 2.0
            assert sess.run(y) == 2.0 ** (i + 1)
        with tf.device("/job:ps/task:7"):
            lost = tf.identity(v)
        fails(tf.errors.InvalidArgumentError, lambda: sess.run(lost), "/job:ps/task:7")
    fails(tf.errors.NotFoundError, lambda: tf.Session("mpi://99"))
    """)


def test_a_session_on_the_target_of_another_task():
    cluster(
        """
    if cluster.task_index:
        atexit.register(print, "fine", flush=True)
        server.join()
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(5.0, name="v")
    with tf.Session("mpi://2") as sess:
        sess.run(v.initializer)
        assert sess.run(v + x, {x: 1.0}) == 6.0
        assert sess.run(x, {x: 3.0}) == 3.0
    with tf.Session(server.target) as sess:
        fails(tf.errors.FailedPreconditionError, lambda: sess.run(v), "uninitialized value v")
    """,
        ranks=3,
    )


@pytest.mark.cpu
def test_traces_and_dumps_tell_of_all_tasks():
    cluster("""
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.ones([300, 300]), name="v")
        product = tf.matmul(v, v, name="product")
    x = tf.placeholder(tf.float32, [])
    total = tf.reduce_sum(product, name="total") + x
    with tf.Session(server.target) as sess:
        sess.run(v.initializer)
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        for _ in range(3):
            metadata = tf.RunMetadata()
            assert sess.run(total, {x: 1.0}, options=options, run_metadata=metadata) == 300.0**3 + 1
            ran = {d.device: {n.node_name for n in d.node_stats} for d in metadata.step_stats.dev_stats}
            assert "product" in ran["/job:ps/replica:0/task:0/device:CPU:0"], ran
            assert "total" in ran["/job:worker/replica:0/task:0/device:CPU:0"], ran
            times = {n.node_name: n.all_start_nanos for d in metadata.step_stats.dev_stats for n in d.node_stats}
            assert times["product"] < times["total"]
            graphs = {g.node[0].device: {n.name for n in g.node} for g in metadata.partition_graphs}
            assert "product" in graphs["/job:ps/replica:0/task:0/device:CPU:0"], graphs
            assert len(graphs) == 2
        metadata.write_timeline("/dev/null")
        report = metadata.time_report()
        ps, worker = "/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0"
        assert set(report.shares[0]) == {o.task for o in report.operations} == {ps, worker}
        product = next(o for o in report.operations if o.name == "product")
        assert product.task == ps and "program.py" in product.line and product.time > 0
        assert report.shares[0][worker]["waiting for other tasks or devices"] >= product.time / 2, str(report)
        assert any(o.waited for o in report.operations if o.type in ("_Recv", "_RunPartition")), str(report)
        assert f"product (op: MatMul) on {ps} (defined at" in str(report)
    """)


@pytest.mark.cpu
def test_a_task_answers_while_a_kernel_takes_longer_than_ever_before():
    """A thread that runs a step looks for messages itself while kernels are brief; here one is long all at once."""
    cluster(
        """
    on = lambda job: tf.device(f"/job:{job}/task:0")
    n = tf.placeholder(tf.int32, [])
    with on("ps"):
        there = n + 0
    with on("worker"):
        back = there + 0  # the other task waits for it, and polls
    with on("ps"):
        ones = tf.fill([back, back], np.float64(1))
        slow = tf.matmul(ones, ones)[0, 0]
        v = tf.Variable(0.0, name="v")
    count = tf.assign_add(v, 1.0)
    with tf.Session(server.target) as sess:
        sess.run(v.initializer)
        sess.run(count)
        def brief():
            for _ in range(100):
                assert sess.run(slow, {n: 1}) == 1
        for size in 500, 1000, 2000, 4000:
            brief()
            start = time.monotonic()
            assert sess.run(slow, {n: size}) == size
            if time.monotonic() - start > 0.5:
                break
        brief()
        ends = []
        def run():
            assert sess.run(slow, {n: size}) == size
            ends.append(time.monotonic())
        thread = threading.Thread(target=run)
        start = time.monotonic()
        thread.start()
        answers = []
        while thread.is_alive():
            sess.run(count)
            answers.append(time.monotonic())
            time.sleep(0.01)
        thread.join()
        took = ends[0] - start
        between = [t for t in answers if start + took / 4 < t < ends[0] - took / 4]
        assert between, (took, answers, start)
    """,
        env={"TFCORE_NUM_THREADS": "1"},
    )


@pytest.mark.cpu
def test_a_task_is_woken_for_messages_while_it_computes_without_waiting():
    """The thread that has read the request runs the step, and does not count as one that handles messages meanwhile."""
    job = mpi.run(
        """
        import threading, time
        import tfcore as tf
        from tfcore.distributed.fabric import fabric
        from tfcore.distributed.partitions import steps

        cluster = tf.train.ClusterSpec.from_mpi(ps=1)
        server = tf.train.Server(cluster)

        def watch():
            while not (steps.count_runs() and fabric.stats()["awake"] == 0 and steps.count_runs()):
                time.sleep(0.001)
            print("woken for messages", flush=True)

        if cluster.job_name == "ps":
            threading.Thread(target=watch, daemon=True).start()
            server.join()
        with tf.device("/job:ps/task:0"):
            x = tf.random_uniform([800, 800])
            for _ in range(60):
                x = tf.tanh(tf.matmul(x, x))
        with tf.Session(server.target) as sess:
            sess.run(x.op)  # the only step
        """,
        ranks=2,
    )
    assert job.code == 0 and job.lines("woken for messages"), job.text


def test_sessions_that_are_dropped_leave_nothing_on_servers():
    job = mpi.run(
        """
        import gc, time
        import tfcore as tf
        from tfcore.distributed.fabric import fabric
        from tfcore.distributed.task import task

        cluster = tf.train.ClusterSpec.from_mpi(ps=1)
        server = tf.train.Server(cluster)
        if cluster.job_name == "ps":
            fabric.serve("sessions", lambda *_: str(len(task.current()._worker._sessions)).encode())
            server.join()

        def sessions():
            while True:
                try:
                    return int(fabric.call(0, "sessions"))
                except tf.errors.NotFoundError:  # the server is about to serve it
                    time.sleep(0.01)

        with tf.device("/job:ps/task:0"):
            v = tf.Variable(3.0)
        kept = tf.Session(server.target)
        kept.run(v.initializer)
        for _ in range(3):
            dropped = tf.Session(server.target)
            dropped.run(v + 1.0)
        print("held", sessions())
        del dropped
        gc.collect()
        while sessions() > 1:
            time.sleep(0.01)
        print("value", float(kept.run(v)))
        """,
        ranks=2,
    )
    assert job.code == 0 and job.lines("value") == ["value 3.0"], job.text


@pytest.mark.cpu
def test_a_signal_handler_may_run_steps_at_any_place_of_a_compilation():
    """A tracer stands for the handler: it runs at each line once."""
    cluster("""
    import os, sys
    folder = os.path.dirname(tf.__file__)
    folders = tuple(f"{folder}/{name}/" for name in ("client", "compiler", "distributed"))
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0])
        numbers = [tf.constant(i) + 1 for i in range(3000)]
    w = tf.Variable([2.0, 3.0])
    product, update = v * w, tf.assign(w, v + w)
    met, seen, results = set(), [], []
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())

        def handle(frame, event, arg):
            if not frame.f_code.co_filename.startswith(folders):
                return None
            place = frame.f_code, frame.f_lineno
            if event == "line" and place not in met:
                met.add(place)
                seen.append(sess.run(numbers[len(seen)]))
            return handle

        def run():
            sys.settrace(handle)
            results.append((list(sess.run(product)), list(sess.run(update))))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(30 * float(os.environ.get("TFCORE_TEST_PATIENCE", 1)))
        if thread.is_alive():
            os._exit(1)  # the step hangs, and so would the end of the session
        assert results == [([2, 6], [3, 5])]
        assert len(seen) > 300 and seen == [i + 1 for i in range(len(seen))]
    """)
