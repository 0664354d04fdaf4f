"""RunOptions: tracing into RunMetadata, checks of values, the shapes of wrong options."""

import copy
import pickle
import threading
import time

import numpy as np
import pytest
from google.protobuf import text_format
from tensorboard.compat.proto import config_pb2
from tfcore.core.runtime import set_num_threads

import tfcore as tf
from tests.client.slow_kernels import Later
from tfcore.client import step_stats

pytestmark = pytest.mark.cpu

FULL = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
CHECKED = tf.RunOptions(check_numerics=True)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def nodes_of(metadata):
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    return {n.node_name: n for n in device.node_stats}


@pytest.mark.parametrize("dynamic", [False, True])
def test_step_stats(sess, dynamic):
    x = tf.placeholder(tf.float32, [None, 30], name="x")
    w = tf.Variable(np.ones([30, 20], np.float32), name="w")
    y = tf.matmul(tf.exp(x, name="exp"), w, name="y")
    sess.run(w.initializer)
    value = np.zeros([7, 30], np.float32)
    sess.run(y, {x: value})
    for signature in sess._signatures.values():
        signature.plan.dynamic = dynamic
    metadata = tf.RunMetadata()
    assert sess.run(y, {x: value}, FULL, metadata)[0, 0] == 30
    nodes = nodes_of(metadata)
    assert {"_arg_x_0_0", "exp", "w", "w/read", "y", "_retval_y_0_0"} <= set(nodes)
    exp, product = nodes["exp"], nodes["y"]
    assert exp.timeline_label == "exp = Exp(x)" and product.timeline_label == "y = MatMul(exp, w/read)"
    assert nodes["_retval_y_0_0"].timeline_label == "_retval_y_0_0 = _Retval(y)"
    order = [nodes[n].all_start_nanos for n in ("_arg_x_0_0", "exp", "y", "_retval_y_0_0")]
    assert order == sorted(order)
    for node in nodes.values():
        assert node.scheduled_nanos <= node.all_start_nanos and 0 <= node.op_end_rel_nanos <= node.all_end_rel_nanos
        assert node.all_start_micros == node.all_start_nanos // 1000 and node.thread_id > 0
    assert product.scheduled_nanos >= exp.all_start_nanos + exp.op_end_rel_nanos
    (output,) = exp.output
    described = output.tensor_description
    assert [d.size for d in described.shape.dim] == [7, 30] and described.dtype == 1
    assert described.allocation_description.requested_bytes == 7 * 30 * 4
    assert described.allocation_description.allocation_id in [t.allocation_id for t in product.referenced_tensor]
    records = [r.alloc_bytes for r in exp.memory[0].allocation_records]
    assert records == [described.allocation_description.allocated_bytes, -records[0]]
    assert [r.alloc_bytes > 0 for r in product.memory[0].allocation_records] == [True]  # the fetched value stays
    threads = metadata.step_stats.dev_stats[0].thread_names
    assert threads[nodes["_arg_x_0_0"].thread_id] == "client MainThread"


def test_values_are_the_same_with_and_without_a_trace(sess):
    x = tf.placeholder(tf.float32, [50, 50])
    y = tf.nn.relu(tf.matmul(x, x) + tf.constant(np.ones(50, np.float32)))
    value = np.random.RandomState(0).randn(50, 50).astype(np.float32)
    want = sess.run(y, {x: value})
    metadata = tf.RunMetadata()
    for options in (FULL, CHECKED, tf.RunOptions(timeout_in_ms=60_000), tf.RunOptions()):
        np.testing.assert_array_equal(sess.run(y, {x: value}, options, metadata), want)


def test_what_a_message_may_be(sess):
    y = tf.constant(1.0) + tf.placeholder_with_default(2.0, [])
    theirs = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE, output_partition_graphs=True)
    assert sess.run(y, options=options, run_metadata=theirs) == 3
    assert any(n.timeline_label.startswith("add = AddV2(") for n in theirs.step_stats.dev_stats[0].node_stats)
    (graph,) = theirs.partition_graphs
    assert "add" in [n.name for n in graph.node]
    ours = tf.RunMetadata()
    sess.run(y, options=options, run_metadata=ours)
    parsed = config_pb2.RunMetadata.FromString(ours.SerializeToString())
    assert tf.RunMetadata.FromString(parsed.SerializeToString()) == ours
    assert [n.name for n in parsed.cost_graph.node if n.name == "add"] == ["add"]
    sess.run(y, run_metadata=ours)  # without a trace level: empty again
    assert not ours.step_stats.dev_stats and not ours.to_proto().partition_graphs
    with pytest.raises(ValueError, match="FULL_TRACE"):
        ours.memory_report()


def test_metadata_is_a_message(sess):
    metadata = tf.RunMetadata()
    sess.run(tf.exp([1.0]), options=FULL, run_metadata=metadata)
    assert tf.RunMetadata.DESCRIPTOR is metadata.DESCRIPTOR and metadata.HasField("cost_graph")
    assert [field.name for field, _ in metadata.ListFields()] == ["step_stats", "cost_graph"]
    merged = tf.RunMetadata(session_metadata={"name": "mine"})
    merged.MergeFrom(metadata)
    copied = tf.RunMetadata()
    copied.CopyFrom(merged)
    copies = [copied, copy.copy(merged), copy.deepcopy(merged), pickle.loads(pickle.dumps(merged))]
    copies += [text_format.Parse(str(merged), tf.RunMetadata()), text_format.Parse(repr(merged), tf.RunMetadata())]
    assert all(type(m) is tf.RunMetadata and m == merged != metadata for m in copies)
    copied.ClearField("session_metadata")
    assert copied == metadata and copied.to_proto() == metadata.to_proto() and copied != metadata.to_proto()
    assert copied.ParseFromString(merged.SerializeToString()) == merged.ByteSize() and copied == merged
    copied.Clear()
    assert copied == tf.RunMetadata() and not copied.HasField("step_stats")
    sess.run(tf.exp([2.0]), options=FULL, run_metadata=copied)
    copied.ClearField("step_stats")
    assert not copied.HasField("step_stats") and copied.HasField("cost_graph")
    with pytest.raises(AttributeError, match="Assignment not allowed"):
        copied.step_stats = metadata.step_stats
    with pytest.raises(AttributeError, match="stats"):
        copied.stats  # noqa: B018
    with pytest.raises(TypeError, match="unhashable type: 'RunMetadata'"):
        hash(copied)


def test_wrong_arguments(sess):
    y = tf.constant(1.0)
    with pytest.raises(TypeError, match="options must be a tf.RunOptions"):
        sess.run(y, options={"trace_level": 3})
    with pytest.raises(TypeError, match="run_metadata must be a tf.RunMetadata"):
        sess.run(y, options=FULL, run_metadata=[])
    with pytest.raises(ValueError, match='Protocol message RunOptions has no "trace" field'):
        tf.RunOptions(trace=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid inter_op_thread_pool: 3"):
        sess.run(y, options=tf.RunOptions(inter_op_thread_pool=3))
    assert sess.run(y, options=tf.RunOptions(inter_op_thread_pool=-1)) == 1


def test_callables_take_options(sess):
    x = tf.placeholder(tf.float32, [])
    run = sess.make_callable(tf.log(x, name="log"), [x], accept_options=True)
    metadata = tf.RunMetadata()
    assert run(1.0, options=FULL, run_metadata=metadata) == 0
    assert "log" in nodes_of(metadata)
    with pytest.raises(tf.errors.InvalidArgumentError, match="log:0 : Tensor had NaN"):
        run(-1.0, options=CHECKED)


def test_a_failed_step_leaves_its_trace(sess):
    x = tf.placeholder(tf.int32, [], name="x")
    y = tf.add(1 // tf.abs(x, name="same"), 1, name="never")
    metadata = tf.RunMetadata()
    with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
        sess.run(y, {x: 0}, FULL, metadata)
    assert "same" in nodes_of(metadata) and "never" not in nodes_of(metadata)


def test_suspension_is_in_the_trace(slow, sess):
    y = Later(tf.constant(1), name="later")
    metadata = tf.RunMetadata()
    sess.run(y, options=FULL, run_metadata=metadata)
    later = nodes_of(metadata)["later"]
    assert later.all_end_rel_nanos - later.op_end_rel_nanos > 20_000_000  # it sleeps for 30 ms
    assert later.output[0].tensor_description.dtype == 3


# ---- Values that are not finite


def test_the_first_operation_is_named(sess):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    bias = tf.constant([0.0, 0.0, -5.0], name="bias")
    moved = tf.nn.relu(tf.matmul(x, np.eye(3, dtype=np.float32)) + bias, name="moved")  # fused in other runs
    bad = tf.log(moved, name="bad")
    later = tf.reduce_sum(bad * 2.0, name="later")
    value = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    assert sess.run(later, {x: value}) == -np.inf
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(later, {x: value}, CHECKED)
    text = str(caught.value)
    assert caught.value.op is bad.op
    assert (
        "bad:0 : Tensor had Inf values" in text
        and "0 NaN, 1 Inf among 6 elements" in text
        and "first at [0, 2]" in text
    )
    assert "input 0 (moved:0): float32, shape [2, 3], min 0, max 5, mean 2.16667, 0 NaN, 0 Inf" in text
    assert "[[node bad (op: Log) (defined at" in text and "test_run_options.py" in text
    value[:, 2] = 7
    assert np.isfinite(sess.run(later, {x: value}, CHECKED))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
def test_every_floating_type_is_checked(sess, dtype):
    x = tf.placeholder(tf.as_dtype(dtype), [3])
    y = tf.reciprocal(x, name="y")
    fine = np.array([1, 2, 4]).astype(x.dtype.as_numpy_dtype)
    sess.run(y, {x: fine}, CHECKED)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)y:0 : Tensor had .*first at \[1\]"):
        sess.run(y, {x: fine * np.array([1, 0, 1]).astype(fine.dtype)}, CHECKED)


def test_what_was_not_finite_before_is_no_ones_fault(sess):
    x = tf.placeholder(tf.float32, [2])
    mask = tf.constant([0.0, -np.inf])
    y = tf.nn.softmax(x + mask) + tf.reduce_max(x)
    assert np.isfinite(sess.run(y, {x: [1, 2]}, CHECKED)).all()
    assert np.isinf(sess.run(x * 2.0, {x: [np.inf, 1]}, CHECKED)[0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64"])
def test_a_fed_nan_is_reported(sess, dtype):
    x = tf.placeholder(tf.as_dtype(dtype), [2, 2], name="x")
    text, count = tf.placeholder(tf.string), tf.placeholder(tf.int32)
    fetches = [tf.identity(x), text, count]
    value = np.array([[0, np.inf], [np.nan, 1]]).astype(x.dtype.as_numpy_dtype)
    feeds = {text: "nan", count: 3, x: value}
    run = sess.make_callable(fetches, [text, count, x])
    for call in (lambda o: sess.run(fetches, feeds, o), lambda o: run(*feeds.values(), options=o)):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            call(CHECKED)
        assert "x:0 (fed) : Tensor had NaN values" in str(caught.value)
        assert "1 NaN among 4 elements, shape [2, 2]; first at [1, 0]" in str(caught.value)
        assert "[[node x (op: Placeholder) (defined at" in str(caught.value) and "test_run_options.py" in str(
            caught.value
        )
        assert caught.value.op is x.op
        call(None)


@pytest.fixture
def threads():
    before = set_num_threads(4)
    yield
    set_num_threads(before)


@pytest.mark.parametrize("how", ["is not finite", "raises"])
def test_an_operation_that_fails_later_does_not_speak_for_the_first(slow, threads, sess, how):
    entered, failed = threading.Event(), threading.Event()

    def fail(x):
        assert entered.wait(60)
        failed.set()
        if how == "raises":
            raise ValueError("my own error")
        return x * np.float32(np.nan)

    def fail_later(x):
        entered.set()
        assert failed.wait(60)
        time.sleep(0.3)  # until it has failed; if it takes longer this test shows nothing
        return x, x * np.float32(np.inf)

    x = tf.placeholder(tf.float32, [2], name="x")
    first = tf.py_func(fail, [x], tf.float32, name="first")
    second = tf.py_func(fail_later, [x + 1.0], [tf.float32, tf.float32], name="second")
    waits = Later(tf.constant(1))  # a plan that waits runs its nodes at the same time
    with pytest.raises(tf.errors.OpError) as caught:
        sess.run([first, *second, waits], {x: [1, 2]}, CHECKED)
    text = str(caught.value)
    assert caught.value.op is first.op, text
    if how == "raises":
        assert "my own error" in text and "Tensor had" not in text
    else:
        assert "first:0 : Tensor had NaN values" in text and "2 NaN, 0 Inf among 2 elements" in text


def test_folded_and_merged_operations_are_named_as_written(sess):
    zero = tf.constant(0.0)
    bad = tf.log(zero, name="folded")
    with pytest.raises(tf.errors.InvalidArgumentError, match="folded:0"):
        sess.run(tf.placeholder_with_default(1.0, []) + bad, options=CHECKED)


def test_variables_are_checked(sess):
    v = tf.Variable([1e38, 1.0], name="v")
    grow = tf.assign_add(v, v * 9.0, name="grow")
    sess.run(v.initializer)
    with pytest.raises(tf.errors.InvalidArgumentError, match="mul:0 : Tensor had Inf"):
        sess.run(grow, options=CHECKED)
    plus = tf.assign_add(v, [3e38, 0.0], name="plus")
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(plus, options=CHECKED)
    assert caught.value.op is plus.op
    assert "min 1, max 1e+38" in str(caught.value) and "max 3e+38" in str(caught.value)
    sess.run(tf.assign(v, [1, 2]), options=CHECKED)
    assert sess.run(v).tolist() == [1, 2]


def test_checks_of_suspending_kernels_plans(slow, sess):
    x = tf.placeholder(tf.float32, [])
    y = tf.cast(Later(tf.cast(x, tf.int32)), tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Log:0 : Tensor had Inf"):
        sess.run(tf.log(y), {x: 0.0}, CHECKED)


def test_metadata_that_cannot_be_made_is_not_taken_for_empty(sess, monkeypatch):
    real = step_stats.make_step_stats
    failures = [MemoryError(), MemoryError()]

    def make(*args):
        if failures:
            raise failures.pop()
        return real(*args)

    monkeypatch.setattr(step_stats, "make_step_stats", make)
    metadata = tf.RunMetadata()
    sess.run(tf.exp([1.0]), options=FULL, run_metadata=metadata)
    for _ in range(2):
        with pytest.raises(MemoryError):
            metadata.step_stats.ByteSize()
    assert metadata.step_stats.dev_stats
