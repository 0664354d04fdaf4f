"""Records of the ops that serialize sparse tensors: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/parsing/test_sparse.py::"

EXPLICIT = {
    "SerializeSparse": _TESTS + "test_one",
    "SerializeManySparse": _TESTS + "test_rows",
    "DeserializeSparse": _TESTS + "test_one",
    "DeserializeManySparse": _TESTS + "test_rows",
}
