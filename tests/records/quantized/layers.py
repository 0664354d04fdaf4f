"""Layers of quantized networks, whose tests compare integers."""

_TEST = "tests/ops/quantized/test_layers.py"
EXPLICIT = {
    "QuantizedBiasAdd": f"{_TEST}::test_bias",
    **dict.fromkeys(("QuantizedRelu", "QuantizedRelu6", "QuantizedReluX"), f"{_TEST}::test_activations"),
    **dict.fromkeys(("QuantizedMaxPool", "QuantizedAvgPool"), f"{_TEST}::test_pools"),
    "QuantizedConcat": f"{_TEST}::test_joins",
    "QuantizedBatchNormWithGlobalNormalization": f"{_TEST}::test_batch_norm",
    "QuantizedInstanceNorm": f"{_TEST}::test_instance_norm",
}
RECORDS = []
