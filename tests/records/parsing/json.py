"""Records of DecodeJSONExample: none, as its texts have a grammar."""

RECORDS = []

EXPLICIT = {"DecodeJSONExample": "tests/ops/parsing/test_json.py::test_random_examples"}
