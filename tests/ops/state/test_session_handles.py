"""Tensors that a session keeps under handles."""

import gc

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf

pytestmark = pytest.mark.cpu


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def test_tensors_are_kept_between_steps(sess):
    x = tf.placeholder(tf.float32, [None])
    words = sess.run(tf.get_session_handle(tf.constant(["a", "b"])))
    array = np.arange(3, dtype=np.float32)
    kept = sess.run(tf.get_session_handle(x), {x: array})
    again = sess.run(tf.get_session_handle(2 * x), {x: array})
    array[:] = 9
    holder, value = tf.get_session_tensor(kept.handle, tf.float32)
    total = tf.reduce_sum(value)
    assert sess.run(total, {holder: kept.handle}) == 3 and sess.run(total, {holder: again.handle}) == 6
    assert kept.eval().tolist() == [0, 1, 2] and words.eval().tolist() == [b"a", b"b"]
    assert kept.handle.startswith("GetSessionHandle") and kept.handle.count(";") == 2 and str(kept) == kept.handle


def test_handles_within_structures(sess):
    one = tf.get_session_handle(tf.constant(1.0))
    call = sess.make_callable([one, tf.constant(5)])
    for found in (sess.run({"h": one, "n": tf.constant(5)}).values(), call(), sess.run((one, tf.constant(5)))):
        handle, number = found
        assert handle.eval() == 1 and number == 5


def test_handles_that_are_resources(sess):
    handle = tf.raw_ops.GetSessionHandleV2(value=[1.0, 2.0])
    assert handle.dtype == tf.resource and handle.shape == ()
    kept, three = sess.run([handle, tf.constant(3)])
    assert three == 3 and kept.handle.startswith("GetSessionHandleV2;") and kept.eval().tolist() == [1, 2]
    assert sess.run(handle.op) is None
    holder, value = tf.get_session_tensor(kept.handle, tf.float32)
    assert sess.run(value, {holder: kept.handle}).tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="makes is the input of 'use', but can only be fetched"):
        sess.run(tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32, name="use"))


@pytest.mark.parametrize(
    "value", [np.float32([1.5, 2]), np.int32(3), np.array([[False]]), np.array([b"a", b""], object)]
)
def test_handles_are_fed_in_place_of_tensors(sess, value):
    tensor = tf.constant(value)
    doubled = tf.stack([tensor, tensor])
    kept = sess.run(tf.get_session_handle(tf.reverse(doubled, [0])[0]))
    other = tf.placeholder(tensor.dtype, tensor.shape)
    for found in (
        sess.run(tf.identity(other), {other: kept}),
        sess.run(doubled, {tensor: kept})[1],
        sess.make_callable(tf.identity(other), [other])(kept),
    ):
        assert found.dtype == value.dtype and found.tolist() == value.tolist()
    wrong = tf.placeholder(tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"is of type {tensor.dtype.name}, not float64"):
        sess.run(tf.identity(wrong), {wrong: kept})
    kept.delete()
    with pytest.raises(TypeError, match="may have already been deleted"):
        sess.run(tf.identity(other), {other: kept})


def test_handles_of_finalized_graphs(sess):
    tensor = tf.constant([1.0, 2.0])
    make, doubled = tf.get_session_handle(tensor), 2 * tensor
    sess.graph.finalize()
    kept = sess.run(make)
    assert sess.run(doubled, {tensor: kept}).tolist() == [2, 4] and kept.eval().tolist() == [1, 2]
    kept.delete()
    for _ in range(30):  # the dead ones are deleted
        kept = sess.run(make)
    assert sess.graph.finalized
    with pytest.raises(RuntimeError, match="Graph is finalized"):
        tf.constant(1)


def test_deletion(sess):
    kept = sess.run(tf.get_session_handle(tf.constant(1.0)))
    text = kept.handle
    kept.delete()
    for call in (kept.eval, kept.delete):
        with pytest.raises(TypeError, match="may have already been deleted"):
            call()
    holder, value = tf.get_session_tensor(text, tf.float32)
    for op in (value, tf.delete_session_tensor(text)[1]):
        feed = holder if op is value else op.inputs[0]
        for handle in (text, "nonsense", "a;b;c", ""):
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"The tensor with handle '{handle}' is not in"):
                sess.run(op, {feed: handle})
    raw = sess.run(tf.get_session_handle(tf.constant(2.0))).get_raw_handle()
    gc.collect()
    assert sess.run(value, {holder: raw}) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="is of type float, not int32"):
        holder, value = tf.get_session_tensor(raw, tf.int32)
        sess.run(value, {holder: raw})
    with pytest.raises(TypeError, match="must be of type Tensor"):
        tf.get_session_handle(1.0)


def test_handles_of_another_session_are_unknown(sess):
    """Though it has given a tensor the same number."""
    sess.run(tf.get_session_handle(tf.constant(1.0), name="mine"))
    holder, value = tf.get_session_tensor("", tf.float32)
    delete_holder, delete = tf.delete_session_tensor("")
    with tf.Session() as other:
        theirs = other.run(tf.get_session_handle(tf.constant(2.0), name="theirs")).get_raw_handle()
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"The tensor with handle '{theirs}' is not in"):
            sess.run(value, {holder: theirs})
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
            sess.run(delete, {delete_holder: theirs})
        assert other.run(value, {holder: theirs}) == 2


def test_handles_of_an_earlier_process_are_unknown(sess):
    """One that has run the same operation as often: a server that was started again knows no handle of before."""
    make = tf.get_session_handle(tf.placeholder_with_default(1.0, []))
    mine = sess.run(make).get_raw_handle()
    holder, value = tf.get_session_tensor("", tf.float32)
    with tf.Session() as other:
        kept = other.run(make)
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
            other.run(value, {holder: mine})
        del kept


def test_tensors_without_handles_are_freed(sess):
    make = tf.get_session_handle(tf.ones([100_000]) * tf.placeholder_with_default(2.0, []))
    used = []
    for _ in range(60):
        sess.run(make)
        used.append(memory_stats()["bytes_in_use"])
    assert max(used[30:]) <= max(used[:30])


def test_closing_a_session_frees_all():
    before = memory_stats()["bytes_in_use"]
    with tf.Graph().as_default():
        sess = tf.Session()
        kept = sess.run(tf.get_session_handle(tf.ones([100_000]) * tf.placeholder_with_default(2.0, [])))
        assert memory_stats()["bytes_in_use"] >= before + 400_000
        sess.close()
        del kept
    gc.collect()
    assert memory_stats()["bytes_in_use"] < before + 100_000
