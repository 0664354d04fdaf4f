"""Sparse tensors on their way through a queue: they wait in a map, and the queue has their numbers."""

from tfcore.composed.sparse.arrange import sparse_retain
from tfcore.framework.graph.graph import colocate_with, control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import constant, fill
from tfcore.ops.control_flow.smart_cond import smart_cond
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.sparse.map import AddManySparseToTensorsMap, AddSparseToTensorsMap, TakeManySparseFromTensorsMap


class _Stored:
    """A component that is a sparse tensor.

    Attributes:
      map_op: The operation that has put the first example into the map, which is named like it.
      dtype: Type of the values.
      rank: Number of dimensions of an example, None if it is not known.
    """

    def __init__(self, map_op, dtype, rank):
        self.map_op = map_op
        self.dtype = dtype
        self.rank = rank


def store(lists, enqueue_many, keep_input):
    """Replaces sparse tensors by their numbers, vectors of one element.

    Args:
      lists: Lists of the components of examples, which become elements of one queue.
      enqueue_many: Whether the rows of tensors are examples.
      keep_input: A bool `Tensor`: whether an example is stored, or which rows.

    Returns:
      The lists, and for each component a `_Stored`, or None if it is not sparse.

    Raises:
      ValueError: A component is sparse in one example and not in another, or ranks differ.
    """
    infos = [None] * len(lists[0])
    found = []
    for tensors in lists:
        if [isinstance(t, SparseTensor) for t in tensors] != [isinstance(t, SparseTensor) for t in lists[0]]:
            raise ValueError(f"Inconsistent SparseTensors list: {lists[0]} vs. {tensors}")
        numbers = list(tensors)
        for i, t in enumerate(tensors):
            if isinstance(t, SparseTensor):
                numbers[i], infos[i] = _store_one(t, enqueue_many, keep_input, infos[i])
        found.append(numbers)
    return found, infos


def _store_one(t, enqueue_many, keep_input, info):
    add = AddManySparseToTensorsMap if enqueue_many else AddSparseToTensorsMap
    made = []

    def put(t):
        name = info.map_op.name if info else None
        numbers = add(t.indices, t.values, t.dense_shape, shared_name=name or "")
        made.append(numbers.op)
        return numbers

    def put_none():
        return fill(array.shape(t)[:1], constant(-1, dtypes.int64)) if enqueue_many else constant(-1, dtypes.int64)

    if keep_input.shape.ndims == 1:
        rows = array.reshape(t.indices, [array.shape(t.indices)[0], -1])[:, 0]
        t = sparse_retain(t, gather(keep_input, rows))
        numbers = put(t)
    else:
        numbers = smart_cond(keep_input, lambda: put(t), put_none)
    rank = t.dense_shape.shape.with_rank(1)[0].value
    rank = rank - 1 if enqueue_many and rank is not None else rank
    if info is None:
        info = _Stored(made[0], t.dtype, rank)
    elif None not in (rank, info.rank) and rank != info.rank:
        raise ValueError(f"Inconsistent SparseTensors list: they have {info.rank} and {rank} dimensions")
    return array.expand_dims(numbers, [-1]), info


def restore(components, infos):
    """Replaces the numbers in a batch by the sparse tensors.

    Args:
      components: A list of `Tensor`s, or a single one.
      infos: What `store` has returned.

    Returns:
      A list of `Tensor`s and `SparseTensor`s, or a single one.
    """
    if not any(infos):
        return components
    given = components if isinstance(components, (list, tuple)) else [components]
    found = [t if info is None else _take(t, info) for t, info in zip(given, infos)]
    # A step that uses any of them takes all out of their maps.
    with control_dependencies([t.values if isinstance(t, SparseTensor) else t for t in found]):
        found = [_identity(t) for t in found]
    return found if isinstance(components, (list, tuple)) else found[0]


def _take(numbers, info):
    name = info.map_op.get_attr("shared_name") or info.map_op.name
    name = name.decode() if isinstance(name, bytes) else name
    with colocate_with(info.map_op):
        indices, values, shape = TakeManySparseFromTensorsMap(
            array.squeeze(numbers, [1]), dtype=info.dtype, shared_name=name
        )
    rank = None if info.rank is None else info.rank + 1
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def _identity(t):
    if not isinstance(t, SparseTensor):
        return array.identity(t)
    return SparseTensor(*(array.identity(part) for part in (t.indices, t.values, t.dense_shape)))
