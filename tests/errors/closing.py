"""Sessions that are closed, nested wrongly, or made of wrong parts."""

from tests.errors.table import wrong


@wrong("RuntimeError", "Attempted to use a closed Session.")
def run_after_close(tf, sess):
    x = tf.constant(1.0)
    session = tf.Session()
    session.run(x)
    session.close()
    return lambda: session.run(x)  # <- wrong


@wrong("RuntimeError", "Attempted to use a closed Session.")
def run_after_the_block(tf, sess):
    x = tf.constant(1.0)
    with tf.Session() as session:
        session.run(x)
    return lambda: session.run(x)  # <- wrong


@wrong("RuntimeError", "closed Session|closed")
def callable_after_close(tf, sess):
    x = tf.constant(1.0)
    session = tf.Session()
    call = session.make_callable(x)
    session.close()
    return lambda: call()  # <- wrong


@wrong("RuntimeError", "closed Session")
def make_callable_after_close(tf, sess):
    x = tf.constant(1.0)
    session = tf.Session()
    session.close()
    return lambda: session.make_callable(x)  # <- wrong


@wrong("FailedPreconditionError", "uninitialized value v")
def variable_of_another_session(tf, sess):
    v = tf.Variable(1.0, name="v")  # <- wrong
    with tf.Session() as session:
        session.run(v.initializer)
    return lambda: sess.run(v)


@wrong("AssertionError", "Nesting violated for default stack")
def blocks_left_in_another_order(tf, sess):
    first, second = tf.Session(), tf.Session()
    outer, inner = first.as_default(), second.as_default()
    outer.__enter__()
    inner.__enter__()
    try:
        outer.__exit__(None, None, None)  # <- wrong
    finally:
        inner.__exit__(None, None, None)
        outer.__exit__(None, None, None)


@wrong("NotFoundError", "No session factory registered", "teleport://x")
def unknown_target(tf, sess):
    tf.Session("teleport://x")  # <- wrong


@wrong("TypeError", "tf.ConfigProto|config")
def config_of_another_type(tf, sess):
    tf.Session(config={"allow_soft_placement": True})  # <- wrong


@wrong("TypeError", "tf.Graph|graph")
def graph_of_another_type(tf, sess):
    tf.Session(graph="graph")  # <- wrong


@wrong("TypeError", "`target` must be a string")
def graph_as_target(tf, sess):
    tf.Session(tf.get_default_graph())  # <- wrong
