"""Products of quantized numbers, whose tests compare integers."""

_TEST = "tests/ops/quantized/test_product.py"
EXPLICIT = {"QuantizedMatMul": f"{_TEST}::test_matrices", "QuantizedConv2D": f"{_TEST}::test_images"}
RECORDS = []
