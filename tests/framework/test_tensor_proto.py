"""TensorProto both ways: every element type, every way to store values, damaged protos."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.testing.strategies import shapes

NUMERIC = [
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64,
    tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128,
]  # fmt: skip
FIELDS = {
    "half_val": [tf.float16, tf.bfloat16], "float_val": [tf.float32], "double_val": [tf.float64],
    "int_val": [tf.int8, tf.int16, tf.int32, tf.uint8, tf.uint16], "int64_val": [tf.int64],
    "uint32_val": [tf.uint32], "uint64_val": [tf.uint64], "bool_val": [tf.bool],
    "scomplex_val": [tf.complex64], "dcomplex_val": [tf.complex128],
}  # fmt: skip


def bits(array):
    return np.ascontiguousarray(array).tobytes()


def random_array(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape)) * dtype.size
    raw = rng.integers(0, 2 if dtype is tf.bool else 256, size, np.uint8)
    return raw.view(dtype.as_numpy_dtype).reshape(shape)


@given(st.sampled_from(NUMERIC), shapes(max_rank=8, max_elements=500), st.integers(0, 999))
def test_round_trip_keeps_every_bit(dtype, shape, seed):
    array = random_array(dtype, shape, seed)
    proto = tf.make_tensor_proto(array)
    again = tf.make_ndarray(tf.TensorProto.FromString(proto.SerializeToString()))
    assert proto.dtype == dtype.as_datatype_enum
    assert again.dtype == array.dtype and again.shape == array.shape and again.flags.writeable
    assert bits(again) == bits(array)


@given(st.lists(st.binary(max_size=300), max_size=6), st.booleans())
def test_strings_round_trip(values, as_matrix):
    array = np.empty(len(values), object)
    array[:] = values
    shape = (1, len(values)) if as_matrix else (len(values),)
    again = tf.make_ndarray(tf.make_tensor_proto(array.reshape(shape), tf.string))
    assert again.shape == shape and again.ravel().tolist() == values


@pytest.mark.parametrize(("field", "dtype"), [(f, t) for f, types in FIELDS.items() for t in types])
def test_last_value_fills_the_rest(field, dtype):
    values = {"half_val": [0x3C00, 0x4000], "bool_val": [False, True]}.get(field, [1, 2])
    if "complex" in field:
        values = [1, 2, 3, 4]
    proto = tf.TensorProto(dtype=dtype.as_datatype_enum, **{field: values})
    proto.tensor_shape.dim.add(size=5)
    if field == "half_val":
        expected = np.array([0x3C00] + [0x4000] * 4, np.uint16).view(dtype.as_numpy_dtype)
    elif "complex" in field:
        expected = np.array([1 + 2j] + [3 + 4j] * 4, dtype.as_numpy_dtype)
    else:
        expected = np.array(values[:1] + values[1:] * 4, dtype.as_numpy_dtype)
    result = tf.make_ndarray(proto)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_no_value_at_all_means_zeros(dtype):
    proto = tf.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.dim.add(size=3)
    np.testing.assert_array_equal(tf.make_ndarray(proto), np.zeros(3, dtype.as_numpy_dtype))


def test_no_string_at_all_means_empty_ones():
    proto = tf.TensorProto(dtype=7)
    proto.tensor_shape.dim.add(size=2)
    assert tf.make_ndarray(proto).tolist() == [b"", b""]


def test_one_value_for_a_huge_tensor_is_stored_once():
    proto = tf.make_tensor_proto(1.5, shape=[1000, 1000])
    assert len(proto.SerializeToString()) < 40
    result = tf.make_ndarray(proto)
    assert result.shape == (1000, 1000) and result.dtype == np.float32 and (result == 1.5).all()


@pytest.mark.parametrize("value", [2.5, b"text"])
def test_one_value_stays_one_value_through_a_graph(value):
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="c", op="Const")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, shape=[300, 1000]))
    node.attr["dtype"].type = node.attr["value"].tensor.dtype
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        (c,) = tf.import_graph_def(graph_def, return_elements=["c:0"], name="")
        found = sess.run(c)
        assert found.shape == (300, 1000) and (found == value).all()
        assert graph.as_graph_def().node[0] == node


def test_more_values_than_elements_are_cut_off():
    proto = tf.TensorProto(dtype=3, int_val=[1, 2, 3])
    proto.tensor_shape.dim.add(size=2)
    assert tf.make_ndarray(proto).tolist() == [1, 2]


def test_values_wrap_as_in_c():
    proto = tf.TensorProto(dtype=tf.uint8.as_datatype_enum, int_val=[-1, 256])
    proto.tensor_shape.dim.add(size=2)
    assert tf.make_ndarray(proto).tolist() == [255, 0]


def test_strings_in_tensor_content():
    proto = tf.TensorProto(dtype=7, tensor_content=b"\x02\x81\x01ab" + b"c" * 129)
    proto.tensor_shape.dim.add(size=2)
    assert tf.make_ndarray(proto).tolist() == [b"ab", b"c" * 129]
    for content in (b"\x02\x03ab", b"\x02", b"\xff" * 12, b"\x02\x01abcd"):
        proto.tensor_content = content
        with pytest.raises(ValueError, match="tensor_content of a string tensor"):
            tf.make_ndarray(proto)


def test_any_byte_but_0_is_true():
    proto = tf.TensorProto(dtype=tf.bool.as_datatype_enum, tensor_content=b"\x00\x01\x07")
    proto.tensor_shape.dim.add(size=3)
    assert bits(tf.make_ndarray(proto)) == b"\x00\x01\x01"


@pytest.mark.parametrize(
    ("fields", "dims", "text"),
    [
        ({"dtype": 1, "tensor_content": b"abc"}, [1], "needs 4 bytes of tensor_content, but has 3"),
        ({"dtype": 1}, [-1], r"must be known, but is \[-1\]"),
        ({"dtype": 1}, [2**40, 2**40], "too many elements"),
        ({"dtype": 20}, [1], "Unsupported tensor type: resource"),
        ({"dtype": 77}, [1], "type number 77"),
        ({"dtype": 0}, [1], "type number 0"),
        ({"dtype": 101}, [1], "float32_ref"),
    ],
)
def test_damaged_protos(fields, dims, text):
    proto = tf.TensorProto(**fields)
    for d in dims:
        proto.tensor_shape.dim.add(size=d)
    with pytest.raises((ValueError, TypeError), match=text):
        tf.make_ndarray(proto)


def test_unknown_rank_is_no_shape_of_a_value():
    proto = tf.TensorProto(dtype=1)
    proto.tensor_shape.unknown_rank = True
    with pytest.raises(ValueError, match="rank is unknown"):
        tf.make_ndarray(proto)


def test_make_tensor_proto_arguments():
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[4])).tolist() == [1, 2, 2, 2]
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], tf.int64, shape=[2, 1])).tolist() == [[1], [2]]
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[2, 2], allow_broadcast=True)).tolist() == [[1, 2]] * 2
    assert tf.make_ndarray(tf.make_tensor_proto("hi")).item() == b"hi"
    assert tf.make_ndarray(tf.make_tensor_proto(ml_dtypes.bfloat16(2))).dtype == ml_dtypes.bfloat16
    proto = tf.make_tensor_proto(3)
    assert tf.make_tensor_proto(proto) is proto
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    with pytest.raises(ValueError, match="can't be broadcast"):
        tf.make_tensor_proto([1, 2], shape=[3], allow_broadcast=True)
    with pytest.raises(ValueError, match="Too many elements"):
        tf.make_tensor_proto([1, 2, 3], shape=[2])
    with pytest.raises(TypeError, match="Expected int32"):
        tf.make_tensor_proto("a", tf.int32)
