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

_GRADIENT = "tests/ops/control_flow/test_control_flow_grad.py::"
_LOOP = _GRADIENT + "test_loop_variables_and_captured_values"

EXPLICIT_GRADIENTS = {
    "Switch": _GRADIENT + "test_cond",
    "Merge": _GRADIENT + "test_cond",
    "Enter": _LOOP,
    "Exit": _LOOP,
    "NextIteration": _LOOP,
    "StackPushV2": _GRADIENT + "test_second_order_through_a_loop",
    **dict.fromkeys(
        ["RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration"], _GRADIENT + "test_references_to_variables"
    ),
}
