"""Records of generators whose state is a variable: none, as each op changes it."""

RECORDS = []

_TESTS = "tests/ops/random/test_generator.py::"

EXPLICIT = {
    prefix + name: _TESTS + test
    for prefix in ("", "_")
    for name, test in (("RngReadAndSkip", "test_states_are_tensorflows"), ("RngSkip", "test_skip"))
}
