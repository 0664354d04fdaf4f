"""Python functions as operations: what they compute is not the op's to say."""

RECORDS = []
EXPLICIT = {
    "PyFunc": "tests/ops/functions/test_py_func.py::test_every_type",
    "PyFuncStateless": "tests/ops/functions/test_py_func.py"
    "::test_stateless_functions_are_merged_and_stateful_ones_are_not",
}
