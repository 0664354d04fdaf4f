"""Columns of sequences: ids and numbers at each step."""

import collections

from tfcore.composed.parsing.features import VarLenFeature
from tfcore.composed.sparse.arrange import sparse_reshape
from tfcore.composed.sparse.values import sparse_tensor_to_dense
from tfcore.feature_column.base import (
    CategoricalColumn,
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    check_convertible_to_float,
    check_normalizer,
    checked_shape,
)
from tfcore.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import ceil
from tfcore.ops.reduce.reduce import reduce_prod
from tfcore.ops.reduce.segment import segment_max


class SequenceCategoricalColumn(
    CategoricalColumn, collections.namedtuple("SequenceCategoricalColumn", ["categorical_column"])
):
    """A column of sequences of ids; see `sequence_categorical_column_with_identity`."""

    @property
    def name(self):
        return self.categorical_column.name

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    @property
    def num_buckets(self):
        return self.categorical_column.num_buckets

    def transform_feature(self, features):
        return self.categorical_column.transform_feature(features)

    def get_sparse_tensors(self, features):
        """The ids [batch, steps, ids of a step]."""
        ids, weights = self.categorical_column.get_sparse_tensors(features)
        old = shape(ids)
        new = [old[0], old[1], reduce_prod(old[2:])]
        return IdWeightPair(sparse_reshape(ids, new), None if weights is None else sparse_reshape(weights, new))


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """A column of sequences of integers that are ids as they are; see `categorical_column_with_identity`.

    Args:
      key: Key of the feature, and name of the column. The feature is [batch, steps] or [batch, steps, ids of a step].
      num_buckets: The number of ids, an int.
      default_value: The id of integers out of range; None: these fail when they are used.

    Returns:
      A categorical column of sequences.

    Raises:
      ValueError: As `categorical_column_with_identity`.
    """
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """A column of sequences of words that get their ids by hashing; see `categorical_column_with_hash_bucket`.

    Args:
      key: Key of the feature, and name of the column. The feature is [batch, steps] or [batch, steps, ids of a step].
      hash_bucket_size: The number of ids, an int.
      dtype: Type of the feature: string or an integer type.

    Returns:
      A categorical column of sequences.

    Raises:
      ValueError: As `categorical_column_with_hash_bucket`.
    """
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(
    key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string
):
    """A column of sequences of words whose ids a file has; see `categorical_column_with_vocabulary_file`.

    Args:
      key: Key of the feature, and name of the column. The feature is [batch, steps] or [batch, steps, ids of a step].
      vocabulary_file: Path of the file, with a word in each line.
      vocabulary_size: The number of lines that are used; None: all.
      num_oov_buckets: The number of further ids, by hashing, for words that the file lacks.
      default_value: The id of words that the file lacks, -1 by default.
      dtype: Type of the feature: string or an integer type.

    Returns:
      A categorical column of sequences.

    Raises:
      ValueError: As `categorical_column_with_vocabulary_file`.
    """
    column = categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )
    return SequenceCategoricalColumn(column)


def sequence_categorical_column_with_vocabulary_list(
    key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0
):
    """A column of sequences of words whose ids are their places in a list.

    See `categorical_column_with_vocabulary_list`.

    Args:
      key: Key of the feature, and name of the column. The feature is [batch, steps] or [batch, steps, ids of a step].
      vocabulary_list: The words or integers, all different.
      dtype: Type of the feature, string or an integer type; by default that of the list.
      default_value: The id of words that the list lacks.
      num_oov_buckets: The number of further ids, by hashing, for words that the list lacks.

    Returns:
      A categorical column of sequences.

    Raises:
      ValueError: As `categorical_column_with_vocabulary_list`.
    """
    column = categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    return SequenceCategoricalColumn(column)


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=dtypes.float32, normalizer_fn=None):
    """A column of sequences of numbers.

    Args:
      key: Key of the feature, and name of the column. The feature is a `SparseTensor` [batch, numbers].
      shape: Shape of the numbers of a step: an int or a tuple of ints.
      default_value: A number that pads shorter sequences.
      dtype: Type of the feature, an integer or float type.
      normalizer_fn: A function that is applied to the `SparseTensor` of the feature first (optional).

    Returns:
      A column of sequences.

    Raises:
      TypeError: A dimension of the shape is not an int, or the normalizer is not callable.
      ValueError: A dimension is less than 1, or the type is no number type.
    """
    shape = checked_shape(shape, key)
    check_convertible_to_float(dtype, key)
    check_normalizer(normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)


class SequenceNumericColumn(
    SequenceDenseColumn,
    collections.namedtuple("SequenceNumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"]),
):
    """A column of sequences of numbers; see `sequence_numeric_column`."""

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: VarLenFeature(self.dtype)}

    def transform_feature(self, features):
        tensor = features.get(self.key)
        return tensor if self.normalizer_fn is None else self.normalizer_fn(tensor)

    @property
    def variable_shape(self):
        return TensorShape(self.shape)

    def get_sequence_dense_tensor(self, features, weights):
        given = features.get(self)
        dense = sparse_tensor_to_dense(given, default_value=self.default_value)
        dense = reshape(dense, concat([shape(dense)[:1], [-1], self.variable_shape], 0))
        of_step = self.variable_shape.num_elements() if given.shape.ndims == 2 else 1
        return TensorSequenceLengthPair(dense, sequence_length(given, of_step))


def sequence_length(tensor, elements_of_step=1):
    """The number of steps of each sequence.

    Args:
      tensor: A `SparseTensor` [batch, steps or numbers, ...].
      elements_of_step: How many numbers of the second dimension are a step.

    Returns:
      A `Tensor` of type int64.
    """
    with name_scope(None, "sequence_length") as scope:
        longest = segment_max(tensor.indices[:, 1] + 1, tensor.indices[:, 0])
        longest = cast(ceil(longest / elements_of_step), dtypes.int64)
        missing = shape(tensor)[:1] - shape(longest)[:1]  # sequences at the end that are empty
        return concat([longest, zeros(missing, longest.dtype)], 0, name=scope)
