# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins

def assert_same_structure(nest1: Any, nest2: Any, check_types: Any = True, expand_composites: Any = False) -> Any:
    """Checks that two structures agree in their nesting, lengths and keys."""

def flatten(structure: Any, expand_composites: Any = False) -> Any:
    """Lists the atoms of a nested structure. Dicts are entered in the order of their sorted keys."""

def is_nested(structure: Any) -> builtins.bool:
    """Whether a value is a list, tuple, namedtuple or dict."""

def map_structure(func: Any, *structure: Any, check_types: Any = True, expand_composites: Any = False) -> Any:
    """Applies a function to corresponding atoms of structures."""

def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: Any = False) -> Any:
    """Arranges atoms in a given structure: the inverse of `flatten`."""
