"""Samples have no reference but TensorFlow's values and their distribution: ordinary tests."""

_TESTS = "tests/ops/random/test_sample.py::"

RECORDS = []

EXPLICIT = {
    "Multinomial": _TESTS + "test_multinomial_follows_the_probabilities",
    "StatelessMultinomial": _TESTS + "test_stateless_multinomial_is_tensorflows",
    "RandomGamma": _TESTS + "test_gamma_is_tensorflows",
    "RandomPoisson": _TESTS + "test_poisson_of_the_first_version",
    "RandomPoissonV2": _TESTS + "test_poisson",
    **dict.fromkeys(
        ("StatelessRandomGammaV2", "StatelessRandomGammaV3", "StatelessRandomPoisson"),
        "tests/ops/random/test_stateless_samples.py::test_values_are_tensorflows",
    ),
}
EXPLICIT_GRADIENTS = {
    "RandomGamma": _TESTS + "test_gamma_gradient",
    "StatelessRandomGammaV2": "tests/ops/random/test_stateless_samples.py::test_gradients_of_gamma",
    "StatelessRandomGammaV3": "tests/ops/random/test_stateless_samples.py::test_gradients_of_gamma",
}
