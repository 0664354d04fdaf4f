"""Models on feature columns, written for both libraries: `python models.py LIBRARY` prints what they make.

LIBRARY is the module that is `tf`: tfcore, or tensorflow.compat.v1 in an interpreter that has TensorFlow.
"""

import importlib
import json
import os
import sys
import tempfile

import numpy as np

WORDS = [["a", "b"], ["c", ""], ["zz", "a"]]
FOLDER = tempfile.TemporaryDirectory()
NUMBERS = [[1.0, 2.0], [3.0, -1.0], [0.0, 9.0]]


def sparse(tf, values):
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], values, [3, 2])


def features(tf):
    return {
        "w": WORDS,
        "u": sparse(tf, ["a", "q", "c"]),
        "x": NUMBERS,
        "n": tf.constant([1, 2, 3]),
        "i": sparse(tf, tf.constant([1, 3, 2], tf.int64)),
        "v": sparse(tf, [0.5, 2.0, 3.0]),
        "m": tf.constant([[5, 7], [9, 5], [-1, 7]]),
    }


def columns(tf):
    """{name: a column of each kind}"""
    fc = tf.feature_column
    path = os.path.join(FOLDER.name, "words.txt")
    with open(path, "w") as file:
        file.write("a\nb\nc\n")
    numbers, ids = fc.numeric_column("x", shape=2), fc.categorical_column_with_identity("i", 4)
    hashed = fc.categorical_column_with_hash_bucket("w", 5)
    buckets = fc.bucketized_column(numbers, [0.0, 1.0, 3.0])
    weighted = fc.weighted_categorical_column(ids, "v")
    crossed = fc.crossed_column(["w", buckets, "u"], 20)
    listed = {f"list {k}": fc.categorical_column_with_vocabulary_list("w", ["a", "b", "c"], **o) for k, o in OTHERS}
    filed = {f"file {k}": fc.categorical_column_with_vocabulary_file("w", path, **o) for k, o in OTHERS}
    return {
        "numbers": numbers,
        "integers": fc.numeric_column("n", dtype=tf.int32, normalizer_fn=lambda n: n * 2),
        "buckets": buckets,
        "hashed": hashed,
        "hashed integers": fc.categorical_column_with_hash_bucket("m", 5, tf.int32),
        "identity": ids,
        "default": fc.categorical_column_with_identity("i", 3, default_value=0),
        "vocabulary of integers": fc.categorical_column_with_vocabulary_list("m", [7, 5, 9]),
        **listed,
        **filed,
        "weighted": weighted,
        "crossed": crossed,
        "crossed with a key": fc.crossed_column(["w", ids], 50, hash_key=7),
        "crossed twice": fc.crossed_column([crossed, ids], 30),
        "indicator": fc.indicator_column(weighted),
        "sqrtn": fc.embedding_column(weighted, 3, combiner="sqrtn"),
        "bounded": fc.embedding_column(hashed, 2, max_norm=1.0),
        "fixed": fc.embedding_column(hashed, 2, trainable=False),
    }


OTHERS = [("-1", {}), ("default", {"default_value": 1}), ("buckets", {"num_oov_buckets": 2})]


def shared(tf, given):
    fc = tf.feature_column
    pair = [fc.categorical_column_with_identity(key, 8) for key in ("i", "n")]
    given = {**given, "n": tf.cast(given["n"], tf.int64)}
    return [fc.input_layer(given, fc.shared_embedding_columns(pair, 2)) for _ in range(2)]


def scopes(tf, given):
    fc, named = tf.feature_column, columns(tf)
    linear, deep = [named["numbers"], named["hashed"]], [named["numbers"], named["fixed"]]
    results = []
    for reuse in (None, True):
        with tf.variable_scope("m", reuse=reuse, partitioner=tf.fixed_size_partitioner(2)):
            results += [fc.linear_model(given, linear, units=2), fc.input_layer(given, deep)]
    return [*results, *(fc.linear_model(given, linear, sparse_combiner="mean") for _ in range(2))]


def models(tf):
    """{name: function of the features that makes outputs}"""
    fc = tf.feature_column
    found = {"shared": lambda given: shared(tf, given), "scopes": lambda given: scopes(tf, given)}
    for name, column in columns(tf).items():
        if hasattr(column, "num_buckets"):
            found[f"{name}, linear"] = lambda given, c=column: [fc.linear_model(given, [c], units=2)]
            column = fc.indicator_column(column)
        found[name] = lambda given, c=column: [fc.input_layer(given, [c])]
    return found


def result(tf, model):
    """[names and shapes of variables, names of trained ones, outputs], from variables that count up."""
    with tf.Graph().as_default(), tf.Session() as sess:
        outputs = model(features(tf))
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        variables = tf.global_variables()
        for i, variable in enumerate(variables):
            shape = variable.shape.as_list()
            variable.load(np.arange(np.prod(shape)).reshape(shape) / 7 + i + 0.5, sess)
        values = [np.asarray(value, float).tolist() for value in sess.run(outputs)]
        described = [[v.op.name, *v.shape.as_list()] for v in variables]
        return [described, [v.op.name for v in tf.trainable_variables()], values]


def main(library):
    tf = importlib.import_module(library)
    if library != "tfcore":
        tf.disable_v2_behavior()
    json.dump({name: result(tf, model) for name, model in models(tf).items()}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
