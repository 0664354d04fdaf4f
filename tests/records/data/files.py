"""Records of tf.data's files: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_files.py::"

EXPLICIT = {
    "TextLineDataset": _TESTS + "test_lines",
    "TFRecordDataset": _TESTS + "test_records",
    "FixedLengthRecordDataset": _TESTS + "test_pieces",
    "FixedLengthRecordDatasetV2": _TESTS + "test_pieces",
}
