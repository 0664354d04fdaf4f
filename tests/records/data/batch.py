"""Records of tf.data's batch: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "BatchDatasetV2": _PIPES,
    "UnbatchDataset": _PIPES,
    "BatchDataset": "tests/data/test_dataset.py::test_older_forms_of_ops",
    "PaddedBatchDataset": "tests/data/test_dataset.py::test_older_forms_of_ops",
    "PaddedBatchDatasetV2": "tests/data/test_dataset.py::test_padded_batches",
    "ParallelBatchDataset": "tests/data/test_fixtures.py::test_pipelines_of_tensorflow",
}
