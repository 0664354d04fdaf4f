"""Checkpoints are files: ordinary tests."""

RECORDS = []

EXPLICIT = {
    "Save": "tests/ops/test_checkpoint_legacy.py::test_values_come_back",
    "SaveSlices": "tests/ops/test_checkpoint_legacy.py::test_slices",
    "Restore": "tests/ops/test_checkpoint_legacy.py::test_values_come_back",
    "RestoreSlice": "tests/ops/test_checkpoint_legacy.py::test_slices",
}
