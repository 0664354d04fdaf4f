"""Records of the ops of kept tensors: none, as each works with others."""

RECORDS = []

_TEST = "tests/ops/state/test_session_handles.py::test_tensors_are_kept_between_steps"

EXPLICIT = {
    "GetSessionHandle": _TEST,
    "GetSessionHandleV2": "tests/ops/state/test_session_handles.py::test_handles_that_are_resources",
    "GetSessionTensor": _TEST,
    "DeleteSessionTensor": "tests/ops/state/test_session_handles.py::test_deletion",
}
