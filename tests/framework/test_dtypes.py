"""DTypes: numbers, names, conversions and properties."""

import pickle

import ml_dtypes
import numpy as np
import pytest

import tfcore as tf

NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9,
    "bool": 10, "qint8": 11, "quint8": 12, "qint32": 13, "bfloat16": 14, "qint16": 15, "quint16": 16, "uint16": 17,
    "complex128": 18, "float16": 19, "resource": 20, "variant": 21, "uint32": 22, "uint64": 23,
}  # fmt: skip
FLOATS = ["float16", "bfloat16", "float32", "float64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = ["int8", "int16", "int32", "int64", *UNSIGNED]
COMPLEX = ["complex64", "complex128"]
VALUES = [*FLOATS, *INTEGERS, *COMPLEX, "bool", "string"]


@pytest.mark.parametrize("name", NUMBERS)
def test_number_and_name(name):
    dtype = getattr(tf, name)
    assert dtype.name == name
    assert dtype.as_datatype_enum == NUMBERS[name] == int(dtype)
    assert tf.as_dtype(NUMBERS[name]) is dtype
    assert tf.as_dtype(name) is dtype
    assert tf.as_dtype(dtype) is dtype
    assert repr(dtype) == f"tf.{name}" and str(dtype) == f"<dtype: '{name}'>"
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert len({dtype, tf.as_dtype(name)}) == 1


@pytest.mark.parametrize("name", NUMBERS)
def test_reference_types(name):
    dtype = getattr(tf, name)
    ref = tf.as_dtype(NUMBERS[name] + 100)
    assert ref is tf.as_dtype(name + "_ref") and ref is dtype._as_ref and ref is not dtype
    assert ref.base_dtype is dtype and dtype.base_dtype is dtype
    assert ref._is_ref_dtype and not dtype._is_ref_dtype
    assert ref != dtype
    assert dtype.is_compatible_with(ref) and dtype.is_compatible_with(dtype)
    assert not ref.is_compatible_with(dtype) and ref.is_compatible_with(ref)
    for flag in ("is_floating", "is_integer", "is_complex", "is_bool", "is_unsigned", "is_quantized"):
        assert getattr(ref, flag) == getattr(dtype, flag)


@pytest.mark.parametrize("name", VALUES)
def test_numpy_types(name):
    dtype = getattr(tf, name)
    expected = {"string": object, "bool": np.bool_, "bfloat16": ml_dtypes.bfloat16}.get(name) or getattr(np, name)
    assert dtype.as_numpy_dtype is expected
    assert tf.as_dtype(expected) is dtype
    assert tf.as_dtype(np.dtype(expected)) is dtype
    assert dtype == expected and dtype == name


@pytest.mark.parametrize("name", NUMBERS)
def test_kinds(name):
    dtype = getattr(tf, name)
    assert dtype.is_floating == (name in FLOATS)
    assert dtype.is_integer == (name in INTEGERS)
    assert dtype.is_unsigned == (name in UNSIGNED)
    assert dtype.is_complex == (name in COMPLEX)
    assert dtype.is_bool == (name == "bool")
    assert dtype.is_quantized == ("qint" in name or "quint" in name)


@pytest.mark.parametrize(
    "value, expected",
    [
        (float, "float32"), (int, "int32"), (bool, "bool"), (complex, "complex64"), (str, "string"), (bytes, "string"),
        ("float", "float32"), ("double", "float64"), ("half", "float16"), (np.dtype("S3"), "string"),
        (np.dtype("U5"), "string"),
        (np.dtype(">f4"), "float32"), (np.dtype(">i8"), "int64"), (np.str_, "string"), (np.bytes_, "string"),
        ("float_ref", "float32_ref"),
    ],
)  # fmt: skip
def test_as_dtype(value, expected):
    assert tf.as_dtype(value).name == expected


@pytest.mark.parametrize(
    "value", [None, "nope", 0, 99, 1.5, object(), np.dtype("M8[s]"), np.dtype([("a", "i4")]), [], {}]
)
def test_as_dtype_errors(value):
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.as_dtype(value)


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_limits(name):
    dtype, info = getattr(tf, name), np.iinfo(name)
    assert (dtype.min, dtype.max) == (info.min, info.max)
    assert dtype.limits == (0, info.max)


@pytest.mark.parametrize("name", FLOATS)
def test_float_limits(name):
    dtype, info = getattr(tf, name), ml_dtypes.finfo(name)
    assert (dtype.min, dtype.max) == (info.min, info.max)


def test_numbers_of_types_may_be_floats():
    assert tf.as_dtype(1) is tf.as_dtype(1.0) is tf.as_dtype(True) is tf.float32
    with pytest.raises(TypeError, match="Cannot convert value 1.5 to a TensorFlow DType"):
        tf.as_dtype(1.5)


def test_other_limits():
    assert tf.float32.limits == tf.float64.limits == (0, 1)
    assert tf.bool.limits == (False, True)
    for dtype in (tf.bool, tf.string, tf.complex64, tf.resource):
        with pytest.raises(TypeError, match="Cannot find minimum value"):
            _ = dtype.min
        with pytest.raises(TypeError, match="Cannot find maximum value"):
            _ = dtype.max


def test_real_dtype():
    assert tf.complex64.real_dtype is tf.float32
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int32.real_dtype is tf.int32


def test_comparison_with_other_things():
    assert tf.float32 != None  # noqa: E711  the operator is what is tested
    assert tf.float32 != "nonsense" and tf.float32 != 5.5
    assert tf.float32 != tf.float64
    assert tf.float32 == np.float32 and tf.float32 == "float32"


@pytest.mark.parametrize("name", VALUES)
def test_sizes(name):
    dtype = getattr(tf, name)
    assert dtype.size == (16 if name == "string" else np.dtype(dtype.as_numpy_dtype).itemsize)


def test_types_do_not_change():
    with pytest.raises(AttributeError, match="can't set attribute 'base_dtype' of a DType"):
        tf.float32.base_dtype = tf.int32
