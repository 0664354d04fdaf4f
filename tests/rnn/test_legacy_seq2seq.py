"""tf.contrib.legacy_seq2seq: values against NumPy, names of variables, both kinds of decoding, errors."""

import numpy as np
import pytest

import tfcore as tf

legacy, rnn_cell = tf.contrib.legacy_seq2seq, tf.nn.rnn_cell
RANDOM = np.random.default_rng(11)
BATCH, SIZE, SYMBOLS = 2, 3, 7


@pytest.fixture(autouse=True)
def graph():
    global RANDOM
    RANDOM = np.random.default_rng(11)
    with tf.Graph().as_default():
        yield


def run(fetches, feeds=None):
    """The values of fetches and of the variables, by name."""
    with tf.Session() as sess:
        variables = tf.global_variables()
        sess.run([v.assign(RANDOM.normal(size=v.shape.as_list()) * 0.5) for v in variables])
        values, found = sess.run([fetches, variables], feeds)
    return values, {v.op.name: value.astype(np.float64) for v, value in zip(variables, found)}


def steps(n, size=SIZE):
    return [tf.constant(RANDOM.normal(size=(BATCH, size)), tf.float32) for _ in range(n)]


def symbols(n):
    return [tf.constant(RANDOM.integers(0, SYMBOLS, BATCH), tf.int32) for _ in range(n)]


def tanh_cell(weights, scope, x, state):
    return np.tanh(np.hstack([x, state]) @ weights[f"{scope}/kernel"] + weights[f"{scope}/bias"])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("tied", [False, True])
def test_encoder_and_decoder(tied):
    encoder, decoder = steps(3), steps(2)
    model = legacy.tied_rnn_seq2seq if tied else legacy.basic_rnn_seq2seq
    outputs, state = model(encoder, decoder, rnn_cell.BasicRNNCell(SIZE))
    (outputs, last, encoder, decoder), weights = run([outputs, state, encoder, decoder])
    if tied:
        first = second = "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/basic_rnn_cell"
    else:
        first, second = (f"basic_rnn_seq2seq/{part}/basic_rnn_cell" for part in ("rnn", "rnn_decoder"))
    assert set(weights) == {f"{scope}/{part}" for scope in (first, second) for part in ("kernel", "bias")}
    state = np.zeros((BATCH, SIZE))
    for x in encoder:
        state = tanh_cell(weights, first, x, state)
    for x, output in zip(decoder, outputs):
        state = tanh_cell(weights, second, x, state)
        close(output, state)
    close(last, state)


def test_a_loop_function_makes_the_inputs():
    numbers = []

    def double(previous, i):
        numbers.append(i)
        return 2 * previous

    outputs, _ = legacy.rnn_decoder(steps(3), tf.zeros([BATCH, SIZE]), rnn_cell.BasicRNNCell(SIZE), double)
    outputs, weights = run(outputs)
    for before, after in zip(outputs, outputs[1:]):
        close(after, tanh_cell(weights, "rnn_decoder/basic_rnn_cell", 2 * before, before))
    assert numbers == [1, 2]


def attention(weights, scope, states, query, head):
    """What one head reads, step by step."""
    w, v = weights[f"{scope}/AttnW_{head}"][0, 0], weights[f"{scope}/AttnV_{head}"]
    linear = f"{scope}/Attention_{head}"
    y = query @ weights[f"{linear}/kernel"] + weights[f"{linear}/bias"]
    scores = np.tanh(states @ w + y[:, np.newaxis]) @ v
    share = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    return (share[:, :, np.newaxis] * states).sum(1)


@pytest.mark.parametrize("from_initial_state", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_attention(from_initial_state, known):
    inputs, values = steps(3), RANDOM.normal(size=(BATCH, 5, 4)).astype(np.float32)
    states = tf.placeholder(tf.float32, [BATCH, 5 if known else None, 4])
    initial = tf.constant(RANDOM.normal(size=(BATCH, SIZE)), tf.float32)
    outputs, _ = legacy.attention_decoder(
        inputs,
        initial,
        states,
        rnn_cell.BasicRNNCell(SIZE),
        output_size=2,
        num_heads=2,
        initial_state_attention=from_initial_state,
    )
    (outputs, inputs, state), weights = run([outputs, inputs, initial], {states: values})
    scope = "attention_decoder"
    read = [attention(weights, scope, values, state, head) for head in (0, 1)]
    if not from_initial_state:
        read = [np.zeros_like(value) for value in read]
    for x, output in zip(inputs, outputs):
        x = np.hstack([x, *read]) @ weights[f"{scope}/kernel"] + weights[f"{scope}/bias"]
        state = tanh_cell(weights, f"{scope}/basic_rnn_cell", x, state)
        read = [attention(weights, scope, values, state, head) for head in (0, 1)]
        linear = f"{scope}/AttnOutputProjection"
        close(output, np.hstack([state, *read]) @ weights[f"{linear}/kernel"] + weights[f"{linear}/bias"])


def embedding_model(model, *args, **kwargs):
    cell = rnn_cell.MultiRNNCell([rnn_cell.GRUCell(SIZE), rnn_cell.BasicLSTMCell(SIZE)])
    if model is legacy.embedding_tied_rnn_seq2seq:
        return model(*args, cell, SYMBOLS, 4, **kwargs)
    return model(*args, cell, SYMBOLS, SYMBOLS, 4, **kwargs)


MODELS = [legacy.embedding_rnn_seq2seq, legacy.embedding_tied_rnn_seq2seq, legacy.embedding_attention_seq2seq]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_decoding_what_was_decoded(model):
    """Fed with the best symbols so far, the decoder returns what it does if it feeds itself; a tensor chooses."""
    encoder, decoder = symbols(4), [tf.placeholder(tf.int32, [BATCH]) for _ in range(3)]
    feed = tf.placeholder(tf.bool, [])
    given, _ = embedding_model(model, encoder, decoder)
    names = [v.name for v in tf.global_variables()]
    assert all(name.startswith(f"{model.__name__}/") for name in names)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        free, last = embedding_model(model, encoder, decoder, feed_previous=True)
        chosen, chosen_last = embedding_model(model, encoder, decoder, feed_previous=feed)
    assert [v.name for v in tf.global_variables()] == names
    assert tf.contrib.framework.nest.flatten(chosen_last)[0].shape == (BATCH, SIZE)
    with tf.Session() as sess:
        words = {x: np.zeros(BATCH, np.int32) for x in decoder}
        for _ in range(50):  # until the words are not all the same
            sess.run([v.assign(RANDOM.normal(size=v.shape.as_list()) * 3) for v in tf.global_variables()])
            free_values, state, chosen_values, same = sess.run([free, last, chosen, chosen_last], {**words, feed: True})
            best = [value.argmax(1) for value in free_values]
            if len({tuple(ids) for ids in best}) > 1:
                break
        assert len({tuple(ids) for ids in best}) > 1
        words = dict(zip(decoder, [np.zeros(BATCH, np.int32), *best]))
        given_values, fed = sess.run([given, chosen], {**words, feed: False})
    for a, b, c, d in zip(free_values, chosen_values, given_values, fed):
        assert a.shape == (BATCH, SYMBOLS)
        for value in (b, c, d):
            close(value, a)
    for a, b in zip(*map(tf.contrib.framework.nest.flatten, (state, same))):
        close(b, a)


@pytest.mark.parametrize("feed_type", [bool, tf.constant])
def test_gradients_reach_the_embedding_through_symbols_unless_a_tensor_chooses(feed_type):
    first = tf.zeros([BATCH], tf.int32)
    outputs, _ = embedding_model(MODELS[0], symbols(1), [first] * 4, feed_previous=feed_type(True))
    embedding = next(v for v in tf.global_variables() if v.name.endswith("rnn_decoder/embedding:0"))
    (gradient,) = tf.gradients(outputs, [embedding])
    bias = next(v for v in tf.trainable_variables() if v.name.endswith("output_projection_wrapper/bias:0"))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(bias.assign([0.0, 0, 0, 100, 0, 0, 0]))  # it says 3
        found = sess.run(tf.convert_to_tensor(gradient))
    assert found[0].any() and found[3].any() == (feed_type is bool)


@pytest.mark.parametrize("chosen", [False, True])
def test_several_decoders(chosen):
    cells = {name: rnn_cell.GRUCell(SIZE) for name in ("one", 2)}
    encoder, decoders = symbols(2), {"one": symbols(3), 2: symbols(1)}
    feed = tf.placeholder_with_default(False, []) if chosen else True
    sizes = {"one": 5, 2: SYMBOLS}
    model = legacy.one2many_rnn_seq2seq
    outputs, states = model(encoder, decoders, rnn_cell.GRUCell(SIZE), cells, SYMBOLS, sizes, 4, feed_previous=feed)
    assert {name: [x.shape.as_list() for x in parts] for name, parts in outputs.items()} == {
        "one": [[BATCH, 5]] * 3,
        2: [[BATCH, SYMBOLS]],
    }
    states, weights = run(states)
    assert {name.split("/")[1] for name in weights} == {"rnn", "one2many_decoder_one", "one2many_decoder_2"}
    assert states["one"].shape == states[2].shape == (BATCH, SIZE)
    with pytest.raises(TypeError, match="enc_cell is not an RNNCell"):
        model(encoder, decoders, None, cells, SYMBOLS, sizes, 4)
    with pytest.raises(TypeError, match="dec_cell is not an RNNCell"):
        model(encoder, decoders, cells[2], {**cells, 2: None}, SYMBOLS, sizes, 4)
    with pytest.raises(ValueError, match="keys of dec_cells_dict"):
        model(encoder, decoders, cells[2], {2: cells[2]}, SYMBOLS, sizes, 4)


def test_an_output_projection():
    """Outputs keep the size of the cell; symbols are chosen by their projections."""
    w, b = tf.get_variable("w", [SIZE, SYMBOLS]), tf.get_variable("b", [SYMBOLS])
    encoder, decoder = symbols(2), symbols(3)
    cell = rnn_cell.GRUCell(SIZE)
    outputs, _ = legacy.embedding_attention_seq2seq(
        encoder, decoder, cell, SYMBOLS, SYMBOLS, 4, output_projection=(w, b), feed_previous=True
    )
    assert outputs[0].shape == (BATCH, SIZE)
    assert run(outputs)[0][2].shape == (BATCH, SIZE)
    with pytest.raises(ValueError, match="are incompatible"):
        legacy.embedding_rnn_seq2seq(encoder, decoder, cell, SYMBOLS, 9, 4, output_projection=(w, b), scope="other")


def test_buckets_share_their_variables():
    encoder, decoder, targets = symbols(4), symbols(4), symbols(4)
    weights = [tf.ones([BATCH])] * 4
    cell = rnn_cell.GRUCell(SIZE)

    def model(x, y):
        return legacy.embedding_attention_seq2seq(x, y, cell, SYMBOLS, SYMBOLS, 4)

    outputs, losses = legacy.model_with_buckets(encoder, decoder, targets, weights, [(2, 2), (4, 3)], model)
    assert [len(parts) for parts in outputs] == [2, 3]
    assert len({v.name for v in tf.global_variables()}) == len(tf.global_variables()) == 20
    (outputs, targets, losses), _ = run([outputs, targets, losses])
    for parts, loss in zip(outputs, losses):
        close(loss, np.mean([cross_entropy(x, ids) for x, ids in zip(parts, targets)]))
    with pytest.raises(ValueError, match=r"Length of targets \(4\) must be at least that of last bucket \(5\)"):
        legacy.model_with_buckets(encoder, decoder, targets, weights, [(4, 5)], model)


def cross_entropy(logits, labels):
    logits = logits.astype(np.float64)
    return np.log(np.exp(logits).sum(1)) - logits[np.arange(len(labels)), labels]


@pytest.mark.parametrize("over_time", [True, False])
@pytest.mark.parametrize("over_batch", [True, False])
def test_losses(over_time, over_batch):
    logits, targets = steps(3, SYMBOLS), symbols(3)
    weights = [tf.constant(value) for value in ([1.0, 1.0], [0.5, 0.0], [0.0, 0.0])]
    by_example = legacy.sequence_loss_by_example(logits, targets, weights, over_time)
    loss = legacy.sequence_loss(logits, targets, weights, over_time, over_batch)
    own = legacy.sequence_loss(
        logits, targets, weights, over_time, over_batch, lambda labels, logits: tf.reduce_sum(logits, 1)
    )
    (logits, targets, weights, by_example, loss, own), _ = run([logits, targets, weights, by_example, loss, own])
    total = np.sum([cross_entropy(x, ids) * w for x, ids, w in zip(logits, targets, weights)], 0)
    share = np.sum(weights, 0) if over_time else 1
    close(by_example, total / share)
    close(loss, (total / share).sum() / (BATCH if over_batch else 1))
    sums = np.sum([x.sum(1) * w for x, w in zip(logits, weights)], 0)
    close(own, (sums / share).sum() / (BATCH if over_batch else 1))


def test_what_is_refused():
    cell, zeros = rnn_cell.GRUCell(SIZE), tf.zeros([BATCH, SIZE])
    for text, inputs, states, heads in (
        ("Must provide at least 1 input", [], tf.zeros([2, 3, 4]), 1),
        ("With less than 1 heads", [zeros], tf.zeros([2, 3, 4]), 0),
        ("of attention_states must be known", [zeros], tf.placeholder(tf.float32, [2, 3, None]), 1),
    ):
        with pytest.raises(ValueError, match=text):
            legacy.attention_decoder(inputs, zeros, states, cell, num_heads=heads)
    with pytest.raises(ValueError, match="Lengths of logits, weights, and targets must be the same 1, 1, 2"):
        legacy.sequence_loss([zeros], symbols(2), [zeros])


def test_linear_of_the_internals():
    """What cells of programs were made of."""
    from tfcore.as_tensorflow.layers import Linear

    first, second = steps(2)
    with tf.variable_scope("cell"):
        linear = Linear([first, second], 4, True, tf.ones_initializer())
    outputs = linear([first, second]), linear([second, first])
    (first, second, outputs), weights = run([first, second, outputs])
    assert set(weights) == {"cell/kernel", "cell/bias"}
    for args, output in zip(([first, second], [second, first]), outputs):
        close(output, np.hstack(args) @ weights["cell/kernel"] + weights["cell/bias"])
    with tf.variable_scope("plain"):
        plain = Linear(tf.ones([2, 3]), 4, False)
    assert plain(tf.ones([5, 3])).shape == (5, 4) and len(tf.global_variables()) == 3
    for args, text in (([], "`args` must be specified"), ([tf.ones([3])], "2D arguments"), ([None], "be specified")):
        with pytest.raises(ValueError, match=text):
            Linear(args, 4, False)
    with pytest.raises(ValueError, match="expects shape.1. to be provided"):
        Linear([tf.placeholder(tf.float32, [2, None])], 4, False)
