"""The operator of tridiagonal matrices."""

from tfcore.composed.linear_operators import hints
from tfcore.composed.linear_operators.base import LinearOperator
from tfcore.composed.linear_operators.util import assert_real, broadcast_batches
from tfcore.composed.tridiagonal import DIAGONALS_FORMATS, diagonals_of
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.diag import matrix_diag, matrix_transpose
from tfcore.ops.array.join import concat, stack
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.complex import conj
from tfcore.ops.debugging.check import assert_equal
from tfcore.ops.linalg.tridiagonal import TridiagonalMatMul, TridiagonalSolve


class LinearOperatorTridiag(LinearOperator):
    """Tridiagonal matrices.

    Args:
      diagonals: With the format "compact" a `Tensor` of shape [..., 3, n]: the diagonals above, on and below the main
        one; the last element of the first and the first of the last are not used. "sequence": a list of the
        three. "matrix": a `Tensor` of shape [..., n, n], whose other elements are not used.
      diagonals_format: "compact", "sequence" or "matrix".
      is_non_singular: Whether the matrices have inverses: True, False, or None if it is not known.
      is_self_adjoint: Whether they equal their adjoints.
      is_positive_definite: Whether they are positive definite.
      is_square: Whether they are square.
      name: The prefix of the names of the operations.

    Raises:
      ValueError: The format is another, or `diagonals` does not fit it.
    """

    def __init__(
        self,
        diagonals,
        diagonals_format="compact",
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorTridiag",
    ):
        parameters = hints.arguments(locals())
        if diagonals_format not in DIAGONALS_FORMATS:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. Received :"
                f" {diagonals_format}."
            )
        sequence = diagonals_format == "sequence"
        self._diagonals = [convert_to_tensor(d) for d in diagonals] if sequence else convert_to_tensor(diagonals)
        self._diagonals_format = diagonals_format
        self._compact = stack(diagonals_of(self._diagonals, diagonals_format), -2)
        super().__init__(
            self._compact.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def diagonals(self):
        """The diagonals, in the format in which they were given."""
        return self._diagonals

    @property
    def diagonals_format(self):
        """ "compact", "sequence" or "matrix"."""
        return self._diagonals_format

    def _shape(self):
        dims = self._compact.shape
        return dims if dims.ndims is None else TensorShape([*dims[:-2], dims[-1], dims[-1]])

    def _shape_tensor(self):
        dims = shape(self._compact)
        return concat([dims[:-2], dims[-1:], dims[-1:]], 0)

    def _assert_self_adjoint(self):
        above, main, below = (self._compact[..., i, :] for i in range(3))
        lower = conj(below) if self.dtype.is_complex else below
        message = "This tridiagonal operator has non-conjugate subdiagonal and superdiagonal."
        return group(
            assert_real(main, "This tridiagonal operator contained non-zero imaginary values on the diagonal."),
            assert_equal(above[..., :-1], lower[..., 1:], message=message),
        )

    def _adjoint_diagonals(self):
        d = conj(self._compact) if self.dtype.is_complex else self._compact
        zero = zeros_like(d[..., 0, :1])
        above, below = concat([d[..., 2, 1:], zero], -1), concat([zero, d[..., 0, :-1]], -1)
        return stack([above, d[..., 1, :], below], -2)

    def _linop_adjoint(self):
        return LinearOperatorTridiag(self._adjoint_diagonals(), **hints.of(self))

    def _arguments(self, x, adjoint, adjoint_arg):
        d = self._adjoint_diagonals() if adjoint else self._compact
        return broadcast_batches([d, matrix_transpose(x, conjugate=True) if adjoint_arg else x])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        d, x = self._arguments(x, adjoint, adjoint_arg)
        return TridiagonalMatMul(*(d[..., i : i + 1, :] for i in range(3)), x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return TridiagonalSolve(*self._arguments(rhs, adjoint, adjoint_arg))

    def _diag_part(self):
        return self._compact[..., 1, :]

    def _to_dense(self):
        return self.matmul(matrix_diag(zeros_like(self.diag_part()) + 1))
