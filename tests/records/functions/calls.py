"""Ops that run functions have no kernels: the compiler puts what they mean in their place."""

RECORDS = []

_INLINE = "tests/compiler/test_inline.py::"
_CALLED = _INLINE + "test_partitioned_calls"
_SYMBOLIC = "tests/framework/test_function.py::test_symbolic_gradient_operations"

EXPLICIT = {
    "Case": _INLINE + "test_case",
    "If": _INLINE + "test_if",
    "PartitionedCall": _CALLED,
    "StatefulPartitionedCall": _CALLED,
    "StatelessCase": _INLINE + "test_case",
    "StatelessIf": _INLINE + "test_if",
    "StatelessWhile": _INLINE + "test_while",
    "SymbolicGradient": _SYMBOLIC,
    "While": _INLINE + "test_while",
    "_RefArgument": "tests/framework/test_function.py::test_variables_are_read_and_changed",
}
EXPLICIT_GRADIENTS = {
    "PartitionedCall": _CALLED,
    "StatefulPartitionedCall": _CALLED,
    "SymbolicGradient": _SYMBOLIC,
}
