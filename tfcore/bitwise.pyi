# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import Tensor as Tensor

def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Bits that are set in both."""

def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Bits that are set in either."""

def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Bits that differ."""

def invert(x: Any, name: str | None = None) -> Tensor:
    """Flips all bits."""

def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""

def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""
