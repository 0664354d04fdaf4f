"""Printing is a side effect: ordinary tests."""

RECORDS = []

EXPLICIT = {
    "PrintV2": "tests/ops/debugging/test_print.py::test_print",
    "StringFormat": "tests/ops/debugging/test_print.py::test_format",
}
