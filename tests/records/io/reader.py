"""Records of the ops of readers: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/io/test_reader.py::"
_OLD = _TESTS + "test_handles_of_tensorflow_1_0"

EXPLICIT = {
    "WholeFileReaderV2": _TESTS + "test_state_is_that_of_tensorflow",
    "TextLineReaderV2": _TESTS + "test_lines",
    "FixedLengthRecordReaderV2": _TESTS + "test_records_of_a_fixed_length",
    "TFRecordReaderV2": _TESTS + "test_records",
    "_UndamagedTFRecordReader": _TESTS + "test_damaged_records_are_left_out",
    "_ReaderNumRecordsDamaged": _TESTS + "test_damaged_records_are_left_out",
    "IdentityReaderV2": _TESTS + "test_state_is_that_of_tensorflow",
    "ReaderReadV2": _TESTS + "test_lines",
    "ReaderReadUpToV2": _TESTS + "test_read_up_to_ends_with_a_file",
    "ReaderNumRecordsProducedV2": _TESTS + "test_counts_and_reset",
    "ReaderNumWorkUnitsCompletedV2": _TESTS + "test_counts_and_reset",
    "ReaderSerializeStateV2": _TESTS + "test_state_is_that_of_tensorflow",
    "ReaderRestoreStateV2": _TESTS + "test_state_is_that_of_tensorflow",
    "ReaderResetV2": _TESTS + "test_counts_and_reset",
    "WholeFileReader": _OLD,
    "TextLineReader": _OLD,
    "FixedLengthRecordReader": _OLD,
    "TFRecordReader": _OLD,
    "IdentityReader": _OLD,
    "FakeQueue": "tests/ops/io/test_lmdb.py::test_pairs_in_the_order_of_keys",
    "LMDBReader": "tests/ops/io/test_lmdb.py::test_pairs_in_the_order_of_keys",
    "ReaderRead": _OLD,
    "ReaderReadUpTo": _OLD,
    "ReaderNumRecordsProduced": _OLD,
    "ReaderNumWorkUnitsCompleted": _OLD,
    "ReaderSerializeState": _OLD,
    "ReaderRestoreState": _OLD,
    "ReaderReset": _OLD,
}
