"""The operators of unit matrices and of their multiples."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.composed.linear_operators.sizes import BatchShape, Size
from tfcore.composed.linear_operators.util import as_matrix, assert_no_zeros, assert_real, with_batch_of
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.diag import matrix_diag_part, matrix_set_diag, matrix_transpose
from tfcore.ops.array.join import concat, stack
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.binary import pow as power_of
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import conj, real
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log, sqrt
from tfcore.ops.debugging.check import assert_positive


class LinearOperatorIdentity(LinearOperator):
    """Unit matrices.

    Args:
      num_rows: n, an int or an int32 `Tensor`.
      batch_shape: The shape of the batch, a list of ints or an int32 `Tensor`; by default there is no batch.
      dtype: The type of the elements, by default float32.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      assert_proper_shapes: Whether to check sizes that are tensors in a run.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: A hint is False, or a size is negative.
    """

    def __init__(
        self,
        num_rows,
        batch_shape=None,
        dtype=None,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorIdentity",
    ):
        parameters = hints.arguments(locals())
        for hint, what in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        ):
            if not hint:
                raise ValueError(f"An identity operator is always {what}.")
        self._rows = Size(num_rows, "num_rows", assert_proper_shapes)
        self._batch = BatchShape(batch_shape, assert_proper_shapes)
        super().__init__(
            dtypes.as_dtype(dtype or dtypes.float32),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    def _shape(self):
        return self._batch.static.concatenate([self._rows.static, self._rows.static])

    def _shape_tensor(self):
        return concat([self._batch.tensor, stack([self._rows.tensor] * 2)], 0)

    def _assert_non_singular(self):
        return no_op("assert_non_singular")

    def _assert_positive_definite(self):
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self):
        return no_op("assert_self_adjoint")

    def _linop_adjoint(self):
        return self

    def _linop_inverse(self):
        return self

    def _linop_cholesky(self):
        return self

    def _linop_matmul(self, left_operator, right_operator):
        return right_operator

    def _linop_solve(self, left_operator, right_operator):
        return right_operator

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return with_batch_of(matrix_transpose(x, conjugate=True) if adjoint_arg else x, self)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self):
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self):
        return cast(self.domain_dimension_tensor(), self.dtype) * ones(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self):
        return ones(self.shape_tensor()[:-1], self.dtype)

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The sum of the operator and a tensor.

        Args:
          mat: A `Tensor` of the operator's dtype and a shape that broadcasts with its own.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, n].
        """
        with self._name_scope(name):
            mat = with_batch_of(convert_to_tensor(mat, name="mat"), self)
            return matrix_set_diag(mat, 1 + matrix_diag_part(mat))

    def _eigvals(self):
        return self._diag_part()

    def _cond(self):
        return ones(self.batch_shape_tensor(), self.dtype)


class LinearOperatorScaledIdentity(LinearOperator):
    """Multiples of the unit matrix.

    Args:
      num_rows: n, an int or an int32 `Tensor`.
      multiplier: A `Tensor` of the shape of the batch.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      assert_proper_shapes: Whether to check sizes that are tensors in a run.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `is_square` is False, or `is_self_adjoint` is False and `multiplier` real.
    """

    def __init__(
        self,
        num_rows,
        multiplier,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorScaledIdentity",
    ):
        parameters = hints.arguments(locals())
        self._multiplier = convert_to_tensor(multiplier, name="multiplier")
        if not self._multiplier.dtype.is_complex:
            is_self_adjoint = hints.implied(is_self_adjoint, "A real diagonal operator is always self adjoint.")
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._rows = Size(num_rows, "num_rows", assert_proper_shapes)
        super().__init__(
            self._multiplier.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def multiplier(self):
        """The factors."""
        return self._multiplier

    def _shape(self):
        return self._multiplier.shape.concatenate(TensorShape([self._rows.static] * 2))

    def _shape_tensor(self):
        return concat([shape(self._multiplier), stack([self._rows.tensor] * 2)], 0)

    def _assert_non_singular(self):
        return assert_no_zeros(self._multiplier, "LinearOperator was singular")

    def _assert_positive_definite(self):
        return assert_positive(real(self._multiplier), message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self):
        return assert_real(self._multiplier, "LinearOperator was not self-adjoint")

    def _conjugate(self):
        return conj(self._multiplier) if self.dtype.is_complex else self._multiplier

    def _times(self, multiplier, **more):
        return LinearOperatorScaledIdentity(self._rows.tensor, multiplier, **{**hints.of(self), **more})

    def _linop_adjoint(self):
        return self._times(self._conjugate())

    def _linop_inverse(self):
        return self._times(1.0 / self._multiplier)

    def _linop_cholesky(self):
        return self._times(sqrt(self._multiplier), is_non_singular=True)

    def _linop_matmul(self, left_operator, right_operator):
        product = hints.of_commuting_product(left_operator, right_operator)
        if isinstance(right_operator, LinearOperatorScaledIdentity):
            return self._times(left_operator.multiplier * right_operator.multiplier, **product)
        if isinstance(right_operator, LinearOperatorDiag):
            return LinearOperatorDiag(right_operator.diag * expand_dims(left_operator.multiplier, -1), **product)
        return super()._linop_matmul(left_operator, right_operator)

    def _linop_solve(self, left_operator, right_operator):
        product = hints.of_commuting_product(left_operator, right_operator)
        if isinstance(right_operator, LinearOperatorScaledIdentity):
            return self._times(right_operator.multiplier / left_operator.multiplier, **product)
        if isinstance(right_operator, LinearOperatorDiag):
            return LinearOperatorDiag(right_operator.diag / expand_dims(left_operator.multiplier, -1), **product)
        return super()._linop_solve(left_operator, right_operator)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        return x * as_matrix(self._conjugate() if adjoint else self._multiplier)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = matrix_transpose(rhs, conjugate=True) if adjoint_arg else rhs
        return rhs / as_matrix(self._conjugate() if adjoint else self._multiplier)

    def _determinant(self):
        return power_of(self._multiplier, cast(self._rows.tensor, self.dtype))

    def _log_abs_determinant(self):
        size = log(abs_of(self._multiplier))
        return cast(cast(self._rows.tensor, size.dtype) * size, self.dtype)

    def _diag_part(self):
        return expand_dims(self._multiplier, -1) * ones(stack([self._rows.tensor]), self.dtype)

    def _trace(self):
        return self._multiplier * cast(self._rows.tensor, self.dtype)

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The sum of the operator and a tensor.

        Args:
          mat: A `Tensor` of the operator's dtype and a shape that broadcasts with its own.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, n].
        """
        with self._name_scope(name):
            mat = with_batch_of(convert_to_tensor(mat, name="mat"), self)
            return matrix_set_diag(mat, expand_dims(self._multiplier, -1) + matrix_diag_part(mat))

    def _eigvals(self):
        return self._diag_part()

    def _cond(self):
        sizes = abs_of(self._multiplier)
        return sizes / sizes  # NaN for 0
