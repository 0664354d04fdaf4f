"""tf.confusion_matrix, tf.nn.zero_fraction, and the removal of dimensions of size 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tfcore.composed.confusion_matrix import remove_squeezable_dimensions


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


CLASSES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=20)


@settings(max_examples=30, deadline=None)
@given(CLASSES, st.booleans(), st.booleans())
def test_against_numpy(rows, weighted, known):
    labels, predictions, weights = np.array(rows).T
    expected = np.zeros((5, 5), int)
    np.add.at(expected, (labels, predictions), weights if weighted else 1)
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.confusion_matrix(labels, predictions, 5 if known else None, weights=weights if weighted else None)
        found = sess.run(table)
    assert found.dtype == np.int32
    size = 5 if known else max(labels.max(), predictions.max()) + 1
    assert found.tolist() == expected[:size, :size].tolist()


def test_types_and_columns():
    with tf.Session() as sess:
        table = tf.math.confusion_matrix([[0], [1]], [1, 1], dtype=tf.float32, weights=[0.5, 2.0], name="table")
        assert table.dtype == tf.float32 and table.name.startswith("table/")
        assert sess.run(table).tolist() == [[0, 0.5], [0, 2]]


@pytest.mark.parametrize(
    "labels, predictions, classes, text",
    [
        ([0, -1], [0, 1], None, "`labels` contains negative values"),
        ([0, 1], [0, -1], None, "`predictions` contains negative values"),
        ([0, 2], [0, 1], 2, "`labels` out of bound"),
        ([0, 1], [0, 2], 2, "`predictions` out of bound"),
    ],
)
def test_refused_classes(labels, predictions, classes, text):
    y, x = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(tf.confusion_matrix(y, x, classes), {y: labels, x: predictions})
    with pytest.raises(tf.errors.InvalidArgumentError, match=text), tf.Session() as sess:
        sess.run(tf.confusion_matrix(labels, predictions, classes))


def test_refused_shapes():
    with pytest.raises(ValueError):
        tf.confusion_matrix([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="are incompatible"):
        tf.confusion_matrix([0, 1], [0, 1], weights=[1.0])


@pytest.mark.parametrize(
    "labels, predictions, extra, expected",
    [
        ((2,), (2,), 0, ((2,), (2,))),
        ((2, 1), (2,), 0, ((2,), (2,))),
        ((2,), (2, 1), 0, ((2,), (2,))),
        ((2,), (2, 3), 1, ((2,), (2, 3))),
        ((2, 1), (2, 3), 1, ((2,), (2, 3))),
        ((2, 3), (2,), 0, ((2, 3), (2,))),
    ],
)
def test_squeezable_dimensions(labels, predictions, extra, expected):
    y, x = np.zeros(labels), np.ones(predictions)
    with tf.Session() as sess:
        assert tuple(t.shape for t in remove_squeezable_dimensions(y, x, extra)) == expected
        if (labels, predictions) == ((2, 3), (2,)):
            return  # at run time the dimension of size 3 cannot be removed
        a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        found = sess.run(remove_squeezable_dimensions(a, b, extra), {a: y, b: x})
        assert tuple(v.shape for v in found) == expected


def test_a_dimension_that_cannot_be_removed():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="Can not squeeze dim|Tried to ex"):
        sess.run(remove_squeezable_dimensions(a, b), {a: np.zeros((2, 3)), b: np.zeros(2)})


@pytest.mark.parametrize("value, expected", [([0.0, 1.0, 0.0], 2 / 3), ([[1, 0]], 0.5), ([], np.nan), ([True], 0.0)])
def test_zero_fraction(value, expected):
    fraction = tf.nn.zero_fraction(value)
    assert fraction.dtype == tf.float32 and fraction.name == "zero_fraction/fraction:0"
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(fraction), expected, rtol=1e-6)
