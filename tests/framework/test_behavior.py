"""Switches between the behaviours of TensorFlow 1 and 2, and what kind of tensor a value is."""

import numpy as np
import pytest

import tfcore as tf


@pytest.mark.parametrize("name", "eager_execution v2_behavior v2_tensorshape tensor_equality control_flow_v2".split())
def test_what_belongs_to_tensorflow_2_is_refused(name):
    with pytest.raises(NotImplementedError, match=f"tf.enable_{name} is not supported"):
        getattr(tf, f"enable_{name}")()
    assert getattr(tf, f"disable_{name}")() is None


def test_state():
    assert not tf.executing_eagerly() and not tf.executing_eagerly_outside_functions()
    assert not tf.control_flow_v2_enabled()


def test_resource_variables_are_accepted():
    assert not tf.resource_variables_enabled()
    tf.enable_resource_variables()
    assert tf.resource_variables_enabled()
    tf.disable_resource_variables()
    assert not tf.resource_variables_enabled()


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def values():
    dense = tf.constant([1.0])
    return {
        "tensor": (dense, True, True),
        "variable": (tf.Variable([1.0]), True, False),
        "sparse": (tf.SparseTensor([[0]], [1.0], [2]), True, False),
        "slices": (tf.IndexedSlices(dense, tf.constant([0])), True, False),
        "array": (np.ones(2), False, False),
        "operation": (dense.op, False, False),
        "none": (None, False, False),
    }


def test_kinds():
    found = {name: (tf.is_tensor(x), tf.is_symbolic_tensor(x)) for name, (x, _, _) in values().items()}
    assert found == {name: (any_kind, dense) for name, (_, any_kind, dense) in values().items()}


def test_static_values():
    unknown = tf.placeholder(tf.int32, [])
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(unknown) is None and tf.get_static_value(tf.Variable(1)) is None
    stacked = tf.stack([1, unknown, tf.shape(tf.zeros([4]))[0]])
    assert tf.get_static_value(stacked) is None
    assert tf.get_static_value(stacked, partial=True).tolist() == [1, None, 4]
    assert tf.get_static_value("text") == "text"


def test_tensor_or_slices():
    slices, sparse = values()["slices"][0], values()["sparse"][0]
    convert = tf.convert_to_tensor_or_indexed_slices
    assert convert(slices) is slices and convert(sparse, dtype=tf.float32) is sparse
    assert convert([1, 2], name="q").name == "q:0" and convert(1, dtype=tf.float64).dtype == tf.float64
    with pytest.raises(ValueError, match="Incompatible tensor conversion requested to `dtype` int32 for `value`"):
        convert(slices, dtype=tf.int32)
    with pytest.raises(ValueError, match="None values not supported"):
        convert(None)


def test_tensor_or_sparse():
    sparse = values()["sparse"][0]
    convert = tf.convert_to_tensor_or_sparse_tensor
    assert convert(sparse) is sparse and convert([1.0]).shape.as_list() == [1]
    assert isinstance(convert(tf.SparseTensorValue([[0]], [1.0], [2])), tf.SparseTensor)
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch. Requested: int32,  Actual: float32"):
        convert(sparse, dtype=tf.int32)


def test_other_names_of_functions():
    x = tf.constant([[1.0, 5.0, 2.0]])
    with tf.Session() as session:
        assert session.run([tf.arg_max(x, 1), tf.arg_min(x, dimension=1)]) == [[1], [0]]
    assert tf.arg_max(x, 0, tf.int32, "m").dtype == tf.int32
    with tf.op_scope([x], None, "default") as scope:
        assert scope == "default/"
    assert tf.no_gradient is tf.NotDifferentiable
    assert tf.qint8 in tf.QUANTIZED_DTYPES and tf.int8 not in tf.QUANTIZED_DTYPES


def test_load_library(tmp_path):
    with pytest.raises(OSError, match="The file or folder to load kernel libraries from does not exist"):
        tf.load_library(str(tmp_path / "nothing"))
    assert tf.load_library(str(tmp_path)) is None
    (tmp_path / "broken.so").write_bytes(b"no library")
    with pytest.raises(tf.errors.OpError):
        tf.load_library(str(tmp_path))
