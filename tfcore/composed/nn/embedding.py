"""Embedding look-up over one table or a list of shards.

Tables are large and are on other tasks than their users. Every op that reads one, even its shape, is placed with it, so
that only ids, rows and gradients of rows are sent.
"""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import control_dependencies, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_dims
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor


def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """Rows of an embedding table, which may be split into shards.

    The rows are gathered where each shard is placed, so that only ids and rows travel.

    Args:
      params: A `Tensor` or variable of shape [rows, ...], a list of such shards, or a partitioned variable.
      ids: Row numbers, a `Tensor` of type int32 or int64 and any shape.
      partition_strategy: How rows are spread over several shards: "mod" (row i is in shard i % n) or "div" (contiguous
        runs, the first shards one row longer).
      name: Name of the operation (optional).
      validate_indices: Ignored: ids are always checked.
      max_norm: Rows of greater L2 norm are scaled down to it, if given.

    Returns:
      A `Tensor` of the type of `params` and shape ids.shape + params.shape[1:].

    Raises:
      ValueError: `params` is empty, or the partition strategy is unknown.
      tf.errors.InvalidArgumentError: At run time, an id is out of range.

    Example:

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> print(sess.run(tf.nn.embedding_lookup(table, [2, 0])))
    [[5. 6.]
     [1. 2.]]
    """
    import tfcore.ops.indexing.indexing as indexing

    shards = shards_of(params)
    with name_scope(name, "embedding_lookup", [*shards, ids]) as scope:
        ids = convert_to_tensor(ids, name="ids")
        if len(shards) == 1:
            with get_default_graph().colocate_with(_op_of(shards[0])):
                rows = _clip(indexing.gather(shards[0], ids), ids, max_norm)
            return array_ops.identity(rows, name=scope)  # consumers aren't colocated with the table
        return array_ops.identity(_sharded(shards, ids, partition_strategy, max_norm), name=scope)


def shards_of(params):
    if params is None or isinstance(params, (list, tuple)) and not params:
        raise ValueError("Need at least one param")
    if isinstance(params, (list, tuple)):
        return list(params)
    if type(params).__name__ == "PartitionedVariable":
        return list(params)
    return [params]


def _op_of(table):
    return table.op if hasattr(table, "op") else convert_to_tensor(table).op


def _clip(rows, ids, max_norm):
    if max_norm is None:
        return rows
    import tfcore.ops.reduce.reduce as reduce_ops

    raw = get_op_def
    axes = None
    if ids.dims is not None and rows.dims is not None:
        axes = list(range(len(ids.dims), len(rows.dims)))
    squares = reduce_ops.reduce_sum(raw("Square")(rows), axes, keepdims=True)
    limit = convert_to_tensor(max_norm, rows.dtype)
    norm = raw("Sqrt")(squares)
    return rows * (limit / raw("Maximum")(norm, limit))


def _placed(shards, flat, strategy):
    """The shard of each id, its row there, and ("div") how many rows a short shard has and how many are longer, if
    these are known."""
    n = len(shards)
    raw = get_op_def
    kind = flat.dtype
    if strategy == "mod":
        number = convert_to_tensor(n, kind)
        return raw("FloorMod")(flat, number), raw("FloorDiv")(flat, number), None
    if strategy != "div":
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    sizes = [_rows_of(table) for table in shards]
    total = sum(sizes[1:], sizes[0])
    runs = list(divmod(total, n)) if isinstance(total, int) else None
    if runs:
        each, extra = (convert_to_tensor(v, kind) for v in runs)
    else:
        total = raw("Cast")(total, DstT=kind)
        number = convert_to_tensor(n, kind)
        each, extra = raw("FloorDiv")(total, number), raw("FloorMod")(total, number)
    one = convert_to_tensor(1, kind)
    in_long = raw("FloorDiv")(flat, each + one)
    # With fewer rows than shards `each` is 0, and every id is in a long shard.
    in_short = raw("FloorDiv")(flat - extra, raw("Maximum")(each, one))
    shard = raw("Maximum")(in_long, in_short)
    row = raw("Select")(
        raw("Less")(shard, extra),
        raw("FloorMod")(flat, each + one),
        raw("FloorMod")(flat - extra, raw("Maximum")(each, one)),
    )
    return shard, row, runs


def _rows_of(table):
    table = table if hasattr(table, "get_shape") else convert_to_tensor(table)
    dims = as_dims(table.get_shape())
    if dims is not None and dims[0] is not None:
        return dims[0]
    with get_default_graph().colocate_with(_op_of(table)):
        return array_ops.shape(table)[0]


def _sharded(shards, ids, strategy, max_norm):
    import tfcore.ops.array.constants as constants
    import tfcore.ops.indexing.indexing as indexing
    import tfcore.ops.indexing.select as select

    flat = array_ops.reshape(ids, [-1])
    places = constants.range(0, array_ops.size(flat))
    shard, row, runs = _placed(shards, flat, strategy)
    if shard.dtype.base_dtype is not dtypes.int32:
        if strategy == "div":  # a cast would wrap the shard of a huge id
            low, high = (convert_to_tensor(limit, shard.dtype.base_dtype) for limit in (-(2**31), 2**31 - 1))
            shard = get_op_def("Minimum")(get_op_def("Maximum")(shard, low), high)
        shard = get_op_def("Cast")(shard, DstT=dtypes.int32)
    rows = select.dynamic_partition(row, shard, len(shards))
    if runs:
        _annotate(rows[0].op, "_runs", runs)  # lets the kernel say which id has no shard
    with control_dependencies([rows[0].op] if runs else []):  # it has to fail first
        places = select.dynamic_partition(places, shard, len(shards))
    found = []
    for i, (table, wanted) in enumerate(zip(shards, rows)):
        with get_default_graph().colocate_with(_op_of(table)):
            part = indexing.gather(table, wanted)
            made = part.op.inputs[0].op if part.op.type == "Identity" else part.op  # read by handle
            _tell_rows(made, i, len(shards), strategy, runs)
            found.append(_clip(part, wanted, max_norm))
    merged = select.parallel_dynamic_stitch(places, found)
    first = shards[0] if hasattr(shards[0], "get_shape") else convert_to_tensor(shards[0])
    dims = as_dims(first.get_shape())
    if dims is not None and None not in dims[1:]:
        tail = np.array(dims[1:], np.int32)
    else:
        with get_default_graph().colocate_with(_op_of(first)):
            tail = array_ops.shape(first)[1:]
    return array_ops.reshape(merged, array_join.concat([array_ops.shape(ids), tail], 0))


def _tell_rows(gather, i, n, strategy, runs):
    """Lets the kernel say which id has no row in shard i of n."""
    if strategy == "mod":
        _annotate(gather, "_rows", [i, n])
    elif runs:
        each, extra = runs
        _annotate(gather, "_rows", [i * each + min(i, extra), 1])


def _annotate(op, name, value):
    """Sets an attribute of a new operation: no plan has it yet, so none has to be compiled again."""
    op.attrs = {**op.attrs, name: value}


# ---- Sparse ids


def embedding_lookup_sparse(
    params,
    sp_ids,
    sp_weights,
    partition_strategy="mod",
    name=None,
    combiner=None,
    max_norm=None,
    allow_fast_lookup=False,
):
    """For each row of `sp_ids` one vector: the combined embeddings of the ids there.

    Each distinct row of the tables is fetched once, however often its id occurs.

    Args:
      params: A `Tensor` or variable of shape [rows, ...], a list of such shards, or a partitioned variable.
      sp_ids: A `SparseTensor` of integers, [rows, any], in row-major order; each row has at least one id.
      sp_weights: A `SparseTensor` of numbers at the same places, or None: all are 1.
      partition_strategy: How rows are spread over several shards: "mod" (row i is in shard i % n) or "div" (contiguous
        runs, the first shards one row longer).
      name: Name of the operation (optional).
      combiner: "sum", "mean" (default; the sum divided by that of the weights) or "sqrtn" (by the root of the sum of
        their squares).
      max_norm: Rows of greater L2 norm are scaled down to it, if given.
      allow_fast_lookup: Ignored.

    Returns:
      A `Tensor` of shape [rows, ...], where ... is the shape of an embedding.

    Raises:
      TypeError: `sp_ids` or `sp_weights` is not a `SparseTensor`.
      ValueError: The combiner is unknown, or the static shapes don't fit together.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(sp_weights)}")
        for part in ("values", "indices", "dense_shape"):
            getattr(sp_ids, part).shape.assert_is_compatible_with(getattr(sp_weights, part).shape)
    import tfcore.ops.indexing.unique as unique
    import tfcore.ops.reduce.segment as segment

    with name_scope(name, "embedding_lookup_sparse", [*shards_of(params), sp_ids]) as scope:
        segments = get_op_def("Cast")(sp_ids.indices[:, 0], DstT=dtypes.int32)
        ids, positions = unique.unique(sp_ids.values)
        rows = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            combine = {"sum": "sparse_segment_sum", "mean": "sparse_segment_mean", "sqrtn": "sparse_segment_sqrt_n"}
            return getattr(segment, combine[combiner])(rows, positions, segments, name=scope)
        return _weighted(rows, positions, segments, sp_weights.values, combiner, scope)


def _weighted(rows, positions, segments, weights, combiner, scope):
    """Sums of rows times weights for each segment; in float32 for shorter types."""
    import tfcore.ops.indexing.indexing as indexing
    import tfcore.ops.reduce.segment as segment

    raw, kind = get_op_def, rows.dtype.base_dtype
    rows = indexing.gather(rows, positions)
    if kind in (dtypes.float16, dtypes.bfloat16):
        rows = raw("Cast")(rows, DstT=dtypes.float32)
    if weights.dtype.base_dtype is not rows.dtype.base_dtype:
        weights = raw("Cast")(weights, DstT=rows.dtype.base_dtype)
    ones = raw("Fill")(array_ops.expand_dims(array_ops.rank(rows) - 1, 0), 1)
    weights = array_ops.reshape(weights, array_join.concat([array_ops.shape(weights), ones], 0))
    if rows.dims is not None:
        weights.set_shape([None] + [1] * (len(rows.dims) - 1))
    total = segment.segment_sum(rows * weights, segments)
    if combiner == "mean":
        total = raw("DivNoNan")(total, segment.segment_sum(weights, segments))
    elif combiner == "sqrtn":
        total = raw("DivNoNan")(total, raw("Sqrt")(segment.segment_sum(raw("Square")(weights), segments)))
    if total.dtype.base_dtype is not kind:
        total = raw("Cast")(total, DstT=kind)
    return array_ops.identity(total, name=scope)
