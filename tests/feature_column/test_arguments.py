"""Errors: their classes and words are TensorFlow's."""

import re

import pytest

import tfcore as tf
from tests.feature_column.helpers import NUMBERS, fc


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def ids(key="x", size=4):
    return fc.categorical_column_with_identity(key, size)


X, HASHED = fc.numeric_column("x", shape=2), fc.categorical_column_with_hash_bucket("x", 4)
WORDS = fc.categorical_column_with_vocabulary_list("x", ["a"])


@pytest.mark.parametrize(
    "build, error, text",
    [
        (lambda: fc.numeric_column(1), ValueError, "key must be a string. Got: type <class 'int'>. Given key: 1."),
        (lambda: fc.numeric_column("x", shape=0), ValueError, "shape dimensions must be greater than 0. shape: (0,)"),
        (lambda: fc.numeric_column("x", shape=1.5), TypeError, "shape dimensions must be integer. shape: (1.5,)"),
        (lambda: fc.numeric_column("x", dtype=tf.string), ValueError, "dtype must be convertible to float."),
        (lambda: fc.numeric_column("x", default_value="a"), TypeError, "default_value must be compatible with dtype"),
        (lambda: fc.numeric_column("x", default_value=1.5, dtype=tf.int32), TypeError, "default_value: 1.5"),
        (lambda: fc.numeric_column("x", 2, [1.0]), ValueError, "The shape of default_value must be equal to given"),
        (lambda: fc.numeric_column("x", normalizer_fn=3), TypeError, "normalizer_fn must be a callable. Given: 3"),
        (lambda: fc.bucketized_column("x", [1]), ValueError, "source_column must be a column generated with numeric_"),
        (
            lambda: fc.bucketized_column(fc.numeric_column("x", (2, 2)), [1]),
            ValueError,
            "source_column must be one-dimensional column.",
        ),
        (lambda: fc.bucketized_column(X, []), ValueError, "boundaries must not be empty."),
        (lambda: fc.bucketized_column(X, [2, 1]), ValueError, "boundaries must be a sorted list."),
        (lambda: fc.bucketized_column(X, 5), ValueError, "boundaries must be a sorted list."),
        (lambda: fc.categorical_column_with_hash_bucket("x", None), ValueError, "hash_bucket_size must be set. key: x"),
        (lambda: fc.categorical_column_with_hash_bucket("x", 0), ValueError, "hash_bucket_size must be at least 1."),
        (
            lambda: fc.categorical_column_with_hash_bucket("x", 1, tf.float32),
            ValueError,
            "column_name: x dtype must be string or integer. dtype: ",
        ),
        (lambda: ids(size=0), ValueError, "num_buckets 0 < 1, column_name x"),
        (
            lambda: fc.categorical_column_with_identity("x", 3, 3),
            ValueError,
            "default_value 3 not in range [0, 3), column_name x",
        ),
        (lambda: fc.categorical_column_with_vocabulary_file("x", ""), ValueError, "Missing vocabulary_file in x."),
        (lambda: fc.categorical_column_with_vocabulary_file("x", "/none"), ValueError, "in x does not exist."),
        (lambda: fc.categorical_column_with_vocabulary_file("x", "/none", 0), ValueError, "Invalid vocabulary_size"),
        (
            lambda: fc.categorical_column_with_vocabulary_file("x", "/none", 3, 1, 1),
            ValueError,
            "Can't specify both num_oov_buckets and default_value in x.",
        ),
        (lambda: fc.categorical_column_with_vocabulary_list("x", []), ValueError, "vocabulary_list [] must be non-"),
        (lambda: fc.categorical_column_with_vocabulary_list("x", ["a", "a"]), ValueError, "Duplicate keys in voc"),
        (
            lambda: fc.categorical_column_with_vocabulary_list("x", ["a"], num_oov_buckets=-1),
            ValueError,
            "Invalid num_oov_buckets -1 in x.",
        ),
        (
            lambda: fc.categorical_column_with_vocabulary_list("x", [1.5]),
            ValueError,
            "column_name: x vocabulary dtype must be string or integer.",
        ),
        (lambda: fc.categorical_column_with_vocabulary_list("x", ["a"], tf.int32), ValueError, "do not match, column"),
        (lambda: fc.indicator_column("x"), ValueError, "Unsupported input type. Input must be a CategoricalColumn."),
        (lambda: fc.embedding_column(ids(), 0), ValueError, "Invalid dimension 0."),
        (
            lambda: fc.embedding_column(ids(), 2, initializer=3),
            ValueError,
            "initializer must be callable if specified. Embedding of column_name: x",
        ),
        (
            lambda: fc.embedding_column(ids(), 2, ckpt_to_load_from="a"),
            ValueError,
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.",
        ),
        (
            lambda: fc.shared_embedding_columns([ids(), HASHED._replace(key="y")], 2),
            ValueError,
            "To use shared_embedding_column, all categorical_columns must have the same type",
        ),
        (lambda: fc.shared_embedding_columns([ids(), ids("y", 5)], 2), ValueError, "the same number of buckets."),
        (lambda: fc.shared_embedding_columns([X], 2), ValueError, "must be subclasses of _CategoricalColumn."),
        (lambda: fc.weighted_categorical_column(ids(), "w", tf.string), ValueError, "is not convertible to float."),
        (lambda: fc.crossed_column(["a"], 3), ValueError, "keys must be a list with length > 1. Given: ['a']"),
        (lambda: fc.crossed_column(["a", "b"], 0), ValueError, "hash_bucket_size must be > 1. hash_bucket_size: 0"),
        (lambda: fc.crossed_column(["a", 3], 3), ValueError, "Unsupported key type. All keys must be either string"),
        (lambda: fc.crossed_column(["a", HASHED], 3), ValueError, "is not supported for crossing."),
        (lambda: fc.sequence_numeric_column("x", dtype=tf.string), ValueError, "dtype must be convertible to float."),
    ],
)
def test_refused_columns(build, error, text):
    with pytest.raises(error, match=re.escape(text)):
        build()


def layer(features, *columns):
    return lambda: fc.input_layer(features, columns)


@pytest.mark.parametrize(
    "build, text",
    [
        (layer({"x": NUMBERS}), "feature_columns must not be empty."),
        (lambda: fc.input_layer({"x": NUMBERS}, {"a": X}), "Expected feature_columns to be iterable, found dict."),
        (
            layer({"x": NUMBERS}, "x"),
            "Items of feature_columns must be a _FeatureColumn. Given (type <class 'str'>): x",
        ),
        (layer({"x": [[1]]}, ids()), "Items of feature_columns must be a _DenseColumn. You can wrap a categorical"),
        (layer({"y": NUMBERS}, X), "Feature x is not in features dictionary."),
        (layer({"x": 1.0}, X), "Feature (key: x) cannot have rank 0. Given: "),
        (layer({"x": NUMBERS}, X, fc.numeric_column("x")), "Duplicate feature column name found for columns: "),
        (
            layer({"x": NUMBERS, "y": [1.0]}, X, fc.numeric_column("y")),
            "Batch size (first dimension) of each feature must be same. Batch size of columns (x, y): (3, 1)",
        ),
        (
            lambda: fc.input_layer({"x": tf.SparseTensor([[0, 0]], [1.0], [1, 2])}, [X]),
            "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: x",
        ),
        (layer({"x": NUMBERS}, fc.indicator_column(ids())), "Invalid input, not integer. key: x dtype: "),
        (
            layer({"x": NUMBERS}, fc.indicator_column(HASHED)),
            "column_name: x input_tensor dtype must be string or integer. dtype: ",
        ),
        (layer({"x": [[1]]}, fc.indicator_column(WORDS)), "Column dtype and SparseTensors dtype must be compatible."),
        (
            layer({"x": [[1]]}, fc.embedding_column(fc.sequence_categorical_column_with_identity("x", 4), 2)),
            "In embedding_column: x_embedding. categorical_column must not be of type _SequenceCategoricalColumn.",
        ),
        (
            layer({"x": [[1]], "v": [[1]]}, fc.indicator_column(fc.weighted_categorical_column(ids(), "v"))),
            "Bad dtype, expected ",
        ),
        (
            lambda: fc.linear_model(
                {"x": [[1]], "v": [[1.0]]},
                [fc.crossed_column([fc.weighted_categorical_column(ids(), "v"), ids("v")], 3)],
            ),
            "crossed_column does not support weight_tensor, but the given column populates weight_tensor.",
        ),
        (lambda: fc.linear_model({"x": [[1]]}, [fc.sequence_numeric_column("x")]), "either a _DenseColumn or _Cat"),
        (lambda: fc.make_parse_example_spec(["x"]), "All feature_columns must be _FeatureColumn instances. Given: x"),
        (lambda: fc.make_parse_example_spec([X, ids()]), "feature_columns contain different parse_spec for key x."),
        (
            lambda: fc.make_parse_example_spec([fc.weighted_categorical_column(ids(), "x")]),
            "Parse config VarLenFeature(dtype=tf.int64) already exists for x.",
        ),
    ],
)
def test_refused_models(build, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        build()
