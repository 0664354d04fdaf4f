"""Records of the ops of stacks: none, as each works with others."""

RECORDS = []

_TEST = "tests/ops/state/test_stack.py::test_values_come_back_in_reverse_order"
_OLD = "tests/ops/state/test_stack.py::test_stacks_of_tensorflow_1_0"

EXPLICIT = {
    "StackV2": _TEST,
    "StackPushV2": _TEST,
    "StackPopV2": _TEST,
    "StackCloseV2": "tests/ops/state/test_stack.py::test_errors",
    "Stack": _OLD,
    "StackPush": _OLD,
    "StackPop": _OLD,
    "StackClose": _OLD,
}
