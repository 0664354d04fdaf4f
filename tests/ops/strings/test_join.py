"""Joining the strings of one tensor: errors and shapes; `tests/records/strings/join.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf

X = [["a", "b", "c"], ["d", "e", "f"]]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensor, feed=None):
    with tf.Session() as session:
        return session.run(tensor, feed)


def test_the_first_axis_is_joined_first():
    assert run(tf.reduce_join(X, separator=".")) == b"a.b.c.d.e.f"
    assert run(tf.reduce_join(X, [0, 1])) == b"adbecf"
    assert run(tf.reduce_join(X, -2, keepdims=True)).tolist() == [[b"ad", b"be", b"cf"]]
    assert run(tf.reduce_join(np.zeros((0, 2), "S1"), 0)).tolist() == [b"", b""]
    x = tf.placeholder(tf.string)
    assert run(tf.reduce_join(x), {x: X}) == b"abcdef"


def test_static_shapes():
    x = tf.placeholder(tf.string, [None, 3])
    assert tf.reduce_join(x, 0).shape.as_list() == [3]
    assert tf.reduce_join(x, 1, keep_dims=True).shape.as_list() == [None, 1]
    assert tf.strings.unsorted_segment_join(x, [0, 1], 5).shape.as_list() == [5, 3]
    assert tf.strings.unsorted_segment_join(x, [0, 1], tf.placeholder(tf.int32)).shape.as_list() == [None, 3]


@pytest.mark.parametrize(
    ("axis", "error", "text"),
    [
        (5, tf.errors.OutOfRangeError, r"Invalid reduction dimension 5 for input with 2 dimension\(s\)"),
        ([0, 0], tf.errors.InvalidArgumentError, "Duplicate reduction dimension 0"),
        ([0, -2], tf.errors.InvalidArgumentError, "Duplicate reduction dimension -2"),
    ],
)
def test_axes_that_are_refused(axis, error, text):
    axes = tf.placeholder(tf.int32)
    with pytest.raises(error, match=text):
        run(tf.reduce_join(X, axes), {axes: axis})


def test_wrong_calls_of_reduce_join():
    for arguments in {"axis": 2}, {"axis": 0, "reduction_indices": 0}, {"keep_dims": True, "keepdims": True}:
        with pytest.raises(ValueError):
            tf.reduce_join(X, **arguments)
    with pytest.raises(TypeError):
        tf.reduce_join([1.0])


@pytest.mark.parametrize(
    ("ids", "number", "error", "text"),
    [
        ([0, 2], 2, tf.errors.InvalidArgumentError, "segment_ids are not allowed to exceed num_segments"),
        ([0, -1], 2, tf.errors.InvalidArgumentError, "segment_ids are not allowed to exceed num_segments"),
        ([0], 2, tf.errors.InvalidArgumentError, "Segment dimension is 1 while input dimension is 2 in rank 0"),
        (0, 2, tf.errors.InvalidArgumentError, "Segment_id cannot have rank 0"),
        ([[[0]]], 2, tf.errors.OutOfRangeError, r"Invalid segment_id rank 3 for input with 2 dimension\(s\)"),
        ([0, 1], -1, tf.errors.InvalidArgumentError, "Number of segments must be non-negative but got -1"),
        ([0, 1], [2], tf.errors.InvalidArgumentError, "Number of segments must be a scalar"),
        ([0, 1], 2**62, tf.errors.InvalidArgumentError, "too many elements"),
    ],
)
def test_segments_that_are_refused(ids, number, error, text):
    fed_ids, fed_number = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
    with pytest.raises(error, match=text):
        run(tf.strings.unsorted_segment_join(X, fed_ids, fed_number), {fed_ids: ids, fed_number: number})


def test_segments_without_rows():
    assert run(tf.strings.unsorted_segment_join(["a", "b"], [2, 2], 4, ",")).tolist() == [b"", b"", b"a,b", b""]
