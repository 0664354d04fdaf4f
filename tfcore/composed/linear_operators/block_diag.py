"""The operator of block-diagonal matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.blocks import BlockOperator
from tfcore.composed.linear_operators.util import broadcast_batches, dynamic_batch, static_batch
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.ops.array.array import expand_dims, squeeze
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import group

_KNOWN = "The direct sum of {} operators is always {}."


class LinearOperatorBlockDiag(BlockOperator):
    """Matrices with other operators on the diagonal.

    Args:
      operators: A list of `LinearOperator`s of one dtype.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      TypeError: The dtypes differ.
      ValueError: The list is empty, or a hint contradicts those of the operators.
    """

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name=None,
    ):
        parameters = hints.arguments(locals())
        self._operators = hints.operators_of_one_dtype(operators)
        operators = self._operators  # may have been an iterator
        given = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        words = ("non-singular", "self-adjoint", "positive definite")
        known = {
            key: hints.of_all(operators, key, hint, _KNOWN.format(word, word))
            for (key, hint), word in zip(given.items(), words)
        }
        super().__init__(
            self._operators[0].dtype,
            **known,
            is_square=is_square,
            name=name or "_ds_".join(o.name for o in operators),
            parameters=parameters,
        )

    @property
    def operators(self):
        """The operators on the diagonal."""
        return self._operators

    @property
    def diagonal(self):
        """The operators on the diagonal."""
        return self._operators

    def _shape(self):
        rows = sum((o.range_dimension for o in self._operators), Dimension(0))
        columns = sum((o.domain_dimension for o in self._operators), Dimension(0))
        return static_batch(*(o.batch_shape for o in self._operators)).concatenate([rows, columns])

    def _shape_tensor(self):
        rows = sum(o.range_dimension_tensor() for o in self._operators)
        columns = sum(o.domain_dimension_tensor() for o in self._operators)
        return concat([dynamic_batch(*(o.batch_shape_tensor() for o in self._operators)), [rows, columns]], 0)

    def _of_each(self, operators, **given):
        return LinearOperatorBlockDiag(operators, **given)

    def _linop_adjoint(self):
        return self._of_each([o.adjoint() for o in self._operators], **hints.of(self))

    def _linop_inverse(self):
        return self._of_each([o.inverse() for o in self._operators], **hints.of(self))

    def _linop_cholesky(self):
        return self._of_each([o.cholesky() for o in self._operators], is_non_singular=True, is_square=True)

    def _linop_matmul(self, left_operator, right_operator):
        if not isinstance(right_operator, LinearOperatorBlockDiag):
            return super()._linop_matmul(left_operator, right_operator)
        pairs = _pairs(left_operator, right_operator, "multiply two `LinearOperatorBlockDiag`s together")
        return self._of_each(
            [a.matmul(b) for a, b in pairs],
            is_non_singular=hints.non_singular_product(left_operator, right_operator),
            is_square=None,
        )

    def _linop_solve(self, left_operator, right_operator):
        if not isinstance(right_operator, LinearOperatorBlockDiag):
            return super()._linop_solve(left_operator, right_operator)
        pairs = _pairs(left_operator, right_operator, "solve `LinearOperatorBlockDiag`")
        return self._of_each(
            [a.solve(b) for a, b in pairs],
            is_non_singular=hints.non_singular_product(left_operator, right_operator),
            is_square=None,
        )

    def _matmul_blocks(self, x, adjoint):
        return [o.matmul(block, adjoint=adjoint) for o, block in zip(self._operators, x)]

    def _solve_blocks(self, rhs, adjoint):
        return [o.solve(block, adjoint=adjoint) for o, block in zip(self._operators, rhs)]

    def _determinant(self):
        result = self._operators[0].determinant()
        for o in self._operators[1:]:
            result *= o.determinant()
        return result

    def _log_abs_determinant(self):
        return sum(o.log_abs_determinant() for o in self._operators)

    def _want_square_blocks(self, what):
        if not all(o.is_square for o in self._operators):
            raise NotImplementedError(f"`{what}` not implemented for an operator whose blocks are not square.")

    def _diag_part(self):
        self._want_square_blocks("diag_part")
        return _joined_vectors([o.diag_part() for o in self._operators])

    def _trace(self):
        self._want_square_blocks("trace")
        return sum(o.trace() for o in self._operators)

    def _eigvals(self):
        self._want_square_blocks("eigvals")
        return _joined_vectors([o.eigvals() for o in self._operators])

    def _assert_non_singular(self):
        return group(*(o.assert_non_singular() for o in self._operators))

    def _assert_self_adjoint(self):
        return group(*(o.assert_self_adjoint() for o in self._operators))

    def _assert_positive_definite(self):
        return group(*(o.assert_positive_definite() for o in self._operators))


def _joined_vectors(vectors):
    return squeeze(concat(broadcast_batches([expand_dims(v, -1) for v in vectors]), -2), [-1])


def _pairs(left, right, what):
    """Blocks that can be multiplied."""
    if len(left.operators) != len(right.operators):
        raise ValueError(f"Can not efficiently {what} when number of blocks differ.")
    pairs = list(zip(left.operators, right.operators))
    for a, b in pairs:
        if not a.domain_dimension.is_compatible_with(b.range_dimension):
            raise ValueError(
                f"Blocks are incompatible. Expected `x` to have dimension {a.domain_dimension} but got"
                f" {b.range_dimension}."
            )
    return pairs
