"""Records of the op that hands out shards."""

RECORDS = []
EXPLICIT = {"_TakeShard": "tests/ops/state/test_shards.py::test_first_come_first_served"}
