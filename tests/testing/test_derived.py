"""The derived tests find what is wrong: wrong definitions here, wrong kernels in test_broken_kernels.py."""

import numpy as np
import pytest
from hypothesis import find

import tfcore as tf
from tfcore.testing import unary
from tfcore.testing.gradients import check_gradient_case
from tfcore.testing.kernels import check_case
from tfcore.testing.records import Case, OpRecord, cases_of, gradient_cases


def wrong_square(**options):
    return unary("Square", lambda x: x * x + 1e-3 * np.abs(x), **options)


def test_a_wrong_value_is_found():
    case = next(c for c in cases_of(wrong_square()) if c.T == np.float32)
    with pytest.raises(AssertionError, match="elements differ"):
        check_case(case)


def test_a_right_value_passes():
    record = unary("Square", np.square)
    check_case(next(c for c in cases_of(record) if c.T == np.float32))


def half_a_gradient(tensors, attrs):
    """x * x, but only one factor counts for the gradient."""
    return tensors[0] * tf.stop_gradient(tensors[0])


def test_a_wrong_gradient_is_found():
    record = unary("Square", np.square, build=half_a_gradient)
    for case in gradient_cases(record):
        with pytest.raises(AssertionError, match="derivative of order 1"):
            check_gradient_case(case)


def wrong_second_gradient(tensors, attrs):
    """x * x with the gradient 2 x, whose own gradient is 0 instead of 2."""
    constant = tf.stop_gradient(tensors[0])
    return 2.0 * tensors[0] * constant - constant * constant


def test_a_wrong_second_gradient_is_found():
    record = unary("Square", np.square, build=wrong_second_gradient)
    case = next(c for c in gradient_cases(record) if c.T == np.float64)
    with pytest.raises(AssertionError, match="derivative of order 2"):
        check_gradient_case(case)


def test_a_missing_gradient_is_found():
    def build(tensors, attrs):
        return tf.stop_gradient(tensors[0])

    record = unary("Square", np.square, build=build, gradient=1)
    case = next(c for c in gradient_cases(record) if c.T == np.float64)
    with pytest.raises(AssertionError, match="no gradient for"):
        check_gradient_case(case)


def test_a_wrong_static_shape_is_found():
    def build(tensors, attrs):
        result = tensors[0] * tensors[0]
        result.dims = (77,)
        return result

    record = unary("Square", np.square, build=build)
    case = next(c for c in cases_of(record) if c.T == np.float32)
    with pytest.raises(AssertionError, match="inferred shape"):
        check_case(case)


@pytest.mark.parametrize(
    "op, types, expected",
    [
        ("FFT", {"Tcomplex": tf.complex64}, np.complex64),
        ("TensorArraySizeV2", {}, np.float32),  # the definition's own: "flow_in: float"
        ("GatherV2", {"Tparams": tf.float64, "Tindices": tf.int32, "Taxis": tf.int32}, np.float64),
        ("Square", {"T": tf.int32}, np.int32),
    ],
)
def test_arrays_have_the_type_that_is_meant(op, types, expected):
    array = Case(OpRecord(op, None, None), types).array((2, 3))
    assert find(array, lambda a: a.shape == (2, 3)).dtype == expected


def test_an_array_whose_type_is_not_clear_is_asked_for():
    with pytest.raises(TypeError, match=r"GatherV2.* no type attribute T: .*case.array\(shape, dtype=np.float32\)"):
        Case(OpRecord("GatherV2", None, None), {"Tparams": tf.int32, "Tindices": tf.int32}).array((2,))
