"""Columns of numbers, and of the buckets that these fall in."""

import collections

from tfcore.composed.parsing.features import FixedLenFeature
from tfcore.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    check_convertible_to_float,
    check_key,
    check_normalizer,
    checked_shape,
)
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array.array import expand_dims, reshape, shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import stack
from tfcore.ops.array.move import tile
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.reduce.counts import Bucketize


def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
    """A column of numbers.

    Args:
      key: Key of the feature, and name of the column.
      shape: Shape of the feature of an example: an int or a tuple of ints.
      default_value: Value for examples that lack the feature when they are parsed: a number, or nested sequences of
        the given shape; None: they are refused.
      dtype: Type of the feature, an integer or float type. The transformed feature is float32.
      normalizer_fn: A function that is applied to the `Tensor` of the feature first (optional).

    Returns:
      A column.

    Raises:
      TypeError: A dimension of the shape is not an int, the default value does not fit the type, or the normalizer is
        not callable.
      ValueError: The key is not a string, a dimension is less than 1, the type is no number type, or the default value
        is of another shape.

    Example:

    >>> price = tf.feature_column.numeric_column("price", normalizer_fn=lambda x: x / 10.0)
    >>> print(sess.run(tf.feature_column.input_layer({"price": [[5.0], [20.0]]}, [price])))
    [[0.5]
     [2. ]]
    """
    shape = checked_shape(shape, key)
    check_convertible_to_float(dtype, key)
    default_value = _checked_default(shape, default_value, dtype, key)
    check_normalizer(normalizer_fn)
    check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


class NumericColumn(
    DenseColumn,
    collections.namedtuple("NumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"]),
):
    """A column of numbers; see `numeric_column`."""

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform_feature(self, features):
        tensor = features.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: "
                f"{self.key}"
            )
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return cast(tensor, dtypes.float32)

    @property
    def variable_shape(self):
        return TensorShape(self.shape)

    def get_dense_tensor(self, features, weights):
        return features.get(self)


def bucketized_column(source_column, boundaries):
    """A column of the buckets that numbers fall in: both a dense column, of one-hot vectors, and a categorical one.

    Boundaries (0., 1.) make the buckets (-inf, 0), [0, 1) and [1, inf).

    Args:
      source_column: A column of `numeric_column`, of rank 1.
      boundaries: A list or tuple of numbers, each greater than the one before.

    Returns:
      A column.

    Raises:
      ValueError: The source is of another kind or rank, or the boundaries are not sorted.

    Example:

    >>> age = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [18, 65])
    >>> print(sess.run(tf.feature_column.input_layer({"age": [[18.0], [70.0]]}, [age])))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


class BucketizedColumn(
    DenseColumn, CategoricalColumn, collections.namedtuple("BucketizedColumn", ["source_column", "boundaries"])
):
    """A column of buckets; see `bucketized_column`."""

    @property
    def name(self):
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self):
        return self.source_column.parse_example_spec

    def transform_feature(self, features):
        return Bucketize(features.get(self.source_column), boundaries=[float(b) for b in self.boundaries])

    @property
    def variable_shape(self):
        return TensorShape((*self.source_column.shape, self._buckets_of_one))

    def get_dense_tensor(self, features, weights):
        return one_hot(cast(features.get(self), dtypes.int64), self._buckets_of_one, on_value=1.0, off_value=0.0)

    @property
    def num_buckets(self):
        return self._buckets_of_one * self.source_column.shape[0]

    @property
    def _buckets_of_one(self):
        """The number of buckets for each of the numbers."""
        return len(self.boundaries) + 1

    def get_sparse_tensors(self, features):
        buckets = features.get(self)
        batch, size = shape(buckets)[0], self.source_column.shape[0]
        row = reshape(tile(expand_dims(range_of(0, batch), 1), [1, size]), [-1])
        place = tile(range_of(0, size), [batch])
        ids = reshape(buckets, [-1]) + self._buckets_of_one * place
        indices = cast(stack([row, place], axis=1), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, cast(stack([batch, size]), dtypes.int64)), None)


def _checked_default(shape, value, dtype, key):
    """The default value of each number, as nested tuples."""
    if value is None:
        return None
    if isinstance(value, int) or isinstance(value, float) and dtype.is_floating:
        return _filled(shape, value)
    if callable(getattr(value, "tolist", None)):  # NumPy arrays
        value = value.tolist()
    if nest.is_nested(value):
        if not _fits(value, shape):
            raise ValueError(
                "The shape of default_value must be equal to given shape. default_value: "
                f"{value}, shape: {shape}, key: {key}"
            )
        flat = nest.flatten(value)
        if all(isinstance(v, int) for v in flat) or dtype.is_floating and any(isinstance(v, float) for v in flat):
            return _as_tuple(value)
    raise TypeError(f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}")


def _filled(shape, value):
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _fits(value, shape):
    if not shape or not nest.is_nested(value):
        return not shape and not nest.is_nested(value)
    return len(value) == shape[0] and all(_fits(part, shape[1:]) for part in value)


def _as_tuple(value):
    return tuple(map(_as_tuple, value)) if nest.is_nested(value) else value
