# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'allocator', 'as_gpuarray', 'cuda_func', 'cuda_kernel', 'load_pycuda', 'stream'
]

def allocator(nbytes: _Any) -> _Any:
    """Memory of a session's GPU for a PyCUDA array: an allocator as `pycuda.gpuarray` takes it."""

def as_gpuarray(tensor: _Any) -> _Any:
    """A PyCUDA array over a value that a session left on a GPU."""

def cuda_func(function: _Any, inputs: _Any, Tout: _Any, stateful: _Any = True, name: str | None = None, shapes: _Any = None, gradient: _Any = None) -> Tensor:
    """Calls a Python function that works on a GPU with PyCUDA, in every step that needs the result."""

def cuda_kernel(source: _Any, name: _Any, inputs: _Any, outputs: _Any, grid: _Any, block: _Any, shared: _Any = 0, constants: _Any = None, scalars: _Any = (), in_place: _Any = None, gradient: _Any = None, op_name: _Any = None, options: _Any = ()) -> Tensor:
    """Launches a kernel of your own, written in CUDA C++, as an operation of the graph."""

def load_pycuda() -> _Any:
    """Makes PyCUDA ready; call it before the first `import pycuda.driver`."""

def stream(session: _Any, device: _Any = '/gpu:0') -> _Any:
    """A stream for a program's own work on a session's GPU, in order with what the session does there."""
