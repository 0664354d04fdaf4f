# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore import TensorShape as TensorShape
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
from tfcore.linalg import experimental as experimental
from typing import Any as _Any

__all__ = [
'LinearOperator', 'LinearOperatorAdjoint', 'LinearOperatorBlockDiag', 'LinearOperatorBlockLowerTriangular',
'LinearOperatorCirculant', 'LinearOperatorCirculant2D', 'LinearOperatorCirculant3D', 'LinearOperatorComposition',
'LinearOperatorDiag', 'LinearOperatorFullMatrix', 'LinearOperatorHouseholder', 'LinearOperatorIdentity',
'LinearOperatorInversion', 'LinearOperatorKronecker', 'LinearOperatorLowRankUpdate', 'LinearOperatorLowerTriangular',
'LinearOperatorPermutation', 'LinearOperatorScaledIdentity', 'LinearOperatorToeplitz', 'LinearOperatorTridiag',
'LinearOperatorZeros', 'adjoint', 'band_part', 'cholesky', 'cholesky_solve', 'cross', 'det', 'diag', 'diag_part', 'eig',
'eigh', 'eigh_tridiagonal', 'eigvals', 'eigvalsh', 'einsum', 'experimental', 'expm', 'eye', 'global_norm', 'inv',
'l2_normalize', 'logdet', 'logm', 'lstsq', 'lu', 'lu_matrix_inverse', 'lu_reconstruct', 'lu_solve', 'matmul',
'matrix_rank', 'matrix_transpose', 'matvec', 'norm', 'normalize', 'pinv', 'qr', 'set_diag', 'slogdet', 'solve', 'sqrtm',
'svd', 'tensor_diag', 'tensor_diag_part', 'tensordot', 'trace', 'transpose', 'triangular_solve', 'tridiagonal_matmul',
'tridiagonal_solve'
]

class LinearOperator:
    """A batch of matrices [..., m, n], known by what they do to vectors."""
    @property
    def H(self) -> _Any:
        """The operator of the conjugate transposes."""
    def __getitem__(self, slices: _Any) -> _Any: ...
    def __init__(self, dtype: _Any, graph_parents: _Any = None, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = None, parameters: _Any = None) -> None: ...
    def __matmul__(self, other: _Any) -> _Any: ...
    def add_to_tensor(self, x: _Any, name: str | None = 'add_to_tensor') -> Tensor:
        """The sum of the operator and a tensor."""
    def adjoint(self, name: str | None = 'adjoint') -> _Any:
        """The operator of the conjugate transposes; the same one if it is self-adjoint."""
    def assert_non_singular(self, name: str | None = 'assert_non_singular') -> Operation:
        """An operation that fails unless the matrices have inverses, up to rounding errors."""
    def assert_positive_definite(self, name: str | None = 'assert_positive_definite') -> Operation:
        """An operation that fails unless the matrices are positive definite."""
    def assert_self_adjoint(self, name: str | None = 'assert_self_adjoint') -> Operation:
        """An operation that fails unless the matrices equal their adjoints."""
    @property
    def batch_shape(self) -> TensorShape:
        """The `TensorShape` of the batch."""
    def batch_shape_tensor(self, name: str | None = 'batch_shape_tensor') -> _Any:
        """The shape of the batch."""
    def cholesky(self, name: str | None = 'cholesky') -> _Any:
        """The operator of the lower triangular L with L L* = A."""
    def cond(self, name: str | None = 'cond') -> Tensor:
        """The condition numbers."""
    def determinant(self, name: str | None = 'det') -> Tensor:
        """The determinants."""
    def diag_part(self, name: str | None = 'diag_part') -> Tensor:
        """The diagonals."""
    @property
    def domain_dimension(self) -> _Any:
        """The `Dimension` n of the vectors that the matrices take."""
    def domain_dimension_tensor(self, name: str | None = 'domain_dimension_tensor') -> _Any:
        """n."""
    @property
    def dtype(self) -> _Any:
        """The type of the elements."""
    def eigvals(self, name: str | None = 'eigvals') -> Tensor:
        """The eigenvalues of a self-adjoint operator."""
    @property
    def graph_parents(self) -> _Any:
        """Deprecated: the tensors that the constructor was given as such."""
    def inverse(self, name: str | None = 'inverse') -> _Any:
        """The operator of the inverses."""
    @property
    def is_non_singular(self) -> builtins.bool:
        """Whether the matrices have inverses: True, False or None."""
    @property
    def is_positive_definite(self) -> builtins.bool:
        """Whether the matrices are positive definite: True, False or None."""
    @property
    def is_self_adjoint(self) -> builtins.bool:
        """Whether the matrices equal their adjoints: True, False or None."""
    @property
    def is_square(self) -> builtins.bool:
        """Whether the matrices are square: True, False or None."""
    def log_abs_determinant(self, name: str | None = 'log_abs_det') -> Tensor:
        """The logarithms of the magnitudes of the determinants."""
    def matmul(self, x: _Any, adjoint: _Any = False, adjoint_arg: _Any = False, name: str | None = 'matmul') -> Tensor:
        """The product of the operator with matrices, or with another operator."""
    def matvec(self, x: _Any, adjoint: _Any = False, name: str | None = 'matvec') -> Tensor:
        """The product of the operator with vectors."""
    @property
    def name(self) -> _Any:
        """The prefix of the names of the operations."""
    @property
    def parameters(self) -> _Any:
        """The arguments of the constructor, as a new dict."""
    @property
    def range_dimension(self) -> _Any:
        """The `Dimension` m of the vectors that they give."""
    def range_dimension_tensor(self, name: str | None = 'range_dimension_tensor') -> _Any:
        """m."""
    @property
    def shape(self) -> TensorShape:
        """The `TensorShape` [..., m, n]."""
    def shape_tensor(self, name: str | None = 'shape_tensor') -> _Any:
        """The shape [..., m, n]."""
    def solve(self, rhs: _Any, adjoint: _Any = False, adjoint_arg: _Any = False, name: str | None = 'solve') -> Tensor:
        """Solves A x = rhs, where rhs is a batch of matrices or another operator."""
    def solvevec(self, rhs: _Any, adjoint: _Any = False, name: str | None = 'solve') -> Tensor:
        """Solves A x = rhs, where rhs is a batch of vectors."""
    @property
    def tensor_rank(self) -> _Any:
        """The number of dimensions of the shape [..., m, n], or None."""
    def tensor_rank_tensor(self, name: str | None = 'tensor_rank_tensor') -> _Any:
        """The number of dimensions of the shape [..., m, n]."""
    def to_dense(self, name: str | None = 'to_dense') -> Tensor:
        """The matrices."""
    def trace(self, name: str | None = 'trace') -> Tensor:
        """The sums of the diagonals."""

class LinearOperatorAdjoint(LinearOperator):
    """The adjoints of the matrices of another operator."""
    def __init__(self, operator: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = None) -> None: ...
    @property
    def operator(self) -> _Any:
        """The other operator."""

class LinearOperatorBlockDiag(LinearOperator):
    """Matrices with other operators on the diagonal."""
    def __init__(self, operators: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = True, name: str | None = None) -> None: ...
    @property
    def diagonal(self) -> _Any:
        """The operators on the diagonal."""
    def matmul(self, x: _Any, adjoint: _Any = False, adjoint_arg: _Any = False, name: str | None = 'matmul') -> Tensor:
        """The product of the operator with matrices, with a list of matrices for the blocks, or with an operator."""
    def matvec(self, x: _Any, adjoint: _Any = False, name: str | None = 'matvec') -> Tensor:
        """The product of the operator with vectors, or with a list of vectors for the blocks."""
    @property
    def operators(self) -> _Any:
        """The operators on the diagonal."""
    def solve(self, rhs: _Any, adjoint: _Any = False, adjoint_arg: _Any = False, name: str | None = 'solve') -> Tensor:
        """Solves A x = rhs, where rhs is a batch of matrices, a list of them for the blocks, or an operator."""
    def solvevec(self, rhs: _Any, adjoint: _Any = False, name: str | None = 'solve') -> Tensor:
        """Solves A x = rhs, where rhs is a batch of vectors or a list of them for the blocks."""

class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Matrices with operators as blocks on and below the diagonal."""
    def __init__(self, operators: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorBlockLowerTriangular') -> None: ...
    @property
    def diagonal(self) -> _Any:
        """The operators on the diagonal."""
    def matmul(self, x: _Any, adjoint: _Any = False, adjoint_arg: _Any = False, name: str | None = 'matmul') -> Tensor:
        """The product of the operator with matrices, with a list of matrices for the blocks, or with an operator."""
    def matvec(self, x: _Any, adjoint: _Any = False, name: str | None = 'matvec') -> Tensor:
        """The product of the operator with vectors, or with a list of vectors for the blocks."""
    @property
    def operators(self) -> _Any:
        """The rows of operators."""
    def solve(self, rhs: _Any, adjoint: _Any = False, adjoint_arg: _Any = False, name: str | None = 'solve') -> Tensor:
        """Solves A x = rhs, where rhs is a batch of matrices, a list of them for the blocks, or an operator."""
    def solvevec(self, rhs: _Any, adjoint: _Any = False, name: str | None = 'solve') -> Tensor:
        """Solves A x = rhs, where rhs is a batch of vectors or a list of them for the blocks."""

class LinearOperatorCirculant(LinearOperator):
    """Circulant matrices, which commute with shifts of vectors."""
    def __init__(self, spectrum: _Any, input_output_dtype: _Any = ..., is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = True, name: str | None = 'LinearOperatorCirculant') -> None: ...
    def assert_hermitian_spectrum(self, name: str | None = 'assert_hermitian_spectrum') -> Operation:
        """An operation that fails unless the convolution kernel is real."""
    @property
    def block_depth(self) -> _Any:
        """The number of axes of the Fourier transform."""
    @property
    def block_shape(self) -> TensorShape:
        """The `TensorShape` of those axes."""
    def block_shape_tensor(self) -> _Any:
        """Their shape as an int32 `Tensor`."""
    def convolution_kernel(self, name: str | None = 'convolution_kernel') -> Tensor:
        """The inverse Fourier transform of the spectrum: with which products convolve."""
    @property
    def spectrum(self) -> _Any:
        """The eigenvalues, a `Tensor` with the axes of the Fourier transform."""

class LinearOperatorCirculant2D(LinearOperator):
    """Circulant matrices, which commute with shifts of images, whose rows and columns it shifts."""
    def __init__(self, spectrum: _Any, input_output_dtype: _Any = ..., is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = True, name: str | None = 'LinearOperatorCirculant2D') -> None: ...
    def assert_hermitian_spectrum(self, name: str | None = 'assert_hermitian_spectrum') -> Operation:
        """An operation that fails unless the convolution kernel is real."""
    @property
    def block_depth(self) -> _Any:
        """The number of axes of the Fourier transform."""
    @property
    def block_shape(self) -> TensorShape:
        """The `TensorShape` of those axes."""
    def block_shape_tensor(self) -> _Any:
        """Their shape as an int32 `Tensor`."""
    def convolution_kernel(self, name: str | None = 'convolution_kernel') -> Tensor:
        """The inverse Fourier transform of the spectrum: with which products convolve."""
    @property
    def spectrum(self) -> _Any:
        """The eigenvalues, a `Tensor` with the axes of the Fourier transform."""

class LinearOperatorCirculant3D(LinearOperator):
    """Circulant matrices, which commute with shifts of volumes, which it shifts along three axes."""
    def __init__(self, spectrum: _Any, input_output_dtype: _Any = ..., is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = True, name: str | None = 'LinearOperatorCirculant3D') -> None: ...
    def assert_hermitian_spectrum(self, name: str | None = 'assert_hermitian_spectrum') -> Operation:
        """An operation that fails unless the convolution kernel is real."""
    @property
    def block_depth(self) -> _Any:
        """The number of axes of the Fourier transform."""
    @property
    def block_shape(self) -> TensorShape:
        """The `TensorShape` of those axes."""
    def block_shape_tensor(self) -> _Any:
        """Their shape as an int32 `Tensor`."""
    def convolution_kernel(self, name: str | None = 'convolution_kernel') -> Tensor:
        """The inverse Fourier transform of the spectrum: with which products convolve."""
    @property
    def spectrum(self) -> _Any:
        """The eigenvalues, a `Tensor` with the axes of the Fourier transform."""

class LinearOperatorComposition(LinearOperator):
    """The product of operators, from left to right."""
    def __init__(self, operators: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = None) -> None: ...
    @property
    def operators(self) -> _Any:
        """The operators of the product, from left to right."""

class LinearOperatorDiag(LinearOperator):
    """Diagonal matrices."""
    def __init__(self, diag: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorDiag') -> None: ...
    @property
    def diag(self) -> _Any:
        """The diagonals."""

class LinearOperatorFullMatrix(LinearOperator):
    """Dense matrices."""
    def __init__(self, matrix: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorFullMatrix') -> None: ...
    @property
    def matrix(self) -> _Any:
        """The matrices."""

class LinearOperatorHouseholder(LinearOperator):
    """Reflections 1 - 2 v v* at planes through 0, where v is a vector of length 1."""
    def __init__(self, reflection_axis: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorHouseholder') -> None: ...
    @property
    def reflection_axis(self) -> _Any:
        """The vectors orthogonal to the planes."""

class LinearOperatorIdentity(LinearOperator):
    """Unit matrices."""
    def __init__(self, num_rows: _Any, batch_shape: _Any = None, dtype: _Any = None, is_non_singular: _Any = True, is_self_adjoint: _Any = True, is_positive_definite: _Any = True, is_square: _Any = True, assert_proper_shapes: _Any = False, name: str | None = 'LinearOperatorIdentity') -> None: ...
    def add_to_tensor(self, mat: _Any, name: str | None = 'add_to_tensor') -> Tensor:
        """The sum of the operator and a tensor."""

class LinearOperatorInversion(LinearOperator):
    """The inverses of the matrices of another operator: its methods `matmul` and `solve` change places."""
    def __init__(self, operator: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = None) -> None: ...
    @property
    def operator(self) -> _Any:
        """The other operator."""

class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators: each element of the first times the product of the others."""
    def __init__(self, operators: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = None) -> None: ...
    @property
    def operators(self) -> _Any:
        """The operators of the product."""

class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V*, where L is another operator and U and V have few columns."""
    def __init__(self, base_operator: _Any, u: _Any, diag_update: _Any = None, v: _Any = None, is_diag_update_positive: _Any = None, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorLowRankUpdate') -> None: ...
    @property
    def base_operator(self) -> _Any:
        """L."""
    @property
    def diag_operator(self) -> _Any:
        """D as an operator."""
    @property
    def diag_update(self) -> _Any:
        """The diagonal of D, or None if all its elements are 1."""
    @property
    def is_diag_update_positive(self) -> builtins.bool:
        """Whether the diagonal of D is real and positive: True, False or None."""
    @property
    def u(self) -> _Any:
        """U."""
    @property
    def v(self) -> _Any:
        """V."""

class LinearOperatorLowerTriangular(LinearOperator):
    """Lower triangular matrices."""
    def __init__(self, tril: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorLowerTriangular') -> None: ...
    @property
    def tril(self) -> _Any:
        """The matrices, with zeros above the diagonal."""

class LinearOperatorPermutation(LinearOperator):
    """Permutations: row i of a product is row perm[i] of the argument."""
    def __init__(self, perm: _Any, dtype: _Any = ..., is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorPermutation') -> None: ...
    @property
    def perm(self) -> _Any:
        """The permutations."""

class LinearOperatorScaledIdentity(LinearOperator):
    """Multiples of the unit matrix."""
    def __init__(self, num_rows: _Any, multiplier: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = True, assert_proper_shapes: _Any = False, name: str | None = 'LinearOperatorScaledIdentity') -> None: ...
    def add_to_tensor(self, mat: _Any, name: str | None = 'add_to_tensor') -> Tensor:
        """The sum of the operator and a tensor."""
    @property
    def multiplier(self) -> _Any:
        """The factors."""

class LinearOperatorToeplitz(LinearOperator):
    """Matrices whose diagonals are constant. Products take a Fourier transform."""
    def __init__(self, col: _Any, row: _Any, is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorToeplitz') -> None: ...
    @property
    def col(self) -> _Any:
        """The first columns."""
    @property
    def row(self) -> _Any:
        """The first rows."""

class LinearOperatorTridiag(LinearOperator):
    """Tridiagonal matrices."""
    def __init__(self, diagonals: _Any, diagonals_format: _Any = 'compact', is_non_singular: _Any = None, is_self_adjoint: _Any = None, is_positive_definite: _Any = None, is_square: _Any = None, name: str | None = 'LinearOperatorTridiag') -> None: ...
    @property
    def diagonals(self) -> _Any:
        """The diagonals, in the format in which they were given."""
    @property
    def diagonals_format(self) -> _Any:
        """"compact", "sequence" or "matrix"."""

class LinearOperatorZeros(LinearOperator):
    """Zero matrices."""
    def __init__(self, num_rows: _Any, num_columns: _Any = None, batch_shape: _Any = None, dtype: _Any = None, is_non_singular: _Any = False, is_self_adjoint: _Any = True, is_positive_definite: _Any = False, is_square: _Any = True, assert_proper_shapes: _Any = False, name: str | None = 'LinearOperatorZeros') -> None: ...
    def add_to_tensor(self, mat: _Any, name: str | None = 'add_to_tensor') -> Tensor:
        """The sum of the operator and a tensor: the tensor itself."""

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
