"""The state of random operations: read, set, damaged."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.ops.random.state import GetRandomState, SetRandomState

pytestmark = pytest.mark.cpu


def _random_ops():
    logits = tf.constant([[0.1, 0.2, 0.3, 0.4]])
    labels = tf.constant([[1]], tf.int64)
    return [
        tf.random_uniform([5], seed=3),
        tf.random_normal([5]),
        tf.truncated_normal([5]),
        tf.random_uniform([5], maxval=100, dtype=tf.int32),
        tf.random_shuffle(tf.range(20)),
        tf.multinomial(logits, 8),
        tf.random_gamma([3], 2.0),
        tf.random_poisson(4.0, [3]),
        tf.nn.uniform_candidate_sampler(labels, 1, 3, True, 50)[0],
    ]


def test_a_state_that_is_set_gives_the_same_numbers_again():
    with tf.Graph().as_default(), tf.Session() as sess:
        tensors = _random_ops()
        ops = [next(o for o in tf.get_default_graph().get_operations() if o.name == _named(t)) for t in tensors]
        seeds = [s for op in ops for s in (op.get_attr("seed"), op.get_attr("seed2"))]
        names = [op.name for op in ops]
        get = GetRandomState(names=names, seeds=seeds)
        fed = tf.placeholder(tf.int64)
        put = SetRandomState(fed, names=names, seeds=seeds)
        sess.run(tensors)
        state = sess.run(get)
        assert state.shape == (len(ops), 3) and (state[:, 2] > 0).all()
        first = sess.run(tensors)
        second = sess.run(tensors)
        assert any((a != b).any() for a, b in zip(first, second))
        sess.run(put, {fed: state})
        again = sess.run(tensors)
        assert all((a == b).all() for a, b in zip(first, again))
        stays = state.copy()
        stays[:, 2] = -1
        sess.run(put, {fed: stays})
        assert all((a == b).all() for a, b in zip(second, sess.run(tensors)))


def _named(tensor):
    """The name of the random operation that a tensor is made from."""
    todo = [tensor.op]
    while todo:
        op = todo.pop(0)
        if "seed2" in {a.name if hasattr(a, "name") else a for a in op.op_def.attrs}:
            return op.name
        todo += [t.op for t in op.inputs]
    raise AssertionError(tensor)


def test_wrong_arguments():
    with tf.Graph().as_default(), tf.Session() as sess:
        put = SetRandomState(np.zeros([2, 3], np.int64), names=["a"], seeds=[0, 0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[1,3\], not \[2,3\]"):
            sess.run(put)
        with pytest.raises(tf.errors.InvalidArgumentError, match="2 names need 4 seeds, not 1"):
            sess.run(GetRandomState(names=["a", "b"], seeds=[0]))


def test_sessions_have_their_own():
    with tf.Graph().as_default():
        x = tf.random_uniform([4], seed=1)
        with tf.Session() as one, tf.Session() as other:
            assert (one.run(x) == other.run(x)).all() and (one.run(x) == other.run(x)).all()
