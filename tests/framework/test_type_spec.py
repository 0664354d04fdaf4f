"""Type specifications: what they are compatible with, their common supertypes, and values taken apart."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.contrib.framework import BoundedTensorSpec

SHAPES = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3)
SPECS = st.builds(tf.TensorSpec, SHAPES, st.sampled_from([tf.float32, tf.int32]), st.sampled_from([None, "x"]))


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def fits(spec, shape, dtype):
    """Whether a concrete tensor is of a type."""
    dims = spec.shape.as_list() if spec.shape.ndims is not None else None
    return spec.dtype == dtype and (
        dims is None or (len(dims) == len(shape) and all(d in (None, s) for d, s in zip(dims, shape)))
    )


@given(SPECS, SPECS, st.lists(st.integers(0, 3), max_size=3), st.sampled_from([tf.float32, tf.int32]))
def test_tensor_specs_are_sets_of_tensors(a, b, shape, dtype):
    common = a.most_specific_common_supertype([b])
    if a.is_subtype_of(b):
        assert not fits(a, shape, dtype) or fits(b, shape, dtype)
    if fits(a, shape, dtype) and fits(b, shape, dtype):
        assert a.is_compatible_with(b) and b.is_compatible_with(a)
    if common is None:
        assert a.dtype != b.dtype or a.name != b.name
    else:
        assert fits(common, shape, dtype) or not (fits(a, shape, dtype) or fits(b, shape, dtype))
        assert a.most_specific_compatible_type(b) == common
    assert (a == b) == (repr(a) == repr(b)) and (a != b or hash(a) == hash(b))
    assert pickle.loads(pickle.dumps(a)) == a and copy.deepcopy(a) == a


def test_tensor_spec():
    spec = tf.TensorSpec([None, 3], "int32", "x")
    assert (spec.shape.as_list(), spec.dtype, spec.name, spec.value_type) == ([None, 3], tf.int32, "x", tf.Tensor)
    assert tf.TensorSpec([1]).dtype == tf.float32
    assert repr(spec) == "TensorSpec(shape=(?, 3), dtype=tf.int32, name='x')"
    assert tf.TensorSpec.from_spec(spec) == spec and tf.TensorSpec.from_spec(spec, "y").name == "y"
    x = tf.constant([1], name="x")
    assert tf.TensorSpec.from_tensor(x) == tf.TensorSpec([1], tf.int32, "x")
    assert spec.is_compatible_with(tf.zeros([2, 3], tf.int32)) and not spec.is_compatible_with(tf.zeros([2, 3]))
    assert not spec.is_compatible_with(np.zeros([2, 3], np.int32)) and not spec.is_compatible_with(None)


def test_cast_and_components():
    spec = tf.TensorSpec([None], tf.float32)
    x = tf.constant([1.0])
    assert spec.flatten() == [spec] and spec.to_tensors(x) == [x] and spec.from_tensors([x]) is x
    assert spec.cast([1, 2]).dtype == tf.float32
    with pytest.raises(TypeError, match="Can not cast"):
        spec.cast(tf.constant([1]))


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: tf.TensorSpec("a"), TypeError, "Failed to convert"),
        (lambda: tf.TensorSpec([1], "no type"), TypeError, "Cannot convert"),
        (lambda: tf.TensorSpec.from_tensor(1), ValueError, "`tensor` should be a tf.Tensor, but got type"),
        (lambda: tf.type_spec_from_value(object()), TypeError, "Could not build a TypeSpec for"),
        (lambda: tf.SparseTensorSpec.from_value(1), TypeError, "Expected SparseTensor or SparseTensorValue"),
        (lambda: tf.TensorArraySpec.from_value(1), TypeError, "Expected value to be a TensorArray"),
        (lambda: tf.IndexedSlicesSpec(indices_shape=[1, 2]), ValueError, "must have rank 1"),
        (lambda: BoundedTensorSpec([2], tf.int32, None, 1), ValueError, "`minimum` can not be None"),
        (
            lambda: BoundedTensorSpec([2], tf.int32, 0, [1, 2, 3]),
            ValueError,
            "`maximum` .* is not compatible with shape",
        ),
        (
            lambda: tf.TensorSpec([1], tf.int32).most_specific_compatible_type(tf.TensorSpec([1])),
            ValueError,
            "No TypeSpec is compatible with both",
        ),
    ],
)
def test_wrong_calls(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_bounded_tensor_spec():
    spec = BoundedTensorSpec([None, 2], tf.int32, 0, [5, 6], "x")
    assert spec.minimum == 0 and spec.maximum.tolist() == [5, 6] and spec.maximum.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        spec.maximum[0] = 1
    assert BoundedTensorSpec.from_spec(spec) == spec != BoundedTensorSpec([None, 2], tf.int32, 0, [5, 7], "x")
    free = BoundedTensorSpec.from_spec(tf.TensorSpec([2], tf.uint8))
    assert (free.minimum, free.maximum) == (0, 255)
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(?, 2), dtype=tf.int32, name='x', minimum=array(0, dtype=int32), "
        "maximum=array([5, 6], dtype=int32))"
    )


def test_specs_of_values():
    of = tf.type_spec_from_value
    assert of(tf.zeros([2, 3])) == tf.TensorSpec([2, 3]) == of(tf.Variable(tf.zeros([2, 3])))
    assert of(np.zeros([2])) == tf.TensorSpec([2], tf.float64) and of(1.0) == tf.TensorSpec([])
    assert of([1, 2]) == tf.TensorSpec([2], tf.int32) and of(None) == tf.NoneTensorSpec()
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    assert of(sparse) == tf.SparseTensorSpec([2, 3]) == of(tf.SparseTensorValue([[0, 1]], np.float32([1]), [2, 3]))
    slices = tf.IndexedSlices(tf.zeros([2, 3]), tf.constant([0, 1]))
    assert of(slices) == tf.IndexedSlicesSpec([None, 3], tf.float32, tf.int32, None, [2])
    array = tf.TensorArray(tf.int32, 3, element_shape=[2], dynamic_size=True)
    assert of(array) == tf.TensorArraySpec([2], tf.int32, True) == tf.TensorArraySpec.from_value(array)


def test_sparse_tensors():
    spec = tf.SparseTensorSpec([2, None], tf.int32)
    value = tf.SparseTensor([[0, 1]], [1], [2, 3])
    assert spec.is_compatible_with(value) and not tf.SparseTensorSpec([3, None], tf.int32).is_compatible_with(value)
    assert spec.flatten()[0] == tf.TensorSpec([None, 2], tf.int64) and len(spec.to_tensors(value)) == 3
    again = spec.from_tensors([tf.placeholder(part.dtype, part.shape) for part in spec.flatten()])
    assert isinstance(again, tf.SparseTensor) and again.shape.as_list() == [2, None]
    wider = tf.SparseTensorSpec([2, 3]).most_specific_compatible_type(tf.SparseTensorSpec([2, 4]))
    assert wider == tf.SparseTensorSpec([2, None]) and tf.SparseTensorSpec([2, 4]).is_subtype_of(wider)
    assert repr(spec) == "SparseTensorSpec(TensorShape([Dimension(2), Dimension(None)]), tf.int32)"


def test_indexed_slices_and_none():
    spec = tf.IndexedSlicesSpec([None, 3], tf.float32, tf.int32, tf.int64)
    assert [s.dtype for s in spec.flatten()] == [tf.float32, tf.int32, tf.int64]
    slices = spec.from_tensors([tf.zeros([2, 3]), tf.constant([0, 1]), tf.constant([4, 3], tf.int64)])
    assert spec.is_compatible_with(slices) and spec.to_tensors(slices)[0] is slices.values
    none = tf.NoneTensorSpec()
    assert none.is_compatible_with(None) and not none.is_compatible_with(1) and none.from_tensors([]) is None


def test_a_tensor_array_is_put_together_again():
    array = tf.TensorArray(tf.float32, 2, element_shape=[]).unstack([1.0, 2.0])
    spec = tf.type_spec_from_value(array)
    again = spec.from_tensors(spec.to_tensors(array))
    with tf.Session() as sess:
        assert sess.run(again.stack()).tolist() == [1, 2] and again.element_shape == []


def test_classes_of_users():
    class Pair(tf.TypeSpec):
        value_type = tuple

        def __init__(self, first, second):
            self.parts = first, second

        def _serialize(self):
            return self.parts

        @property
        def _component_specs(self):
            return list(self.parts)

        def _to_components(self, value):
            return list(value)

        def _from_components(self, components):
            return tuple(components)

    one, two = tf.TensorSpec([1]), tf.TensorSpec([2])
    spec = Pair(one, tf.TensorSpec([None]))
    assert spec.is_compatible_with(Pair(one, two)) and not spec.is_compatible_with(Pair(two, two))
    assert Pair(one, two).is_subtype_of(spec) and not spec.is_subtype_of(Pair(one, two))
    assert Pair(one, two).most_specific_compatible_type(Pair(one, one)) == spec
    assert spec.flatten() == [one, tf.TensorSpec([None])] and spec.from_tensors((1, 2)) == (1, 2)
    with pytest.raises(TypeError, match="abstract"):
        tf.TypeSpec()
