# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import get_seed as get_seed
from tfcore import multinomial as multinomial
from tfcore import random_gamma as gamma
from tfcore import random_normal as normal
from tfcore import random_poisson as poisson
from tfcore import random_shuffle as shuffle
from tfcore import random_uniform as uniform
from tfcore import set_random_seed as set_random_seed
from tfcore import truncated_normal as truncated_normal
from tfcore.nn import all_candidate_sampler as all_candidate_sampler
from tfcore.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tfcore.nn import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from tfcore.nn import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from tfcore.nn import uniform_candidate_sampler as uniform_candidate_sampler
from typing import Any as _Any

__all__ = [
'all_candidate_sampler', 'categorical', 'fixed_unigram_candidate_sampler', 'gamma', 'get_seed',
'learned_unigram_candidate_sampler', 'log_uniform_candidate_sampler', 'multinomial', 'normal', 'poisson',
'set_random_seed', 'shuffle', 'stateless_categorical', 'stateless_multinomial', 'stateless_normal',
'stateless_truncated_normal', 'stateless_uniform', 'truncated_normal', 'uniform', 'uniform_candidate_sampler'
]

def categorical(logits: _Any, num_samples: _Any, dtype: _Any = None, seed: _Any = None, name: str | None = None) -> Tensor:
    """Samples classes by their unnormalised log-probabilities."""

def stateless_categorical(logits: _Any, num_samples: _Any, seed: _Any, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Samples classes by their unnormalised log-probabilities; they depend on `seed` alone: each run gives the same."""

def stateless_multinomial(logits: _Any, num_samples: _Any, seed: _Any, output_dtype: _Any = ..., name: str | None = None) -> Tensor:
    """`stateless_categorical` by its older name."""

def stateless_normal(shape: _Any, seed: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., name: str | None = None, alg: _Any = 'auto_select') -> Tensor:
    """Normally distributed numbers that depend on `seed` alone: each run gives the same."""

def stateless_truncated_normal(shape: _Any, seed: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., name: str | None = None, alg: _Any = 'auto_select') -> Tensor:
    """Truncated normal numbers, as of `truncated_normal`, that depend on `seed` alone: each run gives the same."""

def stateless_uniform(shape: _Any, seed: _Any, minval: _Any = 0, maxval: _Any = None, dtype: _Any = ..., name: str | None = None, alg: _Any = 'auto_select') -> Tensor:
    """Uniformly distributed numbers in [minval, maxval) that depend on `seed` alone: each run gives the same."""
