"""Records of the ops that parse sequence examples: none, as their keys and messages belong together."""

RECORDS = []

_TESTS = "tests/ops/parsing/test_sequence_example.py::"

EXPLICIT = {
    "ParseSequenceExample": _TESTS + "test_old_op_types",
    "ParseSequenceExampleV2": _TESTS + "test_batches",
    "ParseSingleSequenceExample": _TESTS + "test_old_op_types",
}
