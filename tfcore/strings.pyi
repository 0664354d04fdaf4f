# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import string_join as join
from tfcore import string_to_number as to_number
from tfcore import substr as substr
from typing import Any as _Any

def format(template: _Any, inputs: _Any, placeholder: _Any = '{}', summarize: _Any = 3, name: str | None = None) -> Tensor:
    """Formats tensors as text: replaces each placeholder of `template` by a tensor."""
