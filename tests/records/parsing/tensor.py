"""Records of the ops for messages TensorProto: none, as their strings are such messages."""

RECORDS = []

_TESTS = "tests/ops/parsing/test_tensor.py::"

EXPLICIT = {"ParseTensor": _TESTS + "test_all_types", "SerializeTensor": _TESTS + "test_all_types"}
