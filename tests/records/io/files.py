"""Records of the ops of files: none, as what they do depends on the file system."""

RECORDS = []

_TESTS = "tests/ops/io/test_files.py::"

EXPLICIT = {
    "ReadFile": _TESTS + "test_a_file_is_written_and_read",
    "WriteFile": _TESTS + "test_a_file_is_written_and_read",
    "MatchingFiles": _TESTS + "test_names_match_as_in_gfile",
}
