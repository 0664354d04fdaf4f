"""The operator of permutations."""

import numpy as np

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import with_batch_of
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.linalg.linalg import matrix_determinant
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.sort import argsort


class LinearOperatorPermutation(LinearOperator):
    """Permutations: row i of a product is row perm[i] of the argument.

    Args:
      perm: An integer `Tensor` of shape [..., n], permutations of 0 to n - 1.
      dtype: The type of the elements.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      TypeError: `perm` has no integer type.
      ValueError: `perm` is a scalar or known not to be a permutation, or a hint contradicts it.
    """

    def __init__(
        self,
        perm,
        dtype=dtypes.float32,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorPermutation",
    ):
        parameters = hints.arguments(locals())
        expected = "Expected argument `{0}` to be True. Received: {1}."
        self._perm = convert_to_tensor(perm, name="perm")
        self._check_perm()
        super().__init__(
            dtypes.as_dtype(dtype),
            is_non_singular=hints.implied(
                is_non_singular,
                f"A Permutation operator is always non-singular. {expected.format('is_non_singular', is_non_singular)}",
            ),
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=hints.implied(
                is_square, f"A Permutation operator is always square. {expected.format('is_square', is_square)}"
            ),
            name=name,
            parameters=parameters,
        )

    def _check_perm(self):
        perm = self._perm
        if perm.shape.ndims == 0:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {perm}.")
        if not perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Received: {perm}.")
        value = constant_value(perm)
        if value is not None and not (np.sort(value, -1) == np.arange(value.shape[-1])).all():
            raise ValueError(f"Argument `perm` must be a vector of unique integers from 0 to {value.shape[-1] - 1}.")

    @property
    def perm(self):
        """The permutations."""
        return self._perm

    def _shape(self):
        dims = self._perm.shape
        return dims if dims.ndims is None else TensorShape([*dims, dims[-1]])

    def _shape_tensor(self):
        dims = shape(self._perm)
        return concat([dims, dims[-1:]], 0)

    def _assert_non_singular(self):
        return no_op("assert_non_singular")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        perm = argsort(self._perm, axis=-1) if adjoint else self._perm
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        if perm.shape.ndims == 1:
            return gather(x, perm, axis=-2)
        if None in (perm.shape.ndims, x.shape.ndims):  # gather wants the number of batch dimensions
            return matmul(self.to_dense(), x, adjoint_a=adjoint)
        x = with_batch_of(x, self)
        rows = broadcast_to(cast(perm, dtypes.int64), concat([shape(x)[:-2], shape(perm)[-1:]], 0))
        return gather(x, rows, axis=-2, batch_dims=x.shape.ndims - 2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _linop_inverse(self):
        return self._inverse()

    def _linop_adjoint(self):
        return self._inverse()

    def _inverse(self):
        return LinearOperatorPermutation(argsort(self._perm, axis=-1), self.dtype, **hints.of(self))

    def _to_dense(self):
        columns = expand_dims(self._perm, -1)
        return cast(equal(columns, range_of(cast(shape(self._perm)[-1], self._perm.dtype))), self.dtype)

    def _determinant(self):
        return matrix_determinant(self.to_dense())

    def _log_abs_determinant(self):
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self):
        places = range_of(cast(shape(self._perm)[-1], self._perm.dtype))
        return cast(equal(self._perm, places), self.dtype)

    def _cond(self):
        return ones(self.batch_shape_tensor(), self.dtype.real_dtype)
