"""Records of DecodeCSV: none, as its texts have a grammar."""

RECORDS = []

EXPLICIT = {"DecodeCSV": "tests/ops/parsing/test_csv.py::test_random_records"}
