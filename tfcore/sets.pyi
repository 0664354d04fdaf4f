# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import SparseTensor as SparseTensor
from typing import Any as _Any

__all__ = [
'difference', 'intersection', 'set_difference', 'set_intersection', 'set_size', 'set_union', 'size', 'union'
]

def difference(a: _Any, b: _Any, aminusb: _Any = True, validate_indices: _Any = True) -> SparseTensor:
    """The values that the rows of one tensor have and those of another lack."""

def intersection(a: _Any, b: _Any, validate_indices: _Any = True) -> SparseTensor:
    """The values that the rows of two tensors share; a row is what differs in the last index only."""

set_difference = difference

set_intersection = intersection

def set_size(a: _Any, validate_indices: _Any = True) -> _Any:
    """How many different values each row of a sparse tensor has; a row is what differs in the last index only."""

def set_union(a: _Any, b: _Any, validate_indices: _Any = True) -> SparseTensor:
    """The values that the rows of at least one of two tensors have."""

size = set_size

union = set_union
