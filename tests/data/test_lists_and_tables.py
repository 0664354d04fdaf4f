"""Datasets of lists, datasets filled up, and lookup tables of datasets."""

import numpy as np
import pytest

import tfcore as tf

experimental = tf.data.experimental
Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def elements(dataset):
    element, found = tf.data.make_one_shot_iterator(dataset).get_next(), []
    with tf.Session() as sess, pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found.append(sess.run(element))
    return found


def looked_up(table, keys):
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        return sess.run(table.lookup(tf.constant(keys))).tolist()


def test_lists():
    assert elements(experimental.from_list([(1, "a"), (2, "b")])) == [(1, b"a"), (2, b"b")]
    assert elements(experimental.from_list([{"x": 1}, {"x": tf.constant(3)}])) == [{"x": 1}, {"x": 3}]
    assert np.array(elements(experimental.from_list([[1, 2], [3, 4]]))).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="`elements` should not be empty"):
        experimental.from_list([])
    with pytest.raises(ValueError, match="`elements` must be a list"):
        experimental.from_list(3)
    with pytest.raises(ValueError):
        experimental.from_list([(1, 2), (3,)])


def test_a_dataset_is_filled_up():
    dataset = Dataset.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]})
    found = elements(dataset.apply(experimental.pad_to_cardinality(3, mask_key="own")))
    assert [(e["a"], e["b"].tolist(), e["own"]) for e in found] == [(1, [1], True), (2, [2], True), (0, [0], False)]
    assert len(elements(dataset.apply(experimental.pad_to_cardinality(2)))) == 2
    for wrong in (dataset, dataset.repeat(), dataset.filter(lambda e: True)):
        padded = wrong.apply(experimental.pad_to_cardinality(1))
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have a known number of elements"):
            tf.Session().run(tf.data.make_initializable_iterator(padded).initializer)
    with pytest.raises(ValueError, match="requires its input dataset to be a dictionary"):
        Dataset.range(3).apply(experimental.pad_to_cardinality(4))


def test_tables_of_keys():
    words = Dataset.from_tensor_slices(["a", "b", "c"])
    table = experimental.index_table_from_dataset(words, num_oov_buckets=1, vocab_size=3)
    assert looked_up(table, ["b", "x", "a"]) == [1, 3, 0]
    assert looked_up(experimental.index_table_from_dataset(words, default_value=7), ["c", "x"]) == [2, 7]
    assert looked_up(experimental.index_table_from_dataset(words, vocab_size=2), ["b", "c"]) == [1, -1]
    with pytest.raises(tf.errors.FailedPreconditionError):
        looked_up(experimental.index_table_from_dataset(words, vocab_size=4), ["b"])


def test_tables_of_pairs():
    pairs = Dataset.from_tensor_slices((["a", "b"], [5.0, 6.0]))
    assert looked_up(experimental.table_from_dataset(pairs), ["b", "x"]) == [6.0, -1.0]
    initializer = experimental.DatasetInitializer(pairs)
    assert (initializer.key_dtype, initializer.value_dtype) == (tf.string, tf.float32)
    assert looked_up(tf.lookup.StaticHashTable(initializer, 2.0), ["a", "x"]) == [5.0, 2.0]
    ids = Dataset.from_tensor_slices((["a", "b"], np.int64([5, 6])))
    assert looked_up(experimental.table_from_dataset(ids, num_oov_buckets=2), ["b", "x"]) == [6, 2]


@pytest.mark.parametrize(
    "values, options, error, text",
    [
        ([1, 2], {}, ValueError, "must produce elements in the form"),
        ((["a"], [["b"]]), {}, ValueError, "must produce elements in the form"),
        ((["a"], ["b"]), {}, ValueError, "`default_value` must be specified"),
        ((["a"], [1]), {"num_oov_buckets": -1}, ValueError, "must be greater than or equal to 0, got -1"),
        ((["a"], [1]), {"vocab_size": 0}, ValueError, "must be greater than 0, got 0"),
        ((["a"], [1]), {"key_dtype": tf.float32}, TypeError, "must be either an integer or string type"),
        ((["a"], [1.0]), {"num_oov_buckets": 2}, TypeError, "value dtype"),
    ],
)
def test_wrong_tables(values, options, error, text):
    with pytest.raises(error, match=text):
        experimental.table_from_dataset(Dataset.from_tensor_slices(values), **options)
    twice = Dataset.from_tensor_slices((["a", "a"], [5, 6]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 5 and trying to add value 6"):
        looked_up(experimental.table_from_dataset(twice), ["a"])
