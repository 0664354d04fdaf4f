"""Random permutations have no NumPy reference: known values replace the record."""

RECORDS = []
EXPLICIT = {"RandomIndexShuffle": "tests/ops/test_random_index.py::test_known_values"}
