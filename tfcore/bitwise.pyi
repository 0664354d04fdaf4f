# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'bitwise_and', 'bitwise_or', 'bitwise_xor', 'invert', 'left_shift', 'right_shift'
]

def bitwise_and(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Bits that are set in both."""

def bitwise_or(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Bits that are set in either."""

def bitwise_xor(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Bits that differ."""

def invert(x: _Any, name: str | None = None) -> Tensor:
    """Flips all bits."""

def left_shift(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""

def right_shift(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""
