# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'allgather', 'allreduce', 'barrier', 'broadcast', 'broadcast_variables', 'rank', 'reduce_scatter', 'size', 'survivors'
]

def allgather(value: _Any, group: _Any = None, name: str | None = None, key: _Any = None) -> Tensor:
    """Concatenates the rows of all ranks in the order of the ranks."""

def allreduce(value: _Any, op: _Any = 'sum', group: _Any = None, name: str | None = None, key: _Any = None) -> _Any:
    """Combines the values of all ranks; every rank gets the same bits."""

def barrier(group: _Any = None, name: str | None = None, key: _Any = None) -> Operation:
    """Waits for all ranks of the group."""

def broadcast(value: _Any, root: _Any = 0, group: _Any = None, name: str | None = None, key: _Any = None) -> Tensor:
    """Sends the value of one rank to all ranks of the group."""

def broadcast_variables(variables: _Any = None, root: _Any = 0, group: _Any = None, name: str | None = 'BroadcastVariables') -> Operation:
    """Copies the values of variables from one process to all others of a group."""

def rank(group: _Any = None) -> int:
    """This process's position in a group."""

def reduce_scatter(value: _Any, op: _Any = 'sum', sizes: _Any = None, group: _Any = None, name: str | None = None, key: _Any = None) -> Tensor:
    """Combines the values of all ranks and gives each rank some rows of the result."""

def size(group: _Any = None) -> int:
    """The number of processes in a group."""

def survivors(group: _Any = None) -> _Any:
    """The ranks of a group that live: collectives among them continue when one of the others is lost."""
