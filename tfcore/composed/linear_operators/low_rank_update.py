"""The operator of another operator and a matrix of low rank."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.composed.linear_operators.identity import LinearOperatorIdentity
from tfcore.composed.linear_operators.util import broadcast_batches, dense_solve, dynamic_batch, static_batch
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.diag import matrix_diag_part
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import conj
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import exp, log
from tfcore.ops.linalg.linalg import cholesky, cholesky_solve, matrix_determinant
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_sum


class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V*, where L is another operator and U and V have few columns.

    Systems of equations are solved with those of L (the formula of Woodbury), determinants by the matrix determinant
    lemma.

    Args:
      base_operator: L, a `LinearOperator` of shape [..., m, n].
      u: U, a `Tensor` of shape [..., m, r].
      diag_update: The diagonal of D, a `Tensor` of shape [..., r]; by default ones.
      v: V, a `Tensor` of shape [..., n, r]; by default U.
      is_diag_update_positive: Whether the diagonal of D is real and positive.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: Dimensions do not fit, or a hint contradicts the others.
    """

    def __init__(
        self,
        base_operator,
        u,
        diag_update=None,
        v=None,
        is_diag_update_positive=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorLowRankUpdate",
    ):
        parameters = hints.arguments(locals())
        if diag_update is None:
            is_diag_update_positive = hints.implied(
                is_diag_update_positive,
                "Default diagonal is the identity, which is positive.  However, user set 'is_diag_update_positive' to"
                " False.",
            )
        base = base_operator
        if base.is_self_adjoint and v is None and not base.dtype.is_complex:
            is_self_adjoint = hints.implied(
                is_self_adjoint,
                "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must be a"
                " self-adjoint operator.",
            )
        self._use_cholesky = bool(
            base.is_positive_definite and base.is_self_adjoint and is_diag_update_positive and v is None
        )
        if self._use_cholesky:
            what = "Arguments imply this is self-adjoint positive-definite operator."
            is_positive_definite = hints.implied(is_positive_definite, what)
            is_self_adjoint = hints.implied(is_self_adjoint, what)
            hints.implied(is_non_singular, what)
        self._base_operator = base
        self._u = convert_to_tensor(u, name="u")
        self._v = self._u if v is None else convert_to_tensor(v, name="v")
        self._diag_update = None if diag_update is None else convert_to_tensor(diag_update, name="diag_update")
        self._is_diag_update_positive = is_diag_update_positive
        super().__init__(
            base.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )
        self._diag_operator = self._make_diag_operator()
        self._check_shapes()

    def _make_diag_operator(self):
        if self._diag_update is not None:
            return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)
        r = _column_count(self._u).value
        return LinearOperatorIdentity(shape(self._u)[-1] if r is None else r, dtype=self.dtype)

    def _check_shapes(self):
        for matrix, size in (
            (self._u, self._base_operator.range_dimension),
            (self._v, self._base_operator.domain_dimension),
        ):
            if matrix.shape.ndims is not None:
                size.assert_is_compatible_with(matrix.shape.dims[-2])
            _column_count(matrix).assert_is_compatible_with(self._diag_operator.domain_dimension)
        self._shape()

    @property
    def u(self):
        """U."""
        return self._u

    @property
    def v(self):
        """V."""
        return self._v

    @property
    def is_diag_update_positive(self):
        """Whether the diagonal of D is real and positive: True, False or None."""
        return self._is_diag_update_positive

    @property
    def diag_update(self):
        """The diagonal of D, or None if all its elements are 1."""
        return self._diag_update

    @property
    def diag_operator(self):
        """D as an operator."""
        return self._diag_operator

    @property
    def base_operator(self):
        """L."""
        return self._base_operator

    def _shape(self):
        batches = (self._base_operator.batch_shape, self._diag_operator.batch_shape)
        batch = static_batch(*batches, self._u.shape[:-2], self._v.shape[:-2])
        return batch.concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self):
        batches = (self._base_operator.batch_shape_tensor(), self._diag_operator.batch_shape_tensor())
        batch = dynamic_batch(*batches, shape(self._u)[:-2], shape(self._v)[:-2])
        return concat([batch, self._base_operator.shape_tensor()[-2:]], 0)

    def _assert_self_adjoint(self):
        if self._u is self._v and self._diag_update is None:
            return self._base_operator.assert_self_adjoint()
        return super()._assert_self_adjoint()

    def _sides(self, adjoint):
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        left, right = self._sides(adjoint)
        inner = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = matmul(left, self._diag_operator.matmul(inner, adjoint=adjoint))
        return self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _capacitance(self):
        """D^-1 + V* L^-1 U, which has as few rows as U has columns."""
        inner = matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        left, right = self._sides(adjoint)
        first = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner, capacitance = matmul(right, first, adjoint_a=True), self._capacitance()
        if self._use_cholesky:
            inner = cholesky_solve(*broadcast_batches([cholesky(capacitance), inner]))
        else:
            inner = dense_solve(capacitance, inner, adjoint)
        return first - base.solve(matmul(left, inner), adjoint=adjoint)

    def _determinant(self):
        if self.is_positive_definite and self.is_self_adjoint:
            return exp(self.log_abs_determinant())
        capacitance = matrix_determinant(self._capacitance())
        return capacitance * self._diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self):
        others = self._diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()
        if self._use_cholesky:
            diagonal = LinearOperatorDiag(matrix_diag_part(cholesky(self._capacitance())))
            return 2 * diagonal.log_abs_determinant() + others
        return cast(log(abs_of(matrix_determinant(self._capacitance()))), self.dtype) + others

    def _diag_part(self):
        product = self._u * (conj(self._v) if self.dtype.is_complex else self._v)
        if self._diag_update is not None:
            product *= expand_dims(self._diag_update, -2)
        return reduce_sum(product, -1) + self._base_operator.diag_part()


def _column_count(matrix):
    return Dimension(None) if matrix.shape.ndims is None else matrix.shape.dims[-1]
