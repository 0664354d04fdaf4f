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


class RaggedFeature(
    collections.namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])
):
    """A feature with any number of values, which becomes a `RaggedTensor`.

    Args:
      dtype: Type of the values: float32, int64 or string.
      value_key: Key of the feature that has the values; by default the key of this one.
      partitions: How the values of an example are divided into rows, the outermost dimension first:
        `RaggedFeature.RowSplits(key)`, `RowLengths(key)`, `RowStarts(key)`, `RowLimits(key)`, `ValueRowIds(key)`, with
        the key of the feature that has these numbers, or `UniformRowLength(length)`.
      row_splits_dtype: int32 or int64.
      validate: Whether to check that the partitions are valid.

    Raises:
      ValueError: A type is not supported, or `value_key` is empty or not a str.
      TypeError: Another argument is of another kind.
    """

    RowSplits = collections.namedtuple("RowSplits", ["key"])
    RowLengths = collections.namedtuple("RowLengths", ["key"])
    RowStarts = collections.namedtuple("RowStarts", ["key"])
    RowLimits = collections.namedtuple("RowLimits", ["key"])
    ValueRowIds = collections.namedtuple("ValueRowIds", ["key"])
    UniformRowLength = collections.namedtuple("UniformRowLength", ["length"])

    def __new__(cls, dtype, value_key=None, partitions=(), row_splits_dtype=dtypes.int32, validate=False):
        if value_key is not None:
            if not isinstance(value_key, str):
                raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
            if not value_key:
                raise ValueError("Argument `value_key` must not be empty")
        dtype, splits_type = dtypes.as_dtype(dtype), dtypes.as_dtype(row_splits_dtype)
        if dtype not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {dtype!r}")
        if splits_type not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{splits_type!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(
                f"Argument `partitions` must be a list or tuple. Receivedpartitions={partitions} of type "
                f"{type(partitions).__name__}."
            )
        kinds = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits, cls.ValueRowIds, cls.UniformRowLength)
        for partition in partitions:
            if not isinstance(partition, kinds):
                raise TypeError(
                    "Argument `partitions` cannot be cast to any of the partition types in "
                    f"{kinds}; got: {partition!r} with type {type(partition)}"
                )
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, dtype, value_key, tuple(partitions), splits_type, validate)


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
        self.ragged = {}  # key -> (type, type of splits)
        for key, feature in sorted((features or {}).items()):
            if not isinstance(feature, allowed):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            if not feature.dtype:
                raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
            if isinstance(feature, VarLenFeature):
                self._add_sparse(key, feature.dtype)
            elif isinstance(feature, SparseFeature):
                self._add_pair(feature)
            elif isinstance(feature, RaggedFeature):
                self._add_ragged(key, feature)
            else:
                self._add_dense(key, feature)
        self._check_disjoint("Dense", self.dense, "sparse", self.sparse)
        self._check_disjoint("Dense", self.dense, "ragged", self.ragged)
        self._check_disjoint("Ragged", self.ragged, "sparse", self.sparse)

    def __len__(self):
        return len(self.sparse) + len(self.dense) + len(self.ragged)

    @staticmethod
    def _check_disjoint(kind, features, other_kind, others):
        both = features.keys() & others.keys()
        if both:
            raise ValueError(
                f"{kind} and {other_kind} keys must not intersect; {kind.lower()}_keys: {list(features)}, "
                f"{other_kind}_keys: {list(others)}, intersection: {both}"
            )

    def _add_ragged(self, key, feature):
        types = {feature.value_key or key: feature.dtype}
        types |= {p.key: dtypes.int64 for p in feature.partitions if hasattr(p, "key")}
        for each, dtype in types.items():
            old, splits = self.ragged.setdefault(each, (dtype, feature.row_splits_dtype))
            if old != dtype:
                raise ValueError(f"Conflicting type {old} vs {dtype} for feature {each}.")
            if splits != feature.row_splits_dtype:
                raise ValueError(
                    f"Conflicting partition type {splits} vs {feature.row_splits_dtype} for feature {each}."
                )

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
