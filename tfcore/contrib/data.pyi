# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.data.experimental import Counter as Counter
from tfcore.data.experimental import enumerate_dataset as enumerate_dataset
from tfcore.data.experimental import ignore_errors as ignore_errors
from tfcore.data.experimental import make_saveable_from_iterator as make_saveable_from_iterator
from tfcore.data.experimental import map_and_batch as map_and_batch
from tfcore.data.experimental import parallel_interleave as parallel_interleave
from tfcore.data.experimental import scan as scan
from tfcore.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from tfcore.data.experimental import unbatch as unbatch
from typing import Any as _Any

__all__ = [
'AUTOTUNE', 'Counter', 'batch_and_drop_remainder', 'enumerate_dataset', 'ignore_errors', 'make_saveable_from_iterator',
'map_and_batch', 'parallel_interleave', 'scan', 'shuffle_and_repeat', 'unbatch'
]

AUTOTUNE: int

def batch_and_drop_remainder(batch_size: _Any) -> _Any:
    """Batches without a smaller rest, for `Dataset.apply`."""
