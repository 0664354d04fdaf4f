"""Assert and Print: what they do besides computing is tested in tests/ops."""

from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _print_inputs(draw, case):
    """A value, and data to print; nothing is printed, as first_n is 0."""
    value = draw(case.array(draw(case.shapes(max_rank=8))))
    data = [draw(case.array(draw(case.shapes()))) for _ in range(draw(st.integers(0, 2)))]
    return [value, data], {"first_n": 0}


RECORDS = [
    OpRecord("Print", lambda value, data, first_n: value, _print_inputs, special=True, differentiable=(0,)),
]

EXPLICIT = {
    "_CheckBroadcast": "tests/framework/test_strict.py::test_runs_refuse_what_static_shapes_left_open",
    "Assert": "tests/ops/debugging/test_check.py::test_assert_shows_its_data",
}
