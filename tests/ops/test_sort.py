"""Order: what records can't say."""

import numpy as np
import pytest

import tfcore as tf


def test_places_must_fit_the_output_type():
    rows = np.zeros((1, 2**31), np.int8)  # zeros that nobody wrote take no memory
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int8)
        long = tf.raw_ops.UpperBound(sorted_inputs=x, values=np.int8([[0]]), out_type=tf.int64)
        assert session.run(long, {x: rows}) == 2**31
        short = tf.raw_ops.UpperBound(sorted_inputs=x, values=np.int8([[0]]), out_type=tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="trailing dim_size must less than INT_MAX"):
            session.run(short, {x: rows})
