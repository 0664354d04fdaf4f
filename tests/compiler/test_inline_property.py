"""Random programs with nested functions, conditionals and loops equal the same programs without functions."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf

WIDTH = 3  # values that a block takes and gives


class Program:
    """A random program, made by `build` as often as wanted: `wrapped` says whether blocks become functions."""

    def __init__(self, seed, wrapped):
        self.random = random.Random(seed)
        self.wrapped = wrapped

    def build(self):
        self.outer = [tf.placeholder(tf.float64, [2], name=f"x{i}") for i in range(WIDTH)]
        self.variable = tf.Variable(np.array([0.3, -0.4]), name="v")
        return self.outer, self.block(self.outer, 3)

    def block(self, values, depth):
        """Random steps, perhaps as one function."""
        seed, called = self.random.random(), self.random.random() < 0.7

        def body(*values):
            saved, self.random = self.random, random.Random(seed)  # a function may be made later, or only once
            try:
                values = list(values)
                for _ in range(self.random.randint(1, 3)):
                    values[self.random.randrange(WIDTH)] = self.step(values, depth)
                return values
            finally:
                self.random = saved

        function = tf.Defun(*[tf.float64] * WIDTH)(body) if called and self.wrapped else body
        values = list(function(*values))
        if self.random.random() < 0.3:  # the same once more
            values = list(function(*values[::-1]))
        return values

    def step(self, values, depth):
        a, b = self.random.choice(values), self.random.choice(values)
        kind = self.random.randrange(9 if depth else 5)
        if kind == 0:
            return tf.sin(a) + b * tf.constant([0.5, -0.5], tf.float64)
        if kind == 1:
            return tf.tanh(a * b) - tf.constant(0.25, tf.float64)
        if kind == 2:
            return a * self.random.choice(self.outer)  # captured
        if kind == 3:
            return tf.where(a > b, a, b * 0.5)
        if kind == 4:
            return tf.reverse(a, [0]) + self.variable
        if kind in (5, 6):
            return self.block(values, depth - 1)[self.random.randrange(WIDTH)]
        if kind == 7:
            first, second = self.random.random(), self.random.random()
            return tf.cond(
                a[0] > b[1],
                lambda: self.at(first, values, depth),
                lambda: self.at(second, values, depth),
            )
        seed, count = self.random.random(), self.random.randint(0, 3)

        def body(i, *values):
            return [i + 1, *[tf.tanh(v) for v in self.whole(seed, list(values), depth)]]

        return tf.while_loop(lambda i, *_: i < count, body, [0, *values])[1 + self.random.randrange(WIDTH)]

    def at(self, seed, values, depth):
        return self.whole(seed, values, depth)[0]

    def whole(self, seed, values, depth):
        saved, self.random = self.random, random.Random(seed)
        try:
            return self.block(values, depth - 1)
        finally:
            self.random = saved


def results(seed, wrapped):
    with tf.Graph().as_default() as graph:
        xs, ys = Program(seed, wrapped).build()
        total = tf.add_n([tf.reduce_sum(y) for y in ys])
        grads = tf.gradients(total, [*xs, *tf.trainable_variables()], unconnected_gradients="zero")
        feed = {x: np.array([0.7 - 0.4 * i, 0.2 * i - 0.3]) for i, x in enumerate(xs)}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            alone = session.run(ys, feed)
            together = session.run([*ys, *grads], feed)
        for y, again in zip(alone, together):
            np.testing.assert_array_equal(y, again)
        if wrapped:
            check_imported(graph, [*ys, *grads], feed, together)
        return together, bool(graph._functions)


def check_imported(graph, fetches, feed, values):
    """The graph computes the same when it was written and read."""
    text, names = graph.as_graph_def().SerializeToString(), [t.name for t in fetches]
    with tf.Graph().as_default() as other, tf.Session() as session:
        tf.import_graph_def(tf.GraphDef.FromString(text), name="")
        session.run("v/Assign")
        again = session.run(names, {t.name: value for t, value in feed.items()})
        assert other.as_graph_def().library == graph.as_graph_def().library
    for a, b in zip(values, again):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_functions_change_nothing(seed):
    plain, _ = results(seed, False)
    wrapped, _ = results(seed, True)
    for a, b in zip(plain, wrapped):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_there_are_functions():
    assert sum(results(seed, True)[1] for seed in range(6)) >= 4
