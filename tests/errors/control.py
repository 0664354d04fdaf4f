"""Run options and metadata of wrong types, checks of values, memory limits."""

import numpy as np

from tests.errors.table import wrong


@wrong("TypeError", "RunOptions")
def options_of_another_type(tf, sess):
    x = tf.constant(1.0)
    return lambda: sess.run(x, options={"timeout_in_ms": 3})  # <- wrong


@wrong("TypeError", "RunMetadata")
def metadata_of_another_type(tf, sess):
    x = tf.constant(1.0)
    return lambda: sess.run(x, run_metadata={})  # <- wrong


@wrong("InvalidArgumentError", "bad:0 : Tensor had NaN values")
def add_check_numerics_ops(tf, sess):
    x = tf.placeholder(tf.float32)
    tf.log(x, name="bad") if hasattr(tf, "log") else tf.math.log(x, name="bad")
    check = tf.add_check_numerics_ops()  # <- wrong
    return lambda: sess.run(check, {x: np.float32(-1)})
