"""Records of tf.data's parallel_interleave: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_parallel_interleave.py::"

EXPLICIT = {
    "ParallelInterleaveDatasetV2": _TESTS + "test_older_forms",
    "ParallelInterleaveDatasetV3": _TESTS + "test_older_forms",
    "ParallelInterleaveDatasetV4": "tests/data/test_pipelines.py::test_pipelines_are_pythons",
    "ParallelInterleaveDataset": "tests/data/test_dataset.py::test_interleaves_of_before",
    "LegacyParallelInterleaveDatasetV2": "tests/data/test_fixtures.py::test_pipelines_of_tensorflow",
}
