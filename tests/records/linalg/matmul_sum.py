"""Records of the sums of products that loops add up: none, as each op works with others."""

RECORDS = []

_TEST = "tests/compiler/test_accumulators.py::"

EXPLICIT = {
    "_ProductSum": _TEST + "test_a_sum_that_starts_with_something",
    "_ProductSumOfZeros": _TEST + "test_the_gradient_of_a_matrix",
    "_ProductSumAdd": _TEST + "test_the_gradient_of_a_matrix",
    "_ProductSumValue": _TEST + "test_the_gradient_of_a_matrix",
}
