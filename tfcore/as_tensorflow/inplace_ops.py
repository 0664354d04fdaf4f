"""tensorflow.python.ops.inplace_ops: tensors with some rows replaced.

No operation here changes its input: who wants the new rows uses the result. A buffer that nothing else needs is reused,
as for all operations.
"""

from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import zeros, zeros_like
from tfcore.ops.cwise.binary import floormod
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.indexing import tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update


def _with_rows(scatter, x, i, v):
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype)
    if i is None:  # all of it, as one row
        rows = scatter(array.reshape(x, [1, -1]), [[0]], array.reshape(v, [1, -1]))
        return array.reshape(rows, array.shape(x))
    i = cast(i, dtypes.int32)
    if i.shape.ndims == 0:
        i, v = array.reshape(i, [1]), array.expand_dims(v, 0)
    i = floormod(i, array.shape(x)[0])  # -1 is the last row, and the row after it the first
    return scatter(x, array.expand_dims(i, 1), v)


def inplace_update(x, i, v):
    """x with the rows `i` replaced by `v`: with all replaced if `i` is None, with one if it is a number."""
    return _with_rows(tensor_scatter_nd_update, x, i, v)


def inplace_add(x, i, v):
    """x with `v` added to the rows `i`, as for `inplace_update`."""
    return _with_rows(tensor_scatter_nd_add, x, i, v)


def inplace_sub(x, i, v):
    """x with `v` subtracted from the rows `i`, as for `inplace_update`."""
    return _with_rows(tensor_scatter_nd_sub, x, i, v)


alias_inplace_update = inplace_update
alias_inplace_add = inplace_add
alias_inplace_sub = inplace_sub


def empty(shape, dtype, init=False, name=None):
    """A tensor whose values do not matter: zeros."""
    return zeros(shape, dtype, name)


def empty_like(x, init=None):
    """A tensor like `x` whose values do not matter: zeros."""
    return zeros_like(x)
