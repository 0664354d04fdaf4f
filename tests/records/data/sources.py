"""Records of tf.data's sources: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "RandomDataset": "tests/data/test_choices.py::test_random_numbers_are_tensorflows",
    "RangeDataset": _PIPES,
    "SparseTensorSliceDataset": "tests/data/test_sparse.py::test_rows_as_three_tensors",
    "TensorDataset": "tests/data/test_dataset.py::test_concatenated_datasets_may_have_other_shapes",
    "TensorSliceDataset": "tests/data/test_dataset.py::test_elements_are_nested_structures",
    "RandomDatasetV2": "tests/data/test_choices.py::test_random_numbers_that_are_others_each_time",
}
