"""Records of tf.data's shuffle: none, as an element comes out of an iterator."""

RECORDS = []

EXPLICIT = {
    "ShuffleDataset": "tests/data/test_dataset.py::test_the_order_for_a_seed_is_tensorflows",
}
