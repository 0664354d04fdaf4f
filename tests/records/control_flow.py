"""The primitives of control flow are the executor's own."""

RECORDS = []

_FRAMES = "tests/core/test_frames.py::"
_REFERENCES = _FRAMES + "test_references_are_switched_and_merged"
_IN_LOOPS = _FRAMES + "test_references_go_around"

EXPLICIT = {
    "Switch": _FRAMES + "test_a_conditional_takes_one_way",
    "Merge": _FRAMES + "test_a_conditional_takes_one_way",
    "Enter": _FRAMES + "test_a_loop_counts",
    "Exit": _FRAMES + "test_a_loop_counts",
    "NextIteration": _FRAMES + "test_a_loop_counts",
    "LoopCond": _FRAMES + "test_a_loop_counts",
    "ControlTrigger": _FRAMES + "test_deadness_goes_along_control_edges",
    "RefSwitch": _REFERENCES,
    "RefMerge": _REFERENCES,
    "RefEnter": _IN_LOOPS,
    "RefExit": _IN_LOOPS,
    "RefNextIteration": _IN_LOOPS,
}
