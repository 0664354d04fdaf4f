# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import DType as DType
from tfcore import as_dtype as as_dtype
from tfcore import as_string as as_string
from tfcore import cast as cast
from tfcore import complex as complex
from tfcore import saturate_cast as saturate_cast
from typing import Any as _Any

__all__ = [
'DType', 'QUANTIZED_DTYPES', 'as_dtype', 'as_string', 'bfloat16', 'bool', 'cast', 'complex', 'complex128', 'complex64',
'double', 'float16', 'float32', 'float64', 'half', 'int16', 'int32', 'int64', 'int8', 'qint16', 'qint32', 'qint8',
'quint16', 'quint8', 'resource', 'saturate_cast', 'string', 'uint16', 'uint32', 'uint64', 'uint8', 'variant'
]

QUANTIZED_DTYPES: _Any

bfloat16: DType

bool: DType

complex128: DType

complex64: DType

double: DType

float16: DType

float32: DType

float64: DType

half: DType

int16: DType

int32: DType

int64: DType

int8: DType

qint16: DType

qint32: DType

qint8: DType

quint16: DType

quint8: DType

resource: DType

string: DType

uint16: DType

uint32: DType

uint64: DType

uint8: DType

variant: DType
