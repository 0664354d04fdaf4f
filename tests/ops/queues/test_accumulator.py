"""Conditional accumulators: sums and means, stale gradients, waiting, errors."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tfcore.core.runtime import memory_stats
from tfcore.distributed.status.waits import long_waits

import tfcore as tf
from tests.threads import in_threads, rounds
from tfcore.testing.drawing import EFFORT

pytestmark = pytest.mark.cpu

RAW = tf.raw_ops


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def error_of(sess, op, feeds=None):
    with pytest.raises(tf.errors.OpError) as caught:
        sess.run(op, feeds)
    return type(caught.value), caught.value.message


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("reduction", ["MEAN", "SUM"])
@pytest.mark.parametrize("old", [False, True])
def test_dense_sums_and_means(sess, dtype, reduction, old):
    if old:
        handle = RAW.ConditionalAccumulator(dtype=dtype, shape=[2, 2], reduction_type=reduction)
        a = tf.ConditionalAccumulatorBase(dtype, [2, 2], handle)
        fed = tf.placeholder(dtype, [2, 2])
        put = RAW.AccumulatorApplyGradient(handle=handle, local_step=np.int64(3), gradient=fed)
        take = RAW.AccumulatorTakeGradient(handle=handle, num_required=2, dtype=dtype)
    else:
        a = tf.ConditionalAccumulator(dtype, [2, 2], reduction_type=reduction)
        fed = tf.placeholder(dtype, [2, 2])
        put, take = a.apply_grad(fed, 3), a.take_grad(2)
        assert take.shape.as_list() == [2, 2] and a.dtype == dtype and a.name == "conditional_accumulator"
    sess.run(a.set_global_step(3))
    grads = [np.array([[1, 2], [3, 4]]) * k for k in (1, 2, 4)]
    for grad in grads:
        sess.run(put, {fed: grad})
    assert sess.run(a.num_accumulated()) == 3
    total = dtype.as_numpy_dtype(1) * sum(grads)
    wanted = total / 3 if reduction == "MEAN" else total
    np.testing.assert_allclose(sess.run(take).astype(float), np.asarray(wanted, float), rtol=1e-2)
    assert sess.run(a.num_accumulated()) == 0
    sess.run(put, {fed: grads[0]})  # stale: the step is 4 now
    assert sess.run(a.num_accumulated()) == 0


def test_the_users_memory_and_the_sum_stay_apart(sess):
    a, fed = tf.ConditionalAccumulator(tf.float32, [3]), tf.placeholder(tf.float32, [3])
    array = np.ones(3, np.float32)
    sess.run(a.apply_grad(fed), {fed: array})
    array[:] = 9
    v = tf.Variable([1.0, 2.0, 3.0])
    sess.run(v.initializer)
    sess.run(a.apply_grad(v))
    sess.run(a.apply_grad(v))
    np.testing.assert_allclose(sess.run(a.take_grad(1)), [1, 5 / 3, 7 / 3], rtol=1e-6)
    assert sess.run(v).tolist() == [1, 2, 3]
    sess.run(a.apply_grad(v, 1))
    assert sess.run(a.take_grad(1)).tolist() == [1, 2, 3]


def test_gradients_of_any_shape_agree_within_a_step(sess):
    a = tf.ConditionalAccumulator(tf.float32)
    fed = tf.placeholder(tf.float32)
    put = a.apply_grad(fed)
    sess.run(put, {fed: np.ones((2, 0))})
    kind, text = error_of(sess, put, {fed: np.ones(3)})
    assert kind is tf.errors.InvalidArgumentError and "Shape mismatch: expected [2,0], got [3]" in text
    assert sess.run(a.take_grad(1)).shape == (2, 0)


def test_errors(sess):
    a, fed = tf.ConditionalAccumulator(tf.float32, [2, None]), tf.placeholder(tf.float32)
    sparse = tf.SparseConditionalAccumulator(tf.float32, [4, 2])
    step, count = tf.placeholder(tf.int64), tf.placeholder(tf.int32)
    for op, feeds, wanted in (
        (a.apply_grad(fed), {fed: np.ones((3, 1))}, "Shape mismatch: expected [2,?], got [3,1]"),
        (a.apply_grad(fed, step), {fed: np.ones((2, 1)), step: [1]}, "Argument local_step must be scalar, but had"),
        (a.take_grad(count), {count: 0}, "Argument num_required must be positive, but was 0"),
        (a.take_grad(count), {count: [1]}, "Argument num_required must be scalar, but had bad shape [1]"),
        (a.set_global_step(step), {step: [1]}, "Argument new_global_step must be scalar, but had bad shape [1]"),
        (sparse.apply_grad([1, 2], fed), {fed: 1.0}, "Values cannot be 0-dimensional."),
        (sparse.apply_grad([1, 2], fed), {fed: [[1, 1]]}, "Expected 2 non-empty input values, got 1"),
        (sparse.apply_grad([[1]], fed), {fed: [[1, 1]]}, "Input indices should be vector but received shape: [1,1]"),
        (sparse.apply_grad([4], fed), {fed: [[1, 1]]}, "index of slice 0 exceeded limits of shape; index is 4"),
        (sparse.apply_grad([1], fed, [4, 3]), {fed: [[1, 1]]}, "expected shape dim 1 to be 2, got 3"),
        (sparse.apply_grad([1], fed, [4]), {fed: [[1, 1]]}, "expected shape rank at least 2, got 1"),
        (sparse.apply_grad([1], fed), {fed: [[1, 1, 1]]}, "expected values dim 1 to be 2, got 3"),
        (sparse.apply_grad([1], fed), {fed: [1]}, "expected values rank at least 2, got 1"),
    ):
        kind, text = error_of(sess, op, feeds)
        assert kind is tf.errors.InvalidArgumentError and wanted in text
    with pytest.raises(ValueError, match="reduction_type"):
        tf.ConditionalAccumulator(tf.float32, reduction_type="MAX")
    with pytest.raises(ValueError, match="are incompatible"):
        a.apply_grad([1.0])
    assert sess.run([a.num_accumulated(), sparse.num_accumulated()]) == [0, 0]


ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(-8, 8)), max_size=5, unique_by=lambda r: r[0]).map(sorted)


@pytest.mark.parametrize("reduction", ["MEAN", "SUM"])
@settings(max_examples=max(1, int(30 * EFFORT)), deadline=None)
@given(gradients=st.lists(ROWS, min_size=1, max_size=5))
def test_sparse_gradients_follow_a_model(reduction, gradients):
    with tf.Graph().as_default(), tf.Session() as sess:
        a = tf.SparseConditionalAccumulator(tf.float64, [6, 2], reduction_type=reduction)
        at, rows = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.float64, [None, 2])
        put, take = a.apply_grad(at, rows, [6, 2]), a.take_indexed_slices_grad(len(gradients))
        found = {}
        for gradient in gradients:
            sess.run(put, {at: [i for i, _ in gradient], rows: np.reshape([[v, 2 * v] for _, v in gradient], (-1, 2))})
            for i, v in gradient:
                found.setdefault(i, []).append(v)
        assert sess.run(a.num_accumulated()) == len(gradients)
        got = sess.run(take)
        assert got.indices.tolist() == sorted(found) and got.dense_shape.tolist() == [6, 2]
        for i, row in zip(got.indices, got.values):
            value = sum(found[i]) / (len(found[i]) if reduction == "MEAN" else 1)
            np.testing.assert_allclose(row, [value, 2 * value])


def test_takers_are_served_in_order(sess):
    a = tf.ConditionalAccumulator(tf.float32, [])
    fed = tf.placeholder(tf.float32, [])
    put, takes = a.apply_grad(fed, 10), [a.take_grad(n) for n in (3, 1, 2)]
    got = [None] * 3

    def take(i):
        got[i] = sess.run(takes[i])

    threads = []
    for i in range(3):
        threads.append(threading.Thread(target=take, args=(i,)))
        threads[-1].start()
        while len(long_waits(0)) <= i:
            pass
    for value in (1, 2, 6, 10, 3, 5):
        sess.run(put, {fed: value})
    for t in threads:
        t.join(60)
        assert not t.is_alive()
    assert got == [3, 10, 4]


def test_a_cancelled_taker_takes_nothing(sess):
    a = tf.ConditionalAccumulator(tf.float32, [])
    sess.run(a.apply_grad(1.0))
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(a.take_grad(2), options=tf.RunOptions(timeout_in_ms=30))
    sess.run(a.apply_grad(3.0))
    assert sess.run(a.take_grad(2)) == 2


def test_accumulators_are_shared_by_name(sess):
    a, b = (tf.ConditionalAccumulator(tf.float32, [], shared_name="both") for _ in range(2))
    sess.run(a.apply_grad(2.0))
    assert sess.run(b.take_grad(1)) == 2
    kind, text = error_of(sess, tf.ConditionalAccumulator(tf.float64, [], shared_name="both").num_accumulated())
    assert kind is tf.errors.InvalidArgumentError and "Shared accumulator 'both' has another type" in text


@pytest.mark.alone
def test_many_threads_lose_no_gradient(sess):
    count, workers = rounds(200), 4
    a = tf.ConditionalAccumulator(tf.float64, [2, 500], reduction_type="SUM")
    fed = tf.placeholder(tf.float64, [])
    put = sess.make_callable(a.apply_grad(tf.stack([fed, 1.0])[:, None] * np.ones((2, 500)), 1 << 40), [fed])
    take = sess.make_callable(a.take_grad(1))
    total = [0.0]

    def work(w):
        for i in range(count):
            put(w * count + i)

    def collect():
        taken = 0
        while taken < count * workers:
            got = take()
            assert np.ptp(got, axis=1).tolist() == [0, 0]
            total[0] += got[0, 0]
            taken += got[1, 0]

    in_threads([*[lambda w=w: work(w) for w in range(workers)], collect])
    assert total[0] == sum(range(count * workers)) and sess.run(a.num_accumulated()) == 0


def test_memory_stays_flat(sess):
    a = tf.SparseConditionalAccumulator(tf.float32)
    put, take = a.apply_grad([1, 3], np.ones((2, 100)), local_step=1 << 40), a.take_grad(2)[1].op

    def step():
        sess.run(put)
        sess.run(put)
        sess.run(take)

    step()
    before = memory_stats()["bytes_in_use"]
    for _ in range(rounds(100)):
        step()
    assert memory_stats()["bytes_in_use"] <= before + 4096
