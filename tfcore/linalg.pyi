# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import cholesky as cholesky
from tfcore import cholesky_solve as cholesky_solve
from tfcore import cross as cross
from tfcore import diag as tensor_diag
from tfcore import diag_part as tensor_diag_part
from tfcore import einsum as einsum
from tfcore import eye as eye
from tfcore import global_norm as global_norm
from tfcore import matmul as matmul
from tfcore import matrix_band_part as band_part
from tfcore import matrix_determinant as det
from tfcore import matrix_diag as diag
from tfcore import matrix_diag_part as diag_part
from tfcore import matrix_inverse as inv
from tfcore import matrix_set_diag as set_diag
from tfcore import matrix_solve as solve
from tfcore import matrix_solve_ls as lstsq
from tfcore import matrix_square_root as sqrtm
from tfcore import matrix_transpose as matrix_transpose
from tfcore import matrix_transpose as transpose
from tfcore import matrix_triangular_solve as triangular_solve
from tfcore import norm as norm
from tfcore import qr as qr
from tfcore import self_adjoint_eig as eigh
from tfcore import self_adjoint_eigvals as eigvalsh
from tfcore import svd as svd
from tfcore import tensordot as tensordot
from tfcore import trace as trace
from typing import Any as _Any

__all__ = [
'adjoint', 'band_part', 'cholesky', 'cholesky_solve', 'cross', 'det', 'diag', 'diag_part', 'eig', 'eigh',
'eigh_tridiagonal', 'eigvals', 'eigvalsh', 'einsum', 'expm', 'eye', 'global_norm', 'inv', 'l2_normalize', 'logdet',
'logm', 'lstsq', 'lu', 'lu_matrix_inverse', 'lu_reconstruct', 'lu_solve', 'matmul', 'matrix_rank', 'matrix_transpose',
'matvec', 'norm', 'normalize', 'pinv', 'qr', 'set_diag', 'slogdet', 'solve', 'sqrtm', 'svd', 'tensor_diag',
'tensor_diag_part', 'tensordot', 'trace', 'transpose', 'triangular_solve', 'tridiagonal_matmul', 'tridiagonal_solve'
]

def adjoint(matrix: _Any, name: str | None = None) -> Tensor:
    """The conjugate transpose of matrices."""

def eig(tensor: _Any, name: str | None = None) -> _Any:
    """The eigenvalues and eigenvectors of matrices, in no particular order."""

def eigh_tridiagonal(alpha: _Any, beta: _Any, eigvals_only: _Any = True, select: _Any = 'a', select_range: _Any = None, tol: _Any = None, name: str | None = None) -> _Any:
    """The eigenvalues of a self-adjoint tridiagonal matrix."""

def eigvals(tensor: _Any, name: str | None = None) -> _Any:
    """The eigenvalues of matrices, in no particular order."""

def expm(input: _Any, name: str | None = None) -> Tensor:
    """The exponential of square matrices: the sum of A ** k / k! over all k."""

def l2_normalize(x: _Any, axis: _Any = None, epsilon: _Any = 1e-12, name: str | None = None, dim: _Any = None) -> Tensor:
    """Divides by the Euclidean norm along dimensions: x / sqrt(max(sum(x^2), epsilon))."""

def logdet(matrix: _Any, name: str | None = None) -> _Any:
    """The logarithm of the determinant of symmetric (or Hermitian) positive definite matrices."""

def logm(input: _Any, name: str | None = None) -> Tensor:
    """The principal logarithms of matrices: x with expm(x) = input. It has no gradient."""

def lu(input: _Any, output_idx_type: _Any = ..., name: str | None = None) -> _Any:
    """The LU decompositions of matrices with partial pivoting."""

def lu_matrix_inverse(lower_upper: _Any, perm: _Any, validate_args: _Any = False, name: str | None = None) -> Tensor:
    """The inverses of matrices, given their LU decompositions."""

def lu_reconstruct(lower_upper: _Any, perm: _Any, validate_args: _Any = False, name: str | None = None) -> Tensor:
    """The matrices of which `tf.linalg.lu` gave the decompositions."""

def lu_solve(lower_upper: _Any, perm: _Any, rhs: _Any, validate_args: _Any = False, name: str | None = None) -> Tensor:
    """Solves A x = rhs, given the LU decompositions of A."""

def matrix_rank(a: _Any, tol: _Any = None, validate_args: _Any = False, name: str | None = None) -> _Any:
    """The ranks of matrices: how many singular values are larger than a tolerance."""

def matvec(a: _Any, b: _Any, transpose_a: _Any = False, adjoint_a: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, name: str | None = None) -> Tensor:
    """The product of a matrix and a vector, or of batches of them."""

def normalize(tensor: _Any, ord: _Any = 'euclidean', axis: _Any = None, name: str | None = None) -> _Any:
    """A tensor divided by its norm."""

def pinv(a: _Any, rcond: _Any = None, validate_args: _Any = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices."""

def slogdet(input: _Any, name: str | None = None) -> _Any:
    """The signs of the determinants of matrices, and the logarithms of their magnitudes, which do not overflow."""

def tridiagonal_matmul(diagonals: _Any, rhs: _Any, diagonals_format: _Any = 'compact', name: str | None = None) -> Tensor:
    """The product of tridiagonal matrices, given by their diagonals, with matrices."""

def tridiagonal_solve(diagonals: _Any, rhs: _Any, diagonals_format: _Any = 'compact', transpose_rhs: _Any = False, conjugate_rhs: _Any = False, name: str | None = None, partial_pivoting: _Any = True, perturb_singular: _Any = False) -> Tensor:
    """Solves systems of equations with tridiagonal matrices, given by their diagonals."""
