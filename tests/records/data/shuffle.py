"""Records of tf.data's shuffle: none, as an element comes out of an iterator."""

RECORDS = []

EXPLICIT = {
    "ShuffleDataset": "tests/data/test_dataset.py::test_the_order_for_a_seed_is_tensorflows",
    "ShuffleDatasetV3": "tests/data/test_dataset.py::test_shuffles_that_are_repeated",
    "ShuffleAndRepeatDataset": "tests/data/test_dataset.py::test_shuffles_that_are_repeated",
    "ShuffleAndRepeatDatasetV2": "tests/data/test_dataset.py::test_shuffles_that_are_repeated",
    "DummySeedGenerator": "tests/data/test_dataset.py::test_shuffles_that_are_repeated",
}
