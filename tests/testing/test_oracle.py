"""The oracle, tested on numbers worked out by hand."""

import math

import ml_dtypes
import numpy as np
import pytest

from tfcore.testing import OpRecord, check_values
from tfcore.testing.oracle import call_reference, check_identical, epsilon

F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
BF16 = np.dtype(ml_dtypes.bfloat16)


def accepts(actual, expected, dtype=F32, **options):
    try:
        check_values(np.array(actual, dtype), np.array(expected), dtype, **options)
    except AssertionError:
        return False
    return True


def test_rounding_is_accepted_and_more_is_not():
    one_ulp = 2.0**-23
    assert accepts(1 / 3, 1 / 3, ulps=1)
    assert accepts(1 + 4 * one_ulp, 1.0, ulps=4)
    assert not accepts(1 + 6 * one_ulp, 1.0, ulps=4)
    assert accepts(1 + 6 * one_ulp, 1.0, ulps=4, scale=2.0)
    assert not accepts(1e-3, 0.0)
    assert accepts(1e-7, 0.0, ulps=4, scale=1.0)


def test_each_type_has_its_epsilon():
    assert epsilon(F64) == 2.0**-52
    assert epsilon(F16) == 2.0**-10
    assert epsilon(BF16) == 2.0**-7
    assert epsilon(np.complex64) == 2.0**-23
    assert accepts(1.0 + 2.0**-7, 1.0, BF16, ulps=1)
    assert not accepts(1.0 + 2.0**-6, 1.0, BF16, ulps=1)
    assert not accepts(1.0 + 2.0**-7, 1.0, F16, ulps=1)


def test_special_values_are_exact():
    nan, inf = math.nan, math.inf
    assert accepts([nan, inf, -inf], [nan, inf, -inf])
    assert not accepts(inf, -inf)
    assert not accepts(nan, inf)
    assert not accepts(0.0, nan)
    assert not accepts(nan, 0.0)
    assert not accepts(3e38, inf)
    assert accepts(0.0, -0.0)


def test_overflow_and_underflow_of_the_type():
    assert accepts(math.inf, 1e300)
    assert accepts(-math.inf, -1e300)
    assert not accepts(math.inf, -1e300)
    assert not accepts(1.0, 1e300)
    assert not accepts(math.nan, 1e300)
    assert accepts(math.inf, 65520.0, F16)
    assert accepts(65504.0, 65519.0, F16)
    assert not accepts(math.inf, 30000.0, F16)
    assert accepts(0.0, 1e-40)
    assert not accepts(0.0, 1e-30)


def test_integers_bools_and_strings_are_equal():
    assert accepts(5, 5, np.dtype(np.int32))
    assert not accepts(5, 6, np.dtype(np.int32))
    assert accepts(-1, 255, np.dtype(np.int8))  # the reference wraps as the type does
    assert not accepts(True, False, np.dtype(bool))
    assert accepts([b"a", b""], [b"a", b""], np.dtype(object))
    assert not accepts([b"a"], [b"b"], np.dtype(object))


def test_complex_numbers_by_modulus():
    c64 = np.dtype(np.complex64)
    assert accepts(1e6 + 0.01j, 1e6, c64)
    assert not accepts(1.0 + 0.01j, 1.0, c64)
    assert accepts(complex(math.nan, 0), complex(math.inf, math.nan), c64)
    assert not accepts(0, complex(math.inf, 0), c64)


def test_type_and_shape_must_agree():
    with pytest.raises(AssertionError, match="type float64 instead of float32"):
        check_values(np.ones(2), np.ones(2), F32)
    with pytest.raises(AssertionError, match=r"shape \(2,\) instead of \(1, 2\)"):
        check_values(np.ones(2, F32), np.ones((1, 2)), F32)


def test_message_names_the_elements():
    with pytest.raises(AssertionError, match=r"1 of 4 elements differ\n  \[1, 0\]: .*9.*3"):
        check_values(np.array([[1, 2], [9, 4]]), np.array([[1, 2], [3, 4]]), np.dtype(int))


def test_reference_is_called_with_wide_types():
    seen = []

    def reference(x, n, pair, k):
        seen.extend([x.dtype, n.dtype, pair[0].dtype, k])
        return [x.sum(), [n, pair[1]]]

    record = OpRecord("Any", reference, None, scale="abs")
    x, n = np.array([-1, 1], BF16), np.array(3, np.int8)
    pair = [np.array(1, np.complex64), np.array(-2, np.float32)]
    expected, scales = call_reference(record, [x, n, pair], {"k": 7})
    assert seen[:4] == [np.float64, np.int8, np.complex128, 7]
    assert [float(e) for e in expected] == [0, 3, -2]
    assert [float(s) for s in scales] == [2, 3, 2]


def test_message_tells_the_distance():
    with pytest.raises(AssertionError, match=r"\[1\]: .* \(16 units in the last place apart, 4 allowed\)"):
        check_values(np.array([1, 1 + 2.0**-19], F32), np.ones(2), F32)
    with pytest.raises(AssertionError, match=r"\[\]: .*nan.* instead of .*1\.0\)?$"):
        check_values(np.array(math.nan, F64), np.ones(()), F64)


def test_identical_is_bit_for_bit():
    nan, other_nan = np.array([0x7FF8 << 48, 0xFFF8 << 48], np.uint64).view(F64)
    check_identical(np.array([nan, 0.0]), np.array([other_nan, 0.0]))
    check_identical(np.array([b"a"], object), np.array([b"a"], object))
    for a, b in (
        (np.array([0.0]), np.array([-0.0])),
        (np.array([1.0], BF16), np.array([1.0078125], BF16)),
        (np.array([complex(1, 0.0)]), np.array([complex(1, -0.0)])),
        (np.array([nan]), np.array([1.0])),
        (np.array([b"a"], object), np.array([b"b"], object)),
        (np.array([1]), np.array([2])),
    ):
        with pytest.raises(AssertionError, match="1 of 1 elements differ"):
            check_identical(a, b)
    with pytest.raises(AssertionError, match="type"):
        check_identical(np.ones(1), np.ones(1, F32))
