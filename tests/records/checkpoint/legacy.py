"""Checkpoints are files: ordinary tests."""

RECORDS = []

EXPLICIT = {
    "Save": "tests/ops/checkpoint/test_legacy.py::test_values_come_back",
    "SaveSlices": "tests/ops/checkpoint/test_legacy.py::test_slices",
    "Restore": "tests/ops/checkpoint/test_legacy.py::test_values_come_back",
    "RestoreSlice": "tests/ops/checkpoint/test_legacy.py::test_slices",
}
