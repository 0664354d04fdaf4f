"""Block cells and fused networks of tf.contrib.rnn against NumPy, and their gradients."""

import numpy as np
import pytest

import tfcore as tf
from tests.rnn import reference
from tests.rnn.test_contrib import graph, step  # noqa: F401
from tests.rnn.test_loops import weights_of_scope

rnn = tf.contrib.rnn
RANDOM = np.random.default_rng(23)


def test_gru():
    x, h = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 5))
    _, state, w = step(rnn.GRUBlockCellV2(5), x, h, "gru_cell/")
    np.testing.assert_allclose(state, reference.gru(w, x, h)[1], rtol=1e-9)
    assert (w["gates/bias"] == 1).all() and (w["candidate/bias"] == 0).all()


def test_gru_with_older_names():
    x, h = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 5))
    output, state, w = step(rnn.GRUBlockCell(cell_size=5), x, h, "gru_cell/")
    names = {"gates/kernel": "w_ru", "gates/bias": "b_ru", "candidate/kernel": "w_c", "candidate/bias": "b_c"}
    expected, _ = reference.gru({name: w[own] for name, own in names.items()}, x, h)
    np.testing.assert_allclose(output, expected, rtol=1e-9)
    for arguments in ({}, {"num_units": 2, "cell_size": 2}):
        with pytest.raises(ValueError, match="Exactly one of num_units or cell_size must be provided."):
            rnn.GRUBlockCell(**arguments)


@pytest.mark.parametrize("options", [{}, {"forget_bias": 0.3, "cell_clip": 0.4, "use_peephole": True}])
def test_lstm(options):
    x, c, h = (RANDOM.normal(size=(3, n)) for n in (4, 5, 5))
    cell = rnn.LSTMBlockCell(5, **options)
    output, state, w = step(cell, x, (c, h), "lstm_cell/")
    assert set(w) == {"kernel", "bias"} | ({"w_i_diag", "w_f_diag", "w_o_diag"} if options else set())
    expected, (c, h) = reference.lstm(w, x, (c, h), options.get("forget_bias", 1.0), options.get("cell_clip"))
    np.testing.assert_allclose(output, expected, rtol=1e-9)
    np.testing.assert_allclose(state.c, c, rtol=1e-9)
    with pytest.raises(ValueError, match="Expecting state to be a tuple with length 2."):
        cell(tf.constant(x), (state.c, state.c, state.h))


def test_clipping_passes_gradients_on():
    """As TensorFlow's op: dc/dc_prev is the forget gate, also where c is clipped."""
    cell = rnn.LSTMBlockCell(1, cell_clip=0.1)
    c = tf.constant([[5.0]])
    _, state = cell(tf.ones([1, 1]), (c, tf.zeros([1, 1])))
    gradient = tf.gradients(state.c, c)[0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(state.c) == np.float32(0.1) and sess.run(gradient) > 0.05


@pytest.mark.parametrize("lengths", [None, [4, 0, 2]])
@pytest.mark.parametrize("backward", [False, True])
def test_fused(lengths, backward):
    xs, c, h = (RANDOM.normal(size=size) for size in ((4, 3, 2), (3, 5), (3, 5)))
    network = rnn.LSTMBlockFusedCell(5, use_peephole=True)
    network = rnn.TimeReversedFusedRNN(network) if backward else network
    with tf.variable_scope("", initializer=tf.random_normal_initializer(seed=2, dtype=tf.float64)):
        outputs, state = network(tf.constant(xs), (tf.constant(c), tf.constant(h)), sequence_length=lengths)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        outputs, state, w = *sess.run([outputs, state]), weights_of_scope(sess, "lstm_fused_cell/")

    def reversed_in_time(steps):
        ends = [4] * 3 if lengths is None else lengths
        columns = [np.r_[steps[:n, i][::-1], steps[n:, i]] for i, n in enumerate(ends)]
        return np.stack(columns, 1) if backward else steps

    expected, (c, h) = reference.unrolled(
        lambda x, state: reference.lstm(w, x, state), reversed_in_time(xs), (c, h), lengths
    )
    np.testing.assert_allclose(outputs, reversed_in_time(expected), rtol=1e-8)
    np.testing.assert_allclose(state.c, c, rtol=1e-8)
    np.testing.assert_allclose(state.h, h, rtol=1e-8)


def test_fused_list_and_initial_state():
    network = rnn.LSTMBlockFusedCell(5)
    outputs, state = network([tf.ones([3, 2])] * 4, dtype=tf.float32)
    assert [x.shape.as_list() for x in outputs] == [[3, 5]] * 4 and network.num_units == 5
    assert state.c.shape == state.h.shape == (3, 5)
    with pytest.raises(ValueError, match="Either initial_state or dtype needs to be specified"):
        rnn.LSTMBlockFusedCell(5)(tf.ones([4, 3, 2]))
    with pytest.raises(ValueError, match="Expecting initial_state to be a tuple with length 2 or None"):
        rnn.LSTMBlockFusedCell(5)(tf.ones([4, 3, 2]), initial_state=(tf.ones([3, 5]),))
    with pytest.raises(ValueError, match=r"Expecting inputs_shape\[2\] to be set"):
        rnn.LSTMBlockFusedCell(5)(tf.placeholder(tf.float32, [4, 3, None]), dtype=tf.float32)


@pytest.mark.parametrize("loop", [False, True])
def test_a_cell_as_a_network(loop):
    x = np.random.default_rng(3).standard_normal((4, 2, 3)).astype(np.float32)
    network = tf.contrib.rnn.FusedRNNCellAdaptor(tf.nn.rnn_cell.GRUCell(5), use_dynamic_rnn=loop)
    assert isinstance(network, tf.contrib.rnn.FusedRNNCell)
    results = [
        network(tf.constant(x), dtype=tf.float32, sequence_length=[4, 2], scope="net"),
        network(tf.unstack(tf.constant(x)), tf.zeros([2, 5]), sequence_length=[4, 2], scope=reused("net")),
        tf.nn.dynamic_rnn(network._cell, x, [4, 2], dtype=tf.float32, time_major=True, scope=reused("net")),
    ]
    assert isinstance(results[1][0], list) and results[0][0].shape == (4, 2, 5)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        (outputs, state), (listed, listed_state), (expected, expected_state) = session.run(results)
    for found in (outputs, np.stack(listed)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    for found in (state, listed_state):
        np.testing.assert_allclose(found, expected_state, rtol=1e-6)


def reused(name):
    with tf.variable_scope(name, reuse=True) as scope:
        return scope
