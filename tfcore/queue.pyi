# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import FIFOQueue as FIFOQueue
from tfcore import PaddingFIFOQueue as PaddingFIFOQueue
from tfcore import PriorityQueue as PriorityQueue
from tfcore import QueueBase as QueueBase
from tfcore import RandomShuffleQueue as RandomShuffleQueue
from typing import Any as _Any

__all__ = [
'FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue'
]

