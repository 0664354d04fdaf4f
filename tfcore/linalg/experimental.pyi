# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'conjugate_gradient'
]

def conjugate_gradient(operator: _Any, rhs: _Any, preconditioner: _Any = None, x: _Any = None, tol: _Any = 1e-05, max_iter: _Any = 20, name: str | None = 'conjugate_gradient') -> _Any:
    """Solves `A x = rhs` for a self-adjoint, positive definite matrix by conjugate gradients."""
