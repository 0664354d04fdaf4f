# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.testing import strategies as strategies
from typing import Any as _Any

__all__ = [
'After', 'Case', 'Const', 'OpRecord', 'binary', 'check_cuda_kernel', 'check_gradient', 'check_kernel', 'check_values',
'cpu_level', 'cpu_levels', 'evaluate', 'reduction', 'run_cuda_kernel', 'strategies', 'unary'
]

class After:
    """What a record's `build` returns if operations must run before the outputs are created."""
    def __init__(self, first: _Any, outputs: _Any) -> None: ...
    first: _Any
    outputs: _Any

class Case:
    """The types of one test case of a record, and strategies for them."""
    def __getattr__(self, attr: _Any) -> _Any: ...
    def __getitem__(self, attr: _Any) -> _Any: ...
    def __init__(self, record: _Any, types: _Any, smooth: _Any = False) -> None: ...
    def array(self, shape: _Any, dtype: _Any = None, **options: _Any) -> _Any:
        """A strategy that draws arrays, within the record's `domain` and `special`."""
    def broadcastable_shapes(self, n: _Any = 2, **options: _Any) -> _Any:
        """A strategy that draws shapes which broadcast together."""
    max_elements: _Any
    record: _Any
    def shapes(self, **options: _Any) -> _Any:
        """A strategy that draws shapes."""
    smooth: _Any
    types: _Any

class Const:
    """An input that must be a constant of the graph."""
    def __init__(self, value: _Any) -> None: ...
    value: _Any

class OpRecord:
    """The description of an op for the derived tests. See the top of this module for details."""
    def __init__(self, op: _Any, reference: _Any, inputs: _Any = None, *, ulps: _Any = 4, scale: _Any = None, domain: _Any = None, special: _Any = False, gradient: _Any = None, gradient_inputs: _Any = None, gradient_domain: _Any = None, differentiable: _Any = None, types: _Any = None, attrs: _Any = None, build: _Any = None, repeatable: _Any = True, examples: _Any = None) -> None: ...
    attrs: _Any
    build: _Any
    @property
    def definition(self) -> _Any:
        """The OpDef; KeyError if no op of this type is registered."""
    differentiable: _Any
    domain: _Any
    examples: _Any
    family: _Any
    gradient: _Any
    gradient_domain: _Any
    gradient_inputs: _Any
    inputs: _Any
    op: _Any
    reference: _Any
    repeatable: _Any
    scale: _Any
    special: _Any
    types: _Any
    ulps: _Any

def binary(op: _Any, reference: _Any, *, special: _Any = True, nonzero_second: _Any = False, domain_second: _Any = None, **options: _Any) -> _Any:
    """A record for an element-wise function of two tensors that broadcast."""

def check_cuda_kernel(kernel: _Any, reference: _Any, shapes: _Any, dtypes: _Any = ('float32',), *, ulps: _Any = 4, scale: _Any = None, domain: _Any = None, special: _Any = False, gradient: _Any = None, repeatable: _Any = True, examples: _Any = 60) -> _Any:
    """Tests a function that uses `tf.gpu.cuda_kernel` on drawn examples."""

def check_gradient(op: _Any, inputs: _Any = None, *, order: _Any = None, domain: _Any = None, **options: _Any) -> _Any:
    """Tests the gradient of an op by central differences along random directions, at every instruction-set level."""

def check_kernel(op: _Any, reference: _Any = None, inputs: _Any = None, **options: _Any) -> _Any:
    """Tests the CPU kernels of an op, built-in and from users' libraries, on drawn examples."""

def check_values(actual: _Any, expected: _Any, dtype: _Any, ulps: _Any = 4, scale: _Any = None) -> _Any:
    """Asserts that computed values are the correctly rounded expected ones, up to a tolerance."""

def cpu_level(level: _Any) -> _Any:
    """A context manager: sessions created in it use kernels of one instruction-set level."""

def cpu_levels() -> _Any:
    """The instruction-set levels that this machine supports."""

def evaluate(op: _Any, *inputs: _Any, at_levels: _Any = None, **attrs: _Any) -> _Any:
    """Runs one op on arrays at several instruction-set levels, whose results must agree to 16 units in the last place."""

def reduction(op: _Any, reference: _Any, *, scale: _Any = 'abs', ulps: _Any = 8, min_size: _Any = 0, axes_type: _Any = 'Tidx', **options: _Any) -> _Any:
    """A record for a reduction over any axes, with and without keeping them."""

def run_cuda_kernel(kernel: _Any, *inputs: _Any, seed: _Any = 0) -> _Any:
    """Runs a function that uses `tf.gpu.cuda_kernel` once, as `check_cuda_kernel` does."""

def unary(op: _Any, reference: _Any, *, special: _Any = True, **options: _Any) -> _Any:
    """A record for an element-wise function of one tensor."""
