"""The state of random ops has no reference: it is tested by what they do after it was set."""

_TESTS = "tests/ops/random/test_state.py::"

RECORDS = []

EXPLICIT = {
    "_GetRandomState": _TESTS + "test_a_state_that_is_set_gives_the_same_numbers_again",
    "_SetRandomState": _TESTS + "test_a_state_that_is_set_gives_the_same_numbers_again",
}
