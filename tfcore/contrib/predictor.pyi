# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'from_saved_model'
]

def from_saved_model(export_dir: _Any, signature_def_key: _Any = None, signature_def: _Any = None, input_names: _Any = None, output_names: _Any = None, tags: _Any = None, graph: _Any = None, config: _Any = None) -> _Any:
    """A function of NumPy arrays made of a SavedModel."""
