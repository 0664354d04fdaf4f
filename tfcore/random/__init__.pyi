# Written by python -m tfcore.tools.stubs: do not edit.

import enum
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
from tfcore.random import experimental as experimental
from typing import Any as _Any

__all__ = [
'Algorithm', 'Generator', 'all_candidate_sampler', 'categorical', 'create_rng_state', 'experimental',
'fixed_unigram_candidate_sampler', 'fold_in', 'gamma', 'get_global_generator', 'get_seed',
'learned_unigram_candidate_sampler', 'log_uniform_candidate_sampler', 'multinomial', 'normal', 'poisson',
'set_global_generator', 'set_random_seed', 'shuffle', 'split', 'stateless_binomial', 'stateless_categorical',
'stateless_gamma', 'stateless_multinomial', 'stateless_normal', 'stateless_parameterized_truncated_normal',
'stateless_poisson', 'stateless_truncated_normal', 'stateless_uniform', 'truncated_normal', 'uniform',
'uniform_candidate_sampler'
]

class Algorithm(enum.Enum):
    """The algorithms that make random numbers; AUTO_SELECT is PHILOX here, and THREEFRY has no kernels."""
    AUTO_SELECT = 3
    PHILOX = 1
    THREEFRY = 2
    def __new__(cls, value: _Any) -> Algorithm: ...

class Generator:
    """A source of random numbers, whose state is a variable: each run of its tensors gives other numbers."""
    def __init__(self, copy_from: _Any = None, state: _Any = None, alg: _Any = None) -> None: ...
    @property
    def algorithm(self) -> _Any:
        """The number of the algorithm."""
    def binomial(self, shape: _Any, counts: _Any, probs: _Any, dtype: _Any = ..., name: str | None = None) -> Tensor:
        """Numbers of successes in `counts` trials."""
    @classmethod
    def from_key_counter(cls, key: _Any, counter: _Any, alg: _Any) -> _Any:
        """A generator with a given key and counter."""
    @classmethod
    def from_non_deterministic_state(cls, alg: _Any = None) -> _Any:
        """A generator whose state is another one each time that its variable is initialized."""
    @classmethod
    def from_seed(cls, seed: _Any, alg: _Any = None) -> _Any:
        """A generator whose state is made from a seed."""
    @classmethod
    def from_state(cls, state: _Any, alg: _Any) -> _Any:
        """A generator with a given state."""
    @property
    def key(self) -> _Any:
        """The key, a scalar `Tensor`."""
    def make_seeds(self, count: _Any = 1) -> _Any:
        """Seeds for stateless functions."""
    def normal(self, shape: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., name: str | None = None) -> Tensor:
        """Normally distributed numbers."""
    def reset(self, state: _Any) -> _Any:
        """Sets the state."""
    def reset_from_key_counter(self, key: _Any, counter: _Any) -> _Any:
        """Sets key and counter."""
    def reset_from_seed(self, seed: _Any) -> _Any:
        """Sets the state to one made from a seed."""
    def skip(self, delta: _Any) -> _Any:
        """Advances the state past the numbers that `delta` samples may use."""
    def split(self, count: _Any = 1) -> _Any:
        """Other generators, which are as good as independent of this one."""
    @property
    def state(self) -> _Any:
        """The variable with the state: counter and key."""
    def truncated_normal(self, shape: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., name: str | None = None) -> Tensor:
        """Normally distributed numbers, redrawn where they are more than two standard deviations from the mean."""
    def uniform(self, shape: _Any, minval: _Any = 0, maxval: _Any = None, dtype: _Any = ..., name: str | None = None) -> Tensor:
        """Uniformly distributed numbers in [minval, maxval)."""
    def uniform_full_int(self, shape: _Any, dtype: _Any = ..., name: str | None = None) -> Tensor:
        """Integers, uniformly distributed over all of their type."""

def categorical(logits: _Any, num_samples: _Any, dtype: _Any = None, seed: _Any = None, name: str | None = None) -> Tensor:
    """Samples classes by their unnormalised log-probabilities."""

def create_rng_state(seed: _Any, alg: _Any) -> _Any:
    """The state of a generator, made from a seed."""

def fold_in(seed: _Any, data: _Any, alg: _Any = 'auto_select') -> Tensor:
    """Makes a seed of a seed and an integer, such as the number of a step."""

def get_global_generator() -> _Any:
    """The generator that `set_global_generator` has set for the default graph, or else one of random state."""

def set_global_generator(generator: _Any) -> _Any:
    """Sets the generator that `get_global_generator` returns for the generator's graph."""

def split(seed: _Any, num: _Any = 2, alg: _Any = 'auto_select') -> Tensor:
    """Makes several seeds of one, which are as good as independent of it and of each other."""

def stateless_binomial(shape: _Any, seed: _Any, counts: _Any, probs: _Any, output_dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Samples of binomial distributions; they depend on `seed` alone: each run gives the same."""

def stateless_categorical(logits: _Any, num_samples: _Any, seed: _Any, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Samples classes by their unnormalised log-probabilities; they depend on `seed` alone: each run gives the same."""

def stateless_gamma(shape: _Any, seed: _Any, alpha: _Any, beta: _Any = None, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Samples of gamma distributions; they depend on `seed` alone: each run gives the same."""

def stateless_multinomial(logits: _Any, num_samples: _Any, seed: _Any, output_dtype: _Any = ..., name: str | None = None) -> Tensor:
    """`stateless_categorical` by its older name."""

def stateless_normal(shape: _Any, seed: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., name: str | None = None, alg: _Any = 'auto_select') -> Tensor:
    """Normally distributed numbers that depend on `seed` alone: each run gives the same."""

def stateless_parameterized_truncated_normal(shape: _Any, seed: _Any, means: _Any = 0.0, stddevs: _Any = 1.0, minvals: _Any = -2.0, maxvals: _Any = 2.0, name: str | None = None) -> Tensor:
    """Numbers of normal distributions between bounds; they depend on `seed` alone: each run gives the same."""

def stateless_poisson(shape: _Any, seed: _Any, lam: _Any, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Samples of Poisson distributions; they depend on `seed` alone: each run gives the same."""

def stateless_truncated_normal(shape: _Any, seed: _Any, mean: _Any = 0.0, stddev: _Any = 1.0, dtype: _Any = ..., name: str | None = None, alg: _Any = 'auto_select') -> Tensor:
    """Truncated normal numbers, as of `truncated_normal`, that depend on `seed` alone: each run gives the same."""

def stateless_uniform(shape: _Any, seed: _Any, minval: _Any = 0, maxval: _Any = None, dtype: _Any = ..., name: str | None = None, alg: _Any = 'auto_select') -> Tensor:
    """Uniformly distributed numbers in [minval, maxval) that depend on `seed` alone: each run gives the same."""
