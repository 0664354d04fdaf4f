# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore.contrib.lookup import LookupInterface as LookupInterface
from typing import Any as _Any

__all__ = [
'DenseHashTable', 'MutableHashTable'
]

class DenseHashTable(LookupInterface):
    """A table that may change, whose keys are scalars or vectors."""
    def __init__(self, key_dtype: _Any, value_dtype: _Any, default_value: _Any, empty_key: _Any, deleted_key: _Any, initial_num_buckets: _Any = None, shared_name: _Any = None, name: str | None = 'MutableDenseHashTable', checkpoint: _Any = True) -> None: ...
    def export(self, name: str | None = None) -> _Any:
        """All entries."""
    def insert(self, keys: _Any, values: _Any, name: str | None = None) -> Operation:
        """Adds entries, or replaces the values of keys."""
    def lookup(self, keys: _Any, name: str | None = None) -> Tensor:
        """The values of keys; the default value for those that the table lacks."""
    @property
    def name(self) -> _Any:
        """The last part of the name of the operation that makes the handle."""
    def remove(self, keys: _Any, name: str | None = None) -> Operation:
        """Removes the entries of keys, if there are any."""
    @property
    def resource_handle(self) -> _Any:
        """The handle."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""

class MutableHashTable(LookupInterface):
    """A table that may change."""
    def __init__(self, key_dtype: _Any, value_dtype: _Any, default_value: _Any, shared_name: _Any = None, name: str | None = 'MutableHashTable', checkpoint: _Any = True) -> None: ...
    def export(self, name: str | None = None) -> _Any:
        """All entries."""
    def insert(self, keys: _Any, values: _Any, name: str | None = None) -> Operation:
        """Adds entries, or replaces the values of keys."""
    def lookup(self, keys: _Any, name: str | None = None) -> Tensor:
        """The values of keys; the default value for those that the table lacks."""
    @property
    def name(self) -> _Any:
        """The last part of the name of the operation that makes the handle."""
    def remove(self, keys: _Any, name: str | None = None) -> Operation:
        """Removes the entries of keys, if there are any."""
    @property
    def resource_handle(self) -> _Any:
        """The handle."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""
