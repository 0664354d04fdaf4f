# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'get_inter_op_parallelism_threads', 'get_intra_op_parallelism_threads', 'set_inter_op_parallelism_threads',
'set_intra_op_parallelism_threads'
]

def get_inter_op_parallelism_threads() -> int:
    """The number of operations that run at once, in sessions without a configuration."""

def get_intra_op_parallelism_threads() -> int:
    """The number of threads for one operation, in sessions without a configuration."""

def set_inter_op_parallelism_threads(num_threads: _Any) -> _Any:
    """Sets the number of operations that run at once, in new sessions without a configuration."""

def set_intra_op_parallelism_threads(num_threads: _Any) -> _Any:
    """Sets the number of threads for one operation, in new sessions without a configuration."""
