# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.io import TFRecordCompressionType as TFRecordCompressionType
from tfcore.io import TFRecordOptions as TFRecordOptions
from tfcore.io import TFRecordWriter as TFRecordWriter
from tfcore.io import tf_record_iterator as tf_record_iterator
from typing import Any as _Any

__all__ = [
'TFRecordCompressionType', 'TFRecordOptions', 'TFRecordWriter', 'tf_record_iterator'
]

