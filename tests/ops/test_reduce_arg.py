"""Positions of extremes: ties, NaN."""

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
