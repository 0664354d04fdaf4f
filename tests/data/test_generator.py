"""Datasets of what Python functions yield."""

import numpy as np
import pytest

import tfcore as tf
from tests.data.test_pipelines import rest


def test_elements_have_the_structure_and_types_that_are_stated():
    def pairs():
        yield {"a": 1, "b": "x"}
        yield {"a": 2.0, "b": b"y"}

    dataset = tf.data.Dataset.from_generator(pairs, {"a": tf.float32, "b": tf.string}, {"a": [], "b": []})
    assert dataset.output_shapes == {"a": tf.TensorShape([]), "b": tf.TensorShape([])}
    with tf.Session() as sess:
        assert rest(sess, dataset.make_one_shot_iterator().get_next()) == [{"a": 1.0, "b": b"x"}, {"a": 2.0, "b": b"y"}]


def test_it_runs_anew_for_each_iteration_and_gets_its_arguments():
    calls = []

    def numbers(n):
        calls.append(n)
        yield from range(n)

    dataset = tf.data.Dataset.from_generator(numbers, tf.int32, args=[3]).repeat(2)
    with tf.Session() as sess:
        assert rest(sess, dataset.make_one_shot_iterator().get_next()) == [0, 1, 2, 0, 1, 2]
    assert calls == [3, 3]


def test_an_iteration_that_ends_early_closes_its_generator():
    closed = []

    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    dataset = tf.data.Dataset.from_generator(endless, tf.int32).take(2)
    iterator = dataset.make_initializable_iterator()
    with tf.Session() as sess:
        for i in range(3):
            sess.run(iterator.initializer)
            assert sess.run(iterator.get_next()) == 1
            assert len(closed) == i
    assert len(closed) == 3


@pytest.mark.parametrize(
    "item, text",
    [
        ("word", "could not be converted to the expected type"),
        ([1, 2], "of shape \\(2,\\) where an element of shape \\(\\) was expected"),
    ],
)
def test_a_wrong_element_is_named(item, text):
    dataset = tf.data.Dataset.from_generator(lambda: iter([item]), tf.int32, [])
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(dataset.make_one_shot_iterator().get_next())


def test_an_exception_is_named_with_its_line_and_the_next_element_follows():
    class Source:
        def __init__(self):
            self.n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            if self.n == 2:
                raise KeyError("no such word")
            if self.n == 4:
                raise StopIteration
            return self.n

    value = tf.data.Dataset.from_generator(Source, tf.int64, []).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert sess.run(value) == 1
        with pytest.raises(tf.errors.UnknownError, match="(?s)KeyError: 'no such word'.*__next__"):
            sess.run(value)
        assert rest(sess, value) == [3]


def test_a_structure_needs_types():
    with pytest.raises(TypeError, match="must be a Python callable"):
        tf.data.Dataset.from_generator([1, 2], tf.int32)
    with pytest.raises(TypeError, match="`output_types` or `output_signature`"):
        tf.data.Dataset.from_generator(lambda: iter([1]))


def test_a_signature_takes_the_place_of_types():
    def rows():
        for i in range(3):
            yield np.full([i], i, np.int64)

    dataset = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([None], tf.int64))
    with tf.Session() as sess:
        value = dataset.padded_batch(3).make_one_shot_iterator().get_next()
        assert sess.run(value).tolist() == [[0, 0], [1, 0], [2, 2]]
