"""Scales of vectors as linear operators, and the shapes that they and a location give."""

from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.composed.linear_operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from tfcore.composed.linear_operators.low_rank_update import LinearOperatorLowRankUpdate
from tfcore.composed.linear_operators.lower_triangular import LinearOperatorLowerTriangular
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.diag import matrix_diag_part, matrix_set_diag
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.debugging import check


def common_type(values, dtype=None):
    """The type that is given, or that of the first value which is no plain number or list; float32 if there is none."""
    for value in values:
        if dtype is None and hasattr(value, "dtype"):
            dtype = value.dtype
    return dtypes.float32 if dtype is None else dtypes.as_dtype(dtype).base_dtype


def convert_to_common_type(**values):
    """Arguments, which may be None, as tensors of one type."""
    dtype = common_type(values.values())
    return [
        None if value is None else convert_to_tensor(value, dtype=dtype, name=name) for name, value in values.items()
    ]


def last_dimension(tensor):
    """The size of the last dimension: an int, or an int32 scalar if it is not known statically."""
    known = tensor.shape.with_rank_at_least(1)[-1]
    known = getattr(known, "value", known)
    return shape(tensor)[-1] if known is None else known


def _nonzero(diagonal, validate_args):
    if not validate_args:
        return diagonal
    zero = convert_to_tensor(0, dtype=diagonal.dtype)
    return with_dependencies(
        [check.assert_none_equal(diagonal, zero, message="diagonal part must be non-zero")], diagonal
    )


def diagonal_scale(loc, diag=None, multiplier=None, validate_args=False):
    """A diagonal plus a multiple of the identity; the identity if there is neither. `loc` gives the size.

    Raises:
      ValueError: Neither `loc` nor `diag` is given.
    """
    if diag is not None:
        diag = diag if multiplier is None else diag + expand_dims(multiplier, -1)
        return LinearOperatorDiag(_nonzero(diag, validate_args), is_non_singular=True, is_self_adjoint=True)
    if loc is None:
        raise ValueError("Cannot infer `event_shape` unless `loc` or `shape_hint` is specified.")
    size = last_dimension(loc)
    if multiplier is None:
        return LinearOperatorIdentity(
            size, dtype=loc.dtype, is_self_adjoint=True, is_positive_definite=True, assert_proper_shapes=validate_args
        )
    return LinearOperatorScaledIdentity(
        size,
        _nonzero(multiplier, validate_args),
        is_non_singular=True,
        is_self_adjoint=True,
        assert_proper_shapes=validate_args,
    )


def triangular_scale(tril, diag=None, multiplier=None, validate_args=False):
    """A lower triangle plus a diagonal and a multiple of the identity."""
    diagonal = matrix_diag_part(tril)
    for more in (diag, None if multiplier is None else expand_dims(multiplier, -1)):
        diagonal = diagonal if more is None else diagonal + more
    if validate_args or diag is not None or multiplier is not None:
        tril = matrix_set_diag(tril, _nonzero(diagonal, validate_args))
    return LinearOperatorLowerTriangular(tril, is_non_singular=True)


def updated_scale(scale, factor, diag=None, is_positive_definite=None):
    """A scale plus factor @ diag @ factor'."""
    return LinearOperatorLowRankUpdate(
        scale,
        factor,
        diag_update=diag,
        is_diag_update_positive=diag is None,
        is_non_singular=True,
        is_self_adjoint=is_positive_definite,
        is_positive_definite=is_positive_definite,
        is_square=True,
    )


def shapes_of(loc, scale):
    """The shapes of the batch and of an event, as lists of ints where they are known and as int32 vectors elsewhere."""
    batch, event = scale.batch_shape, TensorShape([scale.range_dimension])
    if loc is not None:
        batch = broadcast_static_shape(batch, loc.shape[:-1])
    if batch.is_fully_defined():
        batch = batch.as_list()
    elif loc is None:
        batch = scale.batch_shape_tensor()
    else:
        batch = broadcast_dynamic_shape(scale.batch_shape_tensor(), shape(loc)[:-1])
    if loc is not None and not event.is_fully_defined():
        event = event.merge_with(loc.shape[-1:]) if loc.shape.ndims is not None else event
    event = event.as_list() if event.is_fully_defined() else expand_dims(scale.range_dimension_tensor(), 0)
    return batch, event
