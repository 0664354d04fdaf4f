"""The operator of Kronecker products."""

from functools import reduce

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import dynamic_batch, static_batch
from tfcore.framework import errors
from tfcore.ops.array.array import expand_dims, rank, reshape, shape, transpose
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.cast import cast
from tfcore.ops.reduce.reduce import reduce_prod

_KNOWN = "The Kronecker product of {0} operators is always {0}. Expected argument `{1}` to be True. Received: {2}."


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators: each element of the first times the product of the others.

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
        is_square=None,
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
        known = {
            key: hints.of_all(operators, key, hint, _KNOWN.format(hints.word(key), key, hint))
            for key, hint in given.items()
        }
        super().__init__(
            self._operators[0].dtype,
            **known,
            is_square=is_square,
            name=name or "_x_".join(o.name for o in operators),
            parameters=parameters,
        )

    @property
    def operators(self):
        """The operators of the product."""
        return self._operators

    def _shape(self):
        rows = reduce(lambda m, o: m * o.range_dimension, self._operators, 1)
        columns = reduce(lambda n, o: n * o.domain_dimension, self._operators, 1)
        return static_batch(*(o.batch_shape for o in self._operators)).concatenate([rows, columns])

    def _shape_tensor(self):
        rows = reduce_prod([o.range_dimension_tensor() for o in self._operators])
        columns = reduce_prod([o.domain_dimension_tensor() for o in self._operators])
        return concat([dynamic_batch(*(o.batch_shape_tensor() for o in self._operators)), [rows, columns]], 0)

    def _linop_adjoint(self):
        return LinearOperatorKronecker([o.adjoint() for o in self._operators], **hints.of(self))

    def _linop_cholesky(self):
        return LinearOperatorKronecker([o.cholesky() for o in self._operators], is_non_singular=True, is_square=True)

    def _linop_inverse(self):
        return LinearOperatorKronecker([o.inverse() for o in self._operators], **hints.of(self))

    def _linop_matmul(self, left_operator, right_operator):
        pairs = _pairs(left_operator, right_operator)
        if pairs is None:
            return super()._linop_matmul(left_operator, right_operator)
        regular = hints.non_singular_product(left_operator, right_operator)
        return LinearOperatorKronecker([a.matmul(b) for a, b in pairs], is_non_singular=regular)

    def _linop_solve(self, left_operator, right_operator):
        pairs = _pairs(left_operator, right_operator)
        if pairs is None:
            return super()._linop_solve(left_operator, right_operator)
        regular = hints.non_singular_product(left_operator, right_operator)
        return LinearOperatorKronecker([a.solve(b) for a, b in pairs], is_non_singular=regular)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._along_each_axis("matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        self._want_square_factors()
        return self._along_each_axis("solve", rhs, adjoint, adjoint_arg)

    def _want_square_factors(self):
        if any(o.is_square is False for o in self._operators):
            raise errors.InvalidArgumentError(
                None,
                None,
                "All Kronecker factors must be square for the product to be invertible. Expected hint `is_square` to"
                " be True for every operator in argument `operators`.",
            )

    def _along_each_axis(self, method, x, adjoint, adjoint_arg):
        """Each operator treats one of the axes that the rows of x are made of."""
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        columns, width = shape(x)[-1], x.shape[-1]
        batch = static_batch(x.shape[:-2], self.batch_shape)
        takes_rows = adjoint == (method == "matmul")
        before = 1
        for i, o in enumerate(self._operators):
            after = [p.range_dimension_tensor() if takes_rows else p.domain_dimension_tensor() for p in self._operators]
            after, own = reduce_prod(after[i + 1 :]) if after[i + 1 :] else 1, after[i]
            x = reshape(x, concat([shape(x)[:-2], [before, own, after * columns]], 0))
            x = _swap_rows(x)
            x = reshape(x, concat([shape(x)[:-2], [before * after * columns]], 0))
            x = getattr(o, method)(x, adjoint=adjoint)
            made = shape(x)[-2]
            x = _swap_rows(reshape(x, concat([shape(x)[:-1], [before, after * columns]], 0)))
            before = before * made
            x = reshape(x, concat([shape(x)[:-3], [before * after, columns]], 0))
        if batch.ndims is not None:
            rows = self.domain_dimension if takes_rows else self.range_dimension
            x.set_shape(batch.concatenate([rows, width]))
        return x

    def _determinant(self):
        self._want_square_factors()
        total = cast(self.domain_dimension_tensor(), self.dtype)
        result = 1
        for o in self._operators:
            result *= o.determinant() ** (total / cast(o.domain_dimension_tensor(), self.dtype))
        return result

    def _log_abs_determinant(self):
        self._want_square_factors()
        total = cast(self.domain_dimension_tensor(), self.dtype)
        return sum(
            o.log_abs_determinant() * (total / cast(o.domain_dimension_tensor(), self.dtype)) for o in self._operators
        )

    def _trace(self):
        if any(o.is_square is not True for o in self._operators):
            return super()._trace()
        result = 1
        for o in self._operators:
            result *= o.trace()
        return result

    def _diag_part(self):
        if any(o.is_square is not True for o in self._operators):
            return super()._diag_part()
        return self._outer([o.diag_part() for o in self._operators])

    def _eigvals(self):
        if not all(o.is_square and o.is_self_adjoint for o in self._operators):
            return super()._eigvals()
        return self._outer([o.eigvals() for o in self._operators])

    def _outer(self, vectors):
        """All products of their elements, as a vector."""
        result = vectors[0]
        for v in vectors[1:]:
            result = expand_dims(result, -1) * expand_dims(v, -2)
            result = reshape(result, concat([shape(result)[:-2], [-1]], 0))
        result.set_shape(self.shape[:-1])
        return result

    def _assert_non_singular(self):
        self._want_square_factors()
        return group(*(o.assert_non_singular() for o in self._operators))

    def _assert_self_adjoint(self):
        if any(o.is_square is not True for o in self._operators):
            return super()._assert_self_adjoint()
        return group(*(o.assert_self_adjoint() for o in self._operators))


def _pairs(left, right):
    """The operators of two products that can be multiplied one by one, or None."""
    if not isinstance(right, LinearOperatorKronecker) or len(left.operators) != len(right.operators):
        return None
    pairs = list(zip(left.operators, right.operators))
    sizes = [(a.domain_dimension.value, b.range_dimension.value) for a, b in pairs]
    return pairs if all(None not in s and s[0] == s[1] for s in sizes) else None


def _swap_rows(x):
    """[..., a, b, c] becomes [..., b, a, c]."""
    n = x.shape.ndims
    if n is not None:
        return transpose(x, [*range(n - 3), n - 2, n - 3, n - 1])
    n = rank(x)
    return transpose(x, concat([range_of(n - 3), [n - 2, n - 3, n - 1]], 0))
