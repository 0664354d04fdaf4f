"""Records of tf.data's map: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "TakeWhileDataset": "tests/data/test_dataset.py::test_take_while_and_ignored_errors",
    "MapDataset": _PIPES,
    "FilterDataset": _PIPES,
    "FlatMapDataset": _PIPES,
    "InterleaveDataset": _PIPES,
}
