"""Random pipelines, to the end and from the beginning again."""

from hypothesis import given
from hypothesis import strategies as st

import tests.data.pipelines as pipelines
import tfcore as tf


def rest(sess, value):
    found = []
    while True:
        try:
            found.append(sess.run(value))
        except tf.errors.OutOfRangeError:
            return found


@given(pipelines.pipelines, st.integers(0, 5))
def test_pipelines_are_pythons(drawn, steps):
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset, expected = pipelines.build(drawn)
        iterator = dataset.make_initializable_iterator()
        value = iterator.get_next()
        sess.run(iterator.initializer)
        wanted = list(expected())
        for item in wanted[:steps]:
            assert sess.run(value) == item
        sess.run(iterator.initializer)
        assert rest(sess, value) == wanted
        assert rest(sess, value) == []


@given(pipelines.pipelines)
def test_one_shot_iterators_copy_pipelines(drawn):
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset, expected = pipelines.build(drawn)
        assert rest(sess, dataset.make_one_shot_iterator().get_next()) == list(expected())


@given(st.integers(0, 40), st.integers(1, 50), st.integers(0, 3), st.booleans())
def test_shuffles_keep_all_elements(n, size, seed, reshuffles):
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.Dataset.range(n).shuffle(size, seed, reshuffles).repeat(2)
        found = rest(sess, dataset.make_one_shot_iterator().get_next())
        assert sorted(found[:n]) == sorted(found[n:]) == list(range(n))
        assert all(item < i + size for i, item in enumerate(found[:n]))
        assert reshuffles or found[:n] == found[n:]
