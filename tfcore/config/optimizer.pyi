# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'get_experimental_options', 'get_jit', 'set_experimental_options', 'set_jit'
]

def get_experimental_options() -> _Any:
    """The options that `set_experimental_options` has set."""

def get_jit() -> _Any:
    """What `set_jit` has asked for."""

def set_experimental_options(options: _Any) -> _Any:
    """Turns rewrites of graphs on or off, in new sessions without a configuration."""

def set_jit(enabled: _Any) -> _Any:
    """Notes that graphs should be compiled. All sessions compile their graphs, so results and speed stay the same."""
