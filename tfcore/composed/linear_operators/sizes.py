"""Sizes given as arguments, for operators that hold no tensor: identity and zeros."""

from tfcore.composed.linear_operators.util import shape_tensor
from tfcore.framework.graph.default_graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity
from tfcore.ops.cwise.cast import cast
from tfcore.ops.debugging.check import assert_non_negative, assert_rank


def _checked(tensor, name, rank, checks):
    """The tensor and its value or None, checked now if it is known, otherwise in a run if `checks`."""
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    value = constant_value(tensor)
    if value is not None:
        if value.ndim != rank:
            raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {value}")
        if (value < 0).any():
            raise ValueError(f"Argument {name} must be non-negative.  Found: {value}")
    elif checks:
        tests = [
            assert_rank(tensor, rank, message=f"Argument {name} must be a {rank}-D Tensor."),
            assert_non_negative(tensor, message=f"Argument {name} must be non-negative."),
        ]
        with control_dependencies(tests):
            tensor = identity(tensor)
    return tensor, value


class Size:
    """A number of rows or columns: `tensor`, and `static`, an int or None."""

    def __init__(self, size, name, checks):
        tensor, value = _checked(convert_to_tensor(size, name=name), name, 0, checks)
        self.tensor = cast(tensor, dtypes.int32)  # as the sizes of tensors
        self.static = None if value is None else int(value)


class BatchShape:
    """The shape of a batch: `tensor`, and `static`, a TensorShape."""

    def __init__(self, sizes, checks):
        if sizes is None:
            self.tensor, self.static = constant([], "int32"), TensorShape([])
            return
        if isinstance(sizes, TensorShape):
            sizes = sizes.as_list()
        tensor, value = _checked(shape_tensor(sizes), "batch_shape", 1, checks)
        self.tensor = cast(tensor, dtypes.int32)
        self.static = _static_shape(self.tensor, value)


def _static_shape(tensor, value):
    if value is not None:
        return TensorShape(value.tolist())
    rank = tensor.dims[0] if tensor.dims else None
    return TensorShape(None if rank is None else [None] * rank)
