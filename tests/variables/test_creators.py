"""tf.variable_creator_scope."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_creators_see_all_arguments_and_the_outermost_is_called_last():
    seen = []

    def outer(next_creator, **kwargs):
        seen.append(("outer", kwargs["name"], kwargs["trainable"] is not False))
        return next_creator(**kwargs)

    def inner(next_creator, **kwargs):
        seen.append(("inner", kwargs["name"], kwargs["trainable"] is not False))
        return next_creator(**{**kwargs, "trainable": False})

    with tf.variable_creator_scope(outer):
        with tf.variable_creator_scope(inner):
            a = tf.Variable([1.0], name="a")
            b = tf.get_variable("b", [2])
        c = tf.Variable(1.0, name="c")
    d = tf.Variable(1.0, name="d")
    assert seen == [
        ("inner", "a", True),
        ("outer", "a", False),
        ("inner", "b", True),
        ("outer", "b", False),
        ("outer", "c", True),
    ]
    assert [v.trainable for v in (a, b, c, d)] == [False, False, True, True]
    assert tf.trainable_variables() == [c, d]


@pytest.mark.parametrize("resource", [False, True])
def test_creators_see_slots(resource):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append((kwargs["name"], kwargs["trainable"], kwargs["use_resource"]))
        return next_creator(**{**kwargs, "collections": [*(kwargs["collections"] or ["variables"]), "mine"]})

    w = tf.get_variable("w", initializer=1.0, use_resource=resource)
    with tf.variable_creator_scope(creator):
        train = tf.train.AdamOptimizer().minimize(w * w)
        tf.train.ExponentialMovingAverage(0.5).apply([w, w.read_value() * 2.0])
    slots = ["w/Adam", "w/Adam_1", "w/ExponentialMovingAverage"]
    assert [call for call in seen if call[0] in slots] == [(name, False, resource) for name in slots]
    assert [name for name, *_ in seen if name not in slots] == ["beta1_power", "beta2_power", "mul_1/" + slots[2][2:]]
    mine = tf.get_collection("mine")
    assert {v.op.name for v in mine} == {name for name, *_ in seen} and tf.global_variables() == [w, *mine]
    assert tf.trainable_variables() == [w]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(w), 0.999, rtol=1e-5)


def test_slots_of_references_are_references_whatever_creators_ask_for():
    w = tf.get_variable("w", initializer=1.0, use_resource=False)
    with tf.variable_creator_scope(lambda create, **kwargs: create(**{**kwargs, "use_resource": True})):
        train = tf.train.MomentumOptimizer(0.25, 0.5).minimize(w * 2.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(w) == 0.5


def test_a_creator_may_return_another_variable():
    shared = tf.Variable(3.0)
    with tf.variable_creator_scope(lambda next_creator, **kwargs: shared):
        assert tf.Variable(1.0) is shared
    with tf.Graph().as_default():
        assert tf.Variable(1.0) is not shared


def test_errors():
    with pytest.raises(TypeError, match="must be callable"):
        with tf.variable_creator_scope(3):
            tf.Variable(1.0)
    with tf.variable_creator_scope(lambda next_creator, **kwargs: next_creator(**kwargs)):
        with pytest.raises(ValueError, match="initial_value must be specified"):
            tf.Variable()


@pytest.mark.parametrize("decorate", [tf.function, tf.Defun(tf.float32)])
def test_variables_of_functions(decorate):
    created = []

    def creator(next_creator, **kwargs):
        created.append(next_creator(**{**kwargs, "trainable": False}))
        return created[-1]

    with tf.Graph().as_default():
        function = decorate(lambda x: x * tf.get_variable("v", initializer=2.0))
        with tf.variable_creator_scope(creator):
            function(tf.constant(1.0))
        assert tf.global_variables() == created and len(created) == 1 and tf.trainable_variables() == []
