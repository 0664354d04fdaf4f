"""Records of DecodeCompressed: none, as its strings have a format."""

RECORDS = []

EXPLICIT = {"DecodeCompressed": "tests/ops/parsing/test_compressed.py::test_formats"}
