"""Records of tf.data's select: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "IgnoreErrorsDataset": "tests/data/test_dataset.py::test_take_while_and_ignored_errors",
    "TakeDataset": _PIPES,
    "SkipDataset": _PIPES,
    "RepeatDataset": _PIPES,
    "ShardDataset": _PIPES,
    "ConcatenateDataset": _PIPES,
    "ZipDataset": _PIPES,
    "OptionsDataset": "tests/data/test_dataset.py::test_datasets_around_others_change_nothing",
    "ModelDataset": "tests/data/test_dataset.py::test_datasets_around_others_change_nothing",
    "OptimizeDataset": "tests/data/test_dataset.py::test_datasets_around_others_change_nothing",
    "OptimizeDatasetV2": "tests/data/test_dataset.py::test_datasets_around_others_change_nothing",
    "RewriteDataset": "tests/data/test_dataset.py::test_datasets_around_others_change_nothing",
}
