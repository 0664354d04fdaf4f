"""Sizes of dimensions: an int where the static shape has it, else a scalar `Tensor`. Operators take both."""

from tfcore.framework.graph.operation import Tensor
from tfcore.ops.array.array import shape
from tfcore.ops.cwise.binary import maximum


def size_of(tensor, axis):
    """The size of a dimension."""
    known = None if tensor.dims is None or isinstance(axis, Tensor) else tensor.dims[axis]
    return shape(tensor)[axis] if known is None else known


def at_least_0(size):
    """The size, or 0 if it is negative."""
    return maximum(size, 0) if isinstance(size, Tensor) else max(size, 0)
