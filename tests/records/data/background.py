"""Records of tf.data's background: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "PrefetchDataset": _PIPES,
    "ParallelMapDatasetV2": _PIPES,
    "ParallelMapDataset": "tests/data/test_dataset.py::test_older_forms_of_ops",
    "MapAndBatchDataset": "tests/data/test_dataset.py::test_map_and_batch_as_one",
}
