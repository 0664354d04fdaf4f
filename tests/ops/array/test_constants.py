"""Constants, placeholders, and the functions that make tensors of a few numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import tfcore as tf


def run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_placeholder_must_be_fed():
    for shape, text in (([None, 784], " and shape [?,784]"), (None, "")):
        x = tf.placeholder(tf.float32, shape, name="x")
        message = f"You must feed a value for placeholder tensor '{x.op.name}' with dtype float{text}"
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            run(x + 1)
        assert message in str(error.value)
        if shape is None:
            assert "and shape" not in str(error.value).splitlines()[0]


def test_placeholder_of_the_second_version_must_be_fed():
    x = tf.raw_ops.PlaceholderV2(dtype=tf.int32, shape=[])
    with pytest.raises(tf.errors.InvalidArgumentError, match="with dtype int32 and shape"):
        run(x)


def test_placeholder_shapes():
    assert tf.placeholder("float", [None, 3]).shape.as_list() == [None, 3]
    assert tf.placeholder("float").shape.dims is None
    assert tf.placeholder_with_default([1, 2], [None]).shape.as_list() == [None]


def test_default_of_a_placeholder_can_be_replaced():
    x = tf.placeholder_with_default(np.float32([1, 2]), [None])
    assert run(x).tolist() == [1, 2]
    assert run(x, {x: [3, 4, 5]}).tolist() == [3, 4, 5]


def test_small_zeros_are_constants_and_large_ones_are_filled():
    small, large = tf.zeros([3, 3]), tf.zeros([100, 100])
    assert (small.op.type, large.op.type) == ("Const", "Fill")
    assert small.op.name == "zeros"
    assert run(large).shape == (100, 100) and not run(large).any()


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.int8, tf.bool, tf.complex64, tf.string])
def test_zeros_of_types(dtype):
    value = run(tf.zeros([2], dtype))
    assert value.tolist() == [dtype.as_numpy_dtype(0)] * 2 if dtype != tf.string else value.tolist() == [b"", b""]


def test_zeros_of_a_computed_shape():
    n = tf.placeholder(tf.int32, [])
    assert run(tf.zeros(tf.stack([n, 2])), {n: 3}).shape == (3, 2)
    assert run(tf.ones([n, 2], tf.int64), {n: 2}).tolist() == [[1, 1], [1, 1]]


def test_like():
    x = tf.placeholder(tf.float32, [None, 2])
    value = np.ones((3, 2), np.float32) * 7
    assert run(tf.zeros_like(x), {x: value}).tolist() == [[0, 0]] * 3
    ones = tf.ones_like(x, dtype=tf.int32)
    assert ones.dtype == tf.int32 and ones.shape.as_list() == [None, 2]
    assert run(ones, {x: value}).tolist() == [[1, 1]] * 3
    assert run(tf.zeros_like(x, dtype=tf.bool), {x: value}).tolist() == [[False, False]] * 3


def test_fill_errors():
    with pytest.raises(ValueError, match="Fill dimensions must be >= 0"):
        tf.fill([-1], 0)
    dims = tf.placeholder(tf.int32)
    filled = tf.fill(dims, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        run(filled, {dims: [2, -1]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="dims must represent a vector"):
        run(filled, {dims: [[2]]})


def test_range():
    assert run(tf.range(4)).tolist() == [0, 1, 2, 3]
    assert run(tf.range(3, 1, -0.5)).tolist() == [3, 2.5, 2, 1.5]
    assert run(tf.range(np.int64(2), 5)).dtype == np.int64
    assert tf.range(2, 10, 3).shape.as_list() == [3]


def test_the_type_of_a_range_is_the_widest_of_its_arguments():
    types = [tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float32, tf.float64]
    for i, one in enumerate(types):
        for j, other in enumerate(types):
            found = tf.range(tf.constant(1, one), tf.constant(4, other))
            assert found.dtype is types[max(i, j)] and run(tf.cast(found, tf.int32)).tolist() == [1, 2, 3]


def test_range_lengths_agree_between_graph_and_kernel():
    for stop in (1.0, 0.7, 2.3):
        ends = tf.range(0.0, stop, 0.1)
        assert run(ends).shape == tuple(ends.shape.as_list())


def test_range_errors():
    for wrong in (tf.constant(3, tf.uint8), "3", 3j):
        with pytest.raises(
            TypeError, match="its arguments must be of int32, int64, float16, bfloat16, float32, float64"
        ):
            tf.range(wrong)
    with pytest.raises(ValueError, match="Requires delta != 0"):
        tf.range(0, 5, 0)
    delta = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires start <= limit when delta > 0: 5/0"):
        run(tf.range(5, 0, delta), {delta: 1})


def test_linspace():
    values = run(tf.linspace(0.0, 1.0, 11))
    assert values[0] == 0 and values[-1] == 1 and len(values) == 11
    num = tf.placeholder(tf.int32, [])
    assert [run(tf.lin_space(0.0, 1.0, num), {num: n}).tolist() for n in (0, 1, 3)] == [[], [0], [0, 0.5, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires num > 0: 0"):
        run(tf.raw_ops.LinSpace(start=0.0, stop=1.0, num=num), {num: 0})


@given(st.data())
def test_linspace_along_an_axis(data):
    start = data.draw(arrays(np.float64, array_shapes(min_dims=0, max_dims=2, max_side=3), elements=st.floats(-9, 9)))
    stop = data.draw(st.sampled_from([start + 2.5, np.float64(7)]))
    axis = data.draw(st.integers(-start.ndim - 1, start.ndim))
    num = data.draw(st.integers(1, 5))
    with tf.Graph().as_default(), tf.Session() as sess:
        y = tf.linspace(start, stop, num, axis=axis)
        dynamic = tf.linspace(tf.placeholder_with_default(start, None), stop, num, axis=axis)
        values, others = sess.run([y, dynamic])
    want = np.linspace(start, np.broadcast_to(stop, start.shape), num, axis=axis)
    np.testing.assert_allclose(values, want, atol=1e-12)
    np.testing.assert_array_equal(values, others)
    assert y.shape == want.shape


@pytest.mark.parametrize("num", [1, 3, tf.int32])
@pytest.mark.parametrize("shape", [[], [1]])
def test_linspace_to_infinity_starts_at_its_start(shape, num):
    start, stop = np.full(shape, 2.0), np.full(shape, np.inf)
    feed = {}
    if num is tf.int32:
        feed = {(num := tf.placeholder(tf.int32, [])): 3}
    values = run(tf.linspace(start, stop, num), feed).ravel().tolist()
    assert values == [2, np.inf, np.inf][: len(values)]


def test_linspace_of_integers_is_float64():
    assert run(tf.linspace(0, 5, 3)).tolist() == [0, 2.5, 5] and tf.linspace(0, 5, 3).dtype == tf.float64
    with pytest.raises(ValueError, match=r"dim 2 not in the interval \[-2, 1\]"):
        tf.linspace([0.0], [1.0], 3, axis=2)


def test_there_are_no_layouts():
    for call in (lambda: tf.zeros([1], layout=1), lambda: tf.ones([1], layout=1), lambda: tf.fill([1], 1, layout=1)):
        with pytest.raises(ValueError, match="layout must be None"):
            call()


def test_eye():
    assert run(tf.eye(3)).tolist() == np.eye(3).tolist()
    assert run(tf.eye(2, 3, [2], tf.int32)).tolist() == [np.eye(2, 3).tolist()] * 2
    n = tf.placeholder(tf.int32, [])
    assert run(tf.eye(n, 4), {n: 2}).tolist() == np.eye(2, 4).tolist()


def test_sequence_mask():
    lengths = tf.placeholder(tf.int32, [None])
    assert run(tf.sequence_mask(lengths), {lengths: [1, 3]}).tolist() == [[True, False, False], [True] * 3]
    assert run(tf.sequence_mask([[0], [2]], 2, tf.float32)).tolist() == [[[0, 0]], [[1, 1]]]


def test_constant_of_strings_survives_the_step():
    assert run(tf.fill([2], "word")).tolist() == [b"word", b"word"]


def test_fact():
    with tf.Session() as session:
        assert session.run(tf.raw_ops.Fact()) == b"0! == 1"
