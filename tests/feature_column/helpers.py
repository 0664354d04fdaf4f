"""A batch of features, and what models make of it."""

import numpy as np

import tfcore as tf

fc = tf.feature_column
WORDS = [["a", "b"], ["c", ""], ["zz", "a"]]
NUMBERS = [[1.0, 2.0], [3.0, -1.0], [0.0, 9.0]]


def evaluate(build, seed=0):
    """(the values of what `build` makes, {name: value} of the variables, which are random)."""
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default(), tf.Session() as sess:
        result = build()
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        values = {}
        for variable in tf.global_variables():
            values[variable.op.name] = rng.normal(size=variable.shape.as_list()).astype(np.float32)
            variable.load(values[variable.op.name], sess)
        return sess.run(result), values


def dense_input(features, *columns):
    """The value of input_layer, whose columns have no variables."""
    return evaluate(lambda: fc.input_layer(features(), columns))[0]


def one_hot(ids, size):
    """How often each id occurs; None is no id."""
    return [[sum(i == k for i in row) for k in range(size)] for row in ids]
