"""What columns have in common: their kinds, features by key, and the variables of columns."""

import collections
import collections.abc

from tfcore.composed.sparse.arrange import sparse_reshape
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import dimension_value
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.framework.values.tensor_kinds import convert_to_tensor_or_sparse_tensor
from tfcore.ops.array.array import expand_dims, rank, shape
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, not_equal
from tfcore.ops.debugging.check import assert_positive
from tfcore.ops.indexing.indexing import gather_nd
from tfcore.ops.indexing.select import Where
from tfcore.variables.variable_scope import get_variable

IdWeightPair = collections.namedtuple("IdWeightPair", ["id_tensor", "weight_tensor"])
TensorSequenceLengthPair = collections.namedtuple("TensorSequenceLengthPair", ["dense_tensor", "sequence_length"])


class FeatureColumn:
    """A feature of examples and how to transform it. Columns are values: equal ones are one key of a dict."""

    @property
    def name(self):
        """The name of the column, also that of the scope of its variables."""
        raise NotImplementedError

    @property
    def parse_example_spec(self):
        """{key: feature} for `tf.io.parse_example`."""
        raise NotImplementedError

    @property
    def var_scope_name(self):
        """The variable scope in which the variables of the column are."""
        return self.name

    def transform_feature(self, features):
        """The transformed feature, which all users of the column share.

        Args:
          features: A `FeatureTransformationCache`.
        """
        raise NotImplementedError

    # Columns are sorted as keys of dicts are, such as those of tf.nest.
    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)

    @property
    def _parse_example_spec(self):
        return self.parse_example_spec

    @property
    def _var_scope_name(self):
        return self.var_scope_name

    def _transform_feature(self, inputs):
        return self.transform_feature(inputs)


class DenseColumn(FeatureColumn):
    """A column whose feature is a dense tensor for each example."""

    @property
    def variable_shape(self):
        """The shape of the tensor of an example."""
        raise NotImplementedError

    def get_dense_tensor(self, features, weights):
        """The feature of a batch of examples.

        Args:
          features: A `FeatureTransformationCache`.
          weights: Makes variables: `Weights`.

        Returns:
          A `Tensor` of shape [batch, *variable_shape].
        """
        raise NotImplementedError

    @property
    def _variable_shape(self):
        return self.variable_shape

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return self.get_dense_tensor(inputs, Weights(weight_collections, trainable is not False))


class CategoricalColumn(FeatureColumn):
    """A column whose feature is a set of ids for each example."""

    IdWeightPair = IdWeightPair

    @property
    def num_buckets(self):
        """The number of ids."""
        raise NotImplementedError

    def get_sparse_tensors(self, features):
        """The ids of a batch of examples and, if they have weights, these, as an `IdWeightPair` of `SparseTensor`s."""
        return IdWeightPair(features.get(self), None)

    @property
    def _num_buckets(self):
        return self.num_buckets

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return self.get_sparse_tensors(inputs)


class SequenceDenseColumn(FeatureColumn):
    """A column whose feature is a sequence of dense tensors for each example."""

    TensorSequenceLengthPair = TensorSequenceLengthPair

    def get_sequence_dense_tensor(self, features, weights):
        """A `TensorSequenceLengthPair`: a `Tensor` [batch, steps, *shape] and the length of each sequence."""
        raise NotImplementedError

    def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return self.get_sequence_dense_tensor(inputs, Weights(weight_collections, trainable is not False))


class Weights:
    """Makes the variables of columns, in the current variable scope.

    Args:
      collections: Names of collections to which they are added, or None.
      trainable: Whether they may be trainable.
    """

    def __init__(self, collections=None, trainable=True):
        self._collections = list(collections or [])
        if self._collections and GraphKeys.GLOBAL_VARIABLES not in self._collections:
            self._collections.append(GraphKeys.GLOBAL_VARIABLES)
        self._trainable = trainable

    def get_variable(self, name, shape, initializer, trainable=True):
        """A float variable of a name; see `tf.get_variable`."""
        return get_variable(
            name,
            shape,
            dtypes.float32,
            initializer,
            trainable=self._trainable and trainable,
            collections=self._collections or None,
        )


def model_weights(collections, trainable):
    """`Weights` of a model: its variables are also in the collection of these."""
    collections = list(collections or [])
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
        if key not in collections:
            collections.append(key)
    return Weights(collections, trainable)


class FeatureTransformationCache:
    """The features of a batch by their keys, and what columns make of them, each made once.

    Args:
      features: {key: `Tensor` or `SparseTensor`}, or also {column: transformed feature}.
    """

    def __init__(self, features):
        self._features = features.copy()
        self._tensors = {}

    def get(self, key, state_manager=None):
        """The feature of a key, of rank 2 or more, or the transformed feature of a column.

        Args:
          key: A string or column.
          state_manager: Ignored.

        Raises:
          ValueError: There is no such feature, or it is a scalar. TypeError: The key is something else.
        """
        if key not in self._tensors:
            self._tensors[key] = self._made(key)
        return self._tensors[key]

    def _made(self, key):
        if key in self._features:
            return self._batch_of(key)
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
        transformed = key.transform_feature(self)
        if transformed is None:
            raise ValueError(f"Column {key.name} is not supported.")
        return transformed

    def _batch_of(self, key):
        """A feature as it was given, but not as a vector: each example has a vector."""
        tensor = convert_to_tensor_or_sparse_tensor(self._features[key])
        ndims = tensor.shape.ndims
        scalar = f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"
        if ndims == 0:
            raise ValueError(scalar)
        if ndims is not None:
            return tensor if ndims != 1 else _as_column(tensor)
        ndims = rank(tensor) if not isinstance(tensor, SparseTensor) else shape(tensor.dense_shape)[0]
        with control_dependencies([assert_positive(ndims, message=scalar)]):
            return cond(equal(1, ndims), lambda: _as_column(tensor), lambda: tensor)


def _as_column(tensor):
    if isinstance(tensor, SparseTensor):
        return sparse_reshape(tensor, [shape(tensor)[0], 1])
    return expand_dims(tensor, -1)


def to_sparse(tensor, ignore_value=None):
    """A dense tensor as a `SparseTensor`, without the elements that equal `ignore_value`.

    Args:
      tensor: A `Tensor`; a `SparseTensor` is returned as it is.
      ignore_value: By default "" for strings, -1 for integers, 0 for floats.
    """
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, "to_sparse_input", [tensor]):
        if ignore_value is None:
            ignore_value = "" if tensor.dtype == dtypes.string else -1 if tensor.dtype.is_integer else 0
        ignored = cast(ignore_value, tensor.dtype, name="ignore_value")
        indices = Where(not_equal(tensor, ignored), name="indices")
        values = gather_nd(tensor, indices, name="values")
        return SparseTensor(indices, values, shape(tensor, out_type=dtypes.int64, name="dense_shape"))


def normalized(columns):
    """A list of columns, sorted by name.

    Raises:
      ValueError: They are not columns, there are none, or two have one name.
    """
    if isinstance(columns, FeatureColumn):
        columns = [columns]
    if isinstance(columns, collections.abc.Iterator):
        columns = list(columns)
    if isinstance(columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    by_name = {}
    for column in columns:
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {by_name[column.name]}. This usually "
                "means that these columns refer to same base feature. Either one must be discarded or a duplicated but "
                "renamed item must be inserted in features dict."
            )
        by_name[column.name] = column
    return sorted(columns, key=lambda column: column.name)


def check_batch_sizes(tensors, columns):
    """Raises a ValueError if the tensors of columns are known to be of different batch sizes."""
    first = None
    for tensor, column in zip(tensors, columns):
        size = dimension_value(tensor.shape[0])
        if size is None:
            continue
        if first is None:
            first = column, size
        elif first[1] != size:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({first[0].name}, {column.name}): ({first[1]}, {size})"
            )


# ---- Checks of arguments


def check_key(key):
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_string_or_int(dtype, prefix):
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def check_convertible_to_float(dtype, key):
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")


def check_normalizer(normalizer_fn):
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


def check_dtype_of_feature(column, tensor):
    """Raises a ValueError if a feature is not of the kind of type, strings or integers, that a column expects."""
    if column.dtype.is_integer != tensor.dtype.is_integer:
        raise ValueError(
            f"Column dtype and SparseTensors dtype must be compatible. key: {column.key}, column dtype: {column.dtype},"
            f" tensor dtype: {tensor.dtype}"
        )
    check_string_or_int(tensor.dtype, f"column_name: {column.key} input_tensor")


def checked_shape(shape, key):
    """A shape as a tuple of positive ints."""
    shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    for dimension in shape:
        if not isinstance(dimension, int):
            raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
        if dimension < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
    return shape
