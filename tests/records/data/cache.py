"""Records of tf.data's cache: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "CacheDataset": _PIPES,
    "CacheDatasetV2": "tests/data/test_fixtures.py::test_pipelines_of_tensorflow",
    "DummyMemoryCache": "tests/data/test_fixtures.py::test_pipelines_of_tensorflow",
}
