"""Embeddings of sequences and of bags of words."""

from tfcore.contrib.framework.variables import model_variable
from tfcore.framework import dtypes
from tfcore.framework.constant import constant
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.sparse_tensor import SparseTensor
from tfcore.framework.tensor_shape import TensorShape
from tfcore.ops import array
from tfcore.ops.array_join import concat, stack
from tfcore.ops.array_slice import boolean_mask
from tfcore.ops.cast import cast
from tfcore.ops.check import assert_same_float_dtype
from tfcore.ops.constants import fill, ones, ones_like, zeros_like
from tfcore.ops.cwise_compare import equal, greater, greater_equal, logical_and, not_equal
from tfcore.ops.cwise_select import where
from tfcore.ops.embedding import embedding_lookup, embedding_lookup_sparse
from tfcore.ops.indexing import gather, gather_nd
from tfcore.ops.indexing_unique import unique
from tfcore.ops.reduce import reduce_mean, reduce_prod, reduce_sum
from tfcore.ops.scan import cumprod
from tfcore.ops.segment import unsorted_segment_sum
from tfcore.ops.sort import argsort
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variable_scope import variable_scope

__all__ = ["bow_encoder", "embed_sequence", "embedding_lookup_unique", "safe_embedding_lookup_sparse"]


def embed_sequence(
    ids,
    vocab_size=None,
    embed_dim=None,
    unique=False,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """The embeddings of sequences of symbols, with the variable `embeddings`.

    Args:
      ids: A `Tensor` of shape [batch, length] of type int32 or int64.
      vocab_size: An int: the number of symbols; not needed with `reuse`.
      embed_dim: An int: the size of an embedding; not needed with `reuse`.
      unique: Whether each symbol is looked up only once.
      initializer: Initializer of the embeddings; that of the variable scope by default.
      regularizer: A function of the embeddings that returns a loss.
      trainable: Whether the embeddings are trained.
      scope: A variable scope or its name.
      reuse: Whether the variable must exist already.

    Returns:
      A `Tensor` of shape [batch, length, embed_dim].

    Raises:
      ValueError: A size is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got vocab_size="
            f"{vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = None if vocab_size is None or embed_dim is None else [vocab_size, embed_dim]
        embeddings = model_variable(
            "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
        )
        return embedding_lookup_unique(embeddings, ids) if unique else embedding_lookup(embeddings, ids)


def bow_encoder(
    ids,
    vocab_size,
    embed_dim,
    sparse_lookup=True,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """The mean of the embeddings of all symbols of each sequence, with the variable `embeddings`.

    Args:
      ids: A `Tensor` or `SparseTensor` of shape [batch, length] of type int32 or int64.
      vocab_size: An int: the number of symbols.
      embed_dim: An int: the size of an embedding.
      sparse_lookup: Whether the symbol 0 of dense `ids` means that nothing is there.
      initializer: Initializer of the embeddings; that of the variable scope by default.
      regularizer: A function of the embeddings that returns a loss.
      trainable: Whether the embeddings are trained.
      scope: A variable scope or its name.
      reuse: Whether the variable must exist already.

    Returns:
      A `Tensor` of shape [batch, embed_dim].

    Raises:
      ValueError: A size is missing.
      TypeError: `ids` is sparse, but `sparse_lookup` is False.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("Must specify vocab size and embedding dimension")
    with variable_scope(scope, "bow_encoder", [ids.values if isinstance(ids, SparseTensor) else ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if sparse_lookup:
            sparse_ids = ids if isinstance(ids, SparseTensor) else _without_zeros(convert_to_tensor(ids))
            return safe_embedding_lookup_sparse([embeddings], sparse_ids, combiner="mean", default_id=0)
        if isinstance(ids, SparseTensor):
            raise TypeError("ids are expected to be dense Tensor, got: %s", ids)
        return reduce_mean(embedding_lookup(embeddings, ids), axis=1)


def _without_zeros(ids):
    indices = where(not_equal(ids, constant(0, ids.dtype)))
    return SparseTensor(indices, gather_nd(ids, indices), array.shape(ids, out_type=dtypes.int64))


def embedding_lookup_unique(params, ids, partition_strategy="mod", name=None):
    """`tf.nn.embedding_lookup` that looks each symbol up only once; it pays if the embeddings are far away.

    Args:
      params: A `Tensor`, a `Variable`, or a list of those that hold parts of the rows.
      ids: A `Tensor` of type int32 or int64, of any shape.
      partition_strategy: "mod" or "div": how rows are divided among several `params`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor`: the rows, with the dimensions of `ids` first.

    Raises:
      ValueError: `params` is empty.
    """
    with name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        shape = array.shape(ids)
        different, positions = unique(array.reshape(ids, [-1]))
        rows = embedding_lookup(params, different, partition_strategy)
        result = array.reshape(gather(rows, positions), concat([shape, array.shape(rows)[1:]], 0))
        result.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return result


def safe_embedding_lookup_sparse(
    embedding_weights,
    sparse_ids,
    sparse_weights=None,
    combiner=None,
    default_id=None,
    name=None,
    partition_strategy="div",
    max_norm=None,
):
    """`tf.nn.embedding_lookup_sparse` that allows empty rows.

    It skips symbols that are negative and, unless it sums, weights that are not positive.

    Args:
      embedding_weights: A `Tensor`, a `Variable`, or a list of those that hold parts of the rows.
      sparse_ids: A `SparseTensor` of shape [..., n] of type int32 or int64; the last dimension is combined.
      sparse_weights: A `SparseTensor` of the same indices, of a floating-point type; 1 by default.
      combiner: "mean" (the default), "sqrtn" or "sum".
      default_id: The symbol of empty rows; their result is 0 if None.
      name: Prefix of the names of the operations (optional).
      partition_strategy: "div" or "mod": how rows are divided among several `embedding_weights`.
      max_norm: A float: longer embeddings are shortened to this length (optional).

    Returns:
      A `Tensor` of shape [..., embedding size].

    Raises:
      ValueError: `embedding_weights` is empty, or the types differ.
    """
    combiner = combiner or "mean"
    if isinstance(embedding_weights, PartitionedVariable):
        embedding_weights = list(embedding_weights)
    if embedding_weights is None or isinstance(embedding_weights, list) and not embedding_weights:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    if not isinstance(embedding_weights, list):
        embedding_weights = [embedding_weights]
    weights = None if sparse_weights is None else sparse_weights.values
    assert_same_float_dtype([*embedding_weights, *([] if weights is None else [weights])])
    with name_scope(name, "embedding_lookup", [*embedding_weights, sparse_ids.values]) as scope:
        outer = sparse_ids.dense_shape[:-1]
        count = cast(reduce_prod(outer), dtypes.int32)
        rows, ids, weights = _valid(_row_numbers(sparse_ids), sparse_ids.values, weights, combiner)
        empty = equal(unsorted_segment_sum(ones_like(rows), rows, count), 0)
        rows, ids, weights = _with_entries(rows, ids, weights, where(empty)[:, 0], default_id or 0)
        indices = stack([rows, zeros_like(rows)], axis=1)
        shape = stack([cast(count, dtypes.int64), 1])
        result = embedding_lookup_sparse(
            embedding_weights,
            SparseTensor(indices, ids, shape),
            None if weights is None else SparseTensor(indices, weights, shape),
            partition_strategy=partition_strategy,
            combiner=combiner,
            max_norm=max_norm,
        )
        if default_id is None:
            result = where(empty, zeros_like(result), result)
        final = array.reshape(result, concat([cast(outer, dtypes.int32), array.shape(result)[1:]], 0), name=scope)
        rank = sparse_ids.dense_shape.shape.as_list()[0]
        batch = TensorShape(None) if rank is None else TensorShape([None] * (rank - 1))
        final.set_shape(batch.concatenate(result.shape[1:]))
        return final


def _row_numbers(sparse):
    """The row of each entry, if all dimensions but the last are made one."""
    strides = cumprod(sparse.dense_shape[:-1], exclusive=True, reverse=True)
    return reduce_sum(sparse.indices[:, :-1] * strides, axis=1)


def _valid(rows, ids, weights, combiner):
    """Only the entries with a symbol and, if that matters, a positive weight."""
    keep = greater_equal(ids, 0)
    if weights is not None and combiner != "sum":
        keep = logical_and(keep, greater(weights, 0))
    return [None if x is None else boolean_mask(x, keep) for x in (rows, ids, weights)]


def _with_entries(rows, ids, weights, new_rows, new_id):
    """With an entry of weight 1 in each of the new rows; the entries stay in the order of rows."""
    rows = concat([rows, new_rows], 0)
    order = argsort(rows, stable=True)
    ids = concat([ids, fill(array.shape(new_rows), constant(new_id, ids.dtype))], 0)
    if weights is not None:
        weights = concat([weights, ones(array.shape(new_rows), weights.dtype)], 0)
    return [None if x is None else gather(x, order) for x in (rows, ids, weights)]
