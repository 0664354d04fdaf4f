# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins

def assert_same_structure(nest1: Any, nest2: Any, check_types: Any = True, expand_composites: Any = False) -> Any:
    """Raises if two structures differ in their nesting, their lengths or keys, or (`check_types`) their kinds."""

def flatten(structure: Any, expand_composites: Any = False) -> Any:
    """The list of atoms. An atom gives a list of itself."""

def is_nested(structure: Any) -> Any:
    """Whether it is a list, tuple, namedtuple or dictionary, and no atom."""

def map_structure(func: Any, *structure: Any, check_types: Any = True, expand_composites: Any = False) -> Any:
    """`func` of the atoms at each place of all structures, in a structure like the first."""

def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: Any = False) -> Any:
    """The atoms of `flat_sequence` in the shape of `structure`."""
