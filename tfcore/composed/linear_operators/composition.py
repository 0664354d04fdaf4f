"""The operator of products."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import dynamic_batch, static_batch
from tfcore.ops.array.array import expand_dims
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.unary import sign
from tfcore.ops.linalg.linalg import cholesky


class LinearOperatorComposition(LinearOperator):
    """The product of operators, from left to right.

    Args:
      operators: A list of `LinearOperator`s of one dtype.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      TypeError: The dtypes differ.
      ValueError: The list is empty, dimensions do not fit, or a hint contradicts those of the operators.
    """

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        parameters = hints.arguments(locals())
        self._operators = hints.operators_of_one_dtype(operators)
        operators = self._operators  # may have been an iterator
        is_non_singular = hints.of_all(
            operators,
            "is_non_singular",
            is_non_singular,
            "The composition of non-singular operators is always non-singular.",
        )
        if _is_gram(operators):
            is_square = hints.implied(
                is_square,
                "The composition was determined have the form A @ A.H, hence it must be square. The user provided an"
                " incorrect `False` hint.",
            )
            is_self_adjoint = hints.implied(
                is_self_adjoint,
                "The composition was determined to be self-adjoint but user provided incorrect `False` hint.",
            )
            if is_non_singular:
                is_positive_definite = hints.implied(
                    is_positive_definite,
                    "The composition was determined to be non-singular and have the form A @ A.H, hence it must be"
                    " positive-definite. The user provided an incorrect `False` hint.",
                )
        for left, right in zip(operators, operators[1:]):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        super().__init__(
            self._operators[0].dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name or "_o_".join(o.name for o in operators),
            parameters=parameters,
        )

    @property
    def operators(self):
        """The operators of the product, from left to right."""
        return self._operators

    def _shape(self):
        first, last = self._operators[0], self._operators[-1]
        batch = static_batch(*(o.batch_shape for o in self._operators))
        return batch.concatenate([first.range_dimension, last.domain_dimension])

    def _shape_tensor(self):
        sizes = [self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()]
        return concat([dynamic_batch(*(o.batch_shape_tensor() for o in self._operators)), sizes], 0)

    def _linop_cholesky(self):
        """Of A A* for a lower triangular A: A, whose columns are turned so that its diagonal is positive."""
        left = self._operators[0]
        if not (_is_gram(self._operators) and hasattr(left, "tril")):
            return hints.lower_triangular(cholesky(self.to_dense()))
        signs = sign(left.diag_part())
        return hints.lower_triangular(left.tril / expand_dims(signs, -2), is_self_adjoint=left.is_self_adjoint)

    def _linop_adjoint(self):
        return LinearOperatorComposition([o.adjoint() for o in reversed(self._operators)], **hints.of(self))

    def _linop_inverse(self):
        if not all(o.is_square for o in self._operators):
            return super()._linop_inverse()
        return LinearOperatorComposition([o.inverse() for o in reversed(self._operators)], **hints.of(self))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        first, *rest = self._operators if adjoint else reversed(self._operators)
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in rest:
            result = o.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if not all(o.is_square for o in self._operators):
            return super()._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        first, *rest = reversed(self._operators) if adjoint else self._operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in rest:
            result = o.solve(result, adjoint=adjoint)
        return result

    def _determinant(self):
        if not all(o.is_square for o in self._operators):
            return super()._determinant()
        result = self._operators[0].determinant()
        for o in self._operators[1:]:
            result *= o.determinant()
        return result

    def _log_abs_determinant(self):
        if not all(o.is_square for o in self._operators):
            return super()._log_abs_determinant()
        return sum(o.log_abs_determinant() for o in self._operators)

    def _assert_non_singular(self):
        if not all(o.is_square for o in self._operators):
            return super()._assert_non_singular()
        return group(*(o.assert_non_singular() for o in self._operators))


def _is_gram(operators):
    """Whether the product is A A*, as far as its operators say."""
    if len(operators) != 2:
        return False
    left, right = operators
    return getattr(right, "operator", None) is left and type(right).__name__ == "LinearOperatorAdjoint"
