"""Splitting strings: shapes, special cases, errors; `tests/records/strings/split.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_rows_of_pieces():
    found = run(tf.string_split(["hello world", "", " a  b "]))
    assert found.indices.tolist() == [[0, 0], [0, 1], [2, 0], [2, 1]]
    assert found.values.tolist() == [b"hello", b"world", b"a", b"b"] and found.dense_shape.tolist() == [3, 2]


def test_an_empty_string_has_no_pieces_even_if_empty_pieces_count():
    found = run(tf.string_split(["", " ,a"], ", ", skip_empty=False))
    assert found.values.tolist() == [b"", b"", b"a"] and found.indices[:, 0].tolist() == [1, 1, 1]
    assert run(tf.strings.split([""], ",")).values.tolist() == [b""]
    assert run(tf.string_split(["", "ab"], "")).values.tolist() == [b"a", b"b"]


def test_the_rest_after_the_last_split():
    assert run(tf.strings.split([" a b ", "c"], maxsplit=1)).values.tolist() == [b"a", b"b ", b"c", b""]
    assert run(tf.strings.split(["a<><>b"], "<>", 1)).values.tolist() == [b"a", b"<>b"]


def test_other_ranks():
    found = run(tf.strings.split([[["a b", "c"], ["", "d e f"]]]))
    rows = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 1, 2]]
    assert found.indices.tolist() == rows and found.dense_shape.tolist() == [1, 2, 2, 3]
    assert found.values.tolist() == [b"a", b"b", b"c", b"d", b"e", b"f"]
    assert run(tf.strings.split("a b")).dense_shape.tolist() == [1, 2]
    assert run(tf.strings.split(np.zeros((0, 2), "S1"))).dense_shape.tolist() == [0, 2, 0]
    assert tf.strings.split(tf.placeholder(tf.string, [None, 2])).indices.shape.as_list() == [None, 3]
    assert tf.string_split(tf.placeholder(tf.string)).indices.shape.as_list() == [None, 2]


def test_many_strings_on_several_threads():
    texts = [" ".join(map(str, range(i % 7))) for i in range(5000)]
    found = run(tf.string_split(texts))
    assert found.values.tolist() == [piece.encode() for text in texts for piece in text.split()]
    assert found.dense_shape.tolist() == [5000, 6]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.string_split("a b"), ValueError),
        (lambda: tf.string_split(["a b"], [" "]), ValueError),
        (lambda: tf.string_split(["a b"], " ", delimiter=" "), ValueError),
        (lambda: tf.string_split(["a b"], result_type="list"), ValueError),
        (lambda: tf.strings.split(["a b"], result_type="list"), ValueError),
        (lambda: tf.strings.split(["a"], source=["a"]), ValueError),
        (lambda: tf.strings.split(None), ValueError),
        (lambda: tf.strings.split([1]), TypeError),
    ],
)
def test_what_is_refused_when_the_graph_is_built(call, error):
    with pytest.raises(error):
        call()


def test_what_is_refused_in_a_run():
    x = tf.placeholder(tf.string)
    for split, name in (tf.string_split, "delimiter"), (tf.strings.split, "sep"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"input must be a vector, got shape: \[1,1\]"):
            run(split(x), {x: [["a"]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{name} must be a scalar, got shape: \[1\]"):
            run(split(["a"], x), {x: ["a"]})
