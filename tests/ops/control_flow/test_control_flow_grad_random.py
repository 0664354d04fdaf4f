"""Random programs of nested conditionals and loops: values against the same program in Python, gradients against
central differences of that, second derivatives against those of gradients."""

import random

import numpy as np
import pytest

import tfcore as tf

N = 3  # elements of each value
PROGRAMS = 60


class Graph:
    """Builds a program as a graph."""

    sin, tanh, exp, maximum, total, mean = tf.sin, tf.tanh, tf.exp, tf.maximum, tf.reduce_sum, tf.reduce_mean

    @staticmethod
    def cond(pred, yes, no):
        return tf.cond(pred, yes, no, strict=True)

    @staticmethod
    def loop(count, body, values, **options):
        return tf.while_loop(lambda i, *v: i < count, lambda i, *v: (i + 1, *body(i, v)), [0, *values], **options)[1:]


class Python:
    """Runs a program."""

    sin, tanh, exp, maximum, total, mean = np.sin, np.tanh, np.exp, np.maximum, np.sum, np.mean

    @staticmethod
    def cond(pred, yes, no):
        return yes() if pred else no()

    @staticmethod
    def loop(count, body, values, **_):
        values = tuple(values)
        for i in range(count):
            values = tuple(body(i, values))
        return values


class Program:
    """A random function of several vectors: the same one for the same seed, whatever it is made of."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, of, inputs):
        rng = random.Random(self.seed)
        values, counts = list(inputs), []
        for _ in range(rng.randint(2, 4)):
            values.append(self._step(of, rng, values, counts, 3))
        return of.total(values[-1]) + 0.5 * of.total(values[-2])

    def _step(self, of, rng, values, counts, depth):
        kind = rng.random()
        if depth == 0 or kind < 0.4:
            return self._plain(of, rng, values)
        seed, options = rng.randrange(10**9), {"parallel_iterations": rng.choice([1, 2, 10])}
        if kind < 0.7:
            pred = of.total(rng.choice(values)) > rng.uniform(-1, 1)
            sides = [lambda s=s: self._body(of, seed + s, values, [], counts, depth) for s in (0, 1)]
            return rng.choice(of.cond(pred, *sides))
        start = [rng.choice(values) for _ in range(rng.randint(1, 3))]
        count = rng.choice(counts) if counts and rng.random() < 0.3 else rng.randint(0, 3)

        def body(i, loop_values):
            return self._body(of, seed, values, list(loop_values), [*counts, i], depth)

        return rng.choice(list(of.loop(count, body, start, **options)))

    def _body(self, of, seed, outer, own, counts, depth):
        """A branch, or (with loop variables `own`) the body of a loop."""
        rng = random.Random(seed)
        values = outer + own
        for _ in range(rng.randint(1, 2)):
            values.append(self._step(of, rng, values, counts, depth - 1))
        if not own:
            return [values[-1], rng.choice(values)]
        return [rng.choice([values[-1], v, rng.choice(values), self._plain(of, rng, [v, values[-1]])]) for v in own]

    @staticmethod
    def _plain(of, rng, values):
        a, b = rng.choice(values), rng.choice(values)
        return [
            lambda: of.sin(a) + 0.1,
            lambda: of.tanh(a * 0.9),
            lambda: a * b * 0.5,
            lambda: a - b * 0.3,
            lambda: of.maximum(a, b),
            lambda: a / (2.0 + b * b),
            lambda: of.mean(a) * b + a * 0.1,
            lambda: of.total(a) * 0.2 + of.exp(-a * a),
        ][rng.randrange(8)]()


def central_differences(program, inputs, eps):
    result = np.zeros((len(inputs), N))
    for k, i in np.ndindex(result.shape):
        for sign in (1, -1):
            moved = [x.copy() for x in inputs]
            moved[k][i] += sign * eps
            result[k, i] += sign * program(Python, moved) / (2 * eps)
    return result


def check_second_order(sess, xs, grads, feed):
    """Along one direction."""
    total = sum(tf.reduce_sum(tf.sin(g)) for g in grads)
    try:
        second = sess.run(tf.gradients(total, xs, unconnected_gradients="zero"), feed)
    except TypeError as error:
        assert "Second-order gradient for while loops not supported where the loop has a conditional" in str(error)
        return
    way = {x: np.linspace(-1, 1, N) + i for i, x in enumerate(xs)}

    def change(eps):
        ends = [sess.run(total, {x: value + sign * eps * way[x] for x, value in feed.items()}) for sign in (1, -1)]
        return (ends[0] - ends[1]) / (2 * eps)

    if np.isclose(change(1e-6), change(3e-6), rtol=1e-4, atol=1e-6):
        np.testing.assert_allclose(
            sum(np.sum(way[x] * s) for x, s in zip(xs, second)), change(1e-6), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    compared = 0
    for seed in range(part, PROGRAMS, 4):
        rng = np.random.default_rng(seed)
        inputs = [rng.uniform(-1, 1, N) for _ in range(3)]
        program = Program(seed)
        with tf.Graph().as_default(), tf.Session() as sess:
            shape = [[N], [None], None][seed % 3]
            xs = [tf.placeholder(tf.float64, shape) for _ in inputs]
            y = program(Graph, [tf.ensure_shape(x, [N]) for x in xs] if shape is None else xs)
            grads = tf.gradients(y, xs, unconnected_gradients="zero")
            feed = dict(zip(xs, inputs))
            value, got = sess.run([y, grads], feed)
            check_second_order(sess, xs, grads, feed)
        np.testing.assert_allclose(value, program(Python, inputs), rtol=1e-9, err_msg=f"seed {seed}")
        expected = central_differences(program, inputs, 1e-6)
        if not np.allclose(expected, central_differences(program, inputs, 3e-6), rtol=1e-4, atol=1e-6):
            continue  # close to where a condition changes
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5, err_msg=f"seed {seed}")
        compared += np.any(expected != 0)
    assert compared > PROGRAMS // 4 // 2
