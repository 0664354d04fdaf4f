"""Traces have the times of kernels and copies on the GPU, next to those of putting them into its queue."""

import json
import time

import numpy as np
import pytest

import tfcore as tf
from tests.gpu.devices.test_uploads import MANY, Hold, after
from tfcore.client.timeline import Timeline

TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=120_000)


def trace(session, fetches, feeds):
    metadata = tf.RunMetadata()
    values = session.run(fetches, feeds, options=TRACE, run_metadata=metadata)
    return values, metadata


def nodes_of(metadata, device):
    return [n for d in metadata.step_stats.dev_stats if d.device == device for n in d.node_stats]


def span(node):
    return node.all_start_nanos, node.all_start_nanos + node.all_end_rel_nanos


@pytest.mark.two_gpus
def test_kernels_and_copies():
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.device("/gpu:1"):
        y = tf.exp(x, name="y")
        z = tf.reduce_max(tf.log(y), name="z")
    with tf.Session() as session:
        for n in (100, MANY):
            begin = time.time_ns()
            value, metadata = trace(session, z, {x: np.ones(n)})
            end = time.time_ns()
            assert abs(value - 1) < 1e-5
            kernels = nodes_of(metadata, "/device:GPU:1/stream:all")
            named = {n.node_name: n for n in kernels}
            assert {"y:Exp", "Log:Log"} <= set(named) and named["y:Exp"].timeline_label
            copies = {n.node_name.split(":", 1)[1]: n for n in nodes_of(metadata, "/device:GPU:1/memcpy")}
            assert set(copies) == {"_Recv:MEMCPYHtoD", "_Send:MEMCPYDtoH"}
            up, down = copies["_Recv:MEMCPYHtoD"], copies["_Send:MEMCPYDtoH"]
            assert up.timeline_label == f"MEMCPYHtoD {4 * n} bytes" and down.timeline_label == "MEMCPYDtoH 4 bytes"
            spans = [span(n) for n in [*kernels, up, down]]
            assert all(begin <= first <= last for first, last in spans)
            slack = 50_000_000  # the clocks of host and device are compared with some error
            assert all(last <= end + slack for _, last in spans)
            assert span(up)[1] <= span(named["y:Exp"])[0] + slack
            assert span(named["y:Exp"])[1] <= span(named["Log:Log"])[0] + slack
            assert not nodes_of(metadata, "/device:GPU:0/stream:all")
            report = metadata.time_report()
            (exp,) = [o for o in report.operations if o.type == "Exp"]
            assert (exp.name, exp.task, exp.count) == ("y", "/job:localhost/replica:0/task:0", 1)
            assert exp.on_gpu == pytest.approx((span(named["y:Exp"])[1] - span(named["y:Exp"])[0]) / 1e9)
            assert "on GPU" in str(report)
            message = tf.train.TimeReport([metadata.step_stats])
            assert message.walls == pytest.approx(report.walls) and message.shares == report.shares


def test_the_time_in_the_queue_is_not_counted():
    x = tf.placeholder(tf.float32, [4])
    hold = Hold()

    def goes_on():
        time.sleep(0.2)
        times.append(time.time_ns())
        hold.end()

    with tf.device("/gpu:0"):
        y = tf.exp(x, name="y")
    held = after(y, goes_on)
    with tf.Session() as session:
        session.run(y.op, {x: np.zeros(4)})
        times = []
        hold.begin()
        _, metadata = trace(session, [y.op, held], {x: np.zeros(4)})
    (put,) = [n for n in nodes_of(metadata, "/job:localhost/replica:0/task:0/device:GPU:0") if n.node_name == "y"]
    (ran,) = [n for n in nodes_of(metadata, "/device:GPU:0/stream:all") if n.node_name == "y:Exp"]
    assert span(put)[1] < times[0]
    assert span(ran)[0] > times[0] - 100_000_000
    (node,) = [n for n in metadata.cost_graph.node if n.name == "y"]
    assert node.compute_cost == ran.all_end_rel_nanos // 1000


def test_loops():
    with tf.device("/gpu:0"):
        _, total = tf.while_loop(lambda i, _: i < 5, lambda i, t: (i + 1, tf.exp(t, name="e")), [0, tf.constant(0.0)])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        _, metadata = trace(session, total.op, {})
        kernels = nodes_of(metadata, "/device:GPU:0/stream:all")
        assert len([n for n in kernels if n.node_name.endswith("e:Exp")]) == 5
        text = Timeline(metadata.step_stats).generate_chrome_trace_format()
    names = {e["args"]["name"] for e in json.loads(text)["traceEvents"] if e["name"] == "process_name"}
    assert "/device:GPU:0/stream:all Compute" in names


def test_steps_that_are_not_traced_have_no_times():
    with tf.device("/gpu:0"):
        y = tf.exp(tf.fill([4], 1.0))
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(y.op, options=tf.RunOptions(), run_metadata=metadata)
    assert not metadata.step_stats.dev_stats
