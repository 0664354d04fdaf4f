"""The operator of inverses."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator

_WHAT = "An operator is {0} if and only if its inverse is {0}."


class LinearOperatorInversion(LinearOperator):
    """The inverses of the matrices of another operator: its methods `matmul` and `solve` change places.

    Args:
      operator: A `LinearOperator`.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `operator` is not square or is singular, or a hint contradicts its own.
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
        for key in ("is_non_singular", "is_square"):
            if given[key] is False or getattr(operator, key) is False:
                raise ValueError(
                    f"Argument `{key}` or argument `operator` must have supplied hint `{key}` equal to `True` or"
                    f" `None`. Found `operator.{key}`: {getattr(operator, key)}, `{key}`: {given[key]}."
                )
        self._operator = operator
        agreed = {key: hints.agreed(operator, key, hint, _WHAT.format(hints.word(key))) for key, hint in given.items()}
        super().__init__(operator.dtype, name=name or f"{operator.name}_inv", parameters=parameters, **agreed)

    @property
    def operator(self):
        """The other operator."""
        return self._operator

    def _linop_inverse(self):
        return self._operator

    def _linop_solve(self, left_operator, right_operator):
        return left_operator.operator.matmul(right_operator)

    def _shape(self):
        return self._operator.shape

    def _shape_tensor(self):
        return self._operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -self._operator.log_abs_determinant()

    def _eigvals(self):
        return 1.0 / self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()

    def _assert_non_singular(self):
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self._operator.assert_self_adjoint()
