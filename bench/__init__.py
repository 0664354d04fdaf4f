"""Benchmarks: `python -m bench` runs the table, the other files answer one question each."""
