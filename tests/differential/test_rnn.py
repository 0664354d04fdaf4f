"""Recurrent networks that were made here, in TensorFlow: the same outputs, states and gradients, and the gradients that
TensorFlow makes of them."""

import numpy as np
import pytest

import tfcore as tf

rnn_cell, contrib, seq2seq = tf.nn.rnn_cell, tf.contrib.rnn, tf.contrib.seq2seq
X = np.random.default_rng(0).normal(size=(3, 6, 4)).astype(np.float32)
LENGTHS = [2, 6, 4]


def dynamic(cell, **options):
    def make(x):
        return tf.nest.flatten(tf.nn.dynamic_rnn(cell(), x, dtype=tf.float32, **options))

    return make


def every_option():
    return rnn_cell.LSTMCell(5, use_peepholes=True, num_proj=3, cell_clip=0.4, proj_clip=0.3, num_unit_shards=2)


def stacked():
    return rnn_cell.MultiRNNCell([rnn_cell.GRUCell(4), rnn_cell.ResidualWrapper(rnn_cell.BasicLSTMCell(4))])


def bidirectional(x):
    cells = rnn_cell.GRUCell(3), rnn_cell.BasicRNNCell(2)
    return tf.nest.flatten(tf.nn.bidirectional_dynamic_rnn(*cells, x, dtype=tf.float32, sequence_length=LENGTHS))


def static(x):
    inputs = tf.unstack(x, axis=1)
    return tf.nest.flatten(
        tf.nn.static_rnn(rnn_cell.BasicLSTMCell(5), inputs, dtype=tf.float32, sequence_length=LENGTHS)
    )


def attention(x):
    mechanism = seq2seq.BahdanauAttention(4, x, [6, 2, 3], normalize=True)
    cell = seq2seq.AttentionWrapper(rnn_cell.GRUCell(4), mechanism, attention_layer_size=3)
    helper = seq2seq.TrainingHelper(x, [6, 3, 2])
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32), tf.layers.Dense(7))
    return [seq2seq.dynamic_decode(decoder, impute_finished=True)[0].rnn_output]


MODELS = {
    "lstm": dynamic(lambda: rnn_cell.BasicLSTMCell(5), swap_memory=True),
    "gru": dynamic(lambda: rnn_cell.GRUCell(5), sequence_length=LENGTHS),
    "every_option": dynamic(every_option, sequence_length=LENGTHS),
    "stacked": dynamic(stacked),
    "layer_norm": dynamic(lambda: contrib.LayerNormBasicLSTMCell(5)),
    "bidirectional": bidirectional,
    "static": static,
    "attention": attention,
}


def assignments():
    """What gives every variable the value it has here: a step for TensorFlow."""
    session = tf.get_default_session()
    feeds = {v.initializer.inputs[1].name: session.run(v) for v in tf.global_variables()}
    return {"feeds": feeds, "targets": [v.initializer.name for v in tf.global_variables()]}


@pytest.mark.parametrize("name", MODELS)
def test_networks_in_tensorflow(peer, name):
    with tf.Graph().as_default() as graph:
        outputs = [tf.identity(y) for y in MODELS[name](tf.constant(X))]
        reads = [v.value() for v in tf.trainable_variables()]
        gradients = tf.gradients(outputs, reads)
        fetches = [t.name for t in [*outputs, *gradients]]
        meta_graph = tf.train.export_meta_graph(clear_extraneous_savers=True, graph=graph)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            ours = session.run(fetches)
            steps = [assignments(), {"feeds": {}, "fetches": fetches, "gradients": True}]
    asked = [[t.name for t in outputs], [t.name for t in reads], []]
    answer = peer.ask(meta_graph=meta_graph.SerializeToString(), gradients=asked, steps=steps)
    assert "error" not in answer, answer["error"]
    values = answer["values"][1]
    for fetch, value in zip(fetches, ours):
        np.testing.assert_allclose(values[fetch], value, rtol=1e-4, atol=1e-5, err_msg=fetch)
    for theirs, value in zip(answer["gradients"], ours[len(outputs) :]):
        np.testing.assert_allclose(values[theirs], value, rtol=1e-4, atol=1e-5)


def test_beam_search_in_tensorflow(peer):
    with tf.Graph().as_default() as graph:
        embedding, cell = tf.get_variable("embedding", [7, 4]), rnn_cell.GRUCell(4)
        state = seq2seq.tile_batch(tf.constant(X[:, 0]), 3)
        decoder = seq2seq.BeamSearchDecoder(cell, embedding, [1, 2, 3], 0, state, 3, tf.layers.Dense(7))
        outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
        fetches = [t.name for t in (tf.identity(outputs.predicted_ids), lengths)]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            ours = session.run(fetches)
            steps = [assignments(), {"feeds": {}, "fetches": fetches}]
    answer = peer.ask(graph=graph.as_graph_def().SerializeToString(), steps=steps)
    assert "error" not in answer, answer["error"]
    for name, value in zip(fetches, ours):
        np.testing.assert_array_equal(answer["values"][1][name], value)
