# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.random import stateless_multinomial as stateless_multinomial
from tfcore.random import stateless_normal as stateless_random_normal
from tfcore.random import stateless_truncated_normal as stateless_truncated_normal
from tfcore.random import stateless_uniform as stateless_random_uniform
from typing import Any as _Any

__all__ = [
'stateless_multinomial', 'stateless_random_normal', 'stateless_random_uniform', 'stateless_truncated_normal'
]

