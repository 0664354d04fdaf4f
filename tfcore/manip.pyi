# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import batch_to_space_nd as batch_to_space_nd
from tfcore import gather_nd as gather_nd
from tfcore import reshape as reshape
from tfcore import reverse as reverse
from tfcore import roll as roll
from tfcore import scatter_nd as scatter_nd
from tfcore import space_to_batch_nd as space_to_batch_nd
from tfcore import tile as tile
from typing import Any as _Any

__all__ = [
'batch_to_space_nd', 'gather_nd', 'reshape', 'reverse', 'roll', 'scatter_nd', 'space_to_batch_nd', 'tile'
]

