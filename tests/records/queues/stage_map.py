"""Records of the ops of staging areas with keys: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/queues/test_stage_map.py::"

EXPLICIT = {
    prefix + op: _TESTS + test
    for prefix in ("", "Ordered")
    for op, test in {
        "MapStage": "test_tuples_are_found_by_key",
        "MapPeek": "test_peek",
        "MapUnstage": "test_tuples_are_found_by_key",
        "MapUnstageNoKey": "test_any_key",
        "MapSize": "test_tuples_are_found_by_key",
        "MapIncompleteSize": "test_parts",
        "MapClear": "test_clearing_makes_room",
    }.items()
}
