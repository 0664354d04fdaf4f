"""Records of tf.data's cardinality: none, as a dataset is not an array."""

RECORDS = []

_TESTS = "tests/data/test_cardinality.py::"

EXPLICIT = {
    "DatasetCardinality": _TESTS + "test_cardinalities_are_tensorflows",
    "AssertCardinalityDataset": _TESTS + "test_a_dataset_that_has_another_number_of_elements_fails",
}
