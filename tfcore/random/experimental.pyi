# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore.random import Algorithm as Algorithm
from tfcore.random import Generator as Generator
from tfcore.random import create_rng_state as create_rng_state
from tfcore.random import fold_in as stateless_fold_in
from tfcore.random import get_global_generator as get_global_generator
from tfcore.random import set_global_generator as set_global_generator
from tfcore.random import split as stateless_split
from typing import Any as _Any

__all__ = [
'Algorithm', 'Generator', 'create_rng_state', 'get_global_generator', 'index_shuffle', 'set_global_generator',
'stateless_fold_in', 'stateless_shuffle', 'stateless_split'
]

def index_shuffle(index: _Any, seed: _Any, max_index: _Any) -> Tensor:
    """The place of an index in a random permutation of [0, max_index]."""

def stateless_shuffle(value: _Any, seed: _Any, alg: _Any = 'auto_select', name: str | None = None) -> Tensor:
    """The rows of a tensor in an order that depends on `seed` alone."""
