# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import get_static_value as constant_value
from tfcore import make_ndarray as make_ndarray
from tfcore import make_tensor_proto as make_tensor_proto
from typing import Any as _Any

__all__ = [
'constant_value', 'make_ndarray', 'make_tensor_proto'
]

