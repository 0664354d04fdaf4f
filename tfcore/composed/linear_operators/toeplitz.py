"""The operator of Toeplitz matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import dynamic_batch, static_batch
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.constants import ones
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import reverse
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import conj
from tfcore.ops.debugging.check import assert_equal
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.linalg.fft import fft, ifft


class LinearOperatorToeplitz(LinearOperator):
    """Matrices whose diagonals are constant. Products take a Fourier transform.

    Args:
      col: A `Tensor` of shape [..., n], the first columns.
      row: A `Tensor` of shape [..., n], the first rows, whose first element is that of `col`.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `col` or `row` is a scalar, their sizes differ, or `is_square` is False.
    """

    def __init__(
        self,
        col,
        row,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorToeplitz",
    ):
        parameters = hints.arguments(locals())
        self._col, self._row = convert_to_tensor(col, name="col"), convert_to_tensor(row, name="row")
        for vector, what in ((self._col, "col"), (self._row, "row")):
            if vector.shape.ndims == 0:
                raise ValueError(f"Argument {what} must have at least 1 dimension.  Found: {vector}")
        sizes = [v.shape.ndims and v.shape[-1] for v in (self._col, self._row)]
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        super().__init__(
            self._row.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=hints.implied(is_square, "Only square Toeplitz operators currently supported."),
            name=name,
            parameters=parameters,
        )

    @property
    def col(self):
        """The first columns."""
        return self._col

    @property
    def row(self):
        """The first rows."""
        return self._row

    def _shape(self):
        n = None if self._row.shape.ndims is None else self._row.shape[-1]
        return static_batch(self._col.shape[:-1], self._row.shape[:-1]).concatenate([n, n])

    def _shape_tensor(self):
        col, row = shape(self._col), shape(self._row)
        return concat([dynamic_batch(col[:-1], row[:-1]), row[-1:], row[-1:]], 0)

    def _assert_self_adjoint(self):
        adjoint = conj(self._col) if self.dtype.is_complex else self._col
        return assert_equal(
            self._row, adjoint, message="row and col are not the same, and so this operator is not self-adjoint."
        )

    def _diagonals(self):
        """The values of the diagonals from the lowest on the left to the highest, [..., 2 n - 1]."""
        batch = self.shape_tensor()[:-1]
        zero = 0 * ones(batch, self.dtype)
        col, row = self._col + zero, self._row + zero
        return concat([reverse(col, [-1]), row[..., 1:]], -1)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        """The first rows of the product of a circulant matrix of 2 n - 1 rows."""
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        values = self._diagonals()
        if adjoint:
            values = reverse(conj(values) if self.dtype.is_complex else values, [-1])
        n = self.domain_dimension_tensor()
        circulant = concat([reverse(values[..., :n], [-1]), reverse(values[..., n:], [-1])], -1)
        wide = dtypes.complex128 if self.dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64
        columns = cast(matrix_transpose(x), wide)
        columns = concat([columns, 0 * columns[..., 1:]], -1)
        product = ifft(fft(columns) * expand_dims(fft(cast(circulant, wide)), -2))
        result = cast(matrix_transpose(product[..., :n]), self.dtype)
        if x.shape.ndims is not None and self.shape.ndims is not None:
            batch = static_batch(self.batch_shape, x.shape[:-2])
            result.set_shape(batch.concatenate([self.domain_dimension, x.shape[-1]]))
        return result

    def _linop_adjoint(self):
        col, row = (conj(v) if self.dtype.is_complex else v for v in (self._row, self._col))
        return LinearOperatorToeplitz(col, row, **hints.of(self))

    def _to_dense(self):
        n = self.domain_dimension_tensor()
        places = range_of(n)
        dense = gather(self._diagonals(), n - 1 + expand_dims(places, 0) - expand_dims(places, 1), axis=-1)
        dense.set_shape(self.shape)
        return dense

    def _diag_part(self):
        return self._col[..., :1] * ones(self.shape_tensor()[:-1], self.dtype)

    def _trace(self):
        batch = ones(self.batch_shape_tensor(), self.dtype)
        return self._col[..., 0] * batch * cast(self.domain_dimension_tensor(), self.dtype)
