"""The operator of diagonal matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import assert_no_zeros, assert_real
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.diag import matrix_diag, matrix_diag_part, matrix_set_diag, matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import conj, real
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log, sqrt
from tfcore.ops.debugging.check import assert_positive
from tfcore.ops.reduce.reduce import reduce_max, reduce_min, reduce_prod, reduce_sum


class LinearOperatorDiag(LinearOperator):
    """Diagonal matrices.

    Args:
      diag: A `Tensor` of shape [..., n], the diagonals.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `diag` is a scalar, `is_square` is False, or `is_self_adjoint` is False and `diag` real.
    """

    def __init__(
        self,
        diag,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorDiag",
    ):
        parameters = hints.arguments(locals())
        self._diag = convert_to_tensor(diag, name="diag")
        if self._diag.shape.ndims == 0:
            raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag}")
        if not self._diag.dtype.is_complex:
            is_self_adjoint = hints.implied(is_self_adjoint, "A real diagonal operator is always self adjoint.")
        super().__init__(
            self._diag.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=hints.implied(is_square, "Only square diagonal operators currently supported."),
            name=name,
            parameters=parameters,
        )

    @property
    def diag(self):
        """The diagonals."""
        return self._diag

    def _shape(self):
        dims = self._diag.shape
        return dims if dims.ndims is None else TensorShape([*dims, dims[-1]])

    def _shape_tensor(self):
        dims = shape(self._diag)
        return concat([dims, dims[-1:]], 0)

    def _assert_non_singular(self):
        return assert_no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self):
        message = "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        if self.dtype.is_complex:
            message = (
                "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
            )
        return assert_positive(real(self._diag), message=message)

    def _assert_self_adjoint(self):
        return assert_real(
            self._diag, "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint."
        )

    def _term(self, adjoint):
        return conj(self._diag) if adjoint and self.dtype.is_complex else self._diag

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        return expand_dims(self._term(adjoint), -1) * x

    def _matvec(self, x, adjoint=False):
        return self._term(adjoint) * x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = matrix_transpose(rhs, conjugate=True) if adjoint_arg else rhs
        return rhs * expand_dims(1.0 / self._term(adjoint), -1)

    def _linop_adjoint(self):
        return LinearOperatorDiag(self._term(True), **hints.of(self, is_square=True))

    def _linop_inverse(self):
        return LinearOperatorDiag(1.0 / self._diag, **hints.of(self, is_square=True))

    def _linop_cholesky(self):
        return LinearOperatorDiag(
            sqrt(self._diag), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True
        )

    def _linop_matmul(self, left_operator, right_operator):
        product = hints.of_commuting_product(left_operator, right_operator)
        if (diag := _diagonal(right_operator)) is not None:
            return LinearOperatorDiag(left_operator.diag * diag, **product)
        if hasattr(right_operator, "tril"):
            tril = expand_dims(left_operator.diag, -1) * right_operator.to_dense()
            return hints.lower_triangular(tril, is_non_singular=product["is_non_singular"], is_self_adjoint=None)
        return super()._linop_matmul(left_operator, right_operator)

    def _linop_solve(self, left_operator, right_operator):
        product = hints.of_commuting_product(left_operator, right_operator)
        if (diag := _diagonal(right_operator)) is not None:
            return LinearOperatorDiag(diag / left_operator.diag, **product)
        if hasattr(right_operator, "tril"):
            tril = right_operator.to_dense() / expand_dims(left_operator.diag, -1)
            return hints.lower_triangular(tril, is_non_singular=product["is_non_singular"], is_self_adjoint=None)
        return super()._linop_solve(left_operator, right_operator)

    def _determinant(self):
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self):
        return cast(reduce_sum(log(abs_of(self._diag)), -1), self.dtype)

    def _to_dense(self):
        return matrix_diag(self._diag)

    def _diag_part(self):
        return self._diag

    def _add_to_tensor(self, x):
        return matrix_set_diag(x + expand_dims(zeros_like(self._diag), -1), self._diag + matrix_diag_part(x))

    def _eigvals(self):
        return self._diag

    def _cond(self):
        sizes = abs_of(self._diag)
        return reduce_max(sizes, -1) / reduce_min(sizes, -1)


def _diagonal(operator):
    """The diagonal of a diagonal matrix, or something that broadcasts with it; None for other matrices."""
    if isinstance(operator, LinearOperatorDiag):
        return operator.diag
    return expand_dims(operator.multiplier, -1) if hasattr(operator, "multiplier") else None
