"""Tensors to messages TensorProto and back."""

import numpy as np
import pytest

import tfcore as tf

TYPES = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128 "
    "string"
).split()


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def some(name, shape):
    """An array of a type with different values."""
    count = int(np.prod(shape))
    if name == "string":
        return np.array([b"%d" % i * (i % 3) for i in range(count)] + [None], object)[:count].reshape(shape)
    return np.arange(count).astype(tf.as_dtype(name).as_numpy_dtype).reshape(shape)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(), (5,), (0, 2), (2, 1, 3)])
def test_all_types(name, shape):
    x, dtype = some(name, shape), tf.as_dtype(name)
    text, back = run([s := tf.serialize_tensor(tf.constant(x, dtype)), tf.parse_tensor(s, dtype)])
    proto = tf.TensorProto.FromString(text)
    assert (proto.dtype, [dim.size for dim in proto.tensor_shape.dim]) == (dtype.as_datatype_enum, list(shape))
    if name == "string":
        assert list(proto.string_val) == x.reshape(-1).tolist()
    else:
        assert proto.tensor_content == x.tobytes()
    assert np.asarray(back).tolist() == x.tolist()
    in_fields = tf.make_tensor_proto(x.tolist(), dtype, shape)
    assert np.asarray(run(tf.parse_tensor(in_fields.SerializeToString(), dtype))).tolist() == x.tolist()


def test_values_in_fields():
    """Packed or not, the last one repeated, or none."""
    shape = tf.TensorShape([4]).as_proto()
    repeated = tf.TensorProto(dtype=3, tensor_shape=shape, int_val=[5, -6])
    assert run(tf.parse_tensor(repeated.SerializeToString(), tf.int32)).tolist() == [5, -6, -6, -6]
    none = tf.TensorProto(dtype=3, tensor_shape=shape)
    assert run(tf.parse_tensor(none.SerializeToString(), tf.int32)).tolist() == [0] * 4
    assert run(tf.parse_tensor(none.SerializeToString() + b"\x38\x07", tf.int32)).tolist() == [7] * 4
    strings = tf.TensorProto(dtype=7, tensor_shape=shape, string_val=[b"a", b"b"])
    assert run(tf.parse_tensor(strings.SerializeToString(), tf.string)).tolist() == [b"a", b"b", b"b", b"b"]
    complex_ = tf.TensorProto(dtype=8, tensor_shape=shape, scomplex_val=[1, 2, 3, 4])
    assert run(tf.parse_tensor(complex_.SerializeToString(), tf.complex64)).tolist() == [1 + 2j] + [3 + 4j] * 3


def _proto(**fields):
    return tf.TensorProto(**{"dtype": 3, "tensor_shape": tf.TensorShape([2]).as_proto(), **fields}).SerializeToString()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\x01", "Could not parse `serialized` as TensorProto: it is malformed"),
        (_proto(dtype=1, float_val=[1]), r"Type mismatch between parsed tensor \(float\) and dtype \(int32\)"),
        (_proto(int_val=[1, 2, 3]), "its values do not fit its shape"),
        (_proto(tensor_content=b"abcdefg"), "its content does not have the size of its shape"),
        (_proto(tensor_shape=tf.TensorShape(None).as_proto()), "its rank is unknown"),
        (_proto(tensor_shape=tf.TensorShape([2**40]).as_proto()), "more elements than it could have values"),
        (_proto(tensor_shape=tf.TensorShape([2**40] * 2).as_proto()), "it has too many elements"),
        (_proto(dtype=20), "its type is not supported"),
    ],
)
def test_wrong_messages(text, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(tf.parse_tensor(text, tf.int32))
