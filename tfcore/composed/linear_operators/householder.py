"""The operator of reflections."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.norms import norm
from tfcore.framework import errors
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.diag import matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import conj
from tfcore.ops.linalg.matmul import matmul


class LinearOperatorHouseholder(LinearOperator):
    """Reflections 1 - 2 v v* at planes through 0, where v is a vector of length 1.

    Args:
      reflection_axis: A `Tensor` of shape [..., n]: vectors orthogonal to the planes, of any length but 0.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: `reflection_axis` is a scalar, or a hint contradicts what reflections are.
    """

    def __init__(
        self,
        reflection_axis,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorHouseholder",
    ):
        parameters = hints.arguments(locals())
        self._reflection_axis = convert_to_tensor(reflection_axis, name="reflection_axis")
        if self._reflection_axis.shape.ndims == 0:
            raise ValueError(
                f"Argument reflection_axis must have at least 1 dimension.  Found: {self._reflection_axis}"
            )
        super().__init__(
            self._reflection_axis.dtype,
            is_non_singular=hints.implied(is_non_singular, "A Householder operator is always non-singular."),
            is_self_adjoint=hints.implied(is_self_adjoint, "A Householder operator is always self adjoint."),
            is_positive_definite=hints.refused(
                is_positive_definite, "A Householder operator is always non-positive definite."
            ),
            is_square=hints.implied(is_square, "A Householder operator is always square."),
            name=name,
            parameters=parameters,
        )

    @property
    def reflection_axis(self):
        """The vectors orthogonal to the planes."""
        return self._reflection_axis

    def _shape(self):
        dims = self._reflection_axis.shape
        return dims if dims.ndims is None else TensorShape([*dims, dims[-1]])

    def _shape_tensor(self):
        dims = shape(self._reflection_axis)
        return concat([dims, dims[-1:]], 0)

    def _axis(self):
        """The vectors, of length 1."""
        axis = self._reflection_axis
        return axis / cast(norm(axis, axis=-1, keepdims=True), self.dtype)

    def _assert_non_singular(self):
        return no_op("assert_non_singular")

    def _assert_positive_definite(self):
        raise errors.InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self):
        return no_op("assert_self_adjoint")

    def _linop_inverse(self):
        return self

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        axis = expand_dims(self._axis(), -1)
        x = matrix_transpose(x, conjugate=True) if adjoint_arg else x
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self):
        return -ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self):
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self):
        return cast(self.domain_dimension_tensor() - 2, self.dtype) * ones(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self):
        axis = self._axis()
        return 1.0 - 2 * axis * (conj(axis) if self.dtype.is_complex else axis)

    def _eigvals(self):
        sizes = self.shape_tensor()[:-1]
        rest = ones(concat([sizes[:-1], [sizes[-1] - 1]], 0), self.dtype)
        return concat([-ones(concat([sizes[:-1], [1]], 0), self.dtype), rest], -1)

    def _cond(self):
        return ones(self.batch_shape_tensor(), self.dtype.real_dtype)
