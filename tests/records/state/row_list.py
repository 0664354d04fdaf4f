"""Records of the rows that loops append to: none, as each op works with others."""

RECORDS = []

EXPLICIT = dict.fromkeys(
    ["_RowList", "_RowListAdd", "_RowListValue"], "tests/compiler/test_accumulators.py::test_rows_of_a_program"
)
