"""Optional elements."""

import collections

import numpy as np
import pytest

import tfcore as tf

Optional = tf.data.experimental.Optional


@pytest.fixture(autouse=True)
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_a_value(sess):
    pair = collections.namedtuple("pair", "a b")
    sparse = tf.SparseTensorValue([[0, 1]], [5], [2, 3])
    optional = Optional.from_value({"x": pair([1, 2], "text"), "y": sparse})
    assert sess.run(optional.has_value()) is np.True_
    value = sess.run(optional.get_value())
    assert value["x"].a.tolist() == [1, 2] and value["x"].b == b"text"
    assert value["y"].indices.tolist() == [[0, 1]] and value["y"].dense_shape.tolist() == [2, 3]
    assert optional.get_value()["x"].a.shape == (2,)
    assert optional.value_structure["x"].b == tf.TensorSpec([], tf.string)


def test_a_value_may_be_fed(sess):
    """The value outlives the step in which it was made only as a copy."""
    given = tf.placeholder(tf.float32, [None])
    optional = Optional.from_value(given)
    assert sess.run(optional.get_value(), {given: [1.5, 2.5]}).tolist() == [1.5, 2.5]


def test_no_value(sess):
    for optional in (
        Optional.empty(tf.TensorSpec([], tf.int32)),
        Optional.none_from_structure(tf.data.experimental.TensorStructure([], tf.int32)),
    ):
        assert not sess.run(optional.has_value())
        with pytest.raises(tf.errors.InvalidArgumentError, match="The given optional does not have a value."):
            sess.run(optional.get_value())


@pytest.mark.parametrize(
    "spec, text",
    [
        (
            tf.TensorSpec([2], tf.float32),
            "does not match the expected type for component 0. Expected: float. Actual: int32",
        ),
        (
            tf.TensorSpec([3], tf.int32),
            r"does not match the expected shape for component 0. Expected: \[3\]. Actual: \[2\]",
        ),
        ((tf.TensorSpec([2], tf.int32),) * 2, "has 1 components, expected 2"),
    ],
)
def test_another_structure(sess, spec, text):
    optional = Optional(Optional.from_value([1, 2]).variant_tensor, spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(optional.get_value())


def test_what_is_not_optional(sess):
    dataset = tf.data.experimental.to_variant(tf.data.Dataset.range(3))
    for op in (
        tf.raw_ops.OptionalHasValue(optional=dataset),
        tf.raw_ops.OptionalGetValue(optional=dataset, output_types=[tf.int32], output_shapes=[()]),
    ):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="must be a scalar tensor containing an OptionalVariant"
        ):
            sess.run(op)


def test_the_next_element(sess):
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(4).reshape(2, 2), ["a", "b"]))
    iterator = dataset.make_initializable_iterator()
    following = tf.data.experimental.get_next_as_optional(iterator)
    value = tf.cond(
        following.has_value(), following.get_value, lambda: (tf.constant([-1, -1], tf.int64), tf.constant("none"))
    )
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        sess.run(following.has_value())
    sess.run(iterator.initializer)
    found = [sess.run(value) for _ in range(4)]
    assert [(row.tolist(), text) for row, text in found] == [
        ([0, 1], b"a"),
        ([2, 3], b"b"),
        ([-1, -1], b"none"),
        ([-1, -1], b"none"),
    ]


def test_an_error_of_the_iterator(sess):
    dataset = tf.data.Dataset.range(2).map(lambda x: tf.check_numerics(1.0 / tf.cast(x, tf.float32), "zero"))
    following = tf.data.experimental.get_next_as_optional(dataset.make_one_shot_iterator())
    value = following.get_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        sess.run(value)
    assert sess.run(value) == 1
    assert not sess.run(following.has_value())


def test_specs():
    spec = tf.OptionalSpec(tf.TensorSpec([2], tf.int32))
    assert spec == tf.OptionalSpec.from_value(Optional.from_value([1, 2])) and spec.value_type is Optional
    assert spec != tf.OptionalSpec(tf.TensorSpec([3], tf.int32))
    assert tf.data.experimental.OptionalStructure is tf.OptionalSpec
