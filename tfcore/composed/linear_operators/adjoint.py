"""The operator of adjoints."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.complex import conj

_WHAT = "An operator is {0} if and only if its adjoint is {0}."


class LinearOperatorAdjoint(LinearOperator):
    """The adjoints of the matrices of another operator.

    Args:
      operator: A `LinearOperator`.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: A hint contradicts that of `operator`.
    """

    def __init__(
        self,
        operator,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        given = {
            "is_square": is_square,
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        parameters = {"operator": operator, **given, "name": name}
        self._operator = operator
        agreed = {key: hints.agreed(operator, key, hint, _WHAT.format(hints.word(key))) for key, hint in given.items()}
        super().__init__(operator.dtype, name=name or f"{operator.name}_adjoint", parameters=parameters, **agreed)

    @property
    def operator(self):
        """The other operator."""
        return self._operator

    def _linop_adjoint(self):
        return self._operator

    def _shape(self):
        shape = self._operator.shape
        return shape if shape.ndims is None else TensorShape([*shape[:-2], shape[-1], shape[-2]])

    def _shape_tensor(self):
        shape = self._operator.shape_tensor()
        return concat([shape[:-2], [shape[-1], shape[-2]]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self):
        return _conjugate(self._operator.determinant())

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()

    def _trace(self):
        return _conjugate(self._operator.trace())

    def _diag_part(self):
        return _conjugate(self._operator.diag_part())

    def _to_dense(self):
        return matrix_transpose(self._operator.to_dense(), conjugate=True)

    def _eigvals(self):
        return self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()

    def _assert_non_singular(self):
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self._operator.assert_self_adjoint()


def _conjugate(x):
    return conj(x) if x.dtype.is_complex else x
