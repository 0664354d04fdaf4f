"""Functions of arrays: `repeat` and `unravel_index`."""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, reshape, shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to
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
