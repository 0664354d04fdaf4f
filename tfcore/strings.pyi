# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore import Tensor as Tensor
from tfcore import string_join as join
from tfcore import string_to_number as to_number
from tfcore import substr as substr

def format(template: Any, inputs: Any, placeholder: Any = '{}', summarize: Any = 3, name: str | None = None) -> Tensor:
    """Formats tensors as text: replaces each placeholder of `template` by a tensor."""
