"""Broadcasting of ragged tensors."""

import functools

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.arguments import assert_same_splits, match_splits
from tfcore.composed.ragged.partition import RowPartition
from tfcore.composed.ragged.tensor import RaggedTensor, convert, is_ragged
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.constant import constant
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, logical_or
from tfcore.ops.cwise.select import where, where_v2
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.debugging.check import Assert
from tfcore.ops.indexing.indexing import gather as dense_gather
from tfcore.ops.ragged.ragged import RaggedRange
from tfcore.ops.reduce.reduce import reduce_all


def binary(op, x, y, *args, **kwargs):
    """An element-wise function of two tensors, at least one of them ragged."""
    x, y = _converted(x, y)
    values = op(_flat(x), _flat(y), *args, **kwargs)
    return (x if isinstance(x, RaggedTensor) else y).with_flat_values(values)


def pair(x, y):
    """The flat values of two tensors, at least one of them ragged, after broadcasting."""
    x, y = _converted(x, y)
    return _flat(x), _flat(y)


def _converted(x, y):
    x = convert(x, preferred_dtype=y.dtype if is_ragged(y) else None)
    return broadcast(x, convert(y, preferred_dtype=x.dtype))


def _flat(x):
    return x.flat_values if isinstance(x, RaggedTensor) else x


def broadcast(x, y):
    """Two tensors, at least one of them ragged, so that functions of their flat values see the same rows.

    A dense tensor whose dimensions are all inside of the other one's rows stays as it is. Otherwise both get the same
    ragged dimensions; dimensions inside of them are left to the function.

    Args:
      x: A `RaggedTensor` or `Tensor`.
      y: A `RaggedTensor` or `Tensor`.

    Returns:
      The two tensors.

    Raises:
      ValueError: A rank is not known, or the types of row splits differ.
      tf.errors.InvalidArgumentError: At run time, the shapes don't broadcast.
    """
    dtype = match_splits(x, y)
    if _is_inside(x, y) or _is_inside(y, x):
        return x, y
    return broadcast_all([x, y], dtype)


def broadcast_all(tensors, dtype):
    """Tensors, one of them ragged, with all dimensions that are ragged in one of them the same."""
    ranks = [tensor.shape.ndims for tensor in tensors]
    if None in ranks:
        raise ValueError("Unable to broadcast: unknown rank")
    offsets = [max(ranks) - rank for rank in ranks]
    levels = max(t.ragged_rank + o for t, o in zip(tensors, offsets) if isinstance(t, RaggedTensor))
    if all(isinstance(t, RaggedTensor) for t in tensors) and len({t.partitions for t in tensors}) == 1:
        return tuple(tensors)
    tensors = [_with_levels(_with_rank(t, o), levels, dtype) for t, o in zip(tensors, offsets)]
    if len(tensors) == 2:
        return _same_rows(*tensors)
    rows = functools.reduce(lambda x, y: _same_rows(x, y)[0], tensors)
    return tuple(_same_rows(tensor, rows)[0] for tensor in tensors)


def _is_inside(dense, ragged):
    """Whether a dense tensor has no more dimensions than the innermost rows of a ragged one."""
    if isinstance(dense, RaggedTensor) or not isinstance(ragged, RaggedTensor):
        return False
    inner, own = ragged.flat_values.shape.ndims, dense.shape.ndims
    return own == 0 or None not in (inner, own) and own < inner


def _with_rank(tensor, count):
    """The tensor with dimensions of size 1 in front."""
    if not isinstance(tensor, RaggedTensor):
        return array_ops.reshape(tensor, concat([[1] * count, array_ops.shape(tensor)], 0)) if count else tensor
    for _ in range(count):
        tensor = RaggedTensor.from_uniform_row_length(tensor, tensor.nrows(), 1, validate=False)
    return tensor


def _with_levels(tensor, levels, dtype):
    """The tensor with so many dimensions as row partitions."""
    if not isinstance(tensor, RaggedTensor):
        return RaggedTensor.from_tensor(tensor, ragged_rank=levels, row_splits_dtype=dtype)
    missing = levels - tensor.ragged_rank
    if not missing:
        return tensor
    inner = RaggedTensor.from_tensor(tensor.flat_values, ragged_rank=missing, row_splits_dtype=dtype)
    return tensor.with_flat_values(inner)


def _same_rows(x, y):
    """Broadcasts two ragged tensors with the same number of levels to the same rows, repeating rows of length 1."""
    rows = _target_rows(x, y)
    places, partitions = [None, None], []
    known = [x.partition.known_rows, y.partition.known_rows]
    if None in known or known[0] != known[1]:
        places = [_outer_places(t, rows, k) for t, k in zip((x, y), known)]
    for level in range(x.ragged_rank):
        pair = [x.partitions[level], y.partitions[level]]
        partition, places = _same_level(pair, places, level + 1)
        partitions.append(partition)
    result = []
    for tensor, place in zip((x, y), places):
        values = tensor.flat_values if place is None else dense_gather(tensor.flat_values, place)
        for partition in reversed(partitions):
            values = RaggedTensor.of_partition(values, partition)
        result.append(values)
    return tuple(result)


def _target_rows(x, y):
    known = [x.partition.known_rows, y.partition.known_rows]
    if 1 in known:
        return (y if known[0] == 1 else x).nrows()
    if None not in known:
        if known[0] != known[1]:
            raise ValueError(f"Unable to broadcast: dimension size mismatch in dimension 0: {known[0]} vs. {known[1]}")
        return x.nrows()
    rows = where(equal(x.nrows(), 1), y.nrows(), x.nrows())
    checks = [_assert_fits(t.nrows(), rows, 0, equal(t.nrows(), 1)) for t in (x, y)]
    return with_dependencies(checks, rows)


def _outer_places(tensor, rows, known):
    """For each row of the result the row of a tensor, None if they are the same."""
    if known is not None and known != 1:
        return None
    return minimum(range_of(rows), tensor.nrows() - 1)


def _same_level(pair, places, axis):
    """The partition of a level of the result, and for each value of it the values of the two tensors.

    Only dimensions that are not ragged broadcast: rows of different lengths that happen to be 1 don't.

    Args:
      pair: The partitions of the level of the two tensors.
      places: For each row of the result the rows of the two tensors; None if they are the same.
      axis: The dimension, for errors.
    """
    stretched = [_is_stretched(partition) for partition in pair]
    if places == [None, None] and stretched == [False, False]:
        own, other = pair if pair[0].uniform is not None else pair[::-1]
        if own.splits is not other.splits:
            own = own.with_dependencies(assert_same_splits([[own.splits], [other.splits]]))
        return own, places
    lengths = [p.lengths() if at is None else dense_gather(p.lengths(), at) for p, at in zip(pair, places)]
    main = 1 if stretched[0] is True or stretched[0] is not False and stretched[1] is False else 0
    target = lengths[main]
    if isinstance(stretched[main], Tensor) and stretched[1 - main] is not True:
        target = where_v2(stretched[main], lengths[1 - main], target)
    checks = [_assert_fits(own, target, axis, wide) for own, wide in zip(lengths, stretched) if wide is not True]
    if places[main] is None and stretched[main] is False:
        result = pair[main].with_dependencies(checks)
    else:
        result = RowPartition.from_lengths(with_dependencies(checks, target), validate=False)
        if pair[main].known_uniform is not None and not isinstance(stretched[main], Tensor):
            result.set_uniform(pair[main].known_uniform, axis)
    return result, [_values_at(*each, result) for each in zip(pair, places, stretched)]


def _is_stretched(partition):
    """Whether rows of a partition broadcast because their length is 1: a bool, or a `Tensor` if it is not known."""
    if partition.uniform is None:
        return False
    known = partition.known_uniform
    return equal(partition.uniform, constant(1, partition.dtype)) if known is None else known == 1


def _values_at(partition, place, stretched, target):
    """For each value of the target the one of a partition; None if they are the same."""
    if place is None and stretched is False:
        return None
    starts = partition.splits[:-1]
    starts = dense_gather(starts if place is None else dense_gather(starts, place), target.ids())
    if stretched is True:
        return starts
    lengths, zero = target.lengths(), constant(0, target.dtype)
    _, offsets = RaggedRange(zero, lengths, constant(1, target.dtype), Tsplits=target.dtype)
    if isinstance(stretched, Tensor):
        offsets = offsets * cast(logical_not(stretched), target.dtype)
    return starts + offsets


def _assert_fits(sizes, target, axis, stretched=False):
    """Asserts that sizes of a dimension are those of the result, or 1 where that broadcasts."""
    fits = reduce_all(equal(sizes, target))
    if isinstance(stretched, Tensor):
        fits = logical_or(fits, stretched)
    words = ["Unable to broadcast: dimension size mismatch in dimension", axis, "lengths=", target, "dim_size=", sizes]
    return Assert(fits, words, summarize=10)
