"""Normal numbers between bounds have no NumPy reference: known values and their distribution replace the record."""

RECORDS = []
EXPLICIT = {
    "ParameterizedTruncatedNormal": "tests/ops/random/test_truncated.py::test_values_are_tensorflows",
    "StatelessParameterizedTruncatedNormal": "tests/ops/random/test_stateless_samples.py::test_values_are_tensorflows",
}
EXPLICIT_GRADIENTS = {
    "StatelessParameterizedTruncatedNormal": "tests/ops/random/test_stateless_samples.py::test_gradients_of_bounds"
}
