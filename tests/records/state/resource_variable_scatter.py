"""Records of the updates of slices by handle: none, as the compiler replaces them by those by reference."""

RECORDS = []

_TEST = "tests/ops/state/test_resource_variable.py::test_scatter_ops"

EXPLICIT = {
    f"ResourceScatter{action}": _TEST
    for action in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max", "NdUpdate", "NdAdd", "NdSub", "NdMin", "NdMax")
}
