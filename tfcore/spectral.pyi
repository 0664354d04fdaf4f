# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import fft as fft
from tfcore import fft2d as fft2d
from tfcore import fft3d as fft3d
from tfcore import ifft as ifft
from tfcore import ifft2d as ifft2d
from tfcore import ifft3d as ifft3d
from tfcore.signal import dct as dct
from tfcore.signal import idct as idct
from tfcore.signal import irfft as irfft
from tfcore.signal import irfft2d as irfft2d
from tfcore.signal import irfft3d as irfft3d
from tfcore.signal import rfft as rfft
from tfcore.signal import rfft2d as rfft2d
from tfcore.signal import rfft3d as rfft3d
from typing import Any as _Any

__all__ = [
'dct', 'fft', 'fft2d', 'fft3d', 'idct', 'ifft', 'ifft2d', 'ifft3d', 'irfft', 'irfft2d', 'irfft3d', 'rfft', 'rfft2d',
'rfft3d'
]

