"""Dense columns of ids: how often each occurs, and embeddings."""

import collections
import math

from tfcore.composed.nn.embedding import embedding_lookup_sparse
from tfcore.composed.sparse.embedding import safe_embedding_lookup_sparse
from tfcore.composed.sparse.parts import sparse_slice
from tfcore.composed.sparse.values import sparse_merge, sparse_tensor_to_dense
from tfcore.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tfcore.feature_column.categorical import WeightedCategoricalColumn
from tfcore.feature_column.sequence import SequenceCategoricalColumn, sequence_length
from tfcore.framework.graph.graph import add_to_collection, get_collection, name_scope
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.indexing.indexing import scatter_nd
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.train.checkpoints.checkpoint_utils import init_from_checkpoint
from tfcore.variables.initializers import TruncatedNormal
from tfcore.variables.partitioned import PartitionedVariable


class _OfCategorical(DenseColumn, SequenceDenseColumn):
    """A dense column, or one of sequences, that a categorical column is the source of."""

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    def _check_is_sequence(self, wanted):
        """Raises a ValueError unless the source is (wanted) or is not (not wanted) a column of sequences."""
        source = self.categorical_column
        if isinstance(source, SequenceCategoricalColumn) == wanted:
            return
        given = f"Given (type {type(source)}): {source}"
        if wanted:
            raise ValueError(
                f"In {self.kind}: {self.name}. categorical_column must be of type SequenceCategoricalColumn to use "
                f"SequenceFeatures. Suggested fix: Use one of sequence_categorical_column_with_*. {given}"
            )
        raise ValueError(
            f"In {self.kind}: {self.name}. categorical_column must not be of type _SequenceCategoricalColumn. Suggested"
            " fix A: If you wish to use DenseFeatures, use a non-sequence categorical_column_with_*. Suggested fix B: "
            f"If you wish to create sequence input, use SequenceFeatures instead of DenseFeatures. {given}"
        )

    def _dense(self, features, weights):
        """The feature, of one dimension less than the ids."""
        raise NotImplementedError

    def get_dense_tensor(self, features, weights):
        self._check_is_sequence(False)
        return self._dense(features, weights)

    def get_sequence_dense_tensor(self, features, weights):
        self._check_is_sequence(True)
        ids = self.categorical_column.get_sparse_tensors(features).id_tensor
        return TensorSequenceLengthPair(self._dense(features, weights), sequence_length(ids))


# ---- Indicators


def indicator_column(categorical_column):
    """A dense column of how often each id occurs in an example, or of the sums of their weights.

    Args:
      categorical_column: A categorical column.

    Returns:
      A dense column, of the size of the number of ids.

    Raises:
      ValueError: The source is of another kind.

    Example:

    >>> ids = tf.feature_column.categorical_column_with_identity("ids", 3)
    >>> column = tf.feature_column.indicator_column(ids)
    >>> print(sess.run(tf.feature_column.input_layer({"ids": [[1, 2], [1, 1]]}, [column])))
    [[0. 1. 1.]
     [0. 2. 0.]]
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)


class IndicatorColumn(_OfCategorical, collections.namedtuple("IndicatorColumn", ["categorical_column"])):
    """A column of counts; see `indicator_column`."""

    kind = "indicator_column"

    @property
    def name(self):
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self):
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, features):
        ids, weights = self.categorical_column.get_sparse_tensors(features)
        size = self.categorical_column.num_buckets
        if weights is None:
            ids = sparse_tensor_to_dense(ids, default_value=-1)
            return reduce_sum(one_hot(ids, size, on_value=1.0, off_value=0.0), axis=[-2])
        merged = sparse_merge(ids, weights, size)
        kept = sparse_slice(merged, [0, 0], merged.dense_shape)  # drops ids out of range
        return scatter_nd(kept.indices, kept.values, merged.dense_shape)

    def _dense(self, features, weights):
        return features.get(self)


# ---- Embeddings


def embedding_column(
    categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None,
    tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True,
):  # fmt: skip
    """A dense column of trained vectors, one for each id. Those of the ids of an example are combined.

    Args:
      categorical_column: A categorical column.
      dimension: Size of the vectors, an int.
      combiner: "mean", "sqrtn" or "sum".
      initializer: Initializer of the table of vectors; by default a truncated normal distribution with standard
        deviation 1 / sqrt(dimension).
      ckpt_to_load_from: Checkpoint or folder of checkpoints that has the initial table (optional).
      tensor_name_in_ckpt: Name of the table in it.
      max_norm: Vectors of greater L2 norm are scaled down to it, if given.
      trainable: Whether the table is trained.
      use_safe_embedding_lookup: Whether examples may lack ids: their vector is 0.

    Returns:
      A dense column. The table is called "embedding_weights".

    Raises:
      ValueError: The size is less than 1, only one of both arguments of the checkpoint is given, or the initializer is
        not callable.

    Example:

    >>> ids = tf.feature_column.categorical_column_with_identity("ids", 3)
    >>> column = tf.feature_column.embedding_column(ids, 2, initializer=tf.ones_initializer())
    >>> y = tf.feature_column.input_layer({"ids": [[1, 2], [-1, -1]]}, [column])
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y), [v.name for v in tf.trainable_variables()])
    [[1. 1.]
     [0. 0.]] ['input_layer/ids_embedding/embedding_weights:0']
    """
    name = getattr(categorical_column, "name", categorical_column)
    initializer = _checked_embedding(
        dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, f" Embedding of column_name: {name}"
    )
    return EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
        trainable, use_safe_embedding_lookup,
    )  # fmt: skip


def _checked_embedding(dimension, initializer, checkpoint, tensor_name, of_column):
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (tensor_name is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{of_column}")
    return initializer or TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))


class _Embedding(_OfCategorical):
    """Vectors of ids."""

    kind = "embedding_column"

    @property
    def variable_shape(self):
        return TensorShape([self.dimension])

    def transform_feature(self, features):
        return features.get(self.categorical_column)

    @property
    def _table_shape(self):
        return self.categorical_column.num_buckets, self.dimension

    def _new_table(self, weights):
        return weights.get_variable("embedding_weights", self._table_shape, self.initializer, self.trainable)

    def _lookup(self, table, features):
        ids, weights = self.categorical_column.get_sparse_tensors(features)
        if self.ckpt_to_load_from is not None:
            parts = list(table) if isinstance(table, PartitionedVariable) else table
            init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: parts})
        rank = ids.dense_shape.shape[0].value
        is_safe = self.use_safe_embedding_lookup or rank is None or rank > 2
        lookup = safe_embedding_lookup_sparse if is_safe else embedding_lookup_sparse
        strategy = {} if is_safe else {"partition_strategy": "div"}
        name = f"{self.name}_weights"
        return lookup(table, ids, weights, combiner=self.combiner, name=name, max_norm=self.max_norm, **strategy)


class EmbeddingColumn(
    _Embedding,
    collections.namedtuple(
        "EmbeddingColumn",
        [
            "categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt",
            "max_norm", "trainable", "use_safe_embedding_lookup",
        ],
        defaults=[True],
    ),
):  # fmt: skip
    """A column of vectors; see `embedding_column`."""

    @property
    def name(self):
        return f"{self.categorical_column.name}_embedding"

    def _dense(self, features, weights):
        return self._lookup(self._new_table(weights), features)


def shared_embedding_columns(
    categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
    ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True,
):  # fmt: skip
    """Dense columns of trained vectors that share one table; see `embedding_column`.

    Args:
      categorical_columns: Categorical columns of one kind and number of ids.
      dimension: Size of the vectors, an int.
      combiner: "mean", "sqrtn" or "sum".
      initializer: Initializer of the table, as that of `embedding_column`.
      shared_embedding_collection_name: Name of the collection that has the table, and of the scope in which it is; by
        default made of the names of the columns.
      ckpt_to_load_from: Checkpoint or folder of checkpoints that has the initial table (optional).
      tensor_name_in_ckpt: Name of the table in it.
      max_norm: Vectors of greater L2 norm are scaled down to it, if given.
      trainable: Whether the table is trained.
      use_safe_embedding_lookup: Whether examples may lack ids: their vector is 0.

    Returns:
      A list of dense columns, in the order of the given ones.

    Raises:
      ValueError: The columns are not categorical or differ in their kind or number of ids, the size is less than 1,
        only one of both arguments of the checkpoint is given, or the initializer is not callable.
    """
    initializer = _checked_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, "")
    in_order = sorted(categorical_columns, key=lambda column: column.name)
    _check_share(in_order)
    name = shared_embedding_collection_name
    name = name or "_".join(column.name for column in in_order) + "_shared_embedding"
    return [
        SharedEmbeddingColumn(
            column, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
            trainable, use_safe_embedding_lookup,
        )
        for column in categorical_columns
    ]  # fmt: skip


def _check_share(columns):
    first, size = columns[0], getattr(columns[0], "num_buckets", None)
    if not isinstance(first, CategoricalColumn):
        raise ValueError(
            f"All categorical_columns must be subclasses of _CategoricalColumn. Given: {first}, of type: {type(first)}"
        )
    first = _innermost(first)
    for column in map(_innermost, columns[1:]):
        if not isinstance(column, type(first)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                "weighted_categorical_column or sequence column of the same type. Given column: "
                f"{first} of type: {type(first)} does not match given column: {column} of type: {type(column)}"
            )
        if column.num_buckets != size:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given "
                f"column: {first} with buckets: {size} does  not match column: {column} with buckets: "
                f"{column.num_buckets}"
            )


def _innermost(column):
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


class SharedEmbeddingColumn(
    _Embedding,
    collections.namedtuple(
        "SharedEmbeddingColumn",
        [
            "categorical_column", "dimension", "combiner", "initializer", "shared_embedding_collection_name",
            "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm", "trainable", "use_safe_embedding_lookup",
        ],
        defaults=[True],
    ),
):  # fmt: skip
    """A column of vectors from a shared table; see `shared_embedding_columns`."""

    @property
    def name(self):
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def var_scope_name(self):
        return self.shared_embedding_collection_name

    def _dense(self, features, weights):
        with name_scope(None, self.name):
            return self._lookup(self._shared_table(weights), features)

    def _shared_table(self, weights):
        key = self.shared_embedding_collection_name
        tables = get_collection(key)
        advice = (
            "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to "
            "this collection. The feature_column library already adds a variable under the hood."
        )
        if len(tables) > 1:
            raise ValueError(f"Collection {tables} can only contain one variable. {advice}")
        if not tables:
            table = self._new_table(weights)
            add_to_collection(key, table)
            return table
        [table] = tables
        if tuple(table.get_shape().as_list()) != self._table_shape:
            raise ValueError(
                f"Shared embedding collection {key} contains variable {table.name} of unexpected shape "
                f"{table.get_shape()}. Expected shape is {self._table_shape}. {advice}"
            )
        return table
