"""One module a family, each with RECORDS: see tfcore/testing/records.py."""
