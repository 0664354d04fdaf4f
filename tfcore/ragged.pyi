# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'RaggedTensorValue', 'boolean_mask', 'constant', 'constant_value', 'cross', 'cross_hashed', 'map_flat_values',
'placeholder', 'range', 'row_splits_to_segment_ids', 'segment_ids_to_row_splits', 'stack', 'stack_dynamic_partitions'
]

class RaggedTensorValue:
    """The value of a `RaggedTensor`: rows of different lengths."""
    def __init__(self, values: _Any, row_splits: _Any) -> None: ...
    @property
    def dtype(self) -> _Any:
        """The NumPy type of the values."""
    @property
    def flat_values(self) -> _Any:
        """The innermost values, an array."""
    @classmethod
    def from_components(cls, flat_values: _Any, nested_row_splits: _Any) -> _Any:
        """The value with these flat values and splits, the outermost first; an array if there are no splits."""
    @property
    def nested_row_splits(self) -> _Any:
        """The splits of all ragged dimensions, a tuple of vectors, the outermost first."""
    @property
    def ragged_rank(self) -> _Any:
        """The number of ragged dimensions."""
    @property
    def row_splits(self) -> _Any:
        """Where rows begin and end, a vector."""
    @property
    def shape(self) -> _Any:
        """The shape, a tuple; None for ragged dimensions."""
    def to_list(self) -> _Any:
        """The rows as nested Python lists."""
    @property
    def values(self) -> _Any:
        """The values of all rows, an array or a `RaggedTensorValue`."""

def boolean_mask(data: _Any, mask: _Any, name: str | None = None) -> _Any:
    """The values where a mask is true, in rows of their own."""

def constant(pylist: _Any, dtype: _Any = None, ragged_rank: _Any = None, inner_shape: _Any = None, name: str | None = None, row_splits_dtype: _Any = ...) -> _Any:
    """A ragged tensor of nested lists."""

def constant_value(pylist: _Any, dtype: _Any = None, ragged_rank: _Any = None, inner_shape: _Any = None, row_splits_dtype: _Any = 'int64') -> _Any:
    """The value of a ragged tensor, of nested lists."""

def cross(inputs: _Any, name: str | None = None) -> _Any:
    """All combinations of the values of several features, row by row, as text."""

def cross_hashed(inputs: _Any, num_buckets: _Any = 0, hash_key: _Any = None, name: str | None = None) -> _Any:
    """The hash values of all combinations of the values of several features, row by row."""

def map_flat_values(op: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Calls a function for the flat values of ragged tensors."""

def placeholder(dtype: _Any, ragged_rank: _Any, value_shape: _Any = None, name: str | None = None) -> _Any:
    """A placeholder for a ragged tensor, to which programs feed a `RaggedTensorValue`."""

def range(starts: _Any, limits: _Any = None, deltas: _Any = 1, dtype: _Any = None, name: str | None = None, row_splits_dtype: _Any = ...) -> _Any:
    """A ragged tensor whose rows are ranges of numbers."""

def row_splits_to_segment_ids(splits: _Any, name: str | None = None, out_type: _Any = None) -> _Any:
    """For each value of a ragged tensor the number of its row."""

def segment_ids_to_row_splits(segment_ids: _Any, num_segments: _Any = None, out_type: _Any = None, name: str | None = None) -> _Any:
    """The row splits of a ragged tensor whose values are in these rows."""

def stack(values: _Any, axis: _Any = 0, name: str | None = None) -> _Any:
    """Stacks tensors, which need not have the same shape."""

def stack_dynamic_partitions(data: _Any, partitions: _Any, num_partitions: _Any, name: str | None = None) -> _Any:
    """Groups values: row i of the result has the values whose partition is i."""
