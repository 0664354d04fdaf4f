"""Traces for a browser: lanes, waits, transfers, arrows and counters."""

import json

import numpy as np
import pytest
from tensorboard.compat.proto import step_stats_pb2

import tfcore as tf
from tests.client.slow_kernels import Later

pytestmark = pytest.mark.cpu

FULL = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def traced(session, fetches, feeds=None):
    metadata = tf.RunMetadata()
    session.run(fetches, feeds, FULL, metadata)
    return metadata


def events_of(metadata, **how):
    return json.loads(tf.timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(**how))["traceEvents"]


def test_kernels_and_transfers(sess):
    x = tf.placeholder(tf.float32, [100, 100], name="x")
    y = tf.matmul(tf.exp(x, name="e"), x, name="y")
    events = events_of(traced(sess, y, {x: np.zeros([100, 100], np.float32)}))
    spans = {e["args"]["name"]: e for e in events if e["ph"] == "X"}
    assert set(spans) == {"_arg_x_0_0", "e", "y", "_retval_y_0_0"}
    assert spans["e"]["name"] == "Exp" and spans["e"]["cat"] == "Op" and spans["y"]["args"]["input0"] == "e"
    assert spans["_arg_x_0_0"]["cat"] == spans["_retval_y_0_0"]["cat"] == "Transfer"
    assert spans["e"]["ts"] + spans["e"]["dur"] <= spans["y"]["ts"] + 1e-3
    lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert lanes[spans["e"]["pid"], spans["e"]["tid"]] == "client MainThread"
    devices = [e["args"]["name"] for e in events if e["name"] == "process_name"]
    assert devices == ["/job:localhost/replica:0/task:0/device:CPU:0 Compute"]


def test_arrows(sess):
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.negative(tf.exp(x, name="e"), name="y")
    events = events_of(traced(sess, y, {x: [1, 2, 3]}))
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert sorted(e["name"] for e in starts.values()) == ["e", "x", "y"]  # to y, to e, to the fetch
    for key, start in starts.items():
        assert start["ts"] <= ends[key]["ts"] and start["cat"] == "DataFlow"
    assert not [e for e in events_of(traced(sess, y, {x: [1, 2, 3]}), show_dataflow=False) if e["ph"] in "sf"]


def test_memory_counter(sess):
    x = tf.placeholder(tf.float32, [1000])
    y = tf.reduce_sum(tf.exp(x) * tf.sqrt(x))
    metadata = traced(sess, y, {x: np.ones(1000, np.float32)})
    counters = [e["args"]["cpu"] for e in events_of(metadata, show_memory=True) if e["ph"] == "C"]
    assert counters[0] == 0 and max(counters) >= 8000 and min(counters) == 0
    assert counters[-1] < 1000  # only the fetched scalar stays
    assert not [e for e in events_of(metadata) if e["ph"] == "C"]


def test_waits(slow, sess):
    y = Later(tf.constant(1), name="later") + 1
    events = events_of(traced(sess, y))
    (begin,) = [e for e in events if e["ph"] == "b" and e["cat"] == "Suspended"]
    (end,) = [e for e in events if e["ph"] == "e" and e["id"] == begin["id"]]
    assert begin["args"]["name"] == "later" and end["ts"] - begin["ts"] > 20_000
    (span,) = [e for e in events if e["ph"] == "X" and e["args"]["name"] == "later"]
    assert span["dur"] < end["ts"] - begin["ts"]  # the kernel's own time is not the wait
    # Two operations become ready together and one thread runs them: the second waits for the first.
    x = tf.constant(np.ones([300, 300], np.float32))
    start = tf.identity(tf.placeholder_with_default(x, [300, 300]))
    with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=1)) as one:
        events = events_of(traced(one, [tf.matmul(start, start), tf.matmul(start, x)]))
    waits = [e for e in events if e["ph"] == "b" and e["cat"] == "Wait"]
    assert any(e["name"] == "MatMul ready" for e in waits)


def test_lanes_are_threads(sess):
    x = tf.placeholder(tf.float32, [200, 200])
    parts = [tf.matmul(x, x + float(i)) for i in range(8)]
    total = tf.add_n(parts)
    value = np.zeros([200, 200], np.float32)
    sess.run(total, {x: value})
    for signature in sess._signatures.values():
        signature.plan.dynamic = True
    metadata = traced(sess, total, {x: value})
    for lane in {n.thread_id for n in metadata.step_stats.dev_stats[0].node_stats}:
        spans = sorted((e["ts"], e["dur"]) for e in events_of(metadata) if e["ph"] == "X" and e["tid"] == lane)
        for (first, length), (second, _) in zip(spans, spans[1:]):
            assert first + length <= second + 1.0  # one thing at a time


def test_one_line_writes_the_file(sess, tmp_path):
    metadata = traced(sess, tf.constant(1.0) + tf.placeholder_with_default(1.0, []))
    metadata.write_timeline(tmp_path / "step.json")
    written = json.loads((tmp_path / "step.json").read_text())
    assert written["displayTimeUnit"] == "ns" and any(e["name"] == "AddV2" for e in written["traceEvents"])
    with pytest.raises(ValueError, match="no trace"):
        tf.RunMetadata().write_timeline(tmp_path / "none.json")


def test_statistics_of_other_programs():
    """Messages with microseconds only and no threads, as older programs wrote them."""
    stats = step_stats_pb2.StepStats()
    device = stats.dev_stats.add(device="/device:GPU:0")
    device.node_stats.add(node_name="a", all_start_micros=100, op_end_rel_micros=5, all_end_rel_micros=6)
    device.node_stats.add(node_name="b", timeline_label="b = Add(a, ^c)", all_start_micros=110, op_end_rel_micros=2)
    trace = json.loads(tf.timeline.Timeline(stats, graph=None).generate_chrome_trace_format(show_memory=True))
    spans = {e["args"]["name"]: e for e in trace["traceEvents"] if e["ph"] == "X"}
    assert spans["a"]["ts"] == 100 and spans["a"]["name"] == "a" and spans["b"]["name"] == "Add"
    assert [e["name"] for e in trace["traceEvents"] if e["ph"] == "s"] == ["a"]
    assert tf.timeline.Timeline(step_stats_pb2.StepStats()).generate_chrome_trace_format()
