"""Tensor arrays of TensorFlow before 1.0: the compiler replaces their ops, so they have ordinary tests."""

_TESTS = "tests/ops/state/test_tensor_array_legacy.py::"
_KINDS = "Write Read Gather Scatter Concat Split".split()
_OPS = [f"TensorArray{kind}{version}" for kind in [*_KINDS, "", "Grad", "Size", "Close"] for version in ("", "V2")]

RECORDS = []

EXPLICIT = dict.fromkeys([*_OPS, "TensorArrayPack", "TensorArrayUnpack"], _TESTS + "test_arrays_of_the_first_releases")
EXPLICIT_GRADIENTS = {
    f"TensorArray{kind}{version}": _TESTS + "test_gradients_of_arrays_of_the_first_releases"
    for kind in _KINDS
    for version in ("", "V2")
}
