"""input_layer and linear_model: order, names and scopes of variables, what they return of them."""

import numpy as np
import pytest

import tfcore as tf
from tests.feature_column.helpers import NUMBERS, WORDS, evaluate, fc
from tfcore.feature_column.models import InputLayer

X = fc.numeric_column("x", shape=2)
W = fc.categorical_column_with_vocabulary_list("w", ["a", "b", "c"])
EMBEDDED = fc.embedding_column(W, 2)
FEATURES = {"x": NUMBERS, "w": WORDS}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def names(variables=None):
    return [v.op.name for v in (tf.global_variables() if variables is None else variables)]


@pytest.mark.parametrize("combiner", ["sum", "mean"])
def test_linear_model(combiner):
    found, variables = evaluate(lambda: fc.linear_model(FEATURES, [X, W], units=2, sparse_combiner=combiner))
    assert list(variables) == ["linear_model/w/weights", "linear_model/x/weights", "linear_model/bias_weights"]
    of_w, of_x, bias = variables.values()
    n = 2 if combiner == "mean" else 1
    words = np.stack([(of_w[0] + of_w[1]) / n, of_w[2], of_w[0]])
    np.testing.assert_allclose(found, words + np.array(NUMBERS) @ of_x + bias, rtol=1e-5)


def test_linear_model_begins_with_zero():
    y = fc.linear_model(FEATURES, [X, W])
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert sess.run(y).tolist() == [[0], [0], [0]]


def test_order_and_parts():
    parts = {}
    columns = [fc.numeric_column(key) for key in "bca"]
    y = fc.input_layer({key: [[ord(key)]] for key in "abc"}, iter(columns), cols_to_output_tensors=parts)
    with tf.Session() as sess:
        assert sess.run(y).tolist() == [[97, 98, 99]]
        assert [sess.run(parts[column]).item() for column in columns] == [98, 99, 97]


def test_each_call_has_variables_of_its_own():
    for _ in range(2):
        fc.input_layer(FEATURES, [EMBEDDED])
        fc.linear_model(FEATURES, [X])
    assert names() == [
        "input_layer/w_embedding/embedding_weights",
        "linear_model/x/weights",
        "linear_model/bias_weights",
        "input_layer_1/w_embedding/embedding_weights",
        "linear_model_1/x_1/weights",  # as in TensorFlow
        "linear_model_1/bias_weights",
    ]


def test_scopes_are_reused():
    for reuse in (None, True):
        with tf.variable_scope("m", reuse=reuse):
            fc.linear_model(FEATURES, [X])
            fc.input_layer(FEATURES, [EMBEDDED])
    assert names() == [
        "m/linear_model/x/weights",
        "m/linear_model/bias_weights",
        "m/input_layer/w_embedding/embedding_weights",
    ]


def test_object_shares_variables_between_calls():
    layer = InputLayer([EMBEDDED], name="layer")
    layer(FEATURES), layer(FEATURES)
    assert names() == names(layer.variables) == ["layer/w_embedding/embedding_weights"]


def test_partitions():
    of_linear, of_layer = {}, {}
    with tf.variable_scope("m", partitioner=tf.fixed_size_partitioner(2)):
        fc.linear_model(FEATURES, [X, W], cols_to_vars=of_linear)
        fc.input_layer(FEATURES, [X, EMBEDDED], cols_to_vars=of_layer)
    assert {key: names(value) for key, value in of_linear.items()} == {
        X: ["m/linear_model/x/weights/part_0", "m/linear_model/x/weights/part_1"],
        W: ["m/linear_model/w/weights/part_0", "m/linear_model/w/weights/part_1"],
        "bias": ["m/linear_model/bias_weights/part_0"],
    }
    assert {key: names(value) for key, value in of_layer.items()} == {
        X: [],
        EMBEDDED: [f"m/input_layer/w_embedding/embedding_weights/part_{i}" for i in range(2)],
    }


def test_values_of_partitions_are_those_of_one_variable():
    def build():
        with tf.variable_scope("m", partitioner=tf.fixed_size_partitioner(2)):
            return fc.input_layer(FEATURES, [EMBEDDED])

    found, variables = evaluate(build)
    table = np.concatenate(list(variables.values()))
    np.testing.assert_allclose(found, [(table[0] + table[1]) / 2, table[2], table[0]], rtol=1e-6)


@pytest.mark.parametrize("trainable", [True, False])
def test_trainable_variables(trainable):
    fixed = fc.embedding_column(W, 2, trainable=False)
    fc.input_layer(FEATURES, [EMBEDDED], trainable=trainable)
    fc.input_layer(FEATURES, [fixed])
    fc.linear_model(FEATURES, [X], trainable=trainable)
    first = ["input_layer/w_embedding/embedding_weights", "linear_model/x/weights", "linear_model/bias_weights"]
    assert names(tf.trainable_variables()) == (first if trainable else [])


def test_collections():
    fc.input_layer(FEATURES, [EMBEDDED], weight_collections=["mine"])
    fc.linear_model(FEATURES, [X])
    assert names(tf.get_collection("mine")) == ["input_layer/w_embedding/embedding_weights"]
    assert names(tf.model_variables()) == names()


def test_training():
    """Words "a" and "b" have the values 3 and 5."""
    features = {"w": tf.constant([["a"], ["b"], ["a"]])}
    loss = tf.losses.mean_squared_error([[3.0], [5.0], [3.0]], fc.linear_model(features, [W]))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(60):
            sess.run(step)
        assert sess.run(loss) < 1e-6
