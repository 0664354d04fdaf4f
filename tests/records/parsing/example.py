"""Records of the ops that parse examples: none, as their keys and messages belong together."""

RECORDS = []

_TESTS = "tests/ops/parsing/test_example.py::"

EXPLICIT = {
    "ParseExample": _TESTS + "test_old_op_types",
    "ParseExampleV2": _TESTS + "test_batches",
    "ParseSingleExample": _TESTS + "test_old_op_types",
}
