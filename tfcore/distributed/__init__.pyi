# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins

def allgather(value: Any, group: Any = None, name: str | None = None, key: Any = None) -> Any:
    """The rows of all ranks, joined along the first dimension in the order of the ranks."""

def allreduce(value: Any, op: Any = 'sum', group: Any = None, name: str | None = None, key: Any = None) -> Any:
    """Combines the value with those that the other ranks give; all get the same bits."""

def barrier(group: Any = None, name: str | None = None, key: Any = None) -> Any:
    """An Operation that ends when all ranks of the group run it."""

def broadcast(value: Any, root: Any = 0, group: Any = None, name: str | None = None, key: Any = None) -> Any:
    """The value that the rank `root` of the group has."""

def broadcast_variables(variables: Any = None, root: Any = 0, group: Any = None, name: str | None = 'BroadcastVariables') -> Any:
    """An Operation that gives variables the values that they have at the rank `root`."""

def rank(group: Any = None) -> Any:
    """This process's position in the group, from 0; -1 if it is not a member."""

def reduce_scatter(value: Any, op: Any = 'sum', sizes: Any = None, group: Any = None, name: str | None = None, key: Any = None) -> Any:
    """Combines the values of all ranks; each gets some rows of the result."""

def size(group: Any = None) -> Any:
    """How many ranks the group has."""
