"""Random ops have no reference but TensorFlow's values and their distribution: ordinary tests."""

_TESTS = "tests/ops/random/test_random.py::"
_KEYS = "tests/ops/random/test_stateless_keys.py::"

RECORDS = []

EXPLICIT = {
    "RandomUniform": _TESTS + "test_values_are_tensorflows",
    "RandomStandardNormal": _TESTS + "test_values_are_tensorflows",
    "TruncatedNormal": _TESTS + "test_values_are_tensorflows",
    "StatelessRandomUniform": _TESTS + "test_distribution",
    "StatelessRandomNormal": _TESTS + "test_distribution",
    "StatelessTruncatedNormal": _TESTS + "test_distribution",
    "RandomUniformInt": _TESTS + "test_integers_are_tensorflows",
    "StatelessRandomUniformInt": _TESTS + "test_integers_are_tensorflows",
    **dict.fromkeys(
        (
            "StatelessRandomUniformV2",
            "StatelessRandomNormalV2",
            "StatelessTruncatedNormalV2",
            "StatelessRandomUniformIntV2",
            "StatelessRandomUniformFullIntV2",
            "StatelessRandomUniformFullInt",
        ),
        f"{_KEYS}test_numbers_are_those_of_the_seed",
    ),
    **dict.fromkeys(
        ("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", "StatelessRandomGetAlg"),
        f"{_KEYS}test_keys_and_counters_are_tensorflows",
    ),
    "StatelessShuffle": f"{_KEYS}test_shuffle_is_tensorflows",
    "RandomShuffle": _TESTS + "test_shuffle_is_tensorflows",
}
