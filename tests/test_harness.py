"""The oracle and the strategies, tested on numbers worked out by hand."""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import harness, strategies

F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
BF16 = np.dtype(ml_dtypes.bfloat16)
CODES = ("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u2", "u8", "c8", "c16", "?", "O")
DTYPES = [*map(np.dtype, CODES), BF16]


def accepts(actual, expected, dtype=F32, **options):
    try:
        harness.check(np.array(actual, dtype), np.array(expected), dtype, **options)
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
    assert harness.epsilon(F64) == 2.0**-52
    assert harness.epsilon(F16) == 2.0**-10
    assert harness.epsilon(BF16) == 2.0**-7
    assert harness.epsilon(np.complex64) == 2.0**-23
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
        harness.check(np.ones(2), np.ones(2), F32)
    with pytest.raises(AssertionError, match=r"shape \(2,\) instead of \(1, 2\)"):
        harness.check(np.ones(2, F32), np.ones((1, 2)), F32)


def test_message_names_the_elements():
    with pytest.raises(AssertionError, match=r"1 of 4 elements differ\n  \[1, 0\]: .*9.*3"):
        harness.check(np.array([[1, 2], [9, 4]]), np.array([[1, 2], [3, 4]]), np.dtype(int))


def test_reference_is_called_with_wide_types():
    seen = []

    def reference(x, n, pair, k):
        seen.extend([x.dtype, n.dtype, pair[0].dtype, k])
        return [x.sum(), [n, pair[1]]]

    record = harness.OpRecord("Any", reference, None, scale="abs")
    x, n = np.array([-1, 1], BF16), np.array(3, np.int8)
    pair = [np.array(1, np.complex64), np.array(-2, np.float32)]
    expected, scales = harness.call_reference(record, [x, n, pair], {"k": 7})
    assert seen[:4] == [np.float64, np.int8, np.complex128, 7]
    assert [float(e) for e in expected] == [0, 3, -2]
    assert [float(s) for s in scales] == [2, 3, 2]


def test_named_tests_are_looked_up():
    assert harness.test_exists("tests/test_harness.py::test_named_tests_are_looked_up")
    assert not harness.test_exists("tests/test_harness.py::test_of_the_future")
    assert not harness.test_exists("tests/test_harness.py::accepts")
    assert not harness.test_exists("tests/test_harness.py")
    assert not harness.test_exists("tests/no_such_file.py::test_x")


@given(st.data(), st.sampled_from(DTYPES), strategies.shapes(max_rank=8))
def test_arrays_have_type_and_shape(data, dtype, shape):
    array = data.draw(strategies.arrays(dtype, shape, special=True))
    assert array.dtype == dtype
    assert array.shape == shape
    assert array.size <= 3000


@given(st.data(), st.sampled_from([d for d in DTYPES if d.kind in "fiu"]))
def test_domain_is_kept(data, dtype):
    array = data.draw(strategies.arrays(dtype, (20,), domain=(1, 9), nonzero=True))
    assert np.all(array >= 1)
    assert np.all(array <= 9)


@given(strategies.broadcastable_shapes(3))
def test_broadcastable_shapes_broadcast(shapes):
    assert np.broadcast_shapes(*shapes) in shapes


@given(st.data(), st.integers(0, 6))
def test_axis_sets_are_distinct(data, rank):
    axes = data.draw(strategies.axis_sets(rank))
    assert len({a % rank for a in axes}) == len(axes)


def test_strategies_reach_the_difficult_cases():
    """Zero-size, rank 0, high rank, sizes at vector widths, views and special values all occur."""
    seen = set()

    @harness.example_settings(400)
    @given(st.data())
    def collect(data):
        shape = data.draw(strategies.shapes(max_rank=8))
        array = data.draw(strategies.arrays(np.float32, shape, special=True))
        seen.update(f"size {d}" for d in shape)
        seen.add(f"rank {len(shape)}")
        seen.add("view" if not array.flags.c_contiguous else "dense")
        seen.add("aligned" if array.flags.aligned else "unaligned")
        seen.update(["nan"] if np.isnan(array).any() else [])
        seen.update(["inf"] if np.isinf(array).any() else [])

    collect()
    wanted = {f"size {d}" for d in (0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65)}
    wanted |= {f"rank {r}" for r in (0, 1, 2, 3, 4, 5, 8)}
    assert wanted | {"view", "unaligned", "nan", "inf"} <= seen


# ---- The derived tests find what is wrong.


def wrong_square(**options):
    return harness.unary("Square", lambda x: x * x + 1e-3 * np.abs(x), **options)


def test_a_wrong_value_is_found():
    case = next(c for c in harness.cases_of(wrong_square()) if c.T == np.float32)
    with pytest.raises(AssertionError, match="elements differ"):
        harness.run_values(case)


def test_a_right_value_passes():
    record = harness.unary("Square", np.square)
    harness.run_values(next(c for c in harness.cases_of(record) if c.T == np.float32))


def half_a_gradient(tensors, attrs):
    """x * x, but only one factor counts for the gradient."""
    tf = harness._modules()[0]
    return tensors[0] * tf.stop_gradient(tensors[0])


def test_a_wrong_gradient_is_found():
    record = harness.unary("Square", np.square, build=half_a_gradient)
    for case in harness.gradient_cases(record):
        with pytest.raises(AssertionError, match="derivative of order 1"):
            harness.run_gradient(case)


def wrong_second_gradient(tensors, attrs):
    """x * x with the gradient 2 x, whose own gradient is 0 instead of 2."""
    tf = harness._modules()[0]
    constant = tf.stop_gradient(tensors[0])
    return 2.0 * tensors[0] * constant - constant * constant


def test_a_wrong_second_gradient_is_found():
    record = harness.unary("Square", np.square, build=wrong_second_gradient)
    case = next(c for c in harness.gradient_cases(record) if c.T == np.float64)
    with pytest.raises(AssertionError, match="derivative of order 2"):
        harness.run_gradient(case)


def test_a_missing_gradient_is_found():
    def build(tensors, attrs):
        return harness._modules()[0].stop_gradient(tensors[0])

    record = harness.unary("Square", np.square, build=build, gradient=1)
    case = next(c for c in harness.gradient_cases(record) if c.T == np.float64)
    with pytest.raises(AssertionError, match="no gradient for"):
        harness.run_gradient(case)


def test_a_wrong_static_shape_is_found():
    def build(tensors, attrs):
        result = tensors[0] * tensors[0]
        result.dims = (77,)
        return result

    record = harness.unary("Square", np.square, build=build)
    case = next(c for c in harness.cases_of(record) if c.T == np.float32)
    with pytest.raises(AssertionError, match="inferred shape"):
        harness.run_values(case)
