"""Records of crosses: none, as their hash values have no NumPy reference. Known values replace them."""

RECORDS = []

_TESTS = "tests/ops/sparse/test_cross.py::"

EXPLICIT = {
    "SparseCross": _TESTS + "test_known_hash_values",
    "SparseCrossV2": _TESTS + "test_joined_in_order",
    "SparseCrossHashed": _TESTS + "test_known_hash_values_with_salt",
}
