"""Bijectors of matrices, and of vectors to matrices."""

import math

from tfcore.distributions.bijectors.bijector import Bijector
from tfcore.distributions.bijectors.compositions import Chain, TransformDiagonal
from tfcore.distributions.bijectors.elementwise import AffineScalar, Softplus
from tfcore.distributions.functions.matrices import fill_triangular, fill_triangular_inverse
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.diag import eye, matrix_band_part, matrix_diag_part
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log, sqrt
from tfcore.ops.cwise.unary import round as round_of
from tfcore.ops.debugging import check
from tfcore.ops.linalg.linalg import cholesky, matrix_triangular_solve
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_sum


class CholeskyOuterProduct(Bijector):
    """y = x @ x', for a lower triangle x with a positive diagonal.

    Args:
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `forward` is given something else.
    """

    def __init__(self, validate_args=False, name="cholesky_outer_product"):
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x):
        if self.validate_args:
            square = check.assert_equal(shape(x)[-2], shape(x)[-1])
            x = with_dependencies([check.assert_rank_at_least(x, 2), square], x)
            x = with_dependencies([check.assert_positive(matrix_diag_part(x))], x)
        x = matrix_band_part(x, -1, 0)
        return matmul(x, x, adjoint_b=True)

    def _inverse(self, y):
        return cholesky(y)

    def _inverse_log_det_jacobian(self, y):
        return -self._forward_log_det_jacobian(self._inverse(y))

    def _forward_log_det_jacobian(self, x):
        # The derivative of row i's elements by column j is triangular with x[j, j], doubled for i = j:
        # 2 ** p * x[0, 0] ** p * x[1, 1] ** (p - 1) * ... * x[p - 1, p - 1].
        diagonal = matrix_diag_part(x)
        if self.validate_args:
            diagonal = with_dependencies([check.assert_positive(diagonal)], diagonal)
        size = cast(shape(diagonal)[-1], x.dtype)
        exponents = size - cast(range_of(shape(diagonal)[-1]), x.dtype)
        return reduce_sum(exponents * log(diagonal), -1) + size * math.log(2.0)


class MatrixInverseTriL(Bijector):
    """y is the inverse of a lower triangle x.

    Args:
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: A matrix is not square.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: an argument is not a lower triangle, or has a zero
        on its diagonal.
    """

    def __init__(self, validate_args=False, name="matrix_inverse_tril"):
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _valid(self, x):
        if x.shape.ndims is not None and x.shape.ndims < 2:
            raise ValueError(f"Input must have rank at least 2, saw: {x.shape.ndims}")
        if not x.shape[-2:].is_compatible_with([None, None]) or x.shape[-2:-1] != x.shape[-1:]:
            if x.shape[-2:].is_fully_defined():
                raise ValueError(f"Input must be (batch of) square matrix, saw: {x.shape}")
        if not self.validate_args:
            return x
        zero = cast(0, x.dtype)
        checks = [
            check.assert_equal(shape(x)[-2], shape(x)[-1], message="Input must be (batch of) square matrix"),
            check.assert_equal(matrix_band_part(x, -1, 0), x, message="Input must be lower triangular"),
            check.assert_none_equal(matrix_diag_part(x), zero, message="Input must be nonsingular"),
        ]
        return with_dependencies(checks, x)

    def _forward(self, x):
        x = self._valid(x)
        unit = eye(shape(x)[-1], batch_shape=shape(x)[:-2], dtype=x.dtype)
        y = matrix_triangular_solve(x, unit)
        y.set_shape(x.shape)
        return y

    def _inverse(self, y):
        return self._forward(y)

    def _forward_log_det_jacobian(self, x):
        # the Jacobian is the negative Kronecker product of the inverse and its transpose, on lower triangles
        diagonal = matrix_diag_part(self._valid(x))
        size = cast(shape(diagonal)[-1], x.dtype)
        return -(size + 1) * reduce_sum(log(abs_of(diagonal)), -1)


class FillTriangular(Bijector):
    """Puts the elements of a vector into a triangle, see `tf.contrib.distributions.fill_triangular`.

    Args:
      upper: Whether it is the upper triangle.
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: No triangle has as many elements, or a matrix is not square.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.FillTriangular().forward([1.0, 2.0, 3.0])).tolist())
    [[3.0, 0.0], [2.0, 1.0]]
    """

    def __init__(self, upper=False, validate_args=False, name="fill_triangular"):
        self._upper = upper
        super().__init__(
            forward_min_event_ndims=1,
            inverse_min_event_ndims=2,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x):
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y):
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x):
        return 0 * reduce_sum(x[..., :1], -1)

    def _inverse_log_det_jacobian(self, y):
        return 0 * reduce_sum(y[..., :1, :1], [-2, -1])

    def _forward_event_shape(self, input_shape):
        *batch, size = input_shape.as_list() if input_shape.ndims is not None else [None]
        side = None if size is None else _side(size)
        return TensorShape([*batch, side, side])

    def _inverse_event_shape(self, output_shape):
        if output_shape.ndims is None:
            return TensorShape([None])
        *batch, rows, columns = output_shape.as_list()
        side = rows if columns is None else columns
        if rows is not None and rows != side:
            raise ValueError(f"Matrix must be square. (saw [{rows}, {columns}])")
        return TensorShape([*batch, None if side is None else side * (side + 1) // 2])

    def _forward_event_shape_tensor(self, input_shape_tensor):
        size = cast(input_shape_tensor[-1:], "float64")
        side = cast(round_of(sqrt(0.25 + 2 * size) - 0.5), "int32")
        return concat([input_shape_tensor[:-1], side, side], 0)

    def _inverse_event_shape_tensor(self, output_shape_tensor):
        side = output_shape_tensor[-1:]
        return concat([output_shape_tensor[:-2], side * (side + 1) // 2], 0)


def _side(size):
    side = (math.isqrt(8 * size + 1) - 1) // 2
    if side * (side + 1) // 2 != size:
        raise ValueError(f"Vector is not a valid triangle length. ({size} => {side})")
    return side


class ScaleTriL(Chain):
    """Puts a vector into a lower triangle, and makes its diagonal positive.

    Args:
      diag_bijector: The `Bijector` of the diagonal; `Softplus` by default.
      diag_shift: A floating-point `Tensor` that is added to the diagonal; 0.00001 by default.
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.
    """

    def __init__(self, diag_bijector=None, diag_shift=1e-5, validate_args=False, name="scale_tril"):
        if diag_bijector is None:
            diag_bijector = Softplus(validate_args=validate_args)
        if diag_shift is not None:
            diag_bijector = Chain([AffineScalar(shift=diag_shift), diag_bijector])
        super().__init__([TransformDiagonal(diag_bijector), FillTriangular()], validate_args=validate_args, name=name)
