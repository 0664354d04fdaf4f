"""tf.contrib.rnn: its own cells against NumPy, and stacks of bidirectional networks."""

import numpy as np
import pytest

import tfcore as tf
from tests.rnn import reference
from tests.rnn.test_loops import weights_of_scope

rnn = tf.contrib.rnn
RANDOM = np.random.default_rng(17)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def random_scope():
    return tf.variable_scope("", initializer=tf.random_normal_initializer(seed=2, dtype=tf.float64))


def step(cell, x, state, scope):
    with random_scope():
        output, new_state = cell(tf.constant(x), tf.nest.map_structure(tf.constant, state))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = sess.run([output, new_state])
        return (*values, weights_of_scope(sess, scope))


@pytest.mark.parametrize("normalized", [True, False])
def test_layer_normalization(normalized):
    x, c, h = (RANDOM.normal(size=(3, n)) for n in (4, 5, 5))
    cell = rnn.LayerNormBasicLSTMCell(5, forget_bias=0.5, layer_norm=normalized, norm_gain=0.7, norm_shift=0.2)
    output, state, w = step(cell, x, (c, h), "layer_norm_basic_lstm_cell/")
    gates = np.concatenate([x, h], 1) @ w["kernel"] + w.get("bias", 0)
    norm = (lambda v: reference.layer_norm(v, 0.7, 0.2)) if normalized else (lambda v: v)
    i, j, f, o = map(norm, np.split(gates, 4, 1))
    c = norm(c * reference.sigmoid(f + 0.5) + reference.sigmoid(i) * np.tanh(j))
    np.testing.assert_allclose(state.c, c, rtol=1e-9)
    np.testing.assert_allclose(output, np.tanh(c) * reference.sigmoid(o), rtol=1e-9)
    if normalized:
        assert {"input/gamma", "transform/beta", "forget/gamma", "output/beta", "state/gamma"} < set(w)


def test_dropout_of_the_new_input():
    cell = rnn.LayerNormBasicLSTMCell(200, layer_norm=False, dropout_keep_prob=0.5, dropout_prob_seed=1)
    _, (c, _) = cell(tf.ones([1, 3]), cell.zero_state(1, tf.float32))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert 0.35 < (sess.run(c) == 0).mean() < 0.65


def test_projections():
    x, h = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 5))
    cell = rnn.OutputProjectionWrapper(rnn.InputProjectionWrapper(rnn.BasicRNNCell(5), 2, tf.nn.relu), 6)
    assert (cell.output_size, cell.state_size) == (6, 5)
    output, state, w = step(cell, x, h, "output_projection_wrapper/")
    inner = "input_projection_wrapper/"
    inputs = np.maximum(x @ w[inner + "kernel"] + w[inner + "bias"], 0)
    cell_weights = {v: w[f"{inner}basic_rnn_cell/{v}"] for v in ("kernel", "bias")}
    expected, _ = reference.basic_rnn(cell_weights, inputs, h)
    np.testing.assert_allclose(state, expected, rtol=1e-9)
    np.testing.assert_allclose(output, expected @ w["kernel"] + w["bias"], rtol=1e-9)


def test_embedding():
    cell = rnn.EmbeddingWrapper(rnn.GRUCell(2), embedding_classes=7, embedding_size=3)
    ids = [tf.constant([1, 2]), tf.constant([3, 1])]
    outputs, _ = tf.nn.static_rnn(cell, ids, dtype=tf.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got = sess.run(outputs)
        w = weights_of_scope(sess, "rnn/embedding_wrapper/")
    gru = {name[len("gru_cell/") :]: value for name, value in w.items() if name.startswith("gru_cell/")}
    h = np.zeros((2, 2))
    for output, row in zip(got, ([1, 2], [3, 1])):
        h, _ = reference.gru(gru, w["embedding"][row], h)
        np.testing.assert_allclose(output, h, rtol=1e-5, atol=1e-6)


def test_attention_to_the_last_outputs():
    cell = rnn.AttentionCellWrapper(rnn.GRUCell(4), attn_length=3, attn_size=2)
    x, state = RANDOM.normal(size=(2, 5)), tuple(RANDOM.normal(size=(2, n)) for n in (4, 2, 6))
    output, (h, attention, window), w = step(cell, x, state, "attention_cell_wrapper/")

    def linear(prefix, *args):
        return np.concatenate(args, 1) @ w[prefix + "kernel"] + w[prefix + "bias"]

    gru = {name[len("gru_cell/") :]: value for name, value in w.items() if name.startswith("gru_cell/")}
    new_h, _ = reference.gru(gru, linear("attn_input_projection/", x, state[1]), state[0])
    old = state[2].reshape(2, 3, 2)
    hidden = np.tanh(old @ w["attention/attn_w"][0, 0] + linear("attention/", new_h)[:, None])
    score = np.exp((hidden * w["attention/attn_v"]).sum(2))
    expected = ((score / score.sum(1, keepdims=True))[:, :, None] * old).sum(1)
    out = linear("attn_output_projection/", new_h, expected)
    np.testing.assert_allclose(h, new_h, rtol=1e-9)
    np.testing.assert_allclose(attention, expected, rtol=1e-9)
    np.testing.assert_allclose(output, out, rtol=1e-9)
    np.testing.assert_allclose(window, np.concatenate([state[2][:, 2:], out], 1), rtol=1e-9)


def test_stacks_of_bidirectional_networks():
    x, lengths = tf.constant(RANDOM.normal(size=(3, 4, 2))), [4, 2, 3]

    def cells(reuse=None):
        return [rnn.GRUCell(n, reuse=reuse) for n in (3, 5)]

    outputs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
        cells(), cells(), x, dtype=tf.float64, sequence_length=lengths
    )
    with tf.variable_scope("", reuse=True):
        listed, *states = rnn.stack_bidirectional_rnn(
            cells(True), cells(True), tf.unstack(x, axis=1), dtype=tf.float64, sequence_length=lengths
        )
    assert (
        tf.global_variables()[0].op.name == "stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/gru_cell/gates/kernel"
    )
    assert outputs.shape.as_list() == [3, 4, 10] and len(tf.global_variables()) == 16
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        a, b = sess.run([[outputs, forward, backward], [tf.stack(listed, 1), *states]])
    for p, q in zip(tf.nest.flatten(a), tf.nest.flatten(b)):
        np.testing.assert_array_equal(p, q)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(2), 0), ValueError, "Parameter output_size must be > 0: 0."),
        (lambda: rnn.EmbeddingWrapper(rnn.GRUCell(2), 0, 1), ValueError,
         "Both embedding_classes and embedding_size must be > 0: 0, 1."),
        (lambda: rnn.AttentionCellWrapper(rnn.GRUCell(2), 0), ValueError,
         "attn_length should be greater than zero, got 0"),
        (lambda: rnn.InputProjectionWrapper(rnn.GRUCell(2), 3)(tf.zeros([1, 2, 3]), tf.zeros([1, 2])), ValueError,
         "linear is expecting 2D arguments"),
        (lambda: rnn.stack_bidirectional_rnn([], rnn.GRUCell(2), []), ValueError,
         "cells_bw must be a list of RNNCells"),
        (lambda: rnn.stack_bidirectional_dynamic_rnn([rnn.GRUCell(2)], [], []), ValueError,
         "Forward and Backward cells must have the same depth."),
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
