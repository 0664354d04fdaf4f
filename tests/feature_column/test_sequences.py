"""Columns of sequences, and sequence_input_layer of tf.contrib.feature_column."""

import re

import numpy as np
import pytest

import tfcore as tf
from tests.feature_column.helpers import evaluate, fc

contrib = tf.contrib.feature_column


def ids():
    """Sequences [2, 0], [] and [1]."""
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([2, 0, 1], tf.int64), [3, 2])


def numbers():
    """Four numbers, none and two."""
    indices = [[0, 0], [0, 1], [0, 2], [0, 3], [2, 0], [2, 1]]
    return tf.SparseTensor(indices, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 4])


def test_ids_and_numbers():
    column = fc.sequence_categorical_column_with_identity("ids", 3)
    columns = [
        fc.sequence_numeric_column("x", shape=2, default_value=-1.0),
        fc.indicator_column(column),
        fc.embedding_column(column, 2),
    ]
    (found, lengths), variables = evaluate(
        lambda: contrib.sequence_input_layer({"ids": ids(), "x": numbers()}, columns)
    )
    [(name, table)] = variables.items()
    assert name == "sequence_input_layer/ids_embedding/embedding_weights"
    assert lengths.tolist() == [2, 0, 1]
    zero, none = np.zeros(2), [-1, -1]
    expected = [
        [[*table[2], 0, 0, 1, 1, 2], [*table[0], 1, 0, 0, 3, 4]],
        [[*zero, 0, 0, 0, *none]] * 2,
        [[*table[1], 0, 1, 0, 5, 6], [*zero, 0, 0, 0, *none]],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_several_ids_at_a_step():
    column = fc.indicator_column(fc.sequence_categorical_column_with_vocabulary_list("w", ["a", "b"]))
    words = [[["a", "b"], ["b", "b"]], [["a", ""], ["", ""]]]
    (found, lengths), _ = evaluate(lambda: contrib.sequence_input_layer({"w": words}, [column]))
    assert found.tolist() == [[[1, 1], [0, 2]], [[1, 0], [0, 0]]] and lengths.tolist() == [2, 1]


def test_normalized_numbers():
    column = fc.sequence_numeric_column("x", normalizer_fn=lambda x: x.with_values(x.values * 10))
    (found, lengths), _ = evaluate(lambda: contrib.sequence_input_layer({"x": numbers()}, [column]))
    assert found[..., 0].tolist() == [[10, 20, 30, 40], [0, 0, 0, 0], [50, 60, 0, 0]]
    assert lengths.tolist() == [4, 0, 2]


def test_lengths_differ():
    columns = [fc.sequence_numeric_column("x"), fc.sequence_numeric_column("y")]
    longer = tf.SparseTensorValue([[0, 0], [2, 0], [2, 1], [2, 2]], [1.0, 2.0, 3.0, 4.0], [3, 4])

    def build():
        return contrib.sequence_input_layer({"x": numbers(), "y": longer}, columns)

    with pytest.raises(tf.errors.InvalidArgumentError):
        evaluate(build)


def test_context():
    context, steps = np.ones((2, 3), np.float32), np.zeros((2, 4, 1), np.float32)
    found, _ = evaluate(lambda: contrib.concatenate_context_input(tf.constant(context), tf.constant(steps)))
    assert found.tolist() == [[[0, 1, 1, 1]] * 4] * 2
    with pytest.raises(ValueError, match="sequence_input must have rank 3"):
        contrib.concatenate_context_input(tf.constant(context), tf.constant(context))
    with pytest.raises(TypeError, match="context_input must have dtype float32; got "):
        contrib.concatenate_context_input(tf.constant([[1]]), tf.constant(steps))


def test_refused():
    number, word = fc.numeric_column("x"), fc.indicator_column(fc.categorical_column_with_identity("x", 3))
    for column, text in (
        (number, "All feature_columns must be of type _SequenceDenseColumn."),
        (word, "In indicator_column: x_indicator. categorical_column must be of type SequenceCategoricalColumn"),
    ):
        with pytest.raises(ValueError, match=re.escape(text)):
            evaluate(lambda column=column: contrib.sequence_input_layer({"x": [[1]]}, [column]))
