# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.profiler import model_analyzer as model_analyzer
from tfcore.profiler import op_log as tfprof_logger
from typing import Any as _Any

__all__ = [
'model_analyzer', 'tfprof_logger'
]

