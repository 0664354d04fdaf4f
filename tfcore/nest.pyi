# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from typing import Any as _Any

__all__ = [
'assert_same_structure', 'flatten', 'is_nested', 'map_structure', 'pack_sequence_as'
]

def assert_same_structure(nest1: _Any, nest2: _Any, check_types: _Any = True, expand_composites: _Any = False) -> _Any:
    """Checks that two structures agree in their nesting, lengths and keys."""

def flatten(structure: _Any, expand_composites: _Any = False) -> _Any:
    """Lists the atoms of a nested structure. Dicts are traversed in the order of their sorted keys."""

def is_nested(seq: _Any) -> builtins.bool:
    """Whether a value is a list, tuple, namedtuple, dict or a view of a dict."""

def map_structure(func: _Any, *structure: _Any, **kwargs: _Any) -> _Any:
    """Applies a function to corresponding atoms of structures."""

def pack_sequence_as(structure: _Any, flat_sequence: _Any, expand_composites: _Any = False) -> _Any:
    """Arranges atoms in a given structure: the inverse of `flatten`."""
