"""Embedding look-up over one table or a list of shards.

Tables are large and live on other tasks than their users: whatever reads one, if only for its shape, is placed with it,
and only ids, rows and gradients of rows travel.
"""

import numpy as np

import tfcore.ops.array as array_ops
from tfcore.framework import dtypes
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import get_default_graph, name_scope
from tfcore.framework.op_def import get_op_def

__all__ = []
__nn__ = ["embedding_lookup"]


def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """Rows of the embedding table(s) `params` for `ids`.

    Args:
      params: a tensor or variable, a list of shards (of the same width), or a partitioned variable.
      ids: integer tensor of any shape.
      partition_strategy: how rows are spread over several shards: "mod" (row i is in shard i % n) or "div"
        (contiguous runs, the first shards one row longer).
      max_norm: rows of greater Euclidean norm are scaled down to it.
    """
    import tfcore.ops.indexing as indexing

    shards = _shards_of(params)
    with name_scope(name, "embedding_lookup", [*shards, ids]) as scope:
        ids = convert_to_tensor(ids, name="ids")
        if len(shards) == 1:
            with get_default_graph().colocate_with(_op_of(shards[0])):
                rows = _clip(indexing.gather(shards[0], ids), ids, max_norm)
            return array_ops.identity(rows, name=scope)  # what follows is not bound to the table's place
        return array_ops.identity(_sharded(shards, ids, partition_strategy, max_norm), name=scope)


def _shards_of(params):
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
    import tfcore.ops.reductions as reductions

    raw = get_op_def
    axes = None
    if ids.dims is not None and rows.dims is not None:
        axes = list(range(len(ids.dims), len(rows.dims)))
    squares = reductions.reduce_sum(raw("Square")(rows), axes, keepdims=True)
    limit = convert_to_tensor(max_norm, rows.dtype)
    norm = raw("Sqrt")(squares)
    return rows * (limit / raw("Maximum")(norm, limit))


def _placed(shards, flat, strategy):
    """For each id its shard and its row there."""
    n = len(shards)
    raw = get_op_def
    kind = flat.dtype
    if strategy == "mod":
        number = convert_to_tensor(n, kind)
        return raw("FloorMod")(flat, number), raw("FloorDiv")(flat, number)
    if strategy != "div":
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    sizes = [_rows_of(table) for table in shards]
    total = sum(sizes[1:], sizes[0])
    if isinstance(total, int):
        each, extra = (convert_to_tensor(v, kind) for v in divmod(total, n))
    else:
        total = raw("Cast")(total, DstT=kind)
        number = convert_to_tensor(n, kind)
        each, extra = raw("FloorDiv")(total, number), raw("FloorMod")(total, number)
    one = convert_to_tensor(1, kind)
    in_long = raw("FloorDiv")(flat, each + one)
    # With fewer rows than shards `each` is 0: there are only long shards then.
    in_short = raw("FloorDiv")(flat - extra, raw("Maximum")(each, one))
    shard = raw("Maximum")(in_long, in_short)
    row = raw("Select")(
        raw("Less")(shard, extra),
        raw("FloorMod")(flat, each + one),
        raw("FloorMod")(flat - extra, raw("Maximum")(each, one)),
    )
    return shard, row


def _rows_of(table):
    table = table if hasattr(table, "get_shape") else convert_to_tensor(table)
    dims = table.get_shape()._dims
    if dims is not None and dims[0] is not None:
        return dims[0]
    with get_default_graph().colocate_with(_op_of(table)):
        return array_ops.shape(table)[0]


def _sharded(shards, ids, strategy, max_norm):
    import tfcore.ops.constants as constants
    import tfcore.ops.indexing as indexing
    import tfcore.ops.indexing_select as select

    flat = array_ops.reshape(ids, [-1])
    places = constants.range(0, array_ops.size(flat))
    shard, row = _placed(shards, flat, strategy)
    if shard.dtype._base is not dtypes.int32:
        shard = get_op_def("Cast")(shard, DstT=dtypes.int32)
    rows = select.dynamic_partition(row, shard, len(shards))
    places = select.dynamic_partition(places, shard, len(shards))
    found = []
    for table, wanted in zip(shards, rows):
        with get_default_graph().colocate_with(_op_of(table)):
            found.append(_clip(indexing.gather(table, wanted), wanted, max_norm))
    merged = select.parallel_dynamic_stitch(places, found)
    first = shards[0] if hasattr(shards[0], "get_shape") else convert_to_tensor(shards[0])
    dims = first.get_shape()._dims
    if dims is not None and None not in dims[1:]:
        tail = np.array(dims[1:], np.int32)
    else:
        with get_default_graph().colocate_with(_op_of(first)):
            tail = array_ops.shape(first)[1:]
    return array_ops.reshape(merged, array_ops.concat([array_ops.shape(ids), tail], 0))
