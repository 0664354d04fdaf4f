"""Conversions of quantized numbers, whose tests compare integers."""

_TEST = "tests/ops/quantized/test_convert.py"
EXPLICIT = {
    "QuantizeV2": f"{_TEST}::test_values",
    "Dequantize": f"{_TEST}::test_values",
    "Requantize": f"{_TEST}::test_requantize",
    "QuantizeDownAndShrinkRange": f"{_TEST}::test_the_range_that_is_used",
    "RequantizationRange": f"{_TEST}::test_the_range_that_is_used",
}
RECORDS = []
