"""What a program asks of examples: the features under each key, and how they become tensors."""

import collections
import re

from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_shape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape


class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """A feature with any number of values, which becomes a `SparseTensor`.

    Args:
      dtype: Type of the values: float32, int64 or string.
    """


class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])):
    """A feature with a fixed number of values, which becomes a `Tensor`.

    Args:
      shape: Shape of the values of an example, fully known.
      dtype: Type of the values: float32, int64 or string.
      default_value: Values of examples that lack the feature, compatible with `shape`; None: they are refused.
    """


class FixedLenSequenceFeature(
    collections.namedtuple(
        "FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"], defaults=[False, None]
    )
):
    """A feature with any number of rows of one shape, which becomes a `Tensor`, padded to the longest example.

    Args:
      shape: Shape of a row.
      dtype: Type of the values: float32, int64 or string.
      allow_missing: Whether examples may lack the feature: they then have no rows.
      default_value: A scalar for padding; 0 or "" by default.
    """


class SparseFeature(
    collections.namedtuple(
        "SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"], defaults=[False]
    )
):
    """A sparse tensor in two or more features: one has its values, the others the indices of its elements.

    Args:
      index_key: Key of the feature that has the indices, of type int64; a list of keys if the tensor has several
        dimensions beside that of examples.
      value_key: Key of the feature that has the values.
      dtype: Type of the values: float32, int64 or string.
      size: Size of the dimension, an int; a list of these for a list of keys.
      already_sorted: Whether the indices of each example are in row-major order.
    """


class Section:
    """The keys of one map of features, in the order of the inputs and outputs of ops.

    Args:
      features: A dict from keys to features, or None.
      allowed: The types of features that may occur.

    Raises:
      ValueError: A feature is of another type or incomplete, or a key has features that exclude each other.
    """

    def __init__(self, features, allowed):
        self.sparse = {}  # key -> type
        self.dense = {}  # key -> feature
        for key, feature in sorted((features or {}).items()):
            if not isinstance(feature, allowed):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            if not feature.dtype:
                raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
            if isinstance(feature, VarLenFeature):
                self._add_sparse(key, feature.dtype)
            elif isinstance(feature, SparseFeature):
                self._add_pair(feature)
            else:
                self._add_dense(key, feature)
        both = self.sparse.keys() & self.dense.keys()
        if both:
            raise ValueError(
                f"Dense and sparse keys must not intersect; dense_keys: {list(self.dense)}, sparse_keys: "
                f"{list(self.sparse)}, intersection: {both}"
            )

    def __len__(self):
        return len(self.sparse) + len(self.dense)

    def _add_sparse(self, key, dtype):
        dtype = dtypes.as_dtype(dtype)
        if self.sparse.setdefault(key, dtype) != dtype:
            raise ValueError(f"Conflicting type {self.sparse[key]} vs {dtype} for feature {key}.")

    def _add_pair(self, feature):
        if not feature.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {feature}.")
        if not feature.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {feature}.")
        for key in sorted(index_keys(feature)):
            self._add_sparse(key, dtypes.int64)
        self._add_sparse(feature.value_key, feature.dtype)

    def _add_dense(self, key, feature):
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        if isinstance(feature, FixedLenFeature):
            shape = as_shape(feature.shape)
            if shape.ndims and shape.dims[0].value is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. "
                    f"Received feature={feature}."
                )
            if not shape.is_fully_defined():
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}."
                )
        self.dense[key] = feature

    def sparse_keys(self):
        return list(self.sparse)

    def sparse_types(self):
        return list(self.sparse.values())

    def dense_keys(self):
        return list(self.dense)

    def dense_types(self):
        return [dtypes.as_dtype(feature.dtype) for feature in self.dense.values()]

    def dense_shapes(self):
        return [as_shape(feature.shape) for feature in self.dense.values()]

    def dense_defaults(self):
        """Tensors for what examples lack: values, or padding where the number of rows varies."""
        return [_default(key, feature) for key, feature in self.dense.items()]


def index_keys(feature):
    """The list of keys with indices of a SparseFeature."""
    return [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)


def _default(key, feature):
    shape, dtype, value = as_shape(feature.shape), dtypes.as_dtype(feature.dtype), feature.default_value
    suffix = re.sub("[^A-Za-z0-9_.\\-/]", "_", key)
    if shape.ndims and shape.dims[0].value is None:
        if value is None:
            return convert_to_tensor("" if dtype == dtypes.string else 0, dtype=dtype)
        return reshape(convert_to_tensor(value, dtype=dtype, name="padding_" + suffix), [])
    if value is None:
        return constant([], dtype=dtype)
    if isinstance(value, Tensor):
        return value
    return reshape(convert_to_tensor(value, dtype=dtype, name="key_" + suffix), shape)
