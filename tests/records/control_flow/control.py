"""NoOp computes nothing: what its control edges do is an ordinary test."""

RECORDS = []

EXPLICIT = {"NoOp": "tests/ops/control_flow/test_control.py::test_group_runs_its_inputs"}
