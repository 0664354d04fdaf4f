"""Device names that can't be read, and the assignment of operations to devices."""

from tests.errors.table import wrong


@wrong("ValueError", "Unknown attribute:? ?'?processor|processor")
def unknown_part_of_a_device(tf, sess):
    with tf.device("/processor:0"):  # <- wrong
        tf.constant(1.0)


@wrong("ValueError", "cpu:one|one")
def index_that_is_no_number(tf, sess):
    with tf.device("/device:CPU:one"):  # <- wrong
        tf.constant(1.0)


@wrong("InvalidArgumentError", "CPU:7", "x")
def processor_that_does_not_exist(tf, sess):
    with tf.device("/cpu:7"):
        x = tf.constant(1.0, name="x")  # <- wrong
    return lambda: sess.run(x)


@wrong("TypeError|ValueError|AttributeError", "int|device")
def number_as_a_device(tf, sess):
    with tf.device(3):  # <- wrong
        tf.constant(1.0)
