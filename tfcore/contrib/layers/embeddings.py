"""Embeddings of sequences and of bags of words."""

from tfcore.composed.nn.embedding import embedding_lookup
from tfcore.composed.sparse.embedding import safe_embedding_lookup_sparse as lookup_safely
from tfcore.contrib.framework.variables import model_variable
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array import array
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.compare import not_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging.check import assert_same_float_dtype
from tfcore.ops.indexing.indexing import gather, gather_nd
from tfcore.ops.indexing.unique import unique
from tfcore.ops.reduce.reduce import reduce_mean
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variable_scope import variable_scope


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
    if isinstance(embedding_weights, PartitionedVariable):
        embedding_weights = list(embedding_weights)
    if embedding_weights is not None:
        tables = embedding_weights if isinstance(embedding_weights, list) else [embedding_weights]
        tables = embedding_weights = [x if hasattr(x, "op") else convert_to_tensor(x) for x in tables]
        assert_same_float_dtype([*tables, *([] if sparse_weights is None else [sparse_weights.values])])
    return lookup_safely(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        combiner or "mean",
        default_id,
        name,
        partition_strategy,
        max_norm,
    )
