"""Numbers quantized and back: TensorFlow's values, gradients, the wrapper, refusals; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf

X = np.float32([[-2.3, -1, -0.5, -0.1, 0], [0.2, 0.49, 0.51, 1.7, 2.9]])
GRAD = np.arange(1, 11, dtype=np.float32).reshape(2, 5)
VERSIONS = ["V2", "V3", "V4"]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


def _call(version, x=X, low=0.0, high=0.0, **attrs):
    if version == "V3":
        attrs.setdefault("num_bits", 8)
    return getattr(tf.raw_ops, f"QuantizeAndDequantize{version}")(input=x, input_min=low, input_max=high, **attrs)


# What TensorFlow 2.21 returns.
@pytest.mark.parametrize(
    "attrs, expected",
    [
        ({"range_given": False, "axis": 0, "low": [0.0, 0.0], "high": [0.0, 0.0]},
         [[-2.3, -1.00625, -0.503125, -0.10781249, 0], [0.20551181, 0.47952756, 0.5023622, 1.6897638, 2.9]]),
        ({"range_given": True, "low": -1.0, "high": 1.0},
         [[-1.007874, -1, -0.503937, -0.1023622, 0], [0.19685039, 0.48818898, 0.511811, 1, 1]]),
        ({"range_given": False},
         [[-2.3062992, -1.0047244, -0.5023622, -0.09133858, 0], [0.20551181, 0.47952756, 0.5023622, 1.6897638, 2.9]]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", VERSIONS)
def test_values_are_tensorflows(version, attrs, expected):
    np.testing.assert_allclose(run(_call(version, **attrs)), expected, rtol=2e-7)  # written with 8 digits


def test_ranges_of_slices():
    value = run(_call("V3", low=[-1.0, -1.0], high=[2.0, 1.0], range_given=True, axis=0))
    first = np.float32([-2.015748, -1.007874, -0.503937, -0.09448819, 0])
    np.testing.assert_array_equal(value, [first, np.float32([0.19685039, 0.48818898, 0.511811, 1, 1])])


def test_special_values():
    np.testing.assert_array_equal(run(_call("V2", X * np.nan)), X * np.nan)
    assert run(_call("V2", X[:0])).shape == (0, 5)
    zero = run(_call("V2", X, range_given=True))
    assert not zero.any() and np.array_equal(np.signbit(zero), X < 0)


def test_gradients():
    x, low, high = tf.constant(X), tf.constant(-1.0), tf.constant(1.0)
    for version in VERSIONS:
        y = _call(version, x, low, high, range_given=True)
        grads = tf.gradients(y, [x, low, high], GRAD)
        if version == "V4":
            expected = np.where(np.abs(X) <= 1, GRAD, 0)
            for value, wanted in zip(run(grads), [expected, 0, 0], strict=True):
                np.testing.assert_array_equal(value, wanted)
        else:
            assert grads[1:] == [None, None]
            np.testing.assert_array_equal(run(grads[0]), GRAD)
    y = tf.raw_ops.QuantizeAndDequantize(input=x)
    np.testing.assert_array_equal(run(tf.gradients(y, x, GRAD)[0]), GRAD)
    x = tf.constant(X)
    y = _call("V4", x, [-1.0, -2.0], [1.0, 0.5], range_given=True, axis=0)
    np.testing.assert_array_equal(run(tf.gradients(y, x, GRAD)[0]), [[0, 2, 3, 4, 5], [6, 7, 0, 0, 0]])


def test_wrapper():
    y = tf.quantization.quantize_and_dequantize(X, -1, 0.75, range_given=True, num_bits=3, round_mode="HALF_UP")
    assert y.op.type == "QuantizeAndDequantizeV2" and y.op.name == "QuantizeAndDequantizeV2"
    np.testing.assert_array_equal(run(y)[1], [0.25, 0.5, 0.5, 0.75, 0.75])
    y = tf.quantization.quantize_and_dequantize(X, [0.0] * 5, [0.0] * 5, axis=1, name="y")
    assert y.op.get_attr("axis") == 1 and y.op.name == "y"
    for axis, size, place in ((-1, 5, 1), (-2, 2, 0)):
        z = tf.quantization.quantize_and_dequantize(X, [0.0] * size, [0.0] * size, axis=axis)
        assert z.op.get_attr("axis") == place
        np.testing.assert_array_equal(run(z), run(_call("V2", low=[0.0] * size, high=[0.0] * size, axis=place)))
    with pytest.raises(ValueError, match="input should have known rank to use negative axis"):
        tf.quantization.quantize_and_dequantize(tf.placeholder(tf.float32), [0.0], [0.0], axis=-1)


@pytest.mark.parametrize(
    "version, attrs, text",
    [
        ("V2", {"num_bits": 0}, "num_bits is out of range: 0 with signed_input_ 1"),
        ("V2", {"num_bits": 62}, "num_bits is out of range: 62 with signed_input_ 1"),
        ("V4", {"num_bits": 63, "signed_input": False}, "num_bits is out of range: 63 with signed_input_ 0"),
        ("V3", {"num_bits": 63}, "num_bits is out of range: 63 with `signed_input_` 1"),
        ("V3", {"num_bits": -1}, "num_bits is out of range: -1 with `signed_input_` 1"),
        ("V2", {"range_given": True, "low": 2.0, "high": -1.0}, "Invalid range: input_min 2 > input_max -1"),
        ("V2", {"range_given": True, "low": np.nan, "high": 1.0}, "Invalid range: input_min nan > input_max 1"),
    ],
)
def test_refusals(version, attrs, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(_call(version, **attrs))


@pytest.mark.parametrize("attrs", [{"low": [-1.0], "high": [1.0]}, {"low": [-1.0], "high": [1.0], "axis": 0}])
def test_ranges_of_other_shapes(attrs):
    fed = {tf.placeholder(tf.float32): attrs[name] for name in ("low", "high")}
    out = _call("V2", X, *fed, range_given=True, axis=attrs.get("axis", -1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="input_min must be a"):
        run(out, fed)


def test_the_first_version_refuses_an_empty_range():
    out = tf.raw_ops.QuantizeAndDequantize(input=X, range_given=True, input_min=1.0, input_max=-1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid range: input_min 1 > input_max -1"):
        run(out)


@pytest.mark.parametrize(
    "attrs, text",
    [
        ({"low": [-1.0]}, "Shape must be rank 0 but is rank 1"),
        ({"axis": 1}, "Shape must be rank 1 but is rank 0"),
        ({"low": [-1.0] * 2, "high": [1.0] * 2, "axis": 2}, "Shape must be at least rank 3 but is rank 2"),
        ({"low": [-1.0] * 2, "high": [1.0] * 2, "axis": 1}, "Dimensions must be equal, but are 2 and 5"),
        ({"low": [-1.0] * 2, "high": [1.0] * 2, "axis": -2}, "axis should be at least -1, got -2"),
    ],
)
def test_refused_when_built(attrs, text):
    with pytest.raises(ValueError, match=text):
        _call("V2", **attrs)


@pytest.mark.parametrize(
    "grad, low, axis, text",
    [
        (GRAD[:1], -1.0, -1, "gradient and input must be the same size"),
        (GRAD, [-1.0], -1, "input_min must be a scalar if axis is unspecified"),
        (GRAD, [-1.0], 0, "min has incorrect size, expected 2 was 1"),
        (GRAD, [-1.0], 5, "Axis should be -1 or 0 or a positive value less than 2but given axis value was 5"),
    ],
)
def test_the_gradient_refuses(grad, low, axis, text):
    names = ("gradients", "input", "input_min", "input_max")
    fed = dict(zip([tf.placeholder(tf.float32) for _ in names], [grad, X, low, low], strict=True))
    out = tf.raw_ops.QuantizeAndDequantizeV4Grad(**dict(zip(names, fed, strict=True)), axis=axis)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(out, fed)
