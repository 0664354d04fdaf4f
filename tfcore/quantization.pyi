# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import dequantize as dequantize
from tfcore import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from tfcore import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from tfcore import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from tfcore import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from tfcore import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from tfcore import fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient
from tfcore import quantize as quantize
from tfcore import quantized_concat as quantized_concat
from typing import Any as _Any

__all__ = [
'dequantize', 'fake_quant_with_min_max_args', 'fake_quant_with_min_max_args_gradient', 'fake_quant_with_min_max_vars',
'fake_quant_with_min_max_vars_gradient', 'fake_quant_with_min_max_vars_per_channel',
'fake_quant_with_min_max_vars_per_channel_gradient', 'quantize', 'quantize_and_dequantize',
'quantize_and_dequantize_v2', 'quantized_concat'
]

def quantize_and_dequantize(input: _Any, input_min: _Any, input_max: _Any, signed_input: _Any = True, num_bits: _Any = 8, range_given: _Any = False, round_mode: _Any = 'HALF_TO_EVEN', name: str | None = None, narrow_range: _Any = False, axis: _Any = None) -> Tensor:
    """Rounds numbers to those that integers of some bits can stand for."""

quantize_and_dequantize_v2 = quantize_and_dequantize
