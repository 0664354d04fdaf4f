# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'MapStagingArea', 'StagingArea'
]

class MapStagingArea:
    """A staging area whose tuples have keys, integers. It is `tf.contrib.staging`'s."""
    def __init__(self, dtypes: _Any, shapes: _Any = None, names: _Any = None, shared_name: _Any = None, ordered: _Any = False, capacity: _Any = 0, memory_limit: _Any = 0) -> None: ...
    @property
    def capacity(self) -> _Any:
        """The most tuples that it holds; 0: any number."""
    def clear(self, name: str | None = None) -> Operation:
        """Removes all tuples."""
    @property
    def dtypes(self) -> _Any:
        """List of the types of the tensors."""
    def get(self, key: _Any = None, indices: _Any = None, name: str | None = None) -> _Any:
        """Removes and returns a tuple; waits until it is there."""
    def incomplete_size(self, name: str | None = None) -> Tensor:
        """The number of tuples that lack a part."""
    @property
    def memory_limit(self) -> _Any:
        """The most bytes that it holds; 0: any number."""
    @property
    def name(self) -> _Any:
        """Name of the staging area."""
    @property
    def names(self) -> _Any:
        """List of the names of the tensors, or None."""
    def peek(self, key: _Any, indices: _Any = None, name: str | None = None) -> list[Tensor]:
        """Returns a tuple without removing it; waits until it is there."""
    def put(self, key: _Any, vals: _Any, indices: _Any = None, name: str | None = None) -> Operation:
        """Puts a tuple, or a part of one, into the staging area; waits while it is full."""
    @property
    def shapes(self) -> _Any:
        """List of the shapes of the tensors."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of complete tuples."""

class StagingArea:
    """A staging area: tuples of tensors leave it in the order in which they came. It is `tf.contrib.staging`'s."""
    def __init__(self, dtypes: _Any, shapes: _Any = None, names: _Any = None, shared_name: _Any = None, capacity: _Any = 0, memory_limit: _Any = 0) -> None: ...
    @property
    def capacity(self) -> _Any:
        """The most tuples that it holds; 0: any number."""
    def clear(self, name: str | None = None) -> Operation:
        """Removes all tuples."""
    @property
    def dtypes(self) -> _Any:
        """List of the types of the tensors."""
    def get(self, name: str | None = None) -> list[Tensor]:
        """Removes and returns the first tuple; waits while there is none."""
    @property
    def memory_limit(self) -> _Any:
        """The most bytes that it holds; 0: any number."""
    @property
    def name(self) -> _Any:
        """Name of the staging area."""
    @property
    def names(self) -> _Any:
        """List of the names of the tensors, or None."""
    def peek(self, index: _Any, name: str | None = None) -> list[Tensor]:
        """Returns a tuple without removing it; waits until it is there."""
    def put(self, values: _Any, name: str | None = None) -> Operation:
        """Puts a tuple into the staging area; waits while it is full."""
    @property
    def shapes(self) -> _Any:
        """List of the shapes of the tensors."""
    def size(self, name: str | None = None) -> Tensor:
        """The number of tuples."""
