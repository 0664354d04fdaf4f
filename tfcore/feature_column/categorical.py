"""Columns of ids: hashed, as they are, and those of words in a vocabulary; ids with weights, and crossed."""

import collections

import numpy as np

from tfcore.composed.parsing.features import VarLenFeature
from tfcore.composed.sparse.cross import sparse_cross_hashed
from tfcore.composed.vocabulary import index_table_from_file, index_table_from_tensor
from tfcore.feature_column.base import (
    CategoricalColumn,
    FeatureColumn,
    IdWeightPair,
    check_dtype_of_feature,
    check_key,
    check_string_or_int,
    to_sparse,
)
from tfcore.framework.functions.func_graph import init_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.tensor_kinds import convert_to_tensor_or_sparse_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import fill
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import greater_equal, less, logical_or
from tfcore.ops.cwise.select import where
from tfcore.ops.strings.convert import as_string
from tfcore.ops.strings.hash import string_to_hash_bucket_fast
from tfcore.platform import gfile
from tfcore.platform import tf_logging as logging


class _KeyColumn(CategoricalColumn):
    """A column of one feature, whose key is its name."""

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: VarLenFeature(self.dtype)}


# ---- Hashed


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """A column of words or integers that get their ids by hashing.

    In dense features, "" and -1 are left out.

    Args:
      key: Key of the feature, and name of the column.
      hash_bucket_size: The number of ids, an int. Different words may get the same id.
      dtype: Type of the feature: string or an integer type.

    Returns:
      A categorical column.

    Raises:
      ValueError: The key is not a string, the number of ids is less than 1, or the type is another one.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    check_string_or_int(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class HashedCategoricalColumn(
    _KeyColumn, collections.namedtuple("HashedCategoricalColumn", ["key", "hash_bucket_size", "dtype"])
):
    """A column of hashed words; see `categorical_column_with_hash_bucket`."""

    def transform_feature(self, features):
        words = to_sparse(features.get(self.key))
        check_string_or_int(words.dtype, f"column_name: {self.key} input_tensor")
        check_dtype_of_feature(self, words)
        values = words.values if self.dtype == dtypes.string else as_string(words.values)
        return words.with_values(string_to_hash_bucket_fast(values, self.hash_bucket_size, name="lookup"))

    @property
    def num_buckets(self):
        return self.hash_bucket_size


# ---- Integers


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """A column of integers that are ids as they are.

    In dense features, -1 is left out.

    Args:
      key: Key of the feature, and name of the column.
      num_buckets: The number of ids, an int: they are less than this.
      default_value: The id of integers out of range; None: these fail when they are used.

    Returns:
      A categorical column.

    Raises:
      ValueError: The key is not a string, the number of ids is less than 1, or the default is not among them.

    Example:

    >>> day = tf.feature_column.categorical_column_with_identity("day", 3, default_value=0)
    >>> print(sess.run(tf.feature_column.input_layer({"day": [1, 7]}, [tf.feature_column.indicator_column(day)])))
    [[0. 1. 0.]
     [1. 0. 0.]]
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class IdentityCategoricalColumn(
    _KeyColumn, collections.namedtuple("IdentityCategoricalColumn", ["key", "number_buckets", "default_value"])
):
    """A column of integers; see `categorical_column_with_identity`."""

    dtype = dtypes.int64

    def transform_feature(self, features):
        given = to_sparse(features.get(self.key))
        if not given.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {given.dtype}")
        ids = cast(given.values, dtypes.int64, name="values")
        if self.default_value is not None:
            outside = logical_or(less(ids, 0), greater_equal(ids, self.num_buckets), name="out_of_range")
            ids = where(outside, fill(shape(ids), cast(self.default_value, dtypes.int64)), ids)
        return given.with_values(ids)

    @property
    def num_buckets(self):
        return self.number_buckets


# ---- Words of a vocabulary


def categorical_column_with_vocabulary_file(
    key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string
):
    """A column of words or integers whose ids are the numbers of their lines in a file.

    In dense features, "" and -1 are left out.

    Args:
      key: Key of the feature, and name of the column.
      vocabulary_file: Path of the file, with a word in each line.
      vocabulary_size: The number of lines that are used; None: all.
      num_oov_buckets: The number of further ids, by hashing, for words that the file lacks.
      default_value: The id of words that the file lacks, -1 by default.
      dtype: Type of the feature: string or an integer type.

    Returns:
      A categorical column.

    Raises:
      ValueError: The file does not exist, a number is out of range, both kinds of ids for other words are given, or the
        type is another one.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        if not gfile.Exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with gfile.GFile(vocabulary_file, "rb") as file:
            vocabulary_size = sum(1 for _ in file)
        logging.info(
            "vocabulary_size = %d in %s is inferred from the number of elements in the vocabulary_file %s.",
            vocabulary_size,
            key,
            vocabulary_file,
        )
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_other_ids(key, num_oov_buckets, default_value, None)
    check_string_or_int(dtype, f"column_name: {key}")
    check_key(key)
    default_value = -1 if default_value is None else default_value
    return VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets or 0, dtype, default_value
    )


class _VocabularyColumn(_KeyColumn):
    """A column whose ids a table has."""

    def _table(self, key_dtype, name):
        raise NotImplementedError

    def transform_feature(self, features):
        words = to_sparse(features.get(self.key))
        check_dtype_of_feature(self, words)
        key_dtype = self.dtype
        if words.dtype.is_integer:
            key_dtype = dtypes.int64
            words = words.with_values(cast(words.values, dtypes.int64))
        with init_scope():  # the table is of the graph, also where the column is used in a function or loop
            table = self._table(key_dtype, f"{self.key}_lookup")
        return table.lookup(words)


class VocabularyFileCategoricalColumn(
    _VocabularyColumn,
    collections.namedtuple(
        "VocabularyFileCategoricalColumn",
        ["key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value"],
    ),
):
    """A column of words that a file has; see `categorical_column_with_vocabulary_file`."""

    def _table(self, key_dtype, name):
        return index_table_from_file(
            self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=name,
        )

    @property
    def num_buckets(self):
        return self.vocabulary_size + self.num_oov_buckets


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """A column of words or integers whose ids are their places in a list.

    In dense features, "" and -1 are left out.

    Args:
      key: Key of the feature, and name of the column.
      vocabulary_list: The words or integers, all different.
      dtype: Type of the feature, string or an integer type; by default that of the list.
      default_value: The id of words that the list lacks.
      num_oov_buckets: The number of further ids, by hashing, for words that the list lacks.

    Returns:
      A categorical column.

    Raises:
      ValueError: The list is empty or has repetitions, both kinds of ids for other words are given, or a type is
        another one.

    Example:

    >>> color = tf.feature_column.categorical_column_with_vocabulary_list("color", ["red", "green"])
    >>> given = {"color": [["red"], ["green"]]}
    >>> y = tf.feature_column.input_layer(given, [tf.feature_column.indicator_column(color)])
    >>> sess.run(tf.tables_initializer())
    >>> print(sess.run(y))
    [[1. 0.]
     [0. 1.]]
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    of_list = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_other_ids(key, num_oov_buckets, default_value, -1)
    check_string_or_int(of_list, f"column_name: {key} vocabulary")
    if dtype is None:
        dtype = of_list
    elif dtype.is_integer != of_list.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {of_list} do not match, column_name: {key}")
    check_string_or_int(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


class VocabularyListCategoricalColumn(
    _VocabularyColumn,
    collections.namedtuple(
        "VocabularyListCategoricalColumn", ["key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"]
    ),
):
    """A column of words that a list has; see `categorical_column_with_vocabulary_list`."""

    def _table(self, key_dtype, name):
        return index_table_from_tensor(
            self.vocabulary_list,
            num_oov_buckets=self.num_oov_buckets,
            default_value=self.default_value,
            dtype=key_dtype,
            name=name,
        )

    @property
    def num_buckets(self):
        return len(self.vocabulary_list) + self.num_oov_buckets


def _check_other_ids(key, num_oov_buckets, default_value, no_default):
    if num_oov_buckets:
        if default_value != no_default:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


# ---- Weighted


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
    """A column of ids with a weight for each.

    Args:
      categorical_column: A categorical column.
      weight_feature_key: Key of the feature that has the weights, one for each element of that of the ids. In a dense
        feature, 0 is left out.
      dtype: Type of the weights, an integer or float type.

    Returns:
      A categorical column.

    Raises:
      ValueError: The type is no number type.
    """
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


class WeightedCategoricalColumn(
    CategoricalColumn,
    collections.namedtuple("WeightedCategoricalColumn", ["categorical_column", "weight_feature_key", "dtype"]),
):
    """A column of ids with weights; see `weighted_categorical_column`."""

    @property
    def name(self):
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self):
        spec = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in spec:
            raise ValueError(f"Parse config {spec[key]} already exists for {key}.")
        return {**spec, key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self):
        return self.categorical_column.num_buckets

    def transform_feature(self, features):
        weights = features.get(self.weight_feature_key)
        if weights is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        weights = convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = to_sparse(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = weights.with_values(cast(weights.values, dtypes.float32))
        return features.get(self.categorical_column), weights

    def get_sparse_tensors(self, features):
        return IdWeightPair(*features.get(self))


# ---- Crossed


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """A column of all combinations of the values of several features, which get their ids by hashing.

    Args:
      keys: A list of two or more keys of features of strings, or categorical columns other than hashed ones.
      hash_bucket_size: The number of ids, an int. Different combinations may get the same id.
      hash_key: A key of the hash function, an int (optional).

    Returns:
      A categorical column.

    Raises:
      ValueError: There are fewer than two keys, one is of another kind, or the number of ids is less than 1.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will "
                f"increase probability of collision. Instead, use the feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


class CrossedColumn(
    CategoricalColumn, collections.namedtuple("CrossedColumn", ["keys", "hash_bucket_size", "hash_key"])
):
    """A column of combinations; see `crossed_column`."""

    @property
    def name(self):
        leaves = (leaf.name if isinstance(leaf, FeatureColumn) else leaf for leaf in self._leaves())
        return "_X_".join(sorted(leaves))

    @property
    def parse_example_spec(self):
        spec = {}
        for key in self.keys:
            one = key.parse_example_spec if isinstance(key, FeatureColumn) else {key: VarLenFeature(dtypes.string)}
            spec.update(one)
        return spec

    def _leaves(self):
        """The keys, where those of columns that are crossed themselves take the place of these."""
        leaves = []
        for key in self.keys:
            leaves.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
        return leaves

    def transform_feature(self, features):
        inputs = []
        for leaf in self._leaves():
            if isinstance(leaf, str):
                inputs.append(features.get(leaf))
                continue
            ids, weights = leaf.get_sparse_tensors(features)
            if weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                    f"Given column: {leaf.name}"
                )
            inputs.append(ids)
        return sparse_cross_hashed(inputs, self.hash_bucket_size, self.hash_key)

    @property
    def num_buckets(self):
        return self.hash_bucket_size
