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
from tfcore import matrix_transpose as matrix_transpose
from tfcore import matrix_triangular_solve as triangular_solve
from tfcore import norm as norm
from tfcore import tensordot as tensordot
from typing import Any as _Any

def matvec(a: _Any, b: _Any, transpose_a: _Any = False, adjoint_a: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, name: str | None = None) -> Tensor:
    """The product of a matrix and a vector, or of batches of them."""
