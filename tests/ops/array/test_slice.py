"""Slices: subscripts of tensors, masks, errors."""

import numpy as np
import pytest

import tfcore as tf

VALUE = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


def run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


KEYS = [
    np.s_[0], np.s_[-1], np.s_[1:], np.s_[:, 2], np.s_[..., 1], np.s_[:, None], np.s_[::-1, ::2, 1:4], np.s_[...],
    np.s_[1, ..., None, 3:0:-2], np.s_[5:], np.s_[2:1], np.s_[-2:, :-1, -3], np.s_[None, ..., None], np.s_[0, 1, 2],
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("shape", [(3, 4, 5), (None, 4, None), None], ids=["known", "partly", "unknown"])
def test_subscripts_follow_numpy(key, shape):
    x = tf.placeholder(tf.float32, shape)
    y = x[key]
    expected = VALUE[key]
    assert y.shape.is_compatible_with(expected.shape)
    if shape == (3, 4, 5):
        assert tuple(y.shape.as_list()) == expected.shape
    np.testing.assert_array_equal(run(y, {x: VALUE}), expected)


def test_subscripts_by_tensors():
    x, i = tf.constant(VALUE), tf.placeholder(tf.int32, [])
    y = x[i, 1 : i + 2, tf.constant(2, tf.int64)]
    np.testing.assert_array_equal(run(y, {i: 1}), VALUE[1, 1:3, 2])
    assert x[i].shape.as_list() == [4, 5]


def test_subscript_by_a_mask():
    x = tf.constant(VALUE)
    mask = VALUE[:, :, 0] > 20
    np.testing.assert_array_equal(run(x[mask]), VALUE[mask])
    np.testing.assert_array_equal(run(tf.boolean_mask(x, [True, False, True, True], axis=1)), VALUE[:, [0, 2, 3]])


def test_wrong_subscripts():
    x = tf.constant(VALUE)
    for key in ("name", 1.5, [0.5], tf.constant(1.0)):
        with pytest.raises(TypeError, match="Only integers, slices"):
            x[key]
    with pytest.raises(ValueError, match="slice index 3 of dimension 0 out of bounds"):
        x[3]
    with pytest.raises(ValueError, match="Index out of range using input dim 3; input has only 3 dims"):
        x[0, 0, 0, 0]
    with pytest.raises(ValueError, match="Multiple ellipses"):
        x[..., 0, ...]


def test_subscript_errors_when_running():
    x, i = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 9 of dimension 1 out of bounds"):
        run(x[0, i], {x: VALUE, i: 9})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"strides\[0\] must be non-zero"):
        run(x[::i], {x: VALUE, i: 0})


def test_slice_errors():
    x, begin, size = (tf.placeholder(t) for t in (tf.float32, tf.int32, tf.int32))
    y = tf.slice(x, begin, size)

    def message(b, s):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            run(y, {x: [1, 2, 3], begin: b, size: s})
        return str(error.value)

    assert "Expected begin[0] in [0, 3], but got 5" in message([5], [1])
    assert "Expected size[0] in [0, 2], but got 3" in message([1], [3])
    assert "Expected begin and size arguments to be 1-D tensors of size 1" in message([0, 0], [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected size\[0\] in \[0, 2\], but got 3"):
        run(tf.slice(tf.zeros([3]), [1], [3]))
    with pytest.raises(ValueError, match=r"Expected size\[0\] >= -1, but got -2"):
        tf.slice(tf.zeros([3]), [1], [-2])
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 4 from 3"):
        tf.slice(tf.zeros([3]), [4], [-1])
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 0"):
        tf.slice(tf.zeros([3]), 1, [1])


def test_slice_of_a_shape_is_known_when_building():
    x = tf.placeholder(tf.float32, [None, 7])
    n = tf.shape(x)
    assert tf.zeros(tf.stack([n[1], 2])).shape.as_list() == [7, 2]
    assert tf.reshape(x, [n[0], 7, 1]).shape.as_list() == [None, 7, 1]


def test_strided_slice_function():
    x = tf.constant(VALUE)
    np.testing.assert_array_equal(run(tf.strided_slice(x, [0, 1], [2, 3])), VALUE[0:2, 1:3])
    np.testing.assert_array_equal(run(tf.strided_slice(x, [2], [0], [-1], begin_mask=0)), VALUE[2:0:-1])


def test_names_of_subscripts():
    y = tf.constant(VALUE)[1:2]
    assert y.op.name == "strided_slice"
    assert [t.op.name for t in y.op.inputs[1:]] == [f"strided_slice/{n}" for n in ("stack", "stack_1", "stack_2")]


def test_gradient_of_a_column():
    x = tf.constant(VALUE)
    grad = run(tf.gradients(x[:, 1, ::2] * 3.0, x)[0])
    expected = np.zeros_like(VALUE)
    expected[:, 1, ::2] = 3
    np.testing.assert_array_equal(grad, expected)


def test_strings_are_sliced():
    x = tf.constant([["a", "b"], ["c", "d"]])
    assert run(x[:, 1]).tolist() == [b"b", b"d"]
    assert run(x[1]).tolist() == [b"c", b"d"]
