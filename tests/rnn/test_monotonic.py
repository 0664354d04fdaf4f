"""Monotonic attention of tf.contrib.seq2seq against NumPy, and scheduled sampling of outputs."""

import numpy as np
import pytest

import tfcore as tf

seq2seq = tf.contrib.seq2seq


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def attention(p, previous):
    """Goes on from each step that the last query attended to, and stops with the probability of each step."""
    result = np.zeros(p.shape)
    for n, start in np.ndindex(p.shape):
        arrives = previous[n, start]
        for i in range(start, p.shape[1]):
            result[n, i] += arrives * p[n, i]
            arrives *= 1 - p[n, i]
    return result


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
@pytest.mark.parametrize("type_", [np.float32, np.float64])
def test_values(mode, type_):
    rng = np.random.default_rng(0)
    p = rng.uniform(0, 1, (4, 7)).astype(type_)
    previous = rng.dirichlet(np.ones(7), 4).astype(type_)
    if mode == "hard":
        p, previous = (p > 0.6).astype(type_), np.eye(7, dtype=type_)[[0, 2, 5, 6]]
    found = run(seq2seq.monotonic_attention(p, previous, mode))
    assert found.dtype == type_
    np.testing.assert_allclose(found, attention(p, previous), rtol=1e-4, atol=1e-6)


def test_modes_agree_also_in_gradients():
    rng = np.random.default_rng(1)
    p = tf.constant(rng.uniform(0.1, 0.9, (3, 5)))
    previous = tf.constant(rng.dirichlet(np.ones(5), 3))
    slopes = [
        tf.gradients(tf.reduce_sum(seq2seq.monotonic_attention(p, previous, mode) ** 2), [p, previous])
        for mode in ("recursive", "parallel")
    ]
    for a, b in zip(*run(slopes)):
        np.testing.assert_allclose(a, b, rtol=1e-8)
    with pytest.raises(ValueError, match="mode must be 'recursive', 'parallel', or 'hard'"):
        seq2seq.monotonic_attention(p, previous, "soft")


def test_safe_cumprod():
    x = np.array([[0.5, 0.0, 0.25, 1.0], [1e-30, 1e-5, 1.0, 0.5]], np.float32)
    found, slope = run([seq2seq.safe_cumprod(x, axis=1), seq2seq.safe_cumprod(x, axis=1, exclusive=True)])
    np.testing.assert_allclose(found, np.cumprod(x, 1), rtol=1e-4, atol=1e-37)
    np.testing.assert_allclose(slope[:, 1:], np.cumprod(x, 1)[:, :-1], rtol=1e-4, atol=1e-37)


@pytest.mark.parametrize("kind", ["Bahdanau", "Luong"])
def test_mechanisms(kind):
    rng = np.random.default_rng(2)
    memory, query = rng.standard_normal((2, 4, 3)).astype(np.float32), rng.standard_normal((2, 5)).astype(np.float32)
    mechanism = getattr(seq2seq, f"{kind}MonotonicAttention")(
        5, memory, memory_sequence_length=[4, 2], score_bias_init=-0.5, **{"scale": True} if kind == "Luong" else {}
    )
    first = mechanism.initial_state(2, tf.float32)
    alignments, state = mechanism(tf.constant(query), first)
    plain = tf.get_default_graph().get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    scope = f"{kind.lower()}_monotonic_attention/"
    expected = {"Bahdanau": ["attention_score_bias", "attention_v", "query_layer/kernel"]}
    expected["Luong"] = ["attention_g", "attention_score_bias"]
    assert sorted(v.op.name for v in plain) == [scope + n for n in expected[kind]] + ["memory_layer/kernel"]
    start, found, same, values = run([first, alignments, state, {v.op.name: v for v in plain}])
    keys = memory @ values["memory_layer/kernel"]
    if kind == "Luong":
        score = np.einsum("bu,btu->bt", query, keys)
    else:
        queries = query @ values[scope + "query_layer/kernel"]
        score = np.tanh(keys + queries[:, None]) @ values[scope + "attention_v"]
    p = 1 / (1 + np.exp(-(score - 0.5)))
    p[1, 2:] = 0  # after the end of the sequence
    np.testing.assert_array_equal(start, [[1, 0, 0, 0]] * 2)
    np.testing.assert_allclose(found, attention(p, start), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(found, same)


def test_hard_attention_in_a_decoder_goes_forward():
    memory = np.random.default_rng(3).standard_normal((2, 6, 4)).astype(np.float32)
    mechanism = seq2seq.LuongMonotonicAttention(8, memory, mode="hard", sigmoid_noise=1.0, sigmoid_noise_seed=1)
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(8), mechanism, alignment_history=True)
    helper = seq2seq.TrainingHelper(tf.ones([2, 5, 3]), [5, 5])
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    _, state, _ = seq2seq.dynamic_decode(decoder)
    history = run(state.alignment_history.stack())
    assert history.shape == (5, 2, 6) and set(history.ravel()) <= {0, 1} and (history.sum(2) <= 1).all()
    for n in range(2):
        places = [int(row.argmax()) for row in history[:, n] if row.any()]
        assert places == sorted(places)


class Double(tf.nn.rnn_cell.RNNCell):
    """Returns twice its first two inputs."""

    state_size, output_size = 1, 2

    def call(self, inputs, state):
        return 2 * inputs[:, :2], state


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_outputs_are_fed(probability):
    inputs = np.arange(1, 13, dtype=np.float32).reshape(1, 6, 2)
    more = 100 + np.arange(6, dtype=np.float32).reshape(1, 6, 1)
    for time_major in (False, True):
        given = [x.transpose(1, 0, 2) if time_major else x for x in (inputs, more)]
        helper = seq2seq.ScheduledOutputTrainingHelper(
            given[0], [6], probability, time_major, next_inputs_fn=lambda x: x + 1, auxiliary_inputs=given[1]
        )
        decoder = seq2seq.BasicDecoder(Double(), helper, tf.zeros([1, 1]))
        outputs, _, _ = seq2seq.dynamic_decode(decoder)
        found, fed = run([outputs.rnn_output, outputs.sample_id])
        expected = [2 * inputs[0, 0]]
        for t in range(1, 6):
            expected.append(2 * (expected[-1] + 1 if probability else inputs[0, t]))
        np.testing.assert_array_equal(found[0], expected)
        assert (fed == probability).all()


def test_scheduled_outputs_of_some_examples():
    inputs = np.ones((200, 2, 2), np.float32)
    helper = seq2seq.ScheduledOutputTrainingHelper(inputs, [2] * 200, 0.25, seed=1)
    finished, first = helper.initialize()
    ids = helper.sample(time=0, outputs=5 * first, state=None)
    _, following, _ = helper.next_inputs(time=0, outputs=5 * first, state=None, sample_ids=ids)
    assert helper.inputs.shape == (200, 2, 2) and finished.shape == (200,)
    chosen, fed = run([ids, following])
    assert 25 < chosen.sum() < 75
    np.testing.assert_array_equal(fed, np.where(chosen[:, None], 5, 1) * np.ones((200, 2)))
    with pytest.raises(ValueError, match="must be either a scalar or a vector"):
        seq2seq.ScheduledOutputTrainingHelper(inputs, [2] * 200, [[0.5]])
