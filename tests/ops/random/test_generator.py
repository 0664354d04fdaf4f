"""Generators whose state is a variable. The expected states are TensorFlow's."""

import numpy as np
import pytest

import tfcore as tf

ops = tf.raw_ops


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def generator(session, state, dtype=tf.int64):
    variable = tf.get_variable("state", initializer=tf.constant(state, dtype), use_resource=True)
    session.run(variable.initializer)
    return variable


def read(variable, alg=1, delta=5):
    alg = tf.placeholder_with_default(np.int32(alg), None)
    delta = tf.placeholder_with_default(np.array(delta, np.uint64), None)
    return ops.RngReadAndSkip(resource=variable.handle, alg=alg, delta=delta)


@pytest.mark.parametrize(
    ("state", "delta", "after"),
    [
        ([1, 2, 3], 5, [1281, 2, 3]),
        ([-1, 2, 3], 1, [255, 3, 3]),
        ([1, 2, 3], 0, [1, 2, 3]),
        ([0, -1, 3], 2**63, [0, -1, 3]),  # the product has 64 bits
        ([255, 0, 3], 2**56, [255, 0, 3]),
        ([255, 0, 3], 2**64 - 1, [-1, 0, 3]),
        ([1, 2, 3, 4], 1, [257, 2, 3, 4]),
    ],
)
@pytest.mark.parametrize("alg", [1, 3])
def test_states_are_tensorflows(session, state, delta, after, alg):
    variable = generator(session, state)
    assert session.run(read(variable, alg, delta)).tolist() == state[:3]
    assert session.run(variable).tolist() == after


def test_skip(session):
    variable = generator(session, [1, 2, 3])
    session.run(ops.RngSkip(resource=variable.handle, algorithm=np.int64(1), delta=np.int64(5)))
    assert session.run(variable).tolist() == [1281, 2, 3]


def test_each_run_reads_another_state(session):
    variable = generator(session, [0, 0, 7])
    state = read(variable, delta=1)
    numbers = ops.StatelessRandomUniformV2(
        shape=[2], key=tf.bitcast(state[2:], tf.uint64), counter=tf.bitcast(state[:2], tf.uint64), alg=1
    )
    assert session.run(numbers).tolist() != session.run(numbers).tolist()
    assert session.run(variable).tolist() == [512, 0, 7]


@pytest.mark.parametrize(
    ("state", "attrs", "error", "message"),
    [
        ([1, 2, 3], {"alg": 2}, tf.errors.UnimplementedError, "Non-XLA devices don't support the ThreeFry algorithm."),
        ([1, 2, 3], {"alg": 9}, tf.errors.InvalidArgumentError, "Unsupported algorithm id: 9"),
        ([1, 2], {}, tf.errors.InvalidArgumentError, "the size of state must be at least 3; got 2"),
        ([[1, 2, 3]], {}, tf.errors.InvalidArgumentError, "RNG state must have one and only one dimension, not 2"),
        ([1, 2, 3], {"alg": [1]}, tf.errors.InvalidArgumentError, r"must have shape \[\], not \[1\]"),
        ([1, 2, 3], {"delta": [1]}, tf.errors.InvalidArgumentError, r"must have shape \[\], not \[1\]"),
    ],
)
def test_errors(session, state, attrs, error, message):
    with pytest.raises(error, match=message):
        session.run(read(generator(session, state), **attrs))


def test_the_state_is_of_type_int64(session):
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype of RNG state variable must be int64, not int32"):
        session.run(read(generator(session, [1, 2, 3], tf.int32)))
