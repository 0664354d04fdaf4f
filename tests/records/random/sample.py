"""Samples have no reference but TensorFlow's values and their distribution: ordinary tests."""

_TESTS = "tests/ops/random/test_sample.py::"

RECORDS = []

EXPLICIT = {
    "Multinomial": _TESTS + "test_multinomial_follows_the_probabilities",
    "StatelessMultinomial": _TESTS + "test_stateless_multinomial_is_tensorflows",
    "RandomGamma": _TESTS + "test_gamma_is_tensorflows",
    "RandomPoisson": _TESTS + "test_poisson_of_the_first_version",
    "RandomPoissonV2": _TESTS + "test_poisson",
}
EXPLICIT_GRADIENTS = {"RandomGamma": _TESTS + "test_gamma_gradient"}
