"""Partial runs out of turn."""

from tests.errors.table import wrong


@wrong("InvalidArgumentError", "Must run 'setup' before")
def handle_that_does_not_exist(tf, sess):
    x = tf.placeholder(tf.float32)
    y = x + 1
    return lambda: sess.partial_run("nothing", y, {x: 1.0})  # <- wrong


@wrong("InvalidArgumentError", "feed y:0 was not specified in partial_run_setup")
def feed_that_was_not_announced(tf, sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32, name="y")
    z = x + 1

    def run():
        handle = sess.partial_run_setup([z], [x])
        sess.partial_run(handle, z, {x: 1.0, y: 1.0})  # <- wrong

    return run


@wrong("InvalidArgumentError", "fetch z2:0 was not specified in partial_run_setup")
def fetch_that_was_not_announced(tf, sess):
    x = tf.placeholder(tf.float32)
    z, z2 = x + 1, tf.add(x, 2, name="z2")

    def run():
        handle = sess.partial_run_setup([z], [x])
        sess.partial_run(handle, z2, {x: 1.0})  # <- wrong

    return run


@wrong("InvalidArgumentError", "x:0.*already been fed")
def feed_twice(tf, sess):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32)
    z, w = x + 1, x + y

    def run():
        handle = sess.partial_run_setup([z, w], [x, y])
        sess.partial_run(handle, z, {x: 1.0})
        sess.partial_run(handle, w, {x: 1.0, y: 1.0})  # <- wrong

    return run


@wrong("InvalidArgumentError", "Missing: y:0")
def fetch_before_its_feeds(tf, sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32, name="y")
    z = x + y

    def run():
        handle = sess.partial_run_setup([z], [x, y])
        sess.partial_run(handle, z, {x: 1.0})  # <- wrong

    return run


@wrong("InvalidArgumentError", "Must run 'setup' before")
def fetch_twice(tf, sess):
    x = tf.placeholder(tf.float32)
    z = x + 1

    def run():
        handle = sess.partial_run_setup([z], [x])
        sess.partial_run(handle, z, {x: 1.0})
        sess.partial_run(handle, z)  # <- wrong

    return run


@wrong("RuntimeError", "closed Session")
def setup_after_close(tf, sess):
    x = tf.placeholder(tf.float32)
    session = tf.Session()
    session.close()
    return lambda: session.partial_run_setup([x], [x])  # <- wrong
