"""Printing is a side effect: ordinary tests."""

RECORDS = []

EXPLICIT = {
    "PrintV2": "tests/ops/test_print.py::test_print",
    "StringFormat": "tests/ops/test_print.py::test_format",
}
