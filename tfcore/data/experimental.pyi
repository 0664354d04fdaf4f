# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'AUTOTUNE', 'Counter', 'enumerate_dataset', 'ignore_errors', 'make_saveable_from_iterator', 'map_and_batch',
'parallel_interleave', 'scan', 'shuffle_and_repeat', 'take_while', 'unbatch'
]

AUTOTUNE: int

def Counter(start: _Any = 0, step: _Any = 1, dtype: _Any = ...) -> _Any:
    """A dataset of numbers without an end."""

def enumerate_dataset(start: _Any = 0) -> _Any:
    """Pairs of a number and an element, for `Dataset.apply`."""

def ignore_errors(log_warning: _Any = False) -> _Any:
    """Leaves out the elements at which a dataset fails, for `Dataset.apply`."""

def make_saveable_from_iterator(iterator: _Any, external_state_policy: _Any = None) -> _Any:
    """What saves the position of an iterator with a checkpoint: buffers of shuffles, offsets in files, and so on."""

def map_and_batch(map_func: _Any, batch_size: _Any, num_parallel_batches: _Any = None, drop_remainder: _Any = False, num_parallel_calls: _Any = None) -> _Any:
    """`map`, then `batch`, for `Dataset.apply`."""

def parallel_interleave(map_func: _Any, cycle_length: _Any, block_length: _Any = 1, sloppy: _Any = False, buffer_output_elements: _Any = None, prefetch_input_elements: _Any = None) -> _Any:
    """`interleave` with elements that are made ahead of time, for `Dataset.apply`."""

def scan(initial_state: _Any, scan_func: _Any) -> _Any:
    """What a function makes of each element and of a state, for `Dataset.apply`."""

def shuffle_and_repeat(buffer_size: _Any, count: _Any = None, seed: _Any = None) -> _Any:
    """`shuffle`, then `repeat`, for `Dataset.apply`."""

def take_while(predicate: _Any) -> _Any:
    """The elements up to, but without, the first for which a function returns false, for `Dataset.apply`."""

def unbatch() -> _Any:
    """The rows of the elements as elements, for `Dataset.apply`."""
