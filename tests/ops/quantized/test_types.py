"""Tensors of quantized types: constants, feeds, variables, checkpoints, texts, Python functions."""

import numpy as np
import pytest

import tfcore as tf
from tests.ops.quantized.reference import TYPES, limits

_TYPES = pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)


def _values(dtype):
    low, high = limits(TYPES[dtype])
    return np.array([low, -5 if low else 5, 0, 7, high], TYPES[dtype])


@_TYPES
def test_fed_and_fetched_as_plain_integers(dtype):
    x = _values(dtype)
    fed = tf.placeholder(dtype, [None])
    with tf.Session() as session:
        for value in (x, x.tolist(), x.astype(dtype.as_numpy_dtype)):
            got = session.run(tf.identity(fed), {fed: value})
            assert got.dtype == TYPES[dtype] and got.tolist() == x.tolist()


@_TYPES
def test_constants(dtype):
    x = _values(dtype)
    with tf.Session() as session:
        for value in (x, x.tolist()):
            constant = tf.constant(value, dtype)
            assert constant.dtype is dtype and session.run(constant).tolist() == x.tolist()
        assert session.run(tf.zeros([2], dtype)).tolist() == [0, 0]
    assert tf.make_ndarray(tf.make_tensor_proto(x.tolist(), dtype)).astype(TYPES[dtype]).tolist() == x.tolist()
    assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    with pytest.raises((ValueError, TypeError)):
        tf.constant([limits(TYPES[dtype])[1] + 1], dtype)


@_TYPES
@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2], ids=["V1", "V2"])
def test_checkpoints(dtype, version, tmp_path):
    v = tf.Variable(tf.constant(_values(dtype), dtype), name="v")
    saver = tf.train.Saver([v], write_version=version)
    with tf.Session() as session:
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "model"))
        session.run(v.assign(tf.zeros([5], dtype)))
        saver.restore(session, path)
        assert session.run(v).tolist() == _values(dtype).tolist()


@_TYPES
def test_texts(dtype):
    x = _values(dtype)
    with tf.Session() as session:
        text = session.run(tf.strings.format("{}", tf.constant(x, dtype), summarize=-1)).decode()
    assert text.strip("[]").split() == [str(v) for v in x.tolist()]


def test_python_functions_get_and_return_integers():
    x = tf.constant([3, -4], tf.qint8)
    with tf.Session() as session:
        assert session.run(tf.py_func(lambda v: v, [x], tf.qint8)).tolist() == [3, -4]
        with pytest.raises(tf.errors.InvalidArgumentError, match="is int16, but expects qint8"):
            session.run(tf.py_func(lambda v: v.astype(np.int16), [x], tf.qint8))


def test_sums_of_rows_are_refused():
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="ScatterNd"):
        session.run(tf.scatter_nd([[0], [0]], tf.constant([7, -5], tf.qint32), [4]))


def test_empty_tensors_of_many_rows_take_no_time():
    x = tf.zeros([2**36, 1, 0])
    with tf.Session() as session:
        made = tf.quantization.quantize(x, [0.0], [1.0], tf.qint8, axis=1)
        assert session.run(tf.shape(made.output, out_type=tf.int64)).tolist() == [2**36, 1, 0]
        numbers = tf.quantization.dequantize(made.output, [0.0], [1.0], axis=1)
        assert session.run(tf.shape(numbers, out_type=tf.int64)).tolist() == [2**36, 1, 0]
        part = tf.reshape(made.output, [2**36, 0])
        joined = tf.quantized_concat(1, [part, part], [0.0, 0.0], [1.0, 1.0])
        assert session.run(tf.shape(joined.output, out_type=tf.int64)).tolist() == [2**36, 0]
