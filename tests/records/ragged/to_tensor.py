"""Records of RaggedTensorToTensor: none, as its inputs depend on an attribute."""

RECORDS = []

_TESTS = "tests/ops/ragged/test_ragged.py::"

EXPLICIT = {"RaggedTensorToTensor": _TESTS + "test_dense"}
EXPLICIT_GRADIENTS = {"RaggedTensorToTensor": _TESTS + "test_gradients"}
