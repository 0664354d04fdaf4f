"""tf.contrib.seq2seq: decoders, attention, losses, and a small task learnt with them."""

import functools

import numpy as np
import pytest

import tfcore as tf
from tests.rnn import reference
from tests.rnn.test_loops import weights_of_scope

seq2seq, rnn_cell = tf.contrib.seq2seq, tf.nn.rnn_cell
RANDOM = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ---- Decoding


def counting_decoder(helper, classes=7):
    """A decoder whose logits prefer the id after the one that came in."""

    class Next(rnn_cell.RNNCell):
        state_size = output_size = classes

        def call(self, inputs, state):
            return tf.concat([inputs[:, -1:], inputs[:, :-1]], 1), state + inputs

    cell = Next()
    return seq2seq.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32))


def test_greedy_decoding_ends_with_the_end_token():
    helper = seq2seq.GreedyEmbeddingHelper(tf.eye(7), start_tokens=[1, 4, 3], end_token=5)
    outputs, state, lengths = seq2seq.dynamic_decode(counting_decoder(helper))
    ids, lengths, state = run([outputs.sample_id, lengths, state])
    np.testing.assert_array_equal(lengths, [4, 1, 2])
    np.testing.assert_array_equal(ids[0], [2, 3, 4, 5])
    assert ids[1, 0] == 5 and ids[2, :2].tolist() == [4, 5]


def test_finished_sequences_output_zeros_and_keep_their_state():
    helper = seq2seq.GreedyEmbeddingHelper(tf.eye(7), start_tokens=[1, 4, 3], end_token=5)
    outputs, state, _ = seq2seq.dynamic_decode(counting_decoder(helper), impute_finished=True, output_time_major=True)
    (logits, ids), state = run([outputs, state])
    assert logits.shape == (4, 3, 7)
    np.testing.assert_array_equal(ids.T, [[2, 3, 4, 5], [5, 0, 0, 0], [4, 5, 0, 0]])
    np.testing.assert_array_equal(logits.sum(2).T, [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0]])
    np.testing.assert_array_equal(state, [[0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 0, 0]])


def test_maximum_iterations():
    helper = seq2seq.GreedyEmbeddingHelper(tf.eye(7), start_tokens=[1, 4], end_token=6)
    limit = tf.placeholder(tf.int32, [])
    outputs, _, lengths = seq2seq.dynamic_decode(counting_decoder(helper), maximum_iterations=limit)
    with tf.Session() as sess:
        for n, ids in ((2, [[2, 3], [5, 6]]), (1, [[2], [5]])):
            got = sess.run([outputs.sample_id, lengths], {limit: n})
            np.testing.assert_array_equal(got[0], ids)
            np.testing.assert_array_equal(got[1], [n, n])


def test_training_helper_reads_the_data():
    x, lengths = RANDOM.normal(size=(3, 5, 4)).astype(np.float32), [5, 2, 3]
    cell = rnn_cell.GRUCell(6)
    helper = seq2seq.TrainingHelper(tf.constant(x), tf.constant(lengths))
    layer = tf.layers.Dense(7, name="projection")
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32), output_layer=layer)
    outputs, state, found = seq2seq.dynamic_decode(decoder, impute_finished=True)
    assert outputs.rnn_output.shape[2] == 7
    names = [v.op.name for v in tf.global_variables()]
    assert names == [
        f"decoder/gru_cell/{v}" for v in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
    ] + [
        "decoder/projection/kernel",
        "decoder/projection/bias",
    ]
    with tf.variable_scope("decoder", reuse=True):
        expected, last = tf.nn.dynamic_rnn(
            rnn_cell.GRUCell(6, reuse=True, name="gru_cell"),
            x,
            sequence_length=lengths,
            dtype=tf.float32,
            scope=tf.get_variable_scope(),
        )
    inside = (np.arange(5) < np.array(lengths)[:, None])[:, :, None]
    got, state, found, projected, last = run([outputs, state, found, layer(expected), last])
    np.testing.assert_array_equal(found, lengths)
    np.testing.assert_allclose(got.rnn_output, projected * inside, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got.sample_id, projected.argmax(2) * inside[:, :, 0])
    np.testing.assert_allclose(state, last, rtol=1e-6)


def test_sampling_follows_the_probabilities():
    logits = np.log(np.array([0.1, 0.2, 0.3, 0.4], np.float32))

    class Fixed(rnn_cell.RNNCell):
        state_size = output_size = 4

        def call(self, inputs, state):
            return tf.tile(tf.constant(logits)[None], [tf.shape(inputs)[0], 1]), state

    for temperature, expected in ((None, [0.1, 0.2, 0.3, 0.4]), (0.5, np.array([1, 4, 9, 16]) / 30)):
        helper = seq2seq.SampleEmbeddingHelper(tf.eye(4), tf.zeros([200], tf.int32), -1, temperature, seed=3)
        decoder = seq2seq.BasicDecoder(Fixed(), helper, Fixed().zero_state(200, tf.float32))
        ids = run(seq2seq.dynamic_decode(decoder, maximum_iterations=50)[0].sample_id)
        np.testing.assert_allclose(np.bincount(ids.ravel(), minlength=4) / ids.size, expected, atol=0.02)


def test_scheduled_sampling_mixes():
    x = tf.zeros([40, 25, 5])
    helper = seq2seq.ScheduledEmbeddingTrainingHelper(x, tf.fill([40], 25), tf.eye(5), 0.3, seed=1, scheduling_seed=2)

    class Copy(rnn_cell.RNNCell):
        state_size = output_size = 5

        def call(self, inputs, state):
            return inputs * 100.0, state

    outputs, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(Copy(), helper, Copy().zero_state(40, tf.float32)))
    logits, ids = run(list(outputs))
    drawn = ids >= 0
    assert 0.25 < drawn.mean() < 0.35 and set(np.unique(ids)) == {-1, 0, 1, 2, 3, 4}
    # What is drawn is the next input, and what is read of the data is 0.
    np.testing.assert_array_equal(logits[:, 1:].sum(2), drawn[:, :-1] * 100.0)
    np.testing.assert_array_equal(logits[:, 1:].argmax(2)[drawn[:, :-1]], ids[:, :-1][drawn[:, :-1]])


def test_inference_helper():
    helper = seq2seq.InferenceHelper(
        sample_fn=lambda outputs: outputs + 1.0,
        sample_shape=[1],
        sample_dtype=tf.float32,
        start_inputs=[[0.0], [2.0]],
        end_fn=lambda samples: samples[:, 0] >= 4.0,
    )

    class Echo(rnn_cell.RNNCell):
        state_size = output_size = 1

        def call(self, inputs, state):
            return inputs, state

    outputs, _, lengths = seq2seq.dynamic_decode(
        seq2seq.BasicDecoder(Echo(), helper, tf.zeros([2, 1])), impute_finished=True
    )
    samples, lengths = run([outputs.sample_id, lengths])
    np.testing.assert_array_equal(samples[:, :, 0], [[1, 2, 3, 4], [3, 4, 0, 0]])
    np.testing.assert_array_equal(lengths, [4, 2])


# ---- Attention

MEMORY = RANDOM.normal(size=(3, 6, 5))
MEMORY_LENGTHS = np.array([6, 2, 4])


def bahdanau(w, query, keys, normalize):
    v = w["attention_v"]
    hidden = keys + (query @ w["query_layer/kernel"])[:, None]
    if normalize:
        v = w["attention_g"] * v / np.sqrt((v * v).sum())
        hidden = hidden + w["attention_b"]
    return (v * np.tanh(hidden)).sum(2)


@pytest.mark.parametrize("lengths", [None, MEMORY_LENGTHS], ids=["all", "lengths"])
@pytest.mark.parametrize("kind, option", [("luong", False), ("luong", True), ("bahdanau", False), ("bahdanau", True)])
def test_mechanisms_equal_numpy(kind, option, lengths):
    query = RANDOM.normal(size=(3, 4))
    with tf.variable_scope("", initializer=tf.random_normal_initializer(seed=2, dtype=tf.float64)):
        if kind == "luong":
            mechanism = seq2seq.LuongAttention(4, tf.constant(MEMORY), lengths, scale=option, dtype=tf.float64)
        else:
            mechanism = seq2seq.BahdanauAttention(4, tf.constant(MEMORY), lengths, normalize=option, dtype=tf.float64)
        alignments, state = mechanism(tf.constant(query), None)
    assert mechanism.alignments_size == mechanism.state_size == 6
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got, w, shared = (
            sess.run(alignments),
            weights_of_scope(sess, f"{kind}_attention"),
            weights_of_scope(sess, "memory"),
        )
    inside = np.arange(6) < (MEMORY_LENGTHS if lengths is not None else np.full(3, 6))[:, None]
    keys = (MEMORY * inside[:, :, None]) @ shared["_layer/kernel"]
    if kind == "luong":
        score = (query[:, None] * keys).sum(2) * w.get("attention_g", 1.0)
    else:
        score = bahdanau(w, query, keys, option)
    np.testing.assert_allclose(got, softmax(np.where(inside, score, -np.inf)), rtol=1e-11)


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("size, output_attention", [(None, True), (3, True), (3, False)])
def test_wrapper_equals_numpy(size, output_attention, history):
    x = RANDOM.normal(size=(3, 4, 2))
    with tf.variable_scope("", initializer=tf.random_normal_initializer(seed=2, dtype=tf.float64)):
        mechanism = seq2seq.LuongAttention(4, tf.constant(MEMORY), MEMORY_LENGTHS, dtype=tf.float64)
        cell = seq2seq.AttentionWrapper(
            rnn_cell.GRUCell(4), mechanism, size, alignment_history=history, output_attention=output_attention
        )
        outputs, state = tf.nn.dynamic_rnn(
            cell, tf.constant(x), initial_state=cell.zero_state(3, tf.float64), dtype=tf.float64
        )
    kept = state.alignment_history.stack() if history else tf.zeros([])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got, attention, alignments, time, kept = sess.run(
            [outputs, state.attention, state.alignments, state.time, kept]
        )
        w = weights_of_scope(sess, "rnn/attention_wrapper/")
        shared = weights_of_scope(sess, "memory_layer/")
    inside = np.arange(6) < MEMORY_LENGTHS[:, None]
    values = MEMORY * inside[:, :, None]
    gates = {name[len("gru_cell/") :]: value for name, value in w.items() if name.startswith("gru_cell/")}
    h, a, expected, aligned = np.zeros((3, 4)), np.zeros((3, size or 5)), [], []
    for t in range(4):
        h, _ = reference.gru(gates, np.concatenate([x[:, t], a], 1), h)
        aligned.append(softmax(np.where(inside, (h[:, None] * (values @ shared["kernel"])).sum(2), -np.inf)))
        a = (aligned[-1][:, :, None] * values).sum(1)
        if size:
            a = np.concatenate([h, a], 1) @ w["attention_layer/kernel"]
        expected.append(a if output_attention else h)
    np.testing.assert_allclose(got, np.stack(expected, 1), rtol=1e-10)
    np.testing.assert_allclose(attention, a, rtol=1e-10)
    np.testing.assert_allclose(alignments, aligned[-1], rtol=1e-10)
    assert time == 4
    if history:
        np.testing.assert_allclose(kept, np.stack(aligned), rtol=1e-10)


def test_two_mechanisms():
    mechanisms = [f(4, tf.constant(MEMORY, tf.float32)) for f in (seq2seq.LuongAttention, seq2seq.BahdanauAttention)]
    cell = seq2seq.AttentionWrapper(
        rnn_cell.BasicLSTMCell(4), mechanisms, attention_layer_size=[2, 3], alignment_history=True
    )
    state = cell.zero_state(3, tf.float32)
    assert cell.output_size == 5 and len(state.alignments) == 2
    output, state = cell(tf.zeros([3, 2]), state)
    assert output.shape.as_list() == [3, 5] and state.clone(attention=output).attention is output
    total = run([tf.reduce_sum(a, 1) for a in state.alignments] + [h.stack()[0] for h in state.alignment_history])
    np.testing.assert_allclose(total[:2], np.ones((2, 3)), rtol=1e-6)
    names = [v.op.name for v in tf.global_variables() if "attention_layer" in v.op.name]
    assert names == ["attention_wrapper/attention_layer/kernel", "attention_wrapper/attention_layer_1/kernel"]


def test_hardmax():
    np.testing.assert_array_equal(run(seq2seq.hardmax([[1.0, 3.0, 2.0], [4.0, 0.0, 1.0]])), [[0, 1, 0], [1, 0, 0]])


# ---- Losses


@pytest.mark.parametrize("time, batch", [(True, True), (True, False), (False, True), (False, False)])
def test_sequence_loss(time, batch):
    logits, targets = RANDOM.normal(size=(2, 3, 4)), RANDOM.integers(0, 4, size=(2, 3))
    weights = np.array([[1.0, 0.5, 0.0], [2.0, 1.0, 1.0]])
    loss = seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights), time, batch)
    each = -np.log(np.take_along_axis(softmax(logits), targets[:, :, None], 2)[:, :, 0]) * weights
    axes = tuple(axis for axis, wanted in ((0, batch), (1, time)) if wanted)
    expected = each.sum(axes) / weights.sum(axes) if axes else each
    if not axes:
        expected = each
    np.testing.assert_allclose(run(loss), np.where(np.isfinite(expected), expected, 0), rtol=1e-9)


# ---- Beam search


def test_tile_batch():
    x = tf.placeholder(tf.float32, [None, 2])
    tiled = seq2seq.tile_batch((x, tf.constant([1, 2])), 3)
    assert tiled[0].shape.as_list() == [None, 2] and tiled[1].shape.as_list() == [6]
    a, b = run(tiled, {x: [[1, 2], [3, 4]]})
    np.testing.assert_array_equal(a, [[1, 2]] * 3 + [[3, 4]] * 3)
    np.testing.assert_array_equal(b, [1, 1, 1, 2, 2, 2])


def test_gather_tree():
    ids = np.array([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[-1, -1, -1]]], np.int32)
    parents = np.array([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[-1, -1, -1]]], np.int32)
    got = run(seq2seq.gather_tree(tf.constant(ids), tf.constant(parents), tf.constant([3]), 10))
    np.testing.assert_array_equal(got[:, 0].T, [[2, 6, 7, 10], [2, 5, 8, 10], [2, 6, 9, 10]])
    again = run(seq2seq.gather_tree(ids.tolist(), parents.tolist(), [3], 10))
    np.testing.assert_array_equal(again, got)


@pytest.mark.parametrize(
    "kind, arguments, text",
    [
        (
            TypeError,
            (np.ones([1, 1, 1], np.float32), [[[0]]], [1], 9),
            "step_ids must be of type int32, but is float32",
        ),
        (TypeError, ([[[1]]], [[[0.5]]], [1], 9), "int32"),
        (TypeError, ([[[1]]], [[[0]]], [1], 9.5), "int32"),
        (ValueError, ([[1]], [[0]], [1], 9), "rank 3"),
        (ValueError, ([[[1]]], [[[0, 0]]], [1], 9), "incompatible"),
    ],
)
def test_gather_tree_of_something_else(kind, arguments, text):
    with pytest.raises(kind, match=text):
        seq2seq.gather_tree(*arguments)


def test_hardmax_of_a_scalar():
    with pytest.raises(IndexError, match="hardmax of a scalar"):
        seq2seq.hardmax(1.0)


def all_sequences(table, start, end, steps):
    """Each sequence of ids of a Markov chain up to `end`, with the logarithm of its probability."""
    found, open_ = {}, {(): (start, 0.0)}
    for _ in range(steps):
        following = {}
        for ids, (last, score) in open_.items():
            for i, p in enumerate(np.log(softmax(table[last]))):
                (found if i == end else following)[(*ids, i)] = (i, score + p)
        open_ = following
    return found | open_


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_beam_search_finds_the_best(penalty):
    classes, end, steps, width = 4, 3, 4, 40  # wide enough to keep every sequence of interest
    table = RANDOM.normal(size=(classes, classes)).astype(np.float32)

    class Chain(rnn_cell.RNNCell):
        state_size, output_size = 1, classes

        def call(self, inputs, state):
            return tf.matmul(inputs, table), state + 1.0

    cell = Chain()
    decoder = seq2seq.BeamSearchDecoder(
        cell, tf.eye(classes), [0, 1], end, seq2seq.tile_batch(cell.zero_state(2, tf.float32), width), width,
        length_penalty_weight=penalty,
    )  # fmt: skip
    outputs, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
    ids, scores = run([outputs.predicted_ids, outputs.beam_search_decoder_output.scores])
    for row, start in enumerate((0, 1)):
        sequences = all_sequences(table, start, end, steps)

        def length(s):
            return len(s) - (s[-1] == end and len(s) == steps)  # an end counts from the next step on

        rank = {s: p / ((5 + length(s)) / 6) ** penalty for s, (_, p) in sequences.items()}
        best = sorted(rank, key=rank.get, reverse=True)[:3]
        for i, sequence in enumerate(best):
            got = ids[row, :, i].tolist()
            assert got[: len(sequence)] == list(sequence) and set(got[len(sequence) :]) <= {end}
            np.testing.assert_allclose(scores[row, -1, i], rank[sequence], rtol=1e-4)


def test_beam_search_reorders_states():
    """The second of two beams overtakes the first: what follows depends on the state of the right one."""

    class Sums(rnn_cell.RNNCell):
        """Remembers the sum of its inputs' ids; the best next id is that sum modulo 5."""

        state_size, output_size = 1, 5

        def call(self, inputs, state):
            total = state + tf.reduce_sum(inputs * tf.range(5.0), 1, keepdims=True)
            return 3.0 * tf.one_hot(tf.cast(tf.floormod(total[:, 0], 5.0), tf.int32), 5), total

    cell, width = Sums(), 3
    decoder = seq2seq.BeamSearchDecoder(cell, tf.eye(5), [1], 0, tf.zeros([width, 1]), width)
    outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=4)
    ids, parents, sums = run([outputs.predicted_ids, outputs.beam_search_decoder_output.parent_ids, state.cell_state])
    assert (parents[0, 1:] != np.arange(width)).any()
    np.testing.assert_array_equal(sums[0, :, 0], 1 + ids[0, :-1].sum(0))


# ---- Errors


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: seq2seq.dynamic_decode(3), TypeError, "Expected decoder to be type Decoder, but saw: <class 'int'>"),
        (lambda: seq2seq.BasicDecoder(rnn_cell.GRUCell(2), 3, None), TypeError,
         "helper must be a Helper, received: <class 'int'>"),
        (lambda: seq2seq.TrainingHelper(tf.zeros([1, 2, 3]), 1), ValueError,
         "Expected sequence_length to be a vector, but received shape: "),
        (lambda: seq2seq.GreedyEmbeddingHelper(tf.eye(2), 1, 1), ValueError, "start_tokens must be a vector"),
        (lambda: seq2seq.GreedyEmbeddingHelper(tf.eye(2), [1], [1]), ValueError, "end_token must be a scalar"),
        (lambda: seq2seq.LuongAttention(4, tf.zeros([1, 2, 3]))(tf.zeros([1, 5]), None), ValueError,
         "Incompatible or unknown inner dimensions between query and keys."),
        (lambda: seq2seq.LuongAttention(4, tf.placeholder(tf.float32, [1, 2, None])), ValueError,
         "to have fully defined inner dims, but saw shape: "),
        (lambda: seq2seq.LuongAttention(4, tf.zeros([1, 2, 3]), probability_fn=3), TypeError,
         "probability_fn must be callable, saw type: int"),
        (lambda: seq2seq.AttentionWrapper(rnn_cell.GRUCell(2), 3), TypeError,
         "attention_mechanism must be an AttentionMechanism, saw type: int"),
        (lambda: seq2seq.AttentionWrapper(rnn_cell.GRUCell(2), seq2seq.LuongAttention(4, tf.zeros([1, 2, 3])), [1, 2]),
         ValueError, "attention_layer_size must contain exactly one integer per attention_mechanism, saw: 2 vs 1"),
        (lambda: seq2seq.sequence_loss(tf.zeros([1, 2]), tf.zeros([1, 2]), tf.zeros([1, 2])), ValueError,
         "Logits must be a .batch_size x sequence_length x logits. tensor"),
        (lambda: seq2seq.tile_batch(tf.constant(1), 3), ValueError, "t must have batch dimension"),
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_batches_that_do_not_fit_are_refused():
    memory, lengths = tf.placeholder(tf.float32, [None, 2, 3]), tf.placeholder(tf.int32, [None])
    mechanism = seq2seq.LuongAttention(4, memory, lengths)
    cell = seq2seq.AttentionWrapper(rnn_cell.GRUCell(4), mechanism)
    output, _ = cell(tf.zeros([2, 1]), cell.zero_state(2, tf.float32))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Non-matching batch sizes between the memory"):
            sess.run(output, {memory: np.zeros((3, 2, 3)), lengths: [1, 1, 1]})
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="memory_sequence_length and memory tensor batch sizes"
        ):
            sess.run(output, {memory: np.zeros((2, 2, 3)), lengths: [1, 1, 1]})
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="All values in memory_sequence_length must greater than zero"
        ):
            sess.run(output, {memory: np.zeros((2, 2, 3)), lengths: [0, 1]})


def test_beam_search_with_memories_of_unknown_length():
    """The sizes of alignments are scalar tensors."""
    memory = tf.placeholder(tf.float32, [None, None, 3])
    size, beam, units = tf.shape(memory)[0], 2, 4
    mechanism = seq2seq.LuongAttention(units, seq2seq.tile_batch(memory, beam))
    cell = seq2seq.AttentionWrapper(rnn_cell.GRUCell(units), mechanism, alignment_history=False)
    embedding = tf.get_variable("embedding", [5, 3], initializer=tf.random_normal_initializer(seed=1))
    decoder = seq2seq.BeamSearchDecoder(
        cell, embedding, tf.fill([size], 1), 0, cell.zero_state(size * beam, tf.float32), beam, tf.layers.Dense(5)
    )
    output, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for n in (2, 5):
            ids, found = sess.run([output.predicted_ids, lengths], {memory: np.ones((3, n, 3))})
            assert ids.shape[0] == 3 and ids.shape[2] == beam and found.shape == (3, beam)
            assert (ids[0] == ids[1]).all() and (ids[0] == ids[2]).all()


# ---- A task: write a sequence backwards


def test_reversing_sequences_is_learnt():
    """Encoder, decoder with attention, trained with the truth as inputs; then decoded greedily in the graph."""
    classes, end, start, length, batch, units = 8, 0, 1, 5, 64, 48
    source = tf.placeholder(tf.int32, [None, length])
    target = tf.concat([tf.reverse(source, [1]), tf.fill([tf.shape(source)[0], 1], end)], 1)
    size = tf.shape(source)[0]
    tf.set_random_seed(1)
    embedding = tf.get_variable("embedding", [classes, 16])
    lookup = functools.partial(tf.nn.embedding_lookup, embedding)
    memory, state = tf.nn.dynamic_rnn(rnn_cell.GRUCell(units), lookup(source), dtype=tf.float32)
    mechanism = seq2seq.LuongAttention(units, memory)
    cell = seq2seq.AttentionWrapper(rnn_cell.GRUCell(units), mechanism, attention_layer_size=units)
    first = cell.zero_state(size, tf.float32).clone(cell_state=state)
    layer = tf.layers.Dense(classes, name="logits")

    def decode(helper, reuse=None, **options):
        with tf.variable_scope("decoder", reuse=reuse) as scope:
            decoder = seq2seq.BasicDecoder(cell, helper, first, layer)
            return seq2seq.dynamic_decode(decoder, scope=scope, **options)[0]

    inputs = tf.concat([tf.fill([size, 1], start), target[:, :-1]], 1)
    trained = decode(seq2seq.TrainingHelper(lookup(inputs), tf.fill([size], length + 1)))
    loss = seq2seq.sequence_loss(trained.rnn_output, target, tf.ones_like(target, dtype=tf.float32))
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    helper = seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([size], start), end)
    decoded = decode(helper, reuse=True, maximum_iterations=length + 1).sample_id
    random = np.random.default_rng(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(200):
            sess.run(step, {source: random.integers(2, classes, size=(batch, length))})
        test = random.integers(2, classes, size=(200, length))
        got, wanted = sess.run([decoded, target], {source: test})
    assert got.shape == wanted.shape
    assert (got == wanted).mean() > 0.97
