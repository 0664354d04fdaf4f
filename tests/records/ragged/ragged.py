"""Records of the ops of ragged tensors: none, as their outputs differ in number or rank."""

RECORDS = []

_TESTS = "tests/ops/ragged/test_ragged.py::"

EXPLICIT = {
    "RaggedGather": _TESTS + "test_gather",
    "RaggedRange": _TESTS + "test_ranges",
    "RaggedTensorToSparse": _TESTS + "test_sparse",
}
EXPLICIT_GRADIENTS = {name: _TESTS + "test_gradients" for name in ("RaggedGather", "RaggedTensorToSparse")}
