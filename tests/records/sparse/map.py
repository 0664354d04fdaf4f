"""Records of the ops of maps of sparse tensors: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/sparse/test_map.py::"

EXPLICIT = {
    "AddSparseToTensorsMap": _TESTS + "test_tensors_come_back",
    "AddManySparseToTensorsMap": _TESTS + "test_rows_come_back",
    "TakeManySparseFromTensorsMap": _TESTS + "test_tensors_come_back",
}
