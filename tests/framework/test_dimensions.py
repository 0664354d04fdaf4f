"""Sizes taken from a static shape (`x.shape[0]`, a Dimension) wherever a program gives an integer."""

import numpy as np
import pytest

import tfcore as tf

DIMENSION_IN_A_LIST = {
    "reshape": (lambda x: tf.reshape(x, [-1, x.shape[0]]), (3, 2)),
    "reshape_tuple": (lambda x: tf.reshape(x, (x.shape[1], x.shape[0])), (3, 2)),
    "reshape_numpy": (lambda x: tf.reshape(x, [np.int64(3), x.shape[0]]), (3, 2)),
    "random_normal": (lambda x: tf.random_normal([x.shape[0], 3]), (2, 3)),
    "random_uniform": (lambda x: tf.random_uniform([x.shape[0], 3]), (2, 3)),
    "truncated_normal": (lambda x: tf.truncated_normal([x.shape[0], 3]), (2, 3)),
    "random_gamma": (lambda x: tf.random_gamma([x.shape[0]], 1.0), (2,)),
    "random_crop": (lambda x: tf.random_crop(x, [x.shape[0], 1]), (2, 1)),
    "stateless_normal": (lambda x: tf.random.stateless_normal([x.shape[0], 3], [1, 2]), (2, 3)),
    "fill": (lambda x: tf.fill([x.shape[0], 3], 1.0), (2, 3)),
    "zeros": (lambda x: tf.zeros([x.shape[0], tf.shape(x)[1]]), (2, 3)),
    "tile": (lambda x: tf.tile(x, [1, x.shape[1]]), (2, 9)),
    "slice": (lambda x: tf.slice(x, [0, 0], [x.shape[0], 1]), (2, 1)),
    "strided_slice": (lambda x: tf.strided_slice(x, [0, 0], [x.shape[0], 1]), (2, 1)),
    "pad": (lambda x: tf.pad(x, [(x.shape[0], 0), (0, 0)]), (4, 3)),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, x.shape[0], x.shape[1]]), (2, 2, 3)),
    "scatter_nd": (lambda x: tf.scatter_nd([[0], [1]], [1.0, 2.0], [x.shape[1]]), (3,)),
    "reduce_sum": (lambda x: tf.reduce_sum(x, [x.shape[0] - 1]), (2,)),
    "reverse": (lambda x: tf.reverse(x, [x.shape[0] - 1]), (2, 3)),
    "transpose": (lambda x: tf.transpose(x, [x.shape[0] - 1, 0]), (3, 2)),
    "gather": (lambda x: tf.gather(x, [x.shape[0] - 1]), (1, 3)),
    "dropout": (lambda x: tf.nn.dropout(x, 0.5, noise_shape=[x.shape[0], 1]), (2, 3)),
    "sparse_to_dense": (lambda x: tf.sparse_to_dense([0], [x.shape[0]], 1.0), (2,)),
    "sparse_tensor": (lambda x: tf.SparseTensor([[0, 0]], [1.0], [x.shape[0], 3]).dense_shape, (2,)),
    "conv2d_transpose": (
        lambda x: tf.nn.conv2d_transpose(
            tf.ones([2, 4, 4, 3]), tf.ones([3, 3, 5, 3]), [x.shape[0], 8, 8, 5], [1, 2, 2, 1]
        ),
        (2, 8, 8, 5),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DIMENSION_IN_A_LIST.values(), ids=DIMENSION_IN_A_LIST)
def test_a_dimension_in_a_list_of_sizes(case):
    build, shape = case
    with tf.Graph().as_default():
        y = build(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        assert y.shape == shape
        with tf.Session() as sess:
            assert sess.run(y).shape == shape


@pytest.mark.parametrize("dtype", [None, tf.int32, tf.int64, tf.uint8])
def test_dimensions_become_integers(dtype):
    with tf.Graph().as_default(), tf.Session() as sess:
        c = tf.constant([[tf.Dimension(7), 2], [3, tf.Dimension(4)]], dtype)
        assert c.dtype is (dtype or tf.int32)
        assert sess.run(c).tolist() == [[7, 2], [3, 4]]
        assert tf.convert_to_tensor([tf.Dimension(2**40), 2]).dtype is tf.int64
        assert tf.convert_to_tensor(tf.Dimension(2**40)).dtype is tf.int64


@pytest.mark.parametrize(
    "value, dtype, error, text",
    [
        ([tf.Dimension(2), 1], tf.float32, TypeError, r"Expected float32, got Dimension\(2\) of type 'Dimension'"),
        ([1, tf.Dimension(None)], tf.int32, TypeError, r"unknown Dimension in \[1, Dimension\(None\)\].*tf.shape\(\)"),
        ([tf.Dimension(2), 2.5], tf.int32, TypeError, "Expected int32, got 2.5 of type 'float'"),
        ([1, object], None, TypeError, "Expected a number, string or array, got <class 'object'> of type 'type'"),
        ([[1, 2], [3, 4.5]], tf.int32, TypeError, "Expected int32, got 4.5 of type 'float'"),
        ([tf.Dimension(2**31), 2], tf.int32, ValueError, "out of bounds for int32"),
        (tf.TensorShape([2**31, 2]), tf.int32, ValueError, "a dimension is too large. Consider using tf.int64"),
    ],
)
def test_what_does_not_convert_is_named(value, dtype, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        tf.convert_to_tensor(value, dtype)


def test_split_into_a_dimension_of_pieces():
    with tf.Graph().as_default():
        x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        assert [y.shape for y in tf.split(x, x.shape[0], 0)] == [(1, 3)] * 2
        assert [y.shape for y in tf.split(x, x.shape[1], axis=1)] == [(2, 1)] * 3
        with pytest.raises(TypeError):
            tf.split(x, tf.Dimension(None), 0)


SIZES = [
    2,
    np.int64(2),
    tf.Dimension(2),
    [np.int32(2), 2],
    (tf.Dimension(2), 2),
    np.array([2, 2]),
    tf.TensorShape([2, 2]),
]


@pytest.mark.parametrize("size", SIZES, ids=repr)
def test_windows(size):
    with tf.Graph().as_default():
        image = tf.ones([1, 8, 8, 3])
        assert tf.nn.max_pool(image, size, size, "VALID").shape == (1, 4, 4, 3)
        assert tf.nn.conv2d(image, tf.ones([2, 2, 3, 5]), size, "VALID").shape == (1, 4, 4, 5)
        assert tf.layers.conv2d(image, 5, size, strides=size).shape == (1, 4, 4, 5)
        assert tf.layers.max_pooling2d(image, size, size).shape == (1, 4, 4, 3)


@pytest.mark.parametrize("size", [2.5, "2", tf.Dimension(None), [1, 2, 3], [1, 2.5]], ids=repr)
def test_sizes_that_no_layer_takes(size):
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="`kernel_size` argument must be a tuple of 2 integers"),
    ):
        tf.layers.conv2d(tf.ones([1, 8, 8, 3]), 5, size)


def test_window_of_a_shape():
    with tf.Graph().as_default():
        image = tf.ones([1, 8, 8, 3])
        assert tf.nn.max_pool(image, image.shape[1:3], 1, "VALID").shape == (1, 1, 1, 3)
        assert tf.nn.pool(image, [np.int64(2), tf.Dimension(2)], "AVG", "VALID").shape == (1, 7, 7, 3)


def test_axis_of_batch_normalization():
    with tf.Graph().as_default():
        x = tf.ones([2, 3, 4])
        layer = tf.layers.BatchNormalization(axis=x.shape[0])
        layer.apply(x)
        assert layer.axis == [2] and layer.gamma.shape == (4,)
        with pytest.raises(TypeError, match="Expected an int or a list/tuple of ints"):
            tf.layers.BatchNormalization(axis=1.5)
