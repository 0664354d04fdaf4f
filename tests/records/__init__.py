"""One module a family, each with RECORDS: see tests/harness.py."""
