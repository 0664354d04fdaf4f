"""Records of the ops of staging areas: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/queues/test_stage.py::"

EXPLICIT = {
    "Stage": _TESTS + "test_tuples_leave_in_order",
    "Unstage": _TESTS + "test_tuples_leave_in_order",
    "StagePeek": _TESTS + "test_peek",
    "StageSize": _TESTS + "test_tuples_leave_in_order",
    "StageClear": _TESTS + "test_clearing_makes_room",
}
