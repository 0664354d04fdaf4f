"""Crosses of ragged features, with TensorFlow's values; empty rows filled."""

import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def features():
    ragged = tf.ragged.constant([["a"], ["b", "c"], []])
    dense = tf.constant([["d"], ["e"], [""]])
    ids = tf.ragged.constant([[1, 2], [0], [3]])
    return ragged, dense, ids, tf.sparse.from_dense([[5, 0], [6, 7], [0, 8]])


def value(ragged):
    return tf.Session().run(ragged).to_list()


def test_crosses_are_in_the_order_of_the_inputs():
    ragged, dense, ids, sparse = features()
    assert value(tf.ragged.cross([ragged, dense])) == [[b"a_X_d"], [b"b_X_e", b"c_X_e"], []]
    assert value(tf.ragged.cross([dense, sparse, ids])) == [
        [b"d_X_5_X_1", b"d_X_5_X_2"],
        [b"e_X_6_X_0", b"e_X_7_X_0"],
        [b"_X_8_X_3"],
    ]
    assert value(tf.ragged.cross([dense, dense])) == [[b"d_X_d"], [b"e_X_e"], [b"_X_"]]


def test_hash_values():
    ragged, dense, ids, sparse = features()
    assert value(tf.ragged.cross_hashed([ragged, dense], 100)) == [[82], [61, 41], []]
    assert value(tf.ragged.cross_hashed([ragged, ids], 100, hash_key=7)) == [[77, 40], [3, 24], []]
    assert value(tf.ragged.cross_hashed([dense, ids, sparse]))[2] == [8070233842765208759]


def test_wrong_inputs():
    ragged = features()[0]
    with pytest.raises(TypeError, match="Inputs must be a list"):
        tf.ragged.cross(ragged)
    with pytest.raises(ValueError, match=r"Unexpected dtype for inputs\[1\]: <dtype: 'float32'>"):
        tf.ragged.cross([ragged, tf.ragged.constant([[1.5]])])
    with pytest.raises(ValueError, match="tf.ragged.cross only supports inputs with rank=2"):
        tf.ragged.cross([ragged, tf.constant("a")])


def test_empty_rows_are_filled():
    rows = tf.constant([3, 1, 3], tf.int64)
    filled = tf.ragged_fill_empty_rows(rows, tf.constant([5, 6, 7]), tf.constant(4, tf.int64), -1)
    found = tf.Session().run(filled)
    assert found.output_value_rowids.tolist() == [0, 1, 2, 3, 3]
    assert found.output_values.tolist() == [-1, 6, -1, 5, 7]
    assert found.empty_row_indicator.tolist() == [True, False, True, False]
    assert found.reverse_index_map.tolist() == [3, 1, 4]
    gradients = tf.ragged_fill_empty_rows_grad(filled.reverse_index_map, tf.constant([1.0, 2.0, 3.0, 4.0, 5.0]))
    values, default = tf.Session().run(gradients)
    assert values.tolist() == [4, 2, 5] and default == 1 + 3
    wrong = tf.ragged_fill_empty_rows(tf.constant([4], tf.int64), [1], tf.constant(2, tf.int64), -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="4 >= 2"):
        tf.Session().run(wrong)
