"""Where the time of traced steps goes. Sleeps are long beside all else, and only order and sums are asserted."""

import re
import threading
import time

import pytest
from tensorboard.compat.proto import config_pb2

import tfcore as tf
from tfcore.client import time_report

pytestmark = pytest.mark.cpu

FULL = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
THREADS = 2


@pytest.fixture
def sess():
    with tf.Graph().as_default():
        config = tf.ConfigProto(intra_op_parallelism_threads=THREADS, inter_op_parallelism_threads=THREADS)
        with tf.Session(config=config) as s:
            yield s


def traced(session, fetches, feeds=None):
    metadata = tf.RunMetadata()
    session.run(fetches, feeds, FULL, metadata)
    return metadata


def sleep(seconds, x):
    def function(value):
        time.sleep(seconds)
        return value

    return tf.py_func(function, [x], tf.float32, name=f"sleep_{int(1000 * seconds)}")


def check_sums(report):
    """What must hold whatever happened."""
    for wall, shares in zip(report.walls, report.shares, strict=True):
        assert all(time >= 0 for share in shares.values() for time in share.values())
        assert sum(next(iter(shares.values())).values()) == pytest.approx(wall)
    for groups in (report.by_type(), report.by_line()):
        assert sum(g.time for g in groups) == pytest.approx(sum(o.time for o in report.operations))
        assert sum(g.count for g in groups) == sum(o.count for o in report.operations)
        assert [g.total for g in groups] == sorted((g.total for g in groups), reverse=True)


def test_operations_types_and_lines_by_time(sess):
    x = tf.placeholder(tf.float32, [], name="x")
    short = sleep(0.02, x)
    long = sleep(0.08, short)
    end = tf.exp(long, name="end")
    before = time.perf_counter()
    report = traced(sess, end, {x: 1.0}).time_report()
    wall = time.perf_counter() - before
    assert [o.name for o in report.operations[:2]] == ["sleep_80", "sleep_20"]
    assert report.operations[0].time >= 0.08 and report.operations[1].time >= 0.02
    assert report.by_type()[0].type == "PyFunc" and report.by_type()[0].count == 2
    assert "test_time_report.py" in report.by_line()[0].line and report.by_line()[0].time >= 0.1
    assert 0.1 <= report.walls[0] <= wall
    assert sum(o.time for o in report.operations) <= wall * THREADS
    share = report.shares[0]["/job:localhost/replica:0/task:0"]
    assert max(share, key=share.get) == time_report.COMPUTING
    check_sums(report)
    text = str(report)
    assert re.search(r"ms +1  sleep_80 \(op: PyFunc\) \(defined at .*test_time_report.py:\d+ in sleep\)", text), text
    assert "x:0 (fed)" in text and "end:0 (fetched)" in text and "waits" not in text


def test_a_wait_for_a_queue(sess):
    queue = tf.FIFOQueue(1, tf.float32, [[]])
    value, put = queue.dequeue(name="take"), queue.enqueue(1.0)
    timer = threading.Timer(0.1, lambda: sess.run(put))
    timer.start()
    report = traced(sess, tf.exp(value)).time_report()
    timer.join()
    share = report.shares[0]["/job:localhost/replica:0/task:0"]
    assert max(share, key=share.get) == time_report.FOR_INPUT
    (take,) = [o for o in report.operations if o.name == "take"]
    assert take.waited > take.time and take.waited <= report.walls[0]
    check_sums(report)
    text = str(report)
    assert "waiting for input" in text and re.search(r"for input: take \(op: QueueDequeueV2\) \(defined at", text), text


def test_runs_of_a_loop_add_up(sess):
    x = tf.placeholder(tf.float32, [])
    body = lambda i, y: (i + 1, tf.exp(y, name="inside"))  # noqa: E731
    end = tf.while_loop(lambda i, _: i < 20, body, [0, x])[1]
    steps = [traced(sess, end, {x: -1.0}) for _ in range(3)]
    report = tf.train.TimeReport(steps)
    (inside,) = [o for o in report.operations if o.type == "Exp"]
    assert inside.count == 60 and len(report.walls) == 3
    check_sums(report)
    assert re.match(r"time of 3 steps: .*\nthe slowest, number [123], took ", str(report))


def test_messages_of_tensorflow_and_graphs(sess):
    """The same report from what TensorFlow calls step_stats; the graph names the lines."""
    x = tf.placeholder(tf.float32, [], name="x")
    end = tf.exp(sleep(0.02, x), name="end")
    theirs = config_pb2.RunMetadata()
    sess.run(end, {x: 1.0}, FULL, theirs)
    for steps in ([theirs], [theirs.step_stats], [tf.RunMetadata.FromString(theirs.SerializeToString())]):
        plain, named = tf.train.TimeReport(steps), tf.train.TimeReport(steps, sess.graph)
        assert plain.operations[0].name == named.operations[0].name == "sleep_20"
        assert plain.operations[0].line == "" and "test_time_report.py" in named.operations[0].line
        assert "by line" not in str(plain) and "by line" in str(named)
        check_sums(plain)
    assert plain.walls == pytest.approx(tf.train.TimeReport([theirs]).walls)


def test_work_of_a_gpu_in_a_message():
    """TensorFlow's names of devices: each kernel twice, and no task."""
    stats = tf.RunMetadata().step_stats
    for device, name in (
        ("/job:localhost/replica:0/task:0/device:GPU:0", "mm"),
        ("/device:GPU:0/stream:all", "mm:MatMul"),
        ("/device:GPU:0/stream:13", "mm:MatMul"),
        ("/device:GPU:0/memcpy", "mm:MatMul:MEMCPYHtoD"),
    ):
        label = "mm = MatMul(a, b)" if name == "mm" else "sgemm"
        node = stats.dev_stats.add(device=device).node_stats.add(node_name=name, timeline_label=label)
        node.all_start_micros, node.op_end_rel_micros, node.all_end_rel_micros = 1000, 10, 10
    report = tf.train.TimeReport([stats])
    (mm,) = report.operations
    assert (mm.task, mm.type, mm.count) == ("/job:localhost/replica:0/task:0", "MatMul", 1)
    assert (mm.time, mm.on_gpu) == pytest.approx((1e-5, 2e-5)) and report.walls == pytest.approx([1e-5])
    assert re.search(r"time +on GPU +runs\n +10 us +20 us +1  mm \(op: MatMul\)", str(report)), str(report)


def test_long_reports_are_cut(sess):
    y = tf.placeholder_with_default(1.0, [])
    for _ in range(20):
        y = tf.sin(y)
    report = traced(sess, y).time_report()
    assert f"and {len(report.operations) - 10} more" in report.text() and len(report.operations) > 20
    assert "more" not in report.text(rows=100)


def test_a_step_without_a_trace(sess):
    metadata = tf.RunMetadata()
    sess.run(tf.constant(1.0), run_metadata=metadata)
    for report in (metadata.time_report, lambda: tf.train.TimeReport([tf.RunMetadata().step_stats])):
        with pytest.raises(ValueError, match="FULL_TRACE"):
            report()


# ---- After training


def train(steps, **options):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        ops = [tf.assign_add(tf.train.get_or_create_global_step(), 1), sleep(0.01, x)]
        with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(num_steps=steps)], **options) as session:
            while not session.should_stop():
                session.run(ops, {x: 1.0})


@pytest.mark.parametrize("how", ["the option", "the variable", "a worker"])
def test_after_training(capfd, monkeypatch, how):
    options = {"time_report": 3}
    if how == "the variable":
        options = {}
        monkeypatch.setenv("TFCORE_TIME_REPORT", "3")
    if how == "a worker":
        options["is_chief"] = False
        monkeypatch.setattr(
            "tfcore.train.sessions.monitored_training_session.WorkerSessionCreator",
            lambda scaffold, master, config, wait: tf.train.ChiefSessionCreator(scaffold, master, config),
        )
    train(5, **options)
    out, err = capfd.readouterr()
    assert out == "" and "time of 3 steps: " in err
    assert re.search(r"ms +3  sleep_10 \(op: PyFunc\) \(defined at ", err), err


def test_true_is_a_hundred_steps(capfd):
    train(2, time_report=True)
    assert "time of 2 steps: " in capfd.readouterr().err
    assert tf.train.TimeReportHook()._traced.maxlen == 100


def test_no_report_by_default(capfd):
    train(2)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("message", [tf.RunMetadata, config_pb2.RunMetadata], ids=["own", "foreign"])
def test_steps_that_share_their_metadata(capfd, message):
    """The program's own object is another step's by the end."""
    metadata = message()
    with tf.Graph().as_default():
        short, long = sleep(0.01, tf.constant(1.0)), sleep(0.02, tf.constant(1.0))
        with tf.train.MonitoredSession(hooks=[tf.train.TimeReportHook(2)]) as session:
            for op in (short, short, long):
                session.run(op, run_metadata=metadata)
    text = capfd.readouterr().err
    assert re.search(r" 1  sleep_10 \(op: PyFunc\)", text) and re.search(r" 1  sleep_20 \(op: PyFunc\)", text), text


def test_a_number_of_steps_is_positive():
    with pytest.raises(ValueError, match="steps must be positive, but is 0"):
        tf.train.TimeReportHook(0)
