"""Tensors of more than 8 dimensions, up to the 20 that kernels take."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf

RANKS = st.integers(9, 20)


@st.composite
def arrays(draw, ranks=RANKS):
    """An array of many dimensions, at most seven of them longer than 1."""
    rank = draw(ranks)
    long = draw(st.sets(st.integers(0, rank - 1), max_size=7))
    shape = [draw(st.integers(2, 3)) if d in long else 1 for d in range(rank)]
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 5


def run(fetches, **feeds):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


@given(arrays())
def test_feeds_fetches_and_constants(x):
    fed = tf.placeholder(tf.float32, x.shape)
    with tf.Session() as sess:
        found = sess.run([fed, tf.constant(x), tf.shape(x), tf.identity(fed) + 1], {fed: x})
    for value, wanted in zip(found, [x, x, x.shape, x + 1], strict=True):
        np.testing.assert_array_equal(value, wanted)


@given(arrays(), st.randoms())
def test_broadcasting(x, random):
    y = np.asarray(random.choices(range(-3, 4), k=x.size), np.float32).reshape(x.shape)
    for d in range(x.ndim):
        if random.random() < 0.5:
            y = y.take([0], axis=d)
    expected = {"add": x + y, "mul": x * y, "max": np.maximum(x, y), "less": x < y}
    found = run({"add": tf.add(x, y), "mul": tf.multiply(y, x), "max": tf.maximum(x, y), "less": tf.less(x, y)})
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, name)


@given(arrays(), st.randoms())
def test_reductions_and_their_gradients(x, random):
    axes = tuple(sorted(random.sample(range(x.ndim), random.randint(1, x.ndim))))
    keep = random.random() < 0.5
    t = tf.constant(x)
    total = tf.reduce_sum(t, axes, keep)
    outputs = [total, tf.reduce_max(t, axes, keep), tf.reduce_mean(t, axes, keep), tf.gradients(total * total, t)[0]]
    found = run(outputs)
    np.testing.assert_array_equal(found[0], x.sum(axes, keepdims=keep))
    np.testing.assert_array_equal(found[1], x.max(axes, keepdims=keep))
    np.testing.assert_allclose(found[2], x.mean(axes, keepdims=keep), rtol=1e-6)
    np.testing.assert_array_equal(found[3], np.broadcast_to(2 * x.sum(axes, keepdims=True), x.shape))


@given(arrays(), st.randoms())
def test_moves_of_data(x, random):
    order = random.sample(range(x.ndim), x.ndim)
    axis = random.randrange(x.ndim)
    begin = [random.randint(0, n - 1) for n in x.shape]
    size = [random.randint(1, n - b) for n, b in zip(x.shape, begin, strict=True)]
    paddings = [(random.randint(0, 1) if n > 1 else 0, 0) for n in x.shape]
    reverse = random.sample(range(x.ndim), 3)
    steps = [random.choice([1, -1]) for _ in x.shape]
    cut = tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))
    strided = tuple(slice(None, None, s) for s in steps)
    multiples = [random.choice([1, 2]) if n > 1 else 1 for n in x.shape]
    cases = {
        "transpose": (tf.transpose(x, order), x.transpose(order)),
        "concat": (tf.concat([x, x + 1], axis), np.concatenate([x, x + 1], axis)),
        "slice": (tf.slice(x, begin, size), x[cut]),
        "strided": (tf.constant(x)[strided], x[strided]),
        "pad": (tf.pad(x, paddings), np.pad(x, paddings)),
        "reverse": (tf.reverse(x, reverse), np.flip(x, reverse)),
        "tile": (tf.tile(x, multiples), np.tile(x, multiples)),
        "gather": (tf.gather(x, [0, x.shape[axis] - 1], axis=axis), x.take([0, -1], axis)),
        "argmax": (tf.argmax(x, axis), x.argmax(axis)),
        "where": (tf.where(x > 0), np.argwhere(x > 0)),
        "cumsum": (tf.cumsum(x, axis), x.cumsum(axis)),
        "squeeze": (tf.squeeze(x), x.squeeze()),
        "split": (tf.split(x, x.shape[axis], axis)[-1], np.split(x, x.shape[axis], axis)[-1]),
        "select": (tf.where(x > 0, x, -x), np.abs(x)),
        "cast": (tf.cast(x, tf.int64), x.astype(np.int64)),
    }
    found = run({name: tensor for name, (tensor, _) in cases.items()})
    for name, (_, expected) in cases.items():
        np.testing.assert_array_equal(found[name], expected, name)


@given(arrays(st.integers(9, 18)))
def test_products_of_batches(x):
    a, b = x.reshape(*x.shape, 1, 1), np.full((*[1] * x.ndim, 1, 3), 2.0, np.float32)
    np.testing.assert_array_equal(run(tf.matmul(a, b)), a @ b)


def test_variables_and_loops_of_many_dimensions():
    start = np.arange(2**9, dtype=np.float32).reshape([2] * 9 + [1] * 11)
    v = tf.Variable(start)
    _, looped = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), [0, v])
    with tf.Session() as sess:
        sess.run(v.initializer)
        np.testing.assert_array_equal(sess.run(looped), start * 8)
        np.testing.assert_array_equal(sess.run(tf.assign_add(v, v)), start * 2)


@pytest.mark.parametrize(
    "build",
    [
        functools.partial(tf.expand_dims, axis=0),
        lambda x: tf.stack([x, x]),
        lambda x: tf.one_hot(tf.cast(x, tf.int32), 2),
        lambda x: tf.gather(x, [[0]]),
    ],
)
def test_what_would_have_more_than_20_is_refused(build):
    with pytest.raises((tf.errors.UnimplementedError, ValueError), match="20|21"):
        run(build(tf.zeros([1] * 20)))


@given(arrays(), st.randoms())
def test_roll(x, random):
    axes = random.sample(range(x.ndim), 3)
    shifts = [random.randint(-3, 3) for _ in axes]
    np.testing.assert_array_equal(run(tf.roll(x, shifts, axes)), np.roll(x, shifts, axes))


def huge_and_empty(value):
    """A value of shape [0, 10**17, ..., 10**17, 0], whose text is about the longest that a shape has."""
    for axis in range(1, 19):
        value = tf.gather(value, np.zeros([10**17, 0], np.int32), axis=axis)
    return value


@pytest.mark.parametrize("optimization", [1, 2], ids=["fused", "general"])
def test_a_predicate_with_a_very_long_shape(optimization):
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.loop_optimization = optimization
    wrong = huge_and_empty(tf.placeholder_with_default(tf.zeros([0, 0], tf.bool), None))
    for y in tf.cond(wrong, lambda: 1, lambda: 2), tf.while_loop(lambda i: wrong, lambda i: i + 1, [0]):
        with tf.Session(config=config) as sess, pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
            sess.run(y)


def test_constants_that_numpy_cannot_hold_are_not_folded():
    assert run(tf.size(huge_and_empty(tf.zeros([0, 0])))) == 0
    assert run(tf.rank(huge_and_empty(tf.zeros([0, 0])) + 1)) == 20
