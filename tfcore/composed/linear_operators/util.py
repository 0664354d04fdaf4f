"""Helpers of operators: shapes, batches that broadcast, assertions."""

import numpy as np

from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import zeros, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.complex import imag
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.debugging.check import assert_equal, assert_positive
from tfcore.ops.linalg.linalg import matrix_solve
from tfcore.platform import tf_logging


def warn_of_dense_matrix(method):
    """Says that a method is slow because an operator has no better one."""
    tf_logging.warning(
        "Using (possibly slow) default implementation of %s.  Requires conversion to a dense matrix and O(N^3)"
        " operations.",
        method,
    )


def shape_tensor(sizes):
    """Sizes of dimensions, which may be tensors, as an int32 tensor."""
    if isinstance(sizes, (list, tuple, np.ndarray)) and all(isinstance(d, (int, np.integer)) for d in sizes):
        return constant(np.asarray(sizes, np.int32))
    return convert_to_tensor(sizes)


def static_batch(*shapes):
    """The static shape with which shapes of batches broadcast."""
    result = TensorShape([])
    for s in shapes:
        result = broadcast_static_shape(result, TensorShape(s))
    return result


def dynamic_batch(*shapes):
    """The shape, a tensor, to which batch shapes that are tensors broadcast."""
    result = shapes[0]
    for s in shapes[1:]:
        result = broadcast_dynamic_shape(result, s)
    return result


def _batch_of(x):
    return x.shape[:-2].as_list() if x.shape[:-2].is_fully_defined() else shape(x)[:-2]


def broadcast_batches(matrices):
    """Matrices whose batches have one shape."""
    batches = [x.shape[:-2] for x in matrices]
    if all(b.is_fully_defined() for b in batches):
        batch = static_batch(*batches)
        return [x if b == batch else _spread(x, batch.as_list()) for x, b in zip(matrices, batches)]
    batch = dynamic_batch(*(shape_tensor(_batch_of(x)) for x in matrices))
    return [_spread(x, batch) for x in matrices]


def _spread(x, batch):
    return x + zeros(concat([batch, [1, 1]], 0), dtype=x.dtype)


def with_batch_of(x, operator):
    """Matrices x, whose batch broadcasts with that of the operator."""
    batch = operator.batch_shape
    if batch.is_fully_defined() and x.shape.ndims is not None:
        if broadcast_static_shape(batch, x.shape[:-2]) == x.shape[:-2]:
            return x
        return _spread(x, batch.as_list())
    return _spread(x, operator.batch_shape_tensor())


def dense_solve(matrix, rhs, adjoint):
    """matrix_solve of batches that broadcast."""
    return matrix_solve(*broadcast_batches([matrix, rhs]), adjoint=adjoint)


def as_matrix(x):
    """A scalar for each matrix of a batch, to multiply it with."""
    return expand_dims(expand_dims(x, -1), -1)


def assert_no_zeros(x, message):
    """An operation that fails if an element is 0."""
    return assert_positive(abs_of(x), message=message)


def assert_real(x, message):
    """An operation that fails if an element has an imaginary part."""
    part = imag(x) if x.dtype.is_complex else zeros_like(x)
    return assert_equal(zeros_like(part), part, message=message)
