# Written by python -m tfcore.tools.stubs: do not edit.

import enum
from typing import Any as _Any

__all__ = [
'VariablePolicy'
]

class VariablePolicy(enum.Enum):
    """What a saved model knows of the devices and copies of variables."""
    EXPAND_DISTRIBUTED_VARIABLES = 'expand_distributed_variables'
    NONE = None
    SAVE_VARIABLE_DEVICES = 'save_variable_devices'
    def __new__(cls, value: _Any) -> VariablePolicy: ...
