# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'general_dropout', 'stateless_dropout'
]

def general_dropout(x: _Any, rate: _Any, uniform_sampler: _Any, noise_shape: _Any = None, name: str | None = None) -> Tensor:
    """Dropout with random numbers that a function draws."""

def stateless_dropout(x: _Any, rate: _Any, seed: _Any, rng_alg: _Any = None, noise_shape: _Any = None, name: str | None = None) -> Tensor:
    """Dropout that depends on `seed` alone: each run drops the same elements."""
