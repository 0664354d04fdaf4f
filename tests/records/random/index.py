"""Random permutations have no NumPy reference: known values replace the record."""

RECORDS = []
EXPLICIT = {"RandomIndexShuffle": "tests/ops/random/test_index.py::test_known_values"}
