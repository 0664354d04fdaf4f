"""Records of tf.data's state: none, as an element comes out of an iterator."""

RECORDS = []

_TEST = "tests/data/test_dataset.py::test_reductions_and_scans"

EXPLICIT = {
    "ScanDataset": _TEST,
    "ReduceDataset": _TEST,
    "DatasetToSingleElement": "tests/data/test_choices.py::test_the_only_element",
}
