# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'disable_dump_debug_info', 'enable_dump_debug_info'
]

def disable_dump_debug_info() -> _Any:
    """Does nothing: nothing is written."""

def enable_dump_debug_info(dump_root: _Any, tensor_debug_mode: _Any = 'NO_TENSOR', circular_buffer_size: _Any = 1000, op_regex: _Any = None, tensor_dtypes: _Any = None) -> _Any:
    """Raises an error: there is no debugger for such files."""
