"""Abort ends the process: an ordinary test runs it in another one."""

RECORDS = []

EXPLICIT = {"Abort": "tests/ops/control_flow/test_abort.py::test_the_process_ends"}
