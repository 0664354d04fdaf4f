"""Records of tf.data's group: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_windows.py::"

EXPLICIT = {
    "GroupByWindowDataset": _TESTS + "test_groups_are_windows_of_elements_with_one_key",
    "GroupByReducerDataset": _TESTS + "test_groups_are_reduced",
}
