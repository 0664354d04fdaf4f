"""Functions of arrays: `repeat`, `unravel_index`; shifted copies of images, for dilations."""

import itertools

from tfcore.composed.sizes import at_least_0
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, reshape, shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to, pad
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import floordiv, floormod, maximum
from tfcore.ops.cwise.compare import logical_and
from tfcore.ops.debugging.check import Assert
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.reduce.reduce import reduce_all, reduce_prod
from tfcore.ops.reduce.scan import cumprod, cumsum
from tfcore.ops.reduce.sort import searchsorted


def repeat(input, repeats, axis=None, name=None):  # noqa: A002  named as in TensorFlow
    """Repeats each element of a tensor along a dimension.

    Args:
      input: A `Tensor` of any type.
      repeats: How often each element is repeated, an int32 or int64 scalar or vector; a vector has one number for each
        element along `axis`.
      axis: The dimension, an int; None for the flattened tensor.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input`, with another size along `axis`.

    Raises:
      ValueError: `repeats` has another rank, or another length than the dimension.

    Example:

    >>> print(sess.run(tf.repeat(["a", "b", "c"], [2, 0, 1])))
    [b'a' b'a' b'c']
    """
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        if axis is None:
            data, axis = reshape(data, [-1]), 0
        if not (isinstance(repeats, Tensor) and repeats.dtype.is_integer):
            repeats = convert_to_tensor(repeats, dtype=dtypes.int32, name="repeats")
        repeats.shape.with_rank_at_most(1)
        length = shape(data, out_type=repeats.dtype)[axis]
        known = data.shape.dims and data.shape.dims[axis].value
        if repeats.shape.num_elements() != 1 and repeats.shape.ndims == 1 and known is not None:
            repeats.shape.dims[0].assert_is_compatible_with(known)
        ends = cumsum(broadcast_to(maximum(repeats, 0), expand_dims(length, 0)))
        total = concat([[0], ends], 0)[-1]
        rows = searchsorted(ends, range_of(total), side="right", out_type=dtypes.int32)
        return gather(data, rows, axis=axis)


def unravel_index(indices, dims, name=None):
    """The positions of flat indices in an array of a given shape.

    Args:
      indices: An int32 or int64 `Tensor`, a scalar or vector.
      dims: The shape of the array, a vector of the type of `indices`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `indices` and shape [rank], or [rank, n] for n indices.

    Raises:
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: When run: an index is out of bounds.

    Example:

    >>> print(sess.run(tf.unravel_index([2, 5, 7], [3, 3])))
    [[0 1 2]
     [2 2 1]]
    """
    with name_scope(name, "UnravelIndex", [indices, dims]):
        indices = convert_to_tensor(indices, name="indices")
        dims = convert_to_tensor(dims, dtype=indices.dtype, name="dims")
        inside = reduce_all(logical_and(indices >= 0, indices < reduce_prod(dims)))
        indices = with_dependencies([Assert(inside, ["index is out of bound as with dims", dims])], indices)
        steps = cumprod(dims, exclusive=True, reverse=True)
        if indices.shape.ndims == 1:
            steps, dims = expand_dims(steps, 1), expand_dims(dims, 1)
        return floormod(floordiv(indices, steps), dims)


# ---- Patches


def in_space(name, values, n=2):
    """The values for n spatial dimensions of a list that has 1 for batch and channels."""
    if values is None or len(values) != n + 2:
        raise ValueError(f"{name} requires the {name} attribute to contain {n + 2} values, but got: {values}")
    if values[0] != 1 or values[-1] != 1:
        raise ValueError(f"Only support {name} across space.")
    return [int(v) for v in values[1:-1]]


def shifted(images, sizes, strides, rates, padding, fill):
    """{place in a window: what it sees there of the images at each of its positions}, in order of the places

    images: of shape [batch, *space, depth]. fill: the value around the images, for padding "SAME".
    """
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME' or 'VALID', not {padding!r}")
    for name, values in (("Stride", strides), ("Size", sizes)):
        wrong = [v for v in values if v <= 0]
        if wrong:
            raise ValueError(f"{name} must be > 0, but got {wrong[0]}")
    n = len(sizes)
    dynamic = shape(images)
    known = images.dims or (None,) * (n + 2)
    spans, counts, pads = [], [], [[0, 0]]
    for i in range(n):
        length = dynamic[i + 1] if known[i + 1] is None else known[i + 1]
        spans.append((sizes[i] - 1) * rates[i] + 1)
        free = length if padding == "SAME" else length - spans[i] + 1
        counts.append((free + strides[i] - 1) // strides[i])
        missing = at_least_0((counts[i] - 1) * strides[i] + spans[i] - length) if padding == "SAME" else 0
        pads.append([missing // 2, missing - missing // 2])
    if padding == "SAME":
        images = pad(images, [*pads, [0, 0]], constant_values=fill)
    reach = [(count - 1) * stride + 1 for count, stride in zip(counts, strides)]
    found = {}
    for place in itertools.product(*map(range, sizes)):
        starts = [p * rate for p, rate in zip(place, rates)]
        inside = [slice(at, at + length, stride) for at, length, stride in zip(starts, reach, strides)]
        found[place] = images[(slice(None), *inside)]
    return found
