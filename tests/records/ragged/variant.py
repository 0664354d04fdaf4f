"""Records of ragged tensors as variants: none, as each op works with the other one."""

RECORDS = []

_TESTS = "tests/ops/ragged/test_variant.py::"

EXPLICIT = {
    "RaggedTensorFromVariant": _TESTS + "test_there_and_back",
    "RaggedTensorToVariant": _TESTS + "test_there_and_back",
    "RaggedTensorToVariantGradient": _TESTS + "test_gradients",
}
EXPLICIT_GRADIENTS = {name: _TESTS + "test_gradients" for name in ("RaggedTensorFromVariant", "RaggedTensorToVariant")}
