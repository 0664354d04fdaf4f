"""Samples have no reference but TensorFlow's values and their distribution: ordinary tests."""

_TESTS = "tests/ops/random/test_stateless_samples.py::"

RECORDS = []

EXPLICIT = {
    "StatelessRandomBinomial": _TESTS + "test_values_are_tensorflows",
    "_StatelessRandomBinomialV2": "tests/composed/test_random_generator.py::test_values_are_tensorflows",
}
