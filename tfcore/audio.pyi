# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'decode_wav', 'encode_wav'
]

def decode_wav(contents: _Any, desired_channels: _Any = -1, desired_samples: _Any = -1, name: str | None = None) -> _Any:
    """Decodes a 16-bit WAV file. Samples and channels beyond the desired number are cut off; missing samples are 0, and
    missing channels repeat the last one."""

def encode_wav(audio: _Any, sample_rate: _Any, name: str | None = None) -> Tensor:
    """Encodes samples as a 16-bit WAV file; values outside of [-1, 1) are clipped."""
