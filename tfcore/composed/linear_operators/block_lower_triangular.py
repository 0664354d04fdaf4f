"""The operator of matrices with operators as blocks on and below the diagonal."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.blocks import BlockOperator
from tfcore.composed.linear_operators.full_matrix import LinearOperatorFullMatrix
from tfcore.composed.linear_operators.util import broadcast_batches, dynamic_batch, static_batch
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.ops.array.array import expand_dims, squeeze
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.unary import exp


class LinearOperatorBlockLowerTriangular(BlockOperator):
    """Matrices with operators as blocks on and below the diagonal.

    Args:
      operators: A list of lists: row i has i + 1 `LinearOperator`s, the last of which is on the diagonal and square.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      TypeError: The dtypes differ.
      ValueError: A row has another length, dimensions do not fit, or a hint contradicts those of the operators.
    """

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorBlockLowerTriangular",
    ):
        parameters = hints.arguments(locals())
        operators = [list(row) for row in operators]
        if not operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
        for i, row in enumerate(operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
                )
        hints.operators_of_one_dtype([o for row in operators for o in row])
        self._operators = operators
        self._check_dimensions()
        super().__init__(
            operators[0][0].dtype,
            is_non_singular=self._non_singular(is_non_singular),
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=self._square(is_square),
            name=name,
            parameters=parameters,
        )

    def _check_dimensions(self):
        for i, row in enumerate(self._operators):
            for j, o in enumerate(row[:-1]):
                for axis, other, place in (
                    ("domain", self._operators[i - 1][j], f"{i - 1}][{j}"),
                    ("range", row[j + 1], f"{i}][{j + 1}"),
                ):
                    sizes = [getattr(x, f"{axis}_dimension") for x in (o, other)]
                    if not sizes[0].is_compatible_with(sizes[1]):
                        raise ValueError(
                            f"Argument `operators[{i}][{j}].{axis}_dimension` ({sizes[0]}) must be the same as"
                            f" `operators[{place}].{axis}_dimension` ({sizes[1]})."
                        )

    def _non_singular(self, given):
        what = "A blockwise lower-triangular operator with {} operator{} on the main diagonal is always {}. Expected"
        if all(o.is_non_singular for o in self.diagonal):
            what = what.format("non-singular", "s", "non-singular")
            return hints.implied(given, f"{what} argument `is_non_singular` to be True. Received: {given}.")
        if any(o.is_non_singular is False for o in self.diagonal):
            what = what.format("a singular", "", "singular")
            return hints.refused(given, f"{what} argument `is_non_singular` to be True. Received: {given}.")
        return given

    def _square(self, given):
        for i, o in enumerate(self.diagonal):
            if o.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the `operators` list) must"
                    f" be square. Expected argument `operators[{i}][-1].is_square` to be True. Received: {o.is_square}."
                )
        return hints.implied(
            given,
            "`LinearOperatorBlockLowerTriangular` must be square. Expected argument `is_square` to be True. Received:"
            f" {given}.",
        )

    @property
    def operators(self):
        """The rows of operators."""
        return self._operators

    @property
    def diagonal(self):
        """The operators on the diagonal."""
        return [row[-1] for row in self._operators]

    def _shape(self):
        n = sum((o.domain_dimension for o in self.diagonal), Dimension(0))
        return static_batch(*(o.batch_shape for row in self._operators for o in row)).concatenate([n, n])

    def _shape_tensor(self):
        n = sum(o.domain_dimension_tensor() for o in self.diagonal)
        batch = dynamic_batch(*(o.batch_shape_tensor() for row in self._operators for o in row))
        return concat([batch, [n, n]], 0)

    def _linop_inverse(self):
        inverse = []
        for i, row in enumerate(self._operators):
            last = row[-1].inverse()
            blocks = []
            for j in range(i):
                total = sum(row[k].matmul(inverse[k][j].to_dense()) for k in range(j, i))
                blocks.append(LinearOperatorFullMatrix(-last.matmul(total)))
            inverse.append([*blocks, last])
        return LinearOperatorBlockLowerTriangular(inverse, **hints.of(self))

    def _matmul_blocks(self, x, adjoint):
        n = len(x)
        if adjoint:
            pairs = [[(self._operators[j][i], x[j]) for j in range(i, n)] for i in range(n)]
        else:
            pairs = [[(o, x[j]) for j, o in enumerate(row)] for row in self._operators]
        return [sum(o.matmul(block, adjoint=adjoint) for o, block in row) for row in pairs]

    def _solve_blocks(self, rhs, adjoint):
        n, found = len(rhs), {}
        for i in reversed(range(n)) if adjoint else range(n):
            rest = rhs[i]
            for j, x in found.items():
                o = self._operators[j][i] if adjoint else self._operators[i][j]
                rest -= o.matmul(x, adjoint=adjoint)
            found[i] = self._operators[i][i].solve(rest, adjoint=adjoint)
        return [found[i] for i in range(n)]

    def _determinant(self):
        if all(o.is_positive_definite for o in self.diagonal):
            return exp(self._log_abs_determinant())
        result = self.diagonal[0].determinant()
        for o in self.diagonal[1:]:
            result *= o.determinant()
        return result

    def _log_abs_determinant(self):
        return sum(o.log_abs_determinant() for o in self.diagonal)

    def _diag_part(self):
        parts = [expand_dims(o.diag_part(), -1) for o in self.diagonal]
        return squeeze(concat(broadcast_batches(parts), -2), [-1])

    def _trace(self):
        return sum(o.trace() for o in self.diagonal)

    def _eigvals(self):
        parts = [expand_dims(o.eigvals(), -1) for o in self.diagonal]
        return squeeze(concat(broadcast_batches(parts), -2), [-1])

    def _assert_non_singular(self):
        return group(*(o.assert_non_singular() for o in self.diagonal))
