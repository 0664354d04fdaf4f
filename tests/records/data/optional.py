"""Records of the ops of optional values: none, as one of them makes what another one takes."""

RECORDS = []

_TESTS = "tests/data/test_optional.py::"

EXPLICIT = {
    "OptionalFromValue": _TESTS + "test_a_value",
    "OptionalNone": _TESTS + "test_no_value",
    "OptionalHasValue": _TESTS + "test_no_value",
    "OptionalGetValue": _TESTS + "test_a_value",
}
