"""Records of tf.data's files: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_files.py::"

EXPLICIT = {
    "TextLineDataset": _TESTS + "test_lines",
    "LMDBDataset": "tests/ops/io/test_lmdb.py::test_a_dataset_of_pairs",
    "ExperimentalLMDBDataset": "tests/ops/io/test_lmdb.py::test_the_older_op",
    "TFRecordDataset": _TESTS + "test_records",
    "_UndamagedTFRecordDataset": _TESTS + "test_damaged_records_are_left_out",
    "FixedLengthRecordDataset": _TESTS + "test_pieces",
    "FixedLengthRecordDatasetV2": _TESTS + "test_pieces",
}
