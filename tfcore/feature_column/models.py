"""Columns as the input of a model: input_layer, linear_model and others; what they expect of parsed examples."""

from tfcore.composed.sparse.arrange import sparse_reshape
from tfcore.composed.sparse.embedding import safe_embedding_lookup_sparse
from tfcore.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    FeatureTransformationCache,
    SequenceDenseColumn,
    Weights,
    check_batch_sizes,
    model_weights,
    normalized,
)
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, get_collection
from tfcore.framework.types import dtypes
from tfcore.ops.array.array import expand_dims, identity, reshape, shape
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import tile
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.debugging.check import assert_equal, assert_rank, assert_type
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.bias import bias_add
from tfcore.variables.initializers import Zeros
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.template import make_template
from tfcore.variables.variable_scope import get_variable_scope, variable_scope


def make_parse_example_spec(feature_columns):
    """What `tf.io.parse_example` needs to know, so that its result has all features of some columns.

    Args:
      feature_columns: A list of columns.

    Returns:
      A dict {key: `tf.io.FixedLenFeature` or `tf.io.VarLenFeature`}.

    Raises:
      ValueError: Something else is among the columns, or two want different features of one key.

    Example:

    >>> tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("x")])
    {'x': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    result = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be _FeatureColumn instances. Given: {column}")
        for key, feature in column.parse_example_spec.items():
            if result.setdefault(key, feature) != feature:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {feature} and {result[key]}"
                )
    return result


# ---- Dense input


def input_layer(
    features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None
):
    """The features of dense columns, joined to one vector for each example.

    Args:
      features: {key: `Tensor` or `SparseTensor`}, the features of a batch.
      feature_columns: A list of dense columns. The vectors are joined in the order of their names.
      weight_collections: Names of further collections for the variables (optional).
      trainable: Whether variables are trained.
      cols_to_vars: A dict that gets the variables of each column (optional).
      cols_to_output_tensors: A dict that gets the part of each column (optional).

    Returns:
      A float32 `Tensor` [batch, size].

    Raises:
      ValueError: There are no columns, one is not dense, two have one name, a feature is missing, or batch sizes
        differ.

    Example:

    >>> columns = [tf.feature_column.numeric_column("b"), tf.feature_column.numeric_column("a", shape=2)]
    >>> print(sess.run(tf.feature_column.input_layer({"a": [[1.0, 2.0]], "b": [[3.0]]}, columns)))
    [[1. 2. 3.]]
    """
    columns = _dense_columns(feature_columns)
    with variable_scope(None, "input_layer", values=_tensors(features)):
        return _joined(features, columns, weight_collections, trainable, cols_to_vars, cols_to_output_tensors)


class InputLayer:
    """`input_layer` as an object: all calls share the variables.

    Args:
      feature_columns: A list of dense columns.
      weight_collections: Names of further collections for the variables (optional).
      trainable: Whether variables are trained.
      cols_to_vars: Ignored.
      name: Name of the variable scope.
      create_scope_now: Whether the scope is chosen now, not in the first call.
    """

    def __init__(
        self, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
        name="feature_column_input_layer", create_scope_now=True,
    ):  # fmt: skip
        def joined(features):
            return _joined(features, _dense_columns(feature_columns), weight_collections, trainable)

        self.name = name
        self._template = make_template(name, joined, create_scope_now_=create_scope_now)

    def __call__(self, features):
        return self._template(features)

    @property
    def variables(self):
        return self._template.variables

    @property
    def trainable_variables(self):
        return self._template.trainable_variables


def _dense_columns(columns):
    columns = normalized(columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )
    return columns


def _tensors(features):
    return [part for value in features.values() for part in getattr(value, "components", lambda v=value: [v])()]


def _joined(features, columns, collections, trainable, cols_to_vars=None, cols_to_output_tensors=None):
    cache, weights, parts = FeatureTransformationCache(features), model_weights(collections, trainable), []
    for column in columns:
        with variable_scope(None, column.var_scope_name):
            parts.append(_as_matrix(column, column.get_dense_tensor(cache, weights)))
            if cols_to_vars is not None:
                scope = get_variable_scope().name
                cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = parts[-1]
    check_batch_sizes(parts, columns)
    return concat(parts, 1)


def _as_matrix(column, tensor):
    return reshape(tensor, [shape(tensor)[0], column.variable_shape.num_elements()])


# ---- Input of sequences


def sequence_input_layer(features, feature_columns, weight_collections=None, trainable=True):
    """The features of columns of sequences, joined to one vector for each step of an example.

    Args:
      features: {key: `Tensor` or `SparseTensor`}, the features of a batch.
      feature_columns: A list of `sequence_numeric_column`s, and of indicators and embeddings of categorical columns of
        sequences. The vectors are joined in the order of their names.
      weight_collections: Names of further collections for the variables (optional).
      trainable: Whether variables are trained.

    Returns:
      A float32 `Tensor` [batch, steps, size], and the lengths of the sequences, of type int64 [batch].

    Raises:
      ValueError: There are no columns, one is not of sequences, two have one name, or a feature is missing.
      tf.errors.InvalidArgumentError: At run time, sequences of an example are of different lengths.

    Example:

    >>> ids = tf.contrib.feature_column.sequence_categorical_column_with_identity("ids", 3)
    >>> features = {"ids": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2, 0, 1], [2, 2])}
    >>> column = tf.feature_column.indicator_column(ids)
    >>> print(sess.run(tf.contrib.feature_column.sequence_input_layer(features, [column]))[1])
    [2 1]
    """
    columns = normalized(feature_columns)
    for column in columns:
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence_categorical_column "
                f"with an embedding_column or indicator_column. Given (type {type(column)}): {column}"
            )
    cache, weights, parts, lengths = (
        FeatureTransformationCache(features),
        Weights(weight_collections, trainable),
        [],
        [],
    )
    with variable_scope(None, "sequence_input_layer", values=_tensors(features)):
        for column in columns:
            with variable_scope(None, column.var_scope_name):
                dense, length = column.get_sequence_dense_tensor(cache, weights)
                steps = shape(dense)
                parts.append(reshape(dense, [steps[0], steps[1], column.variable_shape.num_elements()]))
                lengths.append(length)
        check_batch_sizes(parts, columns)
        with control_dependencies([assert_equal(lengths[0], other) for other in lengths[1:]]):
            return concat(parts, -1), identity(lengths[0])


def concatenate_context_input(context_input, sequence_input):
    """Joins a vector for each example to every step of its sequence.

    Args:
      context_input: A float32 `Tensor` [batch, size].
      sequence_input: A float32 `Tensor` [batch, steps, size of a step].

    Returns:
      A float32 `Tensor` [batch, steps, size of a step + size].

    Raises:
      ValueError: A rank differs. TypeError: A type differs.
    """
    checks = []
    for tensor, what, rank in ((sequence_input, "sequence_input", 3), (context_input, "context_input", 2)):
        checks.append(assert_rank(tensor, rank, message=f"{what} must have rank {rank}"))
        assert_type(tensor, dtypes.float32, message=f"{what} must have dtype float32; got {tensor.dtype}.")
    with control_dependencies(checks):
        steps = shape(sequence_input)[1]
        tiled = tile(expand_dims(context_input, 1), stack([1, steps, 1]))
    return concat([sequence_input, tiled], 2)


# ---- Linear model


def linear_model(
    features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True,
    cols_to_vars=None,
):  # fmt: skip
    """A linear function of the features of columns: the sum of weighted features, and a bias.

    Args:
      features: {key: `Tensor` or `SparseTensor`}, the features of a batch.
      feature_columns: A list of dense and categorical columns. Categorical columns have a weight for each id.
      units: Size of the result for an example.
      sparse_combiner: How the weights of the ids of an example are combined: "sum", "mean" or "sqrtn".
      weight_collections: Names of further collections for the variables (optional).
      trainable: Whether the variables are trained.
      cols_to_vars: A dict that gets the variables of each column, and those of "bias" (optional).

    Returns:
      A float32 `Tensor` [batch, units]. Its variables, initially 0, are "weights" in the scopes of the columns and
      "bias_weights".

    Raises:
      ValueError: There are no columns, one is of another kind, two have one name, a feature is missing, or batch sizes
        differ.

    Example:

    >>> y = tf.feature_column.linear_model({"x": [[1.0], [2.0]]}, [tf.feature_column.numeric_column("x")])
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y).tolist(), [v.name for v in tf.trainable_variables()])
    [[0.0], [0.0]] ['linear_model/x/weights:0', 'linear_model/bias_weights:0']
    """
    with variable_scope(None, "linear_model") as scope:
        name = _last_part(scope)
    model = LinearModel(feature_columns, units, sparse_combiner, weight_collections, trainable, name)
    result = model(features)
    if cols_to_vars is not None:
        cols_to_vars.update(model.cols_to_vars())
    return result


class LinearModel:
    """`linear_model` as an object.

    Args:
      feature_columns: A list of dense and categorical columns.
      units: Size of the result for an example.
      sparse_combiner: "sum", "mean" or "sqrtn".
      weight_collections: Names of further collections for the variables (optional).
      trainable: Whether the variables are trained.
      name: Name of the variable scope.
    """

    def __init__(
        self, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True,
        name="linear_model",
    ):  # fmt: skip
        self.name = name
        self._units, self._combiner = units, sparse_combiner
        self._weights = model_weights(weight_collections, trainable)
        self._columns = {}
        for column in normalized(feature_columns):
            with variable_scope(None, column.var_scope_name) as scope:  # as TensorFlow, unique outside of the model
                self._columns[_last_part(scope)] = column
        self._cols_to_vars = {}

    def cols_to_vars(self):
        """{column: its variables}, and those of "bias"; empty before the first call."""
        return self._cols_to_vars

    def __call__(self, features):
        columns = sorted(self._columns.items())
        for _, column in columns:
            if not isinstance(column, (DenseColumn, CategoricalColumn)):
                raise ValueError(
                    f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
                )
        cache, sums = FeatureTransformationCache(features), []
        with variable_scope(self.name):
            for scope, column in columns:
                sums.append(self._weighted_sum(scope, column, cache))
            check_batch_sizes(sums, [column for _, column in columns])
            bias = self._weights.get_variable("bias_weights", [self._units], Zeros())
            self._cols_to_vars["bias"] = list(bias) if isinstance(bias, PartitionedVariable) else [bias]
            return bias_add(add_n(sums, name="weighted_sum_no_bias"), bias, name="weighted_sum")

    def _weighted_sum(self, name, column, cache):
        with variable_scope(name) as scope:
            is_categorical = isinstance(column, CategoricalColumn)
            size = column.num_buckets if is_categorical else column.variable_shape.num_elements()
            weight = self._weights.get_variable("weights", [size, self._units], Zeros())
            if is_categorical:
                result = self._sum_of_ids(column, cache, weight)
            else:
                tensor = column.get_dense_tensor(cache, self._weights)
                result = matmul(_as_matrix(column, tensor), weight, name="weighted_sum")
            self._cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope.name)
        return result

    def _sum_of_ids(self, column, cache, weight):
        ids, weights = (
            None if part is None else sparse_reshape(part, [shape(part)[0], -1])
            for part in column.get_sparse_tensors(cache)
        )
        return safe_embedding_lookup_sparse(weight, ids, weights, combiner=self._combiner, name="weighted_sum")


def _last_part(scope):
    return scope.name.rpartition("/")[2]
