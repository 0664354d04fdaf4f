"""ImmutableConst reads a file: ordinary tests."""

RECORDS = []

EXPLICIT = {"ImmutableConst": "tests/ops/io/test_immutable_const.py::test_the_elements_are_the_bytes_of_the_file"}
