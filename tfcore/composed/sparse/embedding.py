"""Embeddings of sparse ids; rows may lack ids."""

from tfcore.composed.nn.embedding import embedding_lookup_sparse
from tfcore.composed.sparse.arrange import sparse_reshape, sparse_retain
from tfcore.composed.sparse.parts import sparse_fill_empty_rows
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import tile
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import greater, greater_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.reduce.reduce import reduce_prod


def safe_embedding_lookup_sparse(
    embedding_weights,
    sparse_ids,
    sparse_weights=None,
    combiner="mean",
    default_id=None,
    name=None,
    partition_strategy="div",
    max_norm=None,
    allow_fast_lookup=False,
):
    """`tf.nn.embedding_lookup_sparse` that allows ids to be missing.

    Negative ids are left out, and those with a weight of 0 or less, unless the embeddings are summed. Rows that are
    then empty get the embedding of `default_id`, or zeros.

    Args:
      embedding_weights: A `Tensor` or variable of shape [rows, size], a list of such shards, or a partitioned variable.
      sparse_ids: A `SparseTensor` of integers of rank 2 or more; the last dimension is combined.
      sparse_weights: A `SparseTensor` of the type of the embeddings at the same places, or None: all are 1.
      combiner: "sum", "mean" (the sum divided by that of the weights) or "sqrtn" (by the root of the sum of their
        squares).
      default_id: The id of empty rows; None: their result is 0.
      name: Prefix of the names of the operations (optional).
      partition_strategy: How rows are spread over several shards: "div" (contiguous runs) or "mod".
      max_norm: Rows of greater L2 norm are scaled down to it, if given.
      allow_fast_lookup: Ignored.

    Returns:
      A `Tensor` of shape [..., size], where ... is the shape of the ids without the last dimension.

    Raises:
      ValueError: There are no embeddings, their type differs from that of the weights, or the combiner is unknown.

    Example:

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, -1], tf.int64), [2, 2])
    >>> print(sess.run(tf.nn.safe_embedding_lookup_sparse(table, ids)))
    [[2. 3.]
     [0. 0.]]
    """
    tables = _tables(embedding_weights, sparse_weights)
    parts = [part for x in (sparse_ids, sparse_weights) if x is not None for part in x.components()]
    with name_scope(name, "embedding_lookup", [*tables, *parts]) as scope:
        old = sparse_ids.dense_shape
        rank = old.shape[0].value
        ids = sparse_reshape(sparse_ids, stack([reduce_prod(old[:-1]), old[-1]]))
        weights = None if sparse_weights is None else ids.with_values(sparse_weights.values)
        ids, weights = _without_invalid(ids, weights, combiner)
        ids, empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        result = embedding_lookup_sparse(
            tables,
            ids,
            weights,
            combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            max_norm=max_norm,
        )
        if default_id is None:
            empty = tile(reshape(empty, [-1, 1]), stack([1, shape(result)[1]]))
            result = where(empty, zeros_like(result), result, name=scope)
        final = reshape(result, concat([cast(old, dtypes.int32)[:-1], shape(result)[1:]], 0))
        outer = TensorShape(None if rank is None else [None] * (rank - 1))
        final.set_shape(outer.concatenate(result.shape[1:]))
        return final


def _tables(tables, sparse_weights):
    """The shards, of the type of the weights."""
    if type(tables).__name__ == "PartitionedVariable":
        tables = list(tables)
    if tables is None or isinstance(tables, list) and not tables:
        raise ValueError(f"Missing embedding_weights {tables}.")
    tables = tables if isinstance(tables, list) else [tables]
    dtype = None if sparse_weights is None else sparse_weights.dtype
    return [
        table if hasattr(table, "op") and dtype in (None, table.dtype.base_dtype) else convert_to_tensor(table, dtype)
        for table in tables
    ]


def _without_invalid(ids, weights, combiner):
    keep = greater_equal(ids.values, 0)
    ids = sparse_retain(ids, keep)
    if weights is None:
        return ids, None
    weights = sparse_retain(weights, keep)
    if combiner == "sum":
        return ids, weights
    keep = greater(weights.values, 0)
    return sparse_retain(ids, keep), sparse_retain(weights, keep)
