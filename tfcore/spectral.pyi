# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import fft as fft
from tfcore import fft2d as fft2d
from tfcore import fft3d as fft3d
from tfcore import ifft as ifft
from tfcore import ifft2d as ifft2d
from tfcore import ifft3d as ifft3d
from typing import Any as _Any

