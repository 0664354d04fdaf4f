# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Assert as Assert
from tfcore import Operation as Operation
from tfcore import assert_equal as assert_equal
from tfcore import assert_greater as assert_greater
from tfcore import assert_greater_equal as assert_greater_equal
from tfcore import assert_integer as assert_integer
from tfcore import assert_less as assert_less
from tfcore import assert_less_equal as assert_less_equal
from tfcore import assert_near as assert_near
from tfcore import assert_negative as assert_negative
from tfcore import assert_non_negative as assert_non_negative
from tfcore import assert_non_positive as assert_non_positive
from tfcore import assert_none_equal as assert_none_equal
from tfcore import assert_positive as assert_positive
from tfcore import assert_proper_iterable as assert_proper_iterable
from tfcore import assert_rank as assert_rank
from tfcore import assert_rank_at_least as assert_rank_at_least
from tfcore import assert_rank_in as assert_rank_in
from tfcore import assert_same_float_dtype as assert_same_float_dtype
from tfcore import assert_scalar as assert_scalar
from tfcore import assert_type as assert_type
from tfcore import check_numerics as check_numerics
from tfcore import is_finite as is_finite
from tfcore import is_inf as is_inf
from tfcore import is_nan as is_nan
from tfcore import is_non_decreasing as is_non_decreasing
from tfcore import is_numeric_tensor as is_numeric_tensor
from tfcore import is_strictly_increasing as is_strictly_increasing
from tfcore import verify_tensor_all_finite as assert_all_finite
from tfcore.debugging import experimental as experimental
from typing import Any as _Any

__all__ = [
'Assert', 'assert_all_finite', 'assert_equal', 'assert_greater', 'assert_greater_equal', 'assert_integer',
'assert_less', 'assert_less_equal', 'assert_near', 'assert_negative', 'assert_non_negative', 'assert_non_positive',
'assert_none_equal', 'assert_positive', 'assert_proper_iterable', 'assert_rank', 'assert_rank_at_least',
'assert_rank_in', 'assert_same_float_dtype', 'assert_scalar', 'assert_shapes', 'assert_type', 'check_numerics',
'disable_check_numerics', 'disable_traceback_filtering', 'enable_check_numerics', 'enable_traceback_filtering',
'experimental', 'get_log_device_placement', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_numeric_tensor',
'is_strictly_increasing', 'is_traceback_filtering_enabled', 'set_log_device_placement'
]

def assert_shapes(shapes: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> Operation:
    """Checks the shapes of several tensors, in which a symbol means the same size everywhere."""

def disable_check_numerics() -> _Any:
    """Ends what `enable_check_numerics` began, for new sessions."""

def disable_traceback_filtering() -> _Any:
    """Notes that tracebacks should have all frames, which they have in any case."""

def enable_check_numerics(stack_height_limit: _Any = 30, path_length_limit: _Any = 50) -> _Any:
    """Makes all steps of new sessions fail where a NaN or an infinity appears, as `RunOptions(check_numerics=True)`."""

def enable_traceback_filtering() -> _Any:
    """Notes that tracebacks should leave out the package's own frames. Errors name the program's line in any case."""

def get_log_device_placement() -> builtins.bool:
    """Whether sessions without a configuration write where operations are placed."""

def is_traceback_filtering_enabled() -> builtins.bool:
    """What was noted last by the functions that enable and disable it."""

def set_log_device_placement(enabled: _Any) -> _Any:
    """Sets whether new sessions without a `config` log the devices of their operations."""
