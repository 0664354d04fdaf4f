"""Records of tf.data's unique: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_choices.py::"

EXPLICIT = {
    "UniqueDataset": _TESTS + "test_unique_elements",
}
