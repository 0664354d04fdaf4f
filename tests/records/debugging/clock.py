"""The time has no reference."""

RECORDS = []
EXPLICIT = {"Timestamp": "tests/ops/debugging/test_clock.py::test_time_passes"}
