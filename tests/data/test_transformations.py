"""Functions for Dataset.apply that are made of others."""

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest


@pytest.fixture(autouse=True)
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def elements(sess, dataset):
    return rest(sess, dataset.make_one_shot_iterator().get_next())


def lists(*values):
    return tf.data.Dataset.from_generator(lambda: iter(values), tf.int32, [None])


def test_dense_to_sparse_batch(sess):
    apply = tf.data.experimental.dense_to_sparse_batch
    first, second = elements(sess, lists([1, 0], [2, 3, 4], [5]).apply(apply(2, [-1])))
    assert first.indices.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
    assert first.values.tolist() == [1, 0, 2, 3, 4] and first.dense_shape.tolist() == [2, 3]
    assert second.indices.tolist() == [[0, 0]] and second.dense_shape.tolist() == [1, 1]
    (wide,) = elements(sess, lists([1, 0], []).apply(apply(4, tf.TensorShape([7]))))
    assert wide.values.tolist() == [1, 0] and wide.dense_shape.tolist() == [2, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"incompatible with the row shape \[2\]"):
        elements(sess, lists([1, 2], [1, 2, 3]).apply(apply(2, [2])))
    with pytest.raises(ValueError, match="does not fit the row shape"):
        lists([1]).apply(apply(2, [2, 2]))
    with pytest.raises(TypeError, match="single tensors"):
        tf.data.Dataset.from_tensors((1, 2)).apply(apply(2, []))


@pytest.mark.parametrize("shift, stride, expected", [(1, 1, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]), (2, 2, [[0, 2, 4]])])
def test_sliding_window_batch(sess, shift, stride, expected):
    apply = tf.contrib.data.sliding_window_batch(3, window_shift=shift, window_stride=stride)
    assert np.array(elements(sess, tf.data.Dataset.range(5).apply(apply))).tolist() == expected
    both = tf.data.Dataset.range(5).map(lambda x: {"a": x, "b": (x, -x)}).apply(apply)
    found = elements(sess, both)
    assert [one["a"].tolist() for one in found] == [(-one["b"][1]).tolist() for one in found] == expected
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.contrib.data.sliding_window_batch(3, 1, 1)


def test_elements_pass_through(sess):
    for apply in (
        tf.data.experimental.prefetch_to_device("/gpu:0"),
        tf.data.experimental.prefetch_to_device("/cpu:0", 2),
        tf.data.experimental.copy_to_device("/gpu:0"),
        tf.data.experimental.bytes_produced_stats("bytes"),
        tf.data.experimental.latency_stats("latency"),
        tf.contrib.data.assert_element_shape([]),
        tf.contrib.data.sloppy_interleave(lambda x: tf.data.Dataset.from_tensors(x), 1),
    ):
        assert elements(sess, tf.data.Dataset.range(3).apply(apply)) == [0, 1, 2]
    with pytest.raises(ValueError, match="no device"):
        tf.data.experimental.prefetch_to_device("no device")


def test_padded_batches_without_a_rest(sess):
    (batch,) = elements(sess, lists([1], [2, 3], [4]).apply(tf.contrib.data.padded_batch_and_drop_remainder(2, [None])))
    assert batch.tolist() == [[1, 0], [2, 3]]


def test_assert_element_shape(sess):
    dataset = (
        lists([1, 2], [3])
        .map(lambda x: (x, {"y": x}))
        .apply(tf.contrib.data.assert_element_shape(([2], {"y": [None]})))
    )
    assert dataset.output_shapes[0] == [2] and dataset.output_shapes[1]["y"].as_list() == [None]
    following = dataset.make_one_shot_iterator().get_next()
    assert sess.run(following)[0].tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not compatible with expected shape"):
        sess.run(following)


def test_reduce_dataset(sess):
    reducer = tf.contrib.data.Reducer(lambda _: (0.0, 0.0), lambda s, x: (s[0] + x, s[1] + 1), lambda s, n: s / n)
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 6.0])
    assert sess.run(tf.contrib.data.reduce_dataset(dataset, reducer)) == 3
    with pytest.raises(TypeError, match="must be a `Reducer`"):
        tf.contrib.data.reduce_dataset(dataset, None)
