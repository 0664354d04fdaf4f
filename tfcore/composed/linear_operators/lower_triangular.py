"""The operator of lower triangular matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import assert_no_zeros, broadcast_batches
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.diag import matrix_band_part, matrix_diag_part, matrix_transpose
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log
from tfcore.ops.linalg.linalg import matrix_triangular_solve
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_prod, reduce_sum


class LinearOperatorLowerTriangular(LinearOperator):
    """Lower triangular matrices.

    Args:
      tril: A `Tensor` of shape [..., n, n], whose elements above the diagonal are not used.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `tril` has fewer than two dimensions, or `is_square` is False.
    """

    def __init__(
        self,
        tril,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorLowerTriangular",
    ):
        parameters = hints.arguments(locals())
        is_square = hints.implied(is_square, "Only square lower triangular operators supported at this time.")
        given = convert_to_tensor(tril, name="tril")
        if given.shape.ndims is not None and given.shape.ndims < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {given}")
        self._tril = matrix_band_part(given, -1, 0)
        super().__init__(
            given.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def tril(self):
        """The matrices, with zeros above the diagonal."""
        return self._tril

    def _shape(self):
        return self._tril.shape

    def _shape_tensor(self):
        return shape(self._tril)

    def _assert_non_singular(self):
        return assert_no_zeros(self.diag_part(), "Singular operator:  Diagonal contained zero values.")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._tril, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _linop_matmul(self, left_operator, right_operator):
        if not isinstance(right_operator, LinearOperatorLowerTriangular):
            return super()._linop_matmul(left_operator, right_operator)
        product = left_operator.matmul(right_operator.tril)
        regular = hints.non_singular_product(left_operator, right_operator)
        return LinearOperatorLowerTriangular(product, is_non_singular=regular, is_self_adjoint=None, is_square=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = matrix_transpose(rhs, conjugate=True) if adjoint_arg else rhs
        return matrix_triangular_solve(*broadcast_batches([self._tril, rhs]), lower=True, adjoint=adjoint)

    def _determinant(self):
        return reduce_prod(self.diag_part(), -1)

    def _log_abs_determinant(self):
        return cast(reduce_sum(log(abs_of(self.diag_part())), -1), self.dtype)

    def _to_dense(self):
        return self._tril

    def _diag_part(self):
        return matrix_diag_part(self._tril)

    def _eigvals(self):
        return self.diag_part()
