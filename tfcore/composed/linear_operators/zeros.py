"""The operator of zero matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.sizes import BatchShape, Size
from tfcore.composed.linear_operators.util import with_batch_of
from tfcore.framework import errors
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat, stack
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.binary import minimum


class LinearOperatorZeros(LinearOperator):
    """Zero matrices.

    Args:
      num_rows: m, an int or an int32 `Tensor`.
      num_columns: n; by default `num_rows`.
      batch_shape: The shape of the batch, a list of ints or an int32 `Tensor`; by default there is no batch.
      dtype: The type of the elements, by default float32.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      assert_proper_shapes: Whether to check sizes that are tensors in a run.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: A hint contradicts the zeros, or a size is negative.
    """

    def __init__(
        self,
        num_rows,
        num_columns=None,
        batch_shape=None,
        dtype=None,
        is_non_singular=False,
        is_self_adjoint=True,
        is_positive_definite=False,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorZeros",
    ):
        parameters = hints.arguments(locals())
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        hints.refused(is_non_singular, "A zero operator is always singular.")
        hints.refused(is_positive_definite, "A zero operator is always not positive-definite.")
        self._rows = Size(num_rows, "num_rows", assert_proper_shapes)
        self._columns = self._rows
        if num_columns is not None:
            self._columns = Size(num_columns, "num_columns", assert_proper_shapes)
        sizes = self._rows.static, self._columns.static
        if is_square and None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({sizes[0]}) !="
                f" num_columns({sizes[1]})"
            )
        self._batch = BatchShape(batch_shape, assert_proper_shapes)
        super().__init__(
            dtypes.as_dtype(dtype or dtypes.float32),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint and is_square,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    def _shape(self):
        return self._batch.static.concatenate([self._rows.static, self._columns.static])

    def _shape_tensor(self):
        return concat([self._batch.tensor, stack([self._rows.tensor, self._columns.tensor])], 0)

    def _assert_non_singular(self):
        raise errors.InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self):
        raise errors.InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self):
        return no_op("assert_self_adjoint")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = with_batch_of(matrix_transpose(x, conjugate=True) if adjoint_arg else x, self)
        rows = (self._columns if adjoint else self._rows).tensor
        sizes = shape(x)
        product = zeros(concat([sizes[:-2], [rows], sizes[-1:]], 0), self.dtype)
        static = (self._columns if adjoint else self._rows).static
        if x.shape.ndims is not None:
            product.set_shape([*x.shape[:-2], static, x.shape[-1]])
        return product

    def _linop_matmul(self, left_operator, right_operator):
        return hints.zeros_product(left_operator, right_operator)

    def _determinant(self):
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self):
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self):
        return zeros(concat([self.batch_shape_tensor(), [self._least()]], 0), self.dtype)

    def _least(self):
        return minimum(self._rows.tensor, self._columns.tensor)

    def add_to_tensor(self, mat, name="add_to_tensor"):
        """The sum of the operator and a tensor: the tensor itself.

        Args:
          mat: A `Tensor` of the operator's dtype and a shape that broadcasts with its own.
          name: Prefix of the names of the operations.

        Returns:
          A `Tensor` of shape [..., m, n].
        """
        with self._name_scope(name):
            return with_batch_of(convert_to_tensor(mat, name="mat"), self)

    def _eigvals(self):
        return self._diag_part()
