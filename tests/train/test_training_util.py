"""Helpers around the global step."""

import pytest

import tfcore as tf
from tfcore.train import training_util


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_create_and_get():
    assert tf.train.get_global_step() is None
    step = tf.train.create_global_step()
    assert step.name == "global_step:0" and step.dtype.base_dtype == tf.int64 and not step.trainable
    assert tf.train.get_global_step() is step and tf.train.get_or_create_global_step() is step
    assert tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == [step]
    with pytest.raises(ValueError, match='"global_step" already exists.'):
        tf.train.create_global_step()


def test_made_inside_scopes():
    with tf.name_scope("a"):
        assert tf.train.get_or_create_global_step().name == "global_step:0"


def test_found_by_name():
    step = tf.Variable(0, name="global_step", trainable=False)
    assert tf.train.get_global_step() is step._ref()


def test_of_another_graph():
    other = tf.Graph()
    step = tf.train.create_global_step(other)
    assert step.graph is other and tf.train.get_global_step() is None and tf.train.get_global_step(other) is step


def test_value():
    step = tf.train.create_global_step()
    with tf.Session() as sess:
        sess.run(step.initializer)
        sess.run(step.assign_add(3))
        value = tf.train.global_step(sess, step)
    assert value == 3 and type(value) is int


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_read_comes_before_the_increment(use_resource):
    assert training_util.read_of_global_step() is None
    tf.get_variable_scope().set_use_resource(use_resource)
    increment = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    with tf.control_dependencies([increment]), tf.name_scope("scope"):
        read = training_util.read_of_global_step()
    assert read.name.startswith("global_step/") and training_util.read_of_global_step() is read
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [sess.run([read, increment]) for _ in range(3)] == [[0, 1], [1, 2], [2, 3]]


def test_a_finalized_graph_gets_no_read():
    step = tf.train.get_or_create_global_step()
    tf.get_default_graph().finalize()
    assert training_util.read_of_global_step() is step


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: 3, "must be a Variable or Tensor"),
        (lambda: tf.Variable(0.0), "does not have integer type"),
        (lambda: tf.Variable([0]), "is not scalar"),
    ],
)
def test_what_is_no_global_step(make, message):
    with pytest.raises(TypeError, match=message):
        tf.train.assert_global_step(make())
