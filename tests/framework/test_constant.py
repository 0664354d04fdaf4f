"""Constants and conversion to tensors: types, shapes, refusals; values known while the graph is built."""

import array

import ml_dtypes
import numpy as np
import pytest

import tfcore as tf
from tfcore.framework.values.constant import constant_value, constant_value_as_shape


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def value_of(tensor):
    return tensor.op.get_attr("value")


# ---- Types


INFERRED = [
    (1, "int32"), (True, "bool"), (1.5, "float32"), (1j, "complex128"), ("a", "string"), (b"a", "string"),
    ([], "float32"),
    ([1, 2], "int32"), ([1, 2.5], "float32"), ([True, False], "bool"), ([[1], [2]], "int32"), (["a", b"b"], "string"),
    ((1, 2), "int32"),
    (2**31, "int64"), (-(2**31), "int32"), (-(2**31) - 1, "int64"), (2**31 - 1, "int32"), ([1, 2**40], "int64"),
    ([[]], "float32"),
    ([1.0, 2], "float32"),
    (np.int64(1), "int64"), (np.float64(1), "float64"), (np.float32(1), "float32"), (np.float16(1), "float16"),
    (np.bool_(True), "bool"),
    (np.array([1]), "int64"), (np.array([1.5]), "float64"), (np.array([1], "u1"), "uint8"),
    (np.array([1j]), "complex128"),
    (np.array(["a"]), "string"), (np.array([b"a"]), "string"), (np.array(["a", b"b"], object), "string"),
    (np.array([], "i2"), "int16"),
    (np.array([1], ml_dtypes.bfloat16), "bfloat16"), (np.array([1], ">i4"), "int32"), (np.array([1], "u4"), "uint32"),
    ([np.float64(1), np.float64(2)], "float32"), ([np.float32(1)], "float32"),
    ([np.int64(3)], "int32"), ([np.array(3, "f4")], "float32"),
    ([np.float16(1)], "float16"),
]  # fmt: skip


@pytest.mark.parametrize("arrays", [[np.array([1, 2]), np.array([3, 4])], [np.array(["a"])], [[np.array([1.5])]]])
def test_lists_of_arrays(arrays):
    """TensorFlow refuses them, too; `tf.stack` takes them."""
    with pytest.raises(ValueError, match="Expected values .* to be a dense tensor with shape"):
        tf.constant(arrays)
    with tf.Session() as session:
        assert session.run(tf.stack([np.array([1, 2]), np.array([3, 4])])).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("value, dtype", INFERRED)
def test_inferred_type(value, dtype):
    c = tf.constant(value)
    assert c.dtype.name == dtype
    assert c.shape.as_list() == list(np.shape(value))
    assert tf.convert_to_tensor(value).dtype.name == dtype


GIVEN = [
    (1, "float32"), (1, "float64"), (1, "int8"), (1, "uint64"), (1, "complex64"), (1.5, "float64"),
    (1.5, "complex128"), (1.5, "float16"),
    (1.5, "bfloat16"), (True, "bool"), (True, "float32"), (True, "int32"), ("a", "string"), ([1, 2], "int64"),
    ([1, 2], "bfloat16"), ([], "int32"), ([], "string"), ([[]], "uint64"),
    ([1.5, 2], "float16"), (255, "uint8"), (-128, "int8"), (2**63, "uint64"), (2**64 - 1, "uint64"),
    ([[0], [2**63]], "uint64"), (-(2**63), "int64"), ([1j, 2], "complex128"),
    (np.array([1.7]), "int32"), (np.array([1, 2]), "float32"), (np.array([1.5]), "float32"),
    (np.float64(2.5), "float32"),
]  # fmt: skip


@pytest.mark.parametrize("value, dtype", GIVEN)
def test_given_type(value, dtype):
    c = tf.constant(value, dtype)
    assert c.dtype.name == dtype
    if dtype != "string":
        assert value_of(c).dtype == getattr(tf, dtype).as_numpy_dtype
        np.testing.assert_array_equal(value_of(c), np.array(value).astype(getattr(tf, dtype).as_numpy_dtype))


REFUSED = [
    (1.5, "int32"), ("a", "float32"), (1, "string"), (1.5, "string"), (1j, "float32"), ([1, "a"], None), (1, "bool"),
    ([1.5], "int64"), (["a"], "int32"), (None, None), ([None], None), ([1, None], "float32"), (object(), None),
    ([[1], ["a"]], "int32"), (b"a", "int32"), ([1.5, 2], "uint8"),
]  # fmt: skip


@pytest.mark.parametrize("value, dtype", REFUSED)
def test_refused(value, dtype):
    with pytest.raises((TypeError, ValueError)):
        tf.constant(value, dtype)


@pytest.mark.parametrize(
    "value, dtype",
    [
        (256, "uint8"),
        (-1, "uint8"),
        (128, "int8"),
        (-129, "int8"),
        (2**31, "int32"),
        (2**63, "int64"),
        (2**64, "uint64"),
        (-1, "uint64"),
        ([-1, 2**63], "uint64"),
        (2**64, None),
        (10**30, None),
    ],
)
def test_integers_that_do_not_fit(value, dtype):
    for given in (value, [value], [0, value]):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            tf.constant(given, dtype)


def test_big_unsigned_number_in_a_float():
    assert value_of(tf.constant(2**64, tf.float64)) == 2.0**64
    assert value_of(tf.constant(2**63, tf.float32)) == 2.0**63


@pytest.mark.parametrize("value", [[[1], [2, 3]], [1, [2]], [[[1], [2]], [[3]]], [[], [1]]])
def test_ragged_lists(value):
    with pytest.raises((ValueError, TypeError)):
        tf.constant(value)
    with pytest.raises((ValueError, TypeError)):
        tf.convert_to_tensor(value)


def test_error_texts_name_the_value():
    with pytest.raises(TypeError, match="Expected int32.*1.5.*float"):
        tf.constant(1.5, tf.int32)
    with pytest.raises(TypeError, match="Expected string.*7.*int"):
        tf.constant(7, tf.string)


# ---- Strings


def test_strings_become_bytes():
    assert value_of(tf.constant("é")).item() == "é".encode()
    assert value_of(tf.constant(b"\x00\xff")).item() == b"\x00\xff"
    assert value_of(tf.constant([["a", "bc"], ["", "d\0"]])).tolist() == [[b"a", b"bc"], [b"", b"d\0"]]
    assert value_of(tf.constant(np.array(["a", "é"]))).tolist() == [b"a", "é".encode()]


# ---- Shapes


@pytest.mark.parametrize("shape", [[3], [2, 3], [0], [], [1, 1], (2, 0, 3)])
def test_a_scalar_fills_a_shape(shape):
    c = tf.constant(7, shape=shape)
    assert c.shape.as_list() == list(shape)
    assert (value_of(c) == 7).all() and value_of(c).shape == tuple(shape)


def test_short_values_are_extended_by_their_last():
    assert value_of(tf.constant([1, 2], shape=[5])).tolist() == [1, 2, 2, 2, 2]
    assert value_of(tf.constant([1, 2, 3, 4], shape=[2, 2])).tolist() == [[1, 2], [3, 4]]
    assert value_of(tf.constant(["a"], shape=[2])).tolist() == [b"a", b"a"]


def test_values_that_do_not_fit_the_shape():
    with pytest.raises(ValueError, match="Too many elements provided. Needed at most 2, but received 3"):
        tf.constant([1, 2, 3], shape=[2])
    with pytest.raises(TypeError, match="Expected Tensor's shape: .*2.*, got .*3"):
        tf.constant([1, 2, 3], shape=[2], verify_shape=True)
    with pytest.raises((TypeError, ValueError)):
        tf.constant([1], shape=[2], verify_shape=True)
    assert tf.constant([1, 2], shape=[2], verify_shape=True).shape.as_list() == [2]


def test_rank_21_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match=r"rank 21 .*\(at most 20\).*'much' \(op: 'Const'\)"):
        tf.constant(np.zeros([1] * 21, np.float32), name="much")


def test_a_constant_is_a_copy():
    array = np.array([1.0, 2.0], np.float32)
    c = tf.constant(array)
    array[:] = 9
    assert value_of(c).tolist() == [1, 2]
    assert array.flags.writeable
    transposed = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert value_of(tf.constant(transposed)).tolist() == transposed.tolist()


# ---- Conversion


def test_conversion_of_tensors_and_variables():
    x, v = tf.constant(1.0), tf.Variable(1.0)
    assert tf.convert_to_tensor(x) is x
    assert tf.convert_to_tensor(x, tf.float32) is x
    assert tf.convert_to_tensor(v) is v.value()
    with pytest.raises(ValueError, match="Tensor conversion requested dtype int32 for Tensor with dtype float32"):
        tf.convert_to_tensor(x, tf.int32)


def test_lists_with_tensors_are_packed():
    x = tf.constant(1.0)
    for value in ([x, 2], [2, x], (x, x), [[x, 1], [2, 3]]):
        packed = tf.convert_to_tensor(value)
        assert packed.op.type == "Pack" and packed.dtype is tf.float32
        assert packed.shape.as_list() == list(np.shape([[1, 1], [2, 3]] if isinstance(value[0], list) else [1, 2]))
    with pytest.raises((TypeError, ValueError)):
        tf.convert_to_tensor([x, tf.constant(1)])


def test_conversion_of_shapes():
    c = tf.convert_to_tensor(tf.TensorShape([2, 3]))
    assert c.dtype is tf.int32 and value_of(c).tolist() == [2, 3]
    assert tf.convert_to_tensor(tf.TensorShape([2**40])).dtype is tf.int64
    assert tf.convert_to_tensor(tf.TensorShape([2]), tf.int64).dtype is tf.int64
    assert value_of(tf.convert_to_tensor(tf.Dimension(4))) == 4
    with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape"):
        tf.convert_to_tensor(tf.TensorShape([None]))
    with pytest.raises(TypeError):
        tf.convert_to_tensor(tf.TensorShape([1]), tf.float32)


def test_none_and_unknown_objects():
    with pytest.raises(ValueError, match="None values not supported."):
        tf.convert_to_tensor(None)
    with pytest.raises(TypeError):
        tf.convert_to_tensor(object())


def test_preferred_dtype_gives_way():
    assert tf.convert_to_tensor(1, preferred_dtype=tf.float64).dtype is tf.float64
    assert tf.convert_to_tensor(1.5, preferred_dtype=tf.int32).dtype is tf.float32


def test_a_conversion_function_of_the_user():
    class Box:
        def __init__(self, inside):
            self.inside = inside

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant(value.inside, dtype, name=name or "Box")

    tf.register_tensor_conversion_function(Box, convert)
    assert tf.convert_to_tensor(Box(3)).op.name == "Box"
    with tf.Session() as session:
        assert session.run(tf.constant(1.0) + Box(2)) == 3


def test_objects_with_array_interface():
    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 2], dtype or np.int16)

    c = tf.convert_to_tensor(Array())
    assert c.dtype is tf.int16 and value_of(c).tolist() == [1, 2]
    assert tf.convert_to_tensor(range(3)).shape.as_list() == [3]


def test_a_tensor_of_another_graph():
    with tf.Graph().as_default():
        x = tf.constant(1)
    with pytest.raises(ValueError, match="graph"):
        tf.convert_to_tensor([x, tf.constant(2)])


# ---- Values known while the graph is built


def test_constant_value_folds():
    x = tf.placeholder(tf.float32, [2, 3])
    cases = [
        (tf.constant([1, 2]), [1, 2]),
        (tf.shape(x), [2, 3]),
        (tf.size(tf.zeros([2, 3])), 6),
        (tf.raw_ops.Size(input=x), 6),
        (tf.raw_ops.Rank(input=x), 2),
        (tf.range(1, 7, 2), [1, 3, 5]),
        (tf.cast(tf.constant([1, 2]), tf.int64), [1, 2]),
        (tf.stack([1, tf.shape(x)[1]]), [1, 3]),
        (tf.concat([tf.shape(x), [5]], 0), [2, 3, 5]),
        (tf.fill([2], 7), [7, 7]),
        (tf.shape(x)[0], 2),
        (tf.identity(tf.constant(4)), 4),
    ]
    for tensor, expected in cases:
        got = constant_value(tensor)
        assert got is not None, tensor
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == tensor.dtype.as_numpy_dtype
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(tensor, {x: np.zeros([2, 3])}), expected)


def test_constant_value_of_what_is_unknown():
    x = tf.placeholder(tf.float32, [None, 3])
    v = tf.Variable(1)
    for tensor in (
        x,
        tf.shape(x),
        v.value(),
        tf.stack([1, tf.shape(x)[0]]),
        tf.placeholder(tf.int32),
        tf.range(tf.shape(x)[0]),
    ):
        assert constant_value(tensor) is None
    assert constant_value(tf.fill([2000, 2000], 1.0)) is None  # too big to keep


def test_shapes_of_several_tensors():
    known, partly = tf.shape_n([tf.zeros([2, 3]), tf.placeholder(tf.float32, [None, 3])])
    assert constant_value_as_shape(known) == (2, 3)
    assert constant_value_as_shape(partly) == (None, 3)


def test_constant_value_as_shape():
    x = tf.placeholder(tf.float32, [None, 3, 4])
    as_shape = constant_value_as_shape
    assert as_shape(tf.constant([2, -1])) == (2, None)
    assert as_shape(tf.shape(x)) == (None, 3, 4)
    assert as_shape(tf.stack([tf.shape(x)[0], 5])) == (None, 5)
    assert as_shape(tf.concat([tf.shape(x)[:1], [6]], 0)) == (None, 6)
    assert as_shape(tf.shape(x)[1:]) == (3, 4)
    assert as_shape(tf.shape(x)[::2]) == (None, 4)
    assert as_shape(tf.cast(tf.shape(x), tf.int64)) == (None, 3, 4)
    assert as_shape(tf.placeholder(tf.int32, [2])) == (None, None)
    assert as_shape(tf.placeholder(tf.int32)) is None
    assert tf.reshape(x, tf.stack([tf.shape(x)[0], 12])).shape.as_list() == [None, 12]


def test_rows_of_sparse_matrices():
    words = tf.placeholder(tf.string, [3, None])
    ids = {"indices": [[[0, 0]]], "values": [["a"]], "dense_inputs": []}
    none = {"indices": [], "values": [], "shapes": []}

    def rows(**inputs):
        return constant_value_as_shape(tf.raw_ops.SparseCrossV2(sep=",", **inputs).output_shape)

    assert rows(**none, dense_inputs=[words]) == rows(**ids, shapes=[tf.shape(words, out_type=tf.int64)]) == (3, None)
    assert rows(**ids, shapes=[[5, 1]]) == (5, None)
    assert rows(**ids, shapes=[tf.placeholder(tf.int64)]) == rows(**none, dense_inputs=[]) == (None, None)
    assert rows(**{**ids, "values": []}, shapes=[[5, 1]]) == (5, None)  # fails when it runs
    assert constant_value_as_shape(tf.string_split(words[:, 0]).dense_shape) == (3, None)
    assert constant_value_as_shape(tf.string_split(tf.placeholder(tf.string)).dense_shape) == (None, None)


@pytest.mark.parametrize("value", [array.array("f", [1, 2]), bytearray(b"ab"), memoryview(b"ab")])
def test_buffers(value):
    with tf.Graph().as_default(), tf.Session() as sess:
        result = tf.constant(value)
        assert result.dtype == np.array(value).dtype
        np.testing.assert_array_equal(sess.run(result), np.array(value))
        assert sess.run(tf.constant(value, tf.float64)).dtype == np.float64
