"""Fetches that are not part of the graph."""

import numpy as np

from tests.errors.table import wrong


@wrong("TypeError", "None", "invalid type")
def nothing(tf, sess):
    return lambda: sess.run(None)  # <- wrong


@wrong("TypeError", "Fetch argument 3 has invalid type <class 'int'>, must be a string or Tensor")
def a_number(tf, sess):
    return lambda: sess.run(3)  # <- wrong


@wrong("TypeError", "None", "invalid type")
def nothing_within_a_list(tf, sess):
    x = tf.constant(1.0)
    return lambda: sess.run([x, None])  # <- wrong


@wrong("ValueError", "'loss'", "not in the graph|cannot be interpreted as a Tensor")
def unknown_name(tf, sess):
    return lambda: sess.run("loss")  # <- wrong


@wrong("ValueError", "'loss:0' refers to a Tensor which does not exist")
def unknown_tensor_within_a_dictionary(tf, sess):
    return lambda: sess.run({"loss": "loss:0"})  # <- wrong


@wrong("ValueError", "foreign", "is not an element of this graph")
def tensor_of_another_graph(tf, sess):
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="foreign")
    return lambda: sess.run(x)  # <- wrong


@wrong("ValueError", "is not an element of this graph")
def variable_of_another_graph(tf, sess):
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="foreign")
    return lambda: sess.run(v)  # <- wrong


@wrong("TypeError", "ndarray|array|invalid type")
def an_array(tf, sess):
    return lambda: sess.run(np.zeros(3))  # <- wrong


@wrong("TypeError", "invalid type", "must be a string or Tensor")
def an_object_that_has_no_hash(tf, sess):
    return lambda: sess.run(bytearray(b"x"))  # <- wrong


@wrong("TypeError", "function")
def a_function(tf, sess):
    return lambda: sess.run(tf.exp)  # <- wrong


@wrong("RuntimeError", "The Session graph is empty.")
def empty_graph(tf, sess):
    session = tf.Session(graph=tf.Graph())
    return lambda: session.run("x:0")  # <- wrong


@wrong("ValueError", "not fetchable")
def marked_as_not_fetchable(tf, sess):
    x = tf.constant(1.0)
    x.graph.prevent_fetching(x.op)
    return lambda: sess.run(x)  # <- wrong


@wrong("ValueError", "graph is different from the session's graph")
def eval_in_a_session_of_another_graph(tf, sess):
    x = tf.constant(1.0)
    other = tf.Session(graph=tf.Graph())
    return lambda: x.eval(session=other)  # <- wrong


@wrong("TypeError", "feed_list.* list|list or tuple")
def callable_with_one_feed_and_no_list(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.make_callable(x, x)  # <- wrong


@wrong("ValueError|TypeError", "2|1")
def callable_with_too_few_values(tf, sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    call = sess.make_callable(x + y, [x, y])
    return lambda: call(1.0)  # <- wrong
