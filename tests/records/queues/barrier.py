"""Records of the ops of barriers: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/queues/test_barrier.py::"

EXPLICIT = {
    "Barrier": _TESTS + "test_elements_become_complete",
    "BarrierInsertMany": _TESTS + "test_elements_become_complete",
    "BarrierTakeMany": _TESTS + "test_elements_become_complete",
    "BarrierClose": _TESTS + "test_closing",
    "BarrierReadySize": _TESTS + "test_elements_become_complete",
    "BarrierIncompleteSize": _TESTS + "test_elements_become_complete",
}
