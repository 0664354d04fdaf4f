"""Checkpoints are files: ordinary tests."""

RECORDS = []

EXPLICIT = {
    "SaveV2": "tests/ops/checkpoint/test_checkpoint.py::test_values_come_back",
    "RestoreV2": "tests/ops/checkpoint/test_checkpoint.py::test_values_come_back",
    "MergeV2Checkpoints": "tests/ops/checkpoint/test_checkpoint.py::test_merge",
    "ShardedFilename": "tests/ops/checkpoint/test_checkpoint.py::test_names_of_shards",
    "ShardedFilespec": "tests/ops/checkpoint/test_checkpoint.py::test_names_of_shards",
}
