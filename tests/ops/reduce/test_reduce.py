"""Reductions: special values, empty inputs, errors, determinism."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels


def run(tensor, feeds=None, config=None):
    with tf.Session(config=config) as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_of_nothing():
    x = tf.placeholder(tf.float32, [0, 2])
    feeds = {x: np.zeros((0, 2))}
    assert run(tf.reduce_sum(x, 0), feeds).tolist() == [0, 0]
    assert run(tf.reduce_prod(x, 0), feeds).tolist() == [1, 1]
    assert run(tf.reduce_max(x, 0), feeds).tolist() == [-np.inf] * 2
    assert run(tf.reduce_min(x, 0), feeds).tolist() == [np.inf] * 2
    assert np.isnan(run(tf.reduce_mean(x, 0), feeds)).all()
    assert run(tf.reduce_sum(x, 1), feeds).shape == (0,)
    assert run(tf.reduce_max(tf.zeros([0], tf.int8))) == -128
    assert run(tf.reduce_min(tf.zeros([0], tf.uint16))) == 65535
    assert run(tf.reduce_all(tf.zeros([0], tf.bool))) and not run(tf.reduce_any(tf.zeros([0], tf.bool)))


@pytest.mark.parametrize("n", [1, 5, 40, 1000, 70000])
def test_nan_wins(n):
    value = np.zeros(n, np.float32)
    value[n // 2] = np.nan
    x = tf.constant(value)
    assert np.isnan(run(tf.reduce_max(x))) and np.isnan(run(tf.reduce_min(x)))
    columns = tf.constant(np.stack([value, np.ones(n, np.float32)], 1))
    assert np.isnan(run(tf.reduce_max(columns, 0))).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_and_infinities_of_long_lines_at_every_level(dtype):
    random = np.random.default_rng(1)
    for n in (64, 65, 128, 300, 577):
        x = random.standard_normal((40, n)).astype(dtype)
        for i in range(20):
            x[i, random.integers(n)] = np.nan
        for i in range(10, 30):
            x[i, random.integers(n, size=2)] = np.inf, -np.inf
        x[39] = -0.0
        for level in cpu_levels():
            with cpu_level(level):
                largest, least = run([tf.reduce_max(x, 1), tf.reduce_min(x, 1)])
            np.testing.assert_array_equal(largest, x.max(1))
            np.testing.assert_array_equal(least, x.min(1))
            assert np.signbit(largest[39]) and np.signbit(least[39])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_long_lines_have_the_same_sums_at_every_level(dtype):
    random = np.random.default_rng(1)
    for n in (64, 127, 256, 1000):
        x = random.standard_normal((5, n)).astype(dtype)
        found = []
        for level in cpu_levels():
            with cpu_level(level):
                found.append(run([tf.reduce_sum(x, 1), tf.reduce_prod(x, 1)]))
        np.testing.assert_allclose(found[0][0], x.astype(np.float64).sum(1), rtol=0, atol=1e-5 * n)
        for values in found[1:]:
            np.testing.assert_array_equal(values, found[0])


def test_integers_wrap_in_sums_but_not_in_means():
    x = tf.constant(np.full(300, 100, np.int8))
    assert run(tf.reduce_sum(x)) == np.int8(300 * 100 % 256 - 256 * (300 * 100 % 256 > 127))
    assert run(tf.reduce_mean(x)) == 100
    assert run(tf.reduce_mean(tf.constant([-3, -4]))) == -3  # towards zero


def test_half_sums_are_not_rounded_on_the_way():
    ones = tf.ones([5000], tf.float16)
    assert run(tf.reduce_sum(ones)) == 5000
    assert run(tf.reduce_sum(tf.ones([4096, 3], tf.bfloat16), 0)).tolist() == [4096] * 3


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_results_do_not_depend_on_threads(axis):
    value = np.random.default_rng(0).standard_normal((700, 900)).astype(np.float32)
    x = tf.placeholder(tf.float32, value.shape)
    y = [
        tf.reduce_sum(x, axis),
        tf.reduce_mean(x, axis),
        tf.reduce_euclidean_norm(x, axis)
        if hasattr(tf, "reduce_euclidean_norm")
        else tf.math.reduce_euclidean_norm(x, axis),
    ]
    results = [
        run(y, {x: value}, tf.ConfigProto(intra_op_parallelism_threads=n, inter_op_parallelism_threads=1))
        for n in (1, 2, 5)
    ]
    for other in results[1:]:
        for a, b in zip(results[0], other):
            assert a.tobytes() == b.tobytes()


def test_accuracy_of_long_sums():
    value = np.full(3_000_000, 0.1, np.float32)
    x = tf.placeholder(tf.float32, value.shape)
    exact = float(np.float64(value[0]) * value.size)
    assert abs(run(tf.reduce_sum(x), {x: value}) - exact) < 1e-6 * exact


@pytest.mark.parametrize("n", [10_000, 10_063, 4_097])
def test_means_of_numbers_far_from_zero(n):
    """No element is added to the sum of all others: the mean is within two units in the last place."""
    for seed in range(20):
        x = np.float32(100 + 0.1 * np.random.RandomState(seed).rand(n))
        with tf.Graph().as_default(), tf.Session() as sess:
            mean = sess.run(tf.reduce_mean(tf.constant(x)))
        assert abs(mean - x.mean(dtype=np.float64)) < 2 * np.spacing(np.float32(100))


def test_errors():
    x, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Invalid reduction dimension \(2 for input with 2 dimension"
    ):
        run(tf.reduce_sum(x, axis), {x: [[1.0]], axis: 2})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Axes contains duplicate dimension: 1"):
        run(tf.reduce_sum(x, axis), {x: [[1.0]], axis: [1, -1]})
    with pytest.raises(ValueError, match="Invalid reduction dimension 2 for input with 2 dimensions"):
        tf.reduce_sum(tf.zeros([1, 1]), 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected dimension in the range \[-1, 1\), but got 3"):
        run(tf.argmax(x, axis), {x: [1.0], axis: 3})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reduction axis 0 is empty in shape"):
        run(tf.argmax(x, 0), {x: np.zeros((0, 2))})


def test_old_argument_names():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert run(tf.reduce_sum(x, reduction_indices=[1], keep_dims=True)).tolist() == [[3], [7]]
    assert run(tf.argmax(x, dimension=1)).tolist() == [1, 1]
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.reduce_sum(x, 0, reduction_indices=0)


def test_static_shapes():
    x = tf.placeholder(tf.float32, [None, 3, 5])
    assert tf.reduce_sum(x, [0, 2]).shape.as_list() == [3]
    assert tf.reduce_sum(x, -1, keepdims=True).shape.as_list() == [None, 3, 1]
    assert tf.reduce_sum(x).shape.as_list() == []
    axes = tf.placeholder(tf.int32, [1])
    assert tf.reduce_sum(x, axes, keepdims=True).shape.ndims == 3
    assert tf.reduce_sum(x, axes).shape.ndims is None


def test_logsumexp_does_not_overflow():
    x = tf.constant([[1000.0, 1000.0], [-np.inf, -np.inf]])
    value = run(tf.reduce_logsumexp(x, 1))
    assert abs(value[0] - (1000 + np.log(2))) < 1e-3 and value[1] == -np.inf
    assert run(tf.reduce_logsumexp(x, 1, keepdims=True)).shape == (2, 1)


def test_variance_and_count():
    x = tf.constant([[1.0, 2.0, 3.0, 6.0]])
    assert run(tf.math.reduce_variance(x, 1)).tolist() == [3.5]
    assert run(tf.math.reduce_std(x)) == np.sqrt(np.float32(3.5))
    assert run(tf.count_nonzero([[0, 1], [2, 3]], 1)).tolist() == [1, 2]
    assert run(tf.count_nonzero(["", "a"])) == 1


def test_gradient_of_a_product_with_zeros():
    x = tf.constant([[2.0, 0.0, 3.0], [0.0, 0.0, 4.0]])
    grad = run(tf.gradients(tf.reduce_prod(x, 1), x)[0])
    assert grad.tolist() == [[0, 6, 0], [0, 0, 0]]


def test_gradient_of_a_maximum_is_shared():
    x = tf.constant([1.0, 5.0, 5.0])
    assert run(tf.gradients(tf.reduce_max(x), x)[0]).tolist() == [0, 0.5, 0.5]


def test_the_reduction_of_an_unknown_shape_is_a_scalar():
    x = tf.placeholder(tf.float32)
    assert tf.reduce_sum(x).shape.as_list() == tf.reduce_mean(x).shape.as_list() == []
    assert tf.reduce_sum(x, axis=0).shape.ndims is None and tf.reduce_sum(x, keepdims=True).shape.ndims is None
