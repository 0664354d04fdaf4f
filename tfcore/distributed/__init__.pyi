# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor

def allgather(value: Any, group: Any = None, name: str | None = None, key: Any = None) -> Tensor:
    """Concatenates the rows of all ranks in the order of the ranks."""

def allreduce(value: Any, op: Any = 'sum', group: Any = None, name: str | None = None, key: Any = None) -> Any:
    """Combines the values of all ranks; every rank gets the same bits."""

def barrier(group: Any = None, name: str | None = None, key: Any = None) -> Operation:
    """Waits for all ranks of the group."""

def broadcast(value: Any, root: Any = 0, group: Any = None, name: str | None = None, key: Any = None) -> Tensor:
    """Sends the value of one rank to all ranks of the group."""

def broadcast_variables(variables: Any = None, root: Any = 0, group: Any = None, name: str | None = 'BroadcastVariables') -> Operation:
    """Copies the values of variables from one process to all others of a group."""

def rank(group: Any = None) -> int:
    """This process's position in a group."""

def reduce_scatter(value: Any, op: Any = 'sum', sizes: Any = None, group: Any = None, name: str | None = None, key: Any = None) -> Tensor:
    """Combines the values of all ranks and gives each rank some rows of the result."""

def size(group: Any = None) -> int:
    """The number of processes in a group."""
