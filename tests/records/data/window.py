"""Records of tf.data's window: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_windows.py::"

EXPLICIT = {
    "WindowDataset": _TESTS + "test_windows_are_tensorflows",
}
