"""Positions that can't be saved or restored: nothing is lost, nothing changes."""

import threading
import time

import pytest

import tfcore as tf
from tests.data.test_pipelines import rest
from tests.data.test_positions import Input


def saved_after(made, n, wait=0.0):
    """(the first n elements, the position after them, the rest)."""
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        first = [sess.run(made.value) for _ in range(n)]
        time.sleep(wait)
        position = sess.run(made.saved)
        return first, position, rest(sess, made.value)


def test_a_restored_map_that_is_tuned_keeps_its_buffer():
    """A buffer that was restored is larger than the one with which tuning begins."""

    def made_with(calls):
        def slow(x):
            time.sleep(0.01)
            return x

        return Input(lambda: tf.data.Dataset.range(40).map(lambda x: tf.py_func(slow, [x], tf.int64), calls))

    _, position, expected = saved_after(made_with(8), 1, wait=0.3)
    tuned = made_with(tf.data.AUTOTUNE)
    with tuned.session() as sess:
        sess.run(tuned.restore, {tuned.fed: position})
        sess.run(tuned.iterator.initializer)
        assert rest(sess, tuned.value) == expected


def test_a_failed_save_changes_nothing():
    waits, goes_on = threading.Event(), threading.Event()

    def wait(x):
        if x == 3:
            waits.set()
            goes_on.wait(60)
        return x

    def make():
        slow = tf.data.Dataset.range(6).map(lambda x: tf.py_func(wait, [x], tf.int64)).prefetch(1)
        choices = tf.data.Dataset.from_tensor_slices(tf.constant([0, 0, 1, 0, 0, 1, 0, 0, 1], tf.int64))
        return tf.data.experimental.choose_from_datasets([slow, tf.data.Dataset.range(10, 13)], choices)

    made = Input(make)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        assert [sess.run(made.value) for _ in range(3)] == [0, 1, 10]
        assert sess.run(made.value) == 2
        waits.wait()
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(made.saved, options=tf.RunOptions(timeout_in_ms=200))
        goes_on.set()
        assert rest(sess, made.value) == [3, 11, 4, 5, 12]


def test_a_reducer_between_its_groups():
    reducer = tf.data.experimental.Reducer(
        lambda key: tf.constant(""), lambda s, x: tf.strings.join([s, tf.as_string(x)]), lambda s: s
    )
    made = Input(
        lambda: tf.data.Dataset.range(9).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer))
    )
    first, position, last = saved_after(made, 1)
    assert first + last == [b"036", b"147", b"258"]
    with made.session() as sess:
        sess.run(made.restore, {made.fed: position})
        sess.run(made.iterator.initializer)
        assert rest(sess, made.value) == last


def test_a_refused_position_leaves_a_cache_as_it_is():
    def made_with(first, other):
        def make():
            return tf.data.Dataset.zip((tf.data.Dataset.range(first, first + 4).cache(), other())).repeat(2)

        return Input(make)

    fits = made_with(0, lambda: tf.data.Dataset.range(4))
    with fits.session() as sess:
        sess.run(fits.iterator.initializer)
        whole = rest(sess, fits.value)
    foreign = made_with(100, lambda: tf.data.Dataset.range(4).take(4))
    _, position, _ = saved_after(foreign, 6)
    with fits.session() as sess:
        sess.run(fits.iterator.initializer)
        found = [sess.run(fits.value) for _ in range(2)]
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
            sess.run(fits.restore, {fits.fed: position})
        assert found + rest(sess, fits.value) == whole


def test_a_position_waits_for_an_initializer_that_works():
    fails = []

    def function(x):
        if fails:
            raise ValueError("not yet")
        return x

    def make():
        numbers = tf.data.Dataset.from_tensors(tf.constant(5, tf.int64))
        return numbers.flat_map(lambda n: tf.data.Dataset.range(tf.py_func(function, [n], tf.int64)))

    made = Input(make)
    _, position, last = saved_after(made, 3)
    with made.session() as sess:
        sess.run(made.restore, {made.fed: position})
        fails.append(True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not yet"):
            sess.run(made.iterator.initializer)
        fails.clear()
        sess.run(made.iterator.initializer)
        assert rest(sess, made.value) == last == [3, 4]


def test_a_lost_element_is_in_no_cache():
    """A step that is cancelled in the middle of a batch loses the elements that the batch had taken."""
    waits = [True]

    def function(x):
        if x == 3 and waits:
            time.sleep(waits.pop() and 1.0)
        return x

    made = Input(
        lambda: tf.data.Dataset.range(6).map(lambda x: tf.py_func(function, [x], tf.int64)).batch(2).cache().repeat(2)
    )
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        assert list(sess.run(made.value)) == [0, 1]
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(made.value, options=tf.RunOptions(timeout_in_ms=100))
        left = [list(x) for x in rest(sess, made.value)]
        assert left[-3:] == [[0, 1], [2, 3], [4, 5]]


def test_an_error_at_the_end_comes_once():
    wrong = tf.data.Dataset.range(3).apply(tf.data.experimental.assert_cardinality(5))
    empty = tf.data.Dataset.range(0).apply(tf.data.experimental.assert_cardinality(1))
    for dataset, expected in ((wrong, [0, 1, 2]), (empty, [])):
        value = dataset.apply(tf.data.experimental.ignore_errors()).make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            assert rest(sess, value) == expected


def test_datasets_that_share_inputs_are_listed_once():
    from tfcore.core.registry import statistics

    def make():
        dataset = tf.data.Dataset.range(1)
        for _ in range(40):
            dataset = dataset.concatenate(dataset)
        return dataset.prefetch(1)

    made = Input(make)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        assert sess.run(made.value) == 0
        assert len(statistics.stages()) < 100
