# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import constant_initializer as constant
from tfcore import global_variables_initializer as global_variables
from tfcore import glorot_normal_initializer as glorot_normal
from tfcore import glorot_uniform_initializer as glorot_uniform
from tfcore import local_variables_initializer as local_variables
from tfcore import ones_initializer as ones
from tfcore import orthogonal_initializer as orthogonal
from tfcore import random_normal_initializer as random_normal
from tfcore import random_uniform_initializer as random_uniform
from tfcore import tables_initializer as tables_initializer
from tfcore import truncated_normal_initializer as truncated_normal
from tfcore import uniform_unit_scaling_initializer as uniform_unit_scaling
from tfcore import variables_initializer as variables
from tfcore import variance_scaling_initializer as variance_scaling
from tfcore import zeros_initializer as zeros
from typing import Any as _Any

__all__ = [
'constant', 'global_variables', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'identity',
'lecun_normal', 'lecun_uniform', 'local_variables', 'ones', 'orthogonal', 'random_normal', 'random_uniform',
'tables_initializer', 'truncated_normal', 'uniform_unit_scaling', 'variables', 'variance_scaling', 'zeros'
]

def he_normal(seed: _Any = None) -> _Any:
    """An initializer: truncated normal distribution of variance `2 / fan_in`."""

def he_uniform(seed: _Any = None) -> _Any:
    """An initializer: uniform within `sqrt(6 / fan_in)`."""

class identity:
    """Initializes with the identity matrix, times `gain`."""
    def __call__(self, shape: _Any, dtype: _Any = None, partition_info: _Any = None) -> _Any: ...
    def __init__(self, gain: _Any = 1.0, dtype: _Any = ...) -> None: ...
    dtype: _Any
    @classmethod
    def from_config(cls, config: _Any) -> _Any:
        """Creates an initializer from the result of `get_config`."""
    gain: _Any
    def get_config(self) -> _Any:
        """The arguments that recreate the initializer."""

def lecun_normal(seed: _Any = None) -> _Any:
    """An initializer: truncated normal distribution of variance `1 / fan_in`."""

def lecun_uniform(seed: _Any = None) -> _Any:
    """An initializer: uniform within `sqrt(3 / fan_in)`."""
