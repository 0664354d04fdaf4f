"""SparseTensors as components of elements."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_positions import Input, check_every_position

TABLE = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 4, 5]], np.float32)


def sparse(array):
    array = np.asarray(array)
    indices = np.argwhere(array)
    return tf.SparseTensor(indices.astype(np.int64).reshape(-1, array.ndim), array[tuple(indices.T)], array.shape)


def dense(value):
    array = np.zeros(value.dense_shape, value.values.dtype)
    array[tuple(value.indices.T)] = value.values
    return array


def elements_of(make):
    made = Input(make)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        return rest(sess, made.value)


def check(make, expected):
    found = elements_of(make)
    assert len(found) == len(expected)
    for value, array in zip(found, expected):
        np.testing.assert_array_equal(dense(value), array)


def test_an_element_and_rows():
    check(lambda: tf.data.Dataset.from_tensors(sparse(TABLE)), [TABLE])
    check(lambda: tf.data.Dataset.from_tensor_slices(sparse(TABLE)), TABLE)
    check(lambda: tf.data.Dataset.from_sparse_tensor_slices(sparse(TABLE)), TABLE)
    with pytest.raises(TypeError, match=r"must be a `tf\.SparseTensor` object"):
        tf.data.Dataset.from_sparse_tensor_slices(TABLE)


def test_what_is_known_of_them():
    dataset = tf.data.Dataset.from_tensor_slices({"a": sparse(TABLE), "b": [1, 2, 3, 4]})
    assert dataset.output_types == {"a": tf.float32, "b": tf.int32}
    assert dataset.output_classes == {"a": tf.SparseTensor, "b": tf.Tensor}
    assert dataset.element_spec["a"] == tf.SparseTensorSpec([4], tf.float32)
    batches = dataset.batch(2, drop_remainder=True)
    assert batches.output_shapes["a"].as_list() == [2, 4]
    value = batches.make_one_shot_iterator().get_next()["a"]
    assert isinstance(value, tf.SparseTensor) and value.shape.as_list() == [2, 4]


def test_functions_get_and_return_them():
    def make():
        dataset = tf.data.Dataset.range(5)
        dataset = dataset.map(lambda n: (tf.SparseTensor(tf.stack([[n]]), tf.stack([n * 10]), tf.stack([n + 1])), n), 2)
        dataset = dataset.filter(lambda s, n: tf.equal(tf.size(s.values), 1) & (n > 0))
        return dataset.map(lambda s, n: tf.sparse_add(s, s))

    check(make, [np.eye(n + 1, dtype=np.int64)[n] * n * 20 for n in range(1, 5)])


def test_batches_have_the_largest_sizes():
    def make():
        return tf.data.Dataset.range(1, 4).map(
            lambda n: tf.SparseTensor(tf.expand_dims(tf.range(n), 1), tf.range(n) + 1, tf.stack([n]))
        )

    check(lambda: make().batch(3), [[[1, 0, 0], [1, 2, 0], [1, 2, 3]]])
    check(lambda: make().batch(2).map(lambda s: s), [[[1, 0], [1, 2]], [[1, 2, 3]]])
    check(lambda: make().batch(2).unbatch(), [[1, 0], [1, 2], [1, 2, 3]])
    check(lambda: make().batch(3).map(lambda s: s).unbatch(), [[1, 0, 0], [1, 2, 0], [1, 2, 3]])
    with pytest.raises(TypeError, match="Batching of padded sparse tensors"):
        make().padded_batch(2)


def test_parsed_features(tmp_path):
    def example(values):
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        return tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()

    examples = [example([1, 2]), example([]), example([3])]

    def make():
        dataset = tf.data.Dataset.from_tensor_slices(examples)
        dataset = dataset.map(lambda s: tf.parse_single_example(s, {"x": tf.VarLenFeature(tf.int64)})["x"])
        return dataset.batch(3)

    check(make, [[[1, 2], [0, 0], [3, 0]]])


def test_windows_states_and_results():
    check(
        lambda: tf.data.Dataset.from_tensor_slices(sparse(TABLE)).window(2).flat_map(lambda w: w.batch(2)),
        [TABLE[:2], TABLE[2:]],
    )
    rows = tf.data.Dataset.from_tensor_slices(sparse(TABLE))
    total = rows.reduce(sparse(np.zeros(4, np.float32)), lambda s, x: tf.sparse_add(s, x))
    with tf.Session() as sess:
        np.testing.assert_array_equal(dense(sess.run(total)), TABLE.sum(0))


def test_iterators_of_structures():
    iterator = tf.data.Iterator.from_structure(tf.float32, [4], output_classes=tf.SparseTensor)
    value = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.make_initializer(tf.data.Dataset.from_tensor_slices(sparse(TABLE))))
        np.testing.assert_array_equal(dense(sess.run(value)), TABLE[0])
    with pytest.raises(TypeError, match="different types"):
        iterator.make_initializer(tf.data.Dataset.from_tensor_slices(TABLE))


def test_generators_refuse_them():
    with pytest.raises(TypeError, match="can't yield SparseTensors"):
        tf.data.Dataset.from_generator(lambda: [], output_signature=tf.SparseTensorSpec([2], tf.int32))


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 3))
def test_positions(size, batch, seed):
    table = np.random.default_rng(seed).integers(0, 2, [6, size])
    check_every_position(
        lambda: tf.data.Dataset.from_tensor_slices(sparse(table)).shuffle(3, seed).batch(batch).prefetch(1)
    )


def sparse_rows(sess, indices, values, dense_shape):
    made = tf.raw_ops.SparseTensorSliceDataset(
        indices=np.array(indices, np.int64), values=values, dense_shape=np.array(dense_shape, np.int64)
    )
    types = (tf.int64, tf.convert_to_tensor(values).dtype, tf.int64)
    dataset = tf.data.experimental.from_variant(made, tuple(tf.TensorSpec(None, dtype) for dtype in types))
    iterator = dataset.make_initializable_iterator()
    following, found = iterator.get_next(), []
    sess.run(iterator.initializer)
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found.append([part.tolist() for part in sess.run(following)])
    return found


@pytest.mark.parametrize(
    "indices, values, dense_shape, expected",
    [  # what TensorFlow 2.21 gives
        (
            [[0, 1], [0, 2], [2, 0]],
            [1, 2, 3],
            [4, 3],
            [[[[1], [2]], [1, 2], [3]], [[], [], [3]], [[[0]], [3], [3]], [[], [], [3]]],
        ),
        ([[1, 1], [5, 2]], [b"a", b"b"], [3, 3], [[[], [], [3]], [[[1]], [b"a"], [3]], [[], [], [3]]]),
        ([[0], [2]], [1, 5], [3], [[[[]], [1], []], [[], [], []], [[[]], [5], []]]),
    ],
)
def test_rows_as_three_tensors(indices, values, dense_shape, expected):
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sparse_rows(sess, indices, values, dense_shape) == expected


@pytest.mark.parametrize(
    "indices, values, dense_shape, cls, text",
    [
        ([[1, 1], [0, 2]], [1, 2], [4, 3], tf.errors.UnimplementedError, "must be ordered in the batch dimension"),
        ([[1, 1]], [1, 2], [4, 3], tf.errors.InvalidArgumentError, "Number of values must match first dimension"),
        ([[1, 1]], [1], [4, 3, 2], tf.errors.InvalidArgumentError, "Number of dimensions must match second dimension"),
        ([1, 1], [1], [4, 3], tf.errors.InvalidArgumentError, "Input indices must be a matrix"),
        ([[1, 1]], [[1]], [4, 3], tf.errors.InvalidArgumentError, "Input values must be a vector"),
        ([[1, 1]], [1], 4, tf.errors.InvalidArgumentError, "Input shape must be a vector"),
        (np.zeros([1, 0]), [1], [], tf.errors.InvalidArgumentError, "at least one element"),
    ],
)
def test_wrong_sparse_tensors(indices, values, dense_shape, cls, text):
    with tf.Graph().as_default(), tf.Session() as sess, pytest.raises(cls, match=text):
        sparse_rows(sess, indices, values, dense_shape)
