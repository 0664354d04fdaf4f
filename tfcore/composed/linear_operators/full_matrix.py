"""The operator of dense matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.linalg.matmul import matmul


class LinearOperatorFullMatrix(LinearOperator):
    """Dense matrices.

    Args:
      matrix: A `Tensor` of shape [..., m, n] and type float16, float32, float64, complex64 or complex128.
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      TypeError: `matrix` has another type.
      ValueError: It has fewer than two dimensions.
    """

    def __init__(
        self,
        matrix,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorFullMatrix",
    ):
        parameters = hints.arguments(locals())
        self._matrix = convert_to_tensor(matrix, name="matrix")
        dtype = self._matrix.dtype
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(
                "Argument `matrix` must have dtype in [float16, float32, float64, complex64, complex128]."
                f" Received: {dtype.name}."
            )
        if self._matrix.shape.ndims is not None and self._matrix.shape.ndims < 2:
            raise ValueError(f"Argument `matrix` must have at least 2 dimensions. Received: {self._matrix}.")
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def matrix(self):
        """The matrices."""
        return self._matrix

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return shape(self._matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self):
        return self._matrix
