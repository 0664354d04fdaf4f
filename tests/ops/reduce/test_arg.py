"""Positions of extremes: ties, NaN."""

import threading

import numpy as np
import pytest

import tfcore as tf


def run(tensor, feeds=None, config=None):
    with tf.Session(config=config) as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_argmax_takes_the_first_and_skips_nan():
    x = tf.constant([np.nan, 2.0, 5.0, 5.0, np.nan], tf.float32)
    assert run(tf.argmax(x)) == 2 and run(tf.argmin(x)) == 1
    assert run(tf.argmax(tf.constant([np.nan, np.nan]))) == 0
    columns = tf.constant([[np.nan, 1.0], [3.0, 1.0], [np.nan, 2.0]])
    assert run(tf.argmax(columns, 0, output_type=tf.int32)).tolist() == [1, 2]


FAR = 2**31 + 5


@pytest.mark.cpu
def test_positions_beyond_int32():
    """Zeros that nobody wrote take no memory: the array is large in addresses only."""
    line = np.zeros(FAR + 1, np.uint8)
    line[FAR] = 7
    x = tf.placeholder(tf.uint8)
    assert run([tf.argmax(x, 0), tf.argmin(x, 0)], {x: line}) == [FAR, 0]
    columns = np.zeros((FAR + 1, 2), np.uint8)
    columns[3, 0] = columns[FAR, 1] = 7
    np.testing.assert_array_equal(run(tf.argmax(x, 0), {x: columns}), [3, FAR])


@pytest.mark.cpu
def test_positions_must_fit_the_output_type():
    x = tf.placeholder(tf.uint8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2147483654.*int32"):
        run(tf.argmax(x, 0, output_type=tf.int32), {x: np.zeros(FAR + 1, np.uint8)})


def test_long_lines_that_change_meanwhile():
    """Fed memory may change while the kernel reads it: an index stays within the line."""
    x = np.zeros((1, 1 << 20), np.float32)
    value = tf.placeholder(tf.float32, x.shape)
    done = threading.Event()

    def change():
        while not done.is_set():
            x[0, ::64] += 1
            x[0, ::64] = 0

    with tf.Session() as sess:
        index = sess.make_callable(tf.argmax(value, 1), [value])
        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(50):
                assert 0 <= index(x)[0] < x.shape[1]
        finally:
            done.set()
            thread.join()
