"""Sets in rows: what is refused, indices in any order, and the functions of tf.sets."""

import numpy as np
import pytest

import tfcore as tf

R = tf.raw_ops


def fed(value, dtype=tf.int64):
    """A tensor whose static shape is unknown."""
    return tf.placeholder_with_default(tf.constant(np.array(value), dtype), None)


def size(indices, values, shape, **attrs):
    return R.SetSize(set_indices=fed(indices), set_values=fed(values, tf.int32), set_shape=fed(shape), **attrs)


def union(a, b, operation="union", **attrs):
    """The union of tensors, each dense or a tuple of the parts of a sparse one."""
    name = "To".join("Sparse" if isinstance(x, tuple) else "Dense" for x in (a, b))
    named = {}
    for i, x in enumerate((a, b), 1):
        if isinstance(x, tuple):
            named.update({f"set{i}_indices": x[0], f"set{i}_values": x[1], f"set{i}_shape": x[2]})
        else:
            named[f"set{i}"] = x
    return getattr(R, f"{name}SetOperation")(**named, set_operation=operation, **attrs)


def sparse(indices, values, shape):
    return fed(indices), fed(values, tf.int32), fed(shape)


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: size([[0], [1]], [1, 1], [2]), "Invalid rank 1."),
        (
            lambda: size([[0, 0], [0, 5]], [1, 1], [2, 2]),
            r"indices\[1\] = \[0,5\] is out of bounds: need 0 <= index < ",
        ),
        (lambda: size([[0, -1]], [1], [2, 2]), r"indices\[0\] = \[0,-1\] is out of bounds"),
        (lambda: size([[0, 0], [0, 0]], [1, 1], [2, 2]), r"indices\[1\] = \[0,0\] is repeated"),
        (lambda: size([[0, 1], [0, 0]], [1, 1], [2, 2]), r"indices\[1\] = \[0,0\] is out of order. Many sparse ops"),
        (lambda: size([[0, 0]], [1], [[2, 2]]), "Shape must be a 1D tensor."),
        (lambda: size([0, 0], [1], [2, 2]), r"indices must be a matrix, but got: \[2\]"),
        (lambda: size([[0, 0]], [[1]], [2, 2]), r"vals must be a vec, but got: \[1,1\]"),
        (lambda: size([[0, 0]], [1, 2], [2, 2]), "indices and values rows .* must match. .indices = 1, values = 2."),
        (lambda: size([[0, 0, 0]], [1], [2, 2]), "Order length must be SparseTensor rank."),
        (lambda: size([[0, 0]], [1], [-2, 2]), "Expected shape dimensions to be non-negative, got -2"),
        (lambda: size([[0, 0]], [1], [1 << 40, 1 << 40]), "has too many elements"),
        (lambda: union(fed([[1]]), fed([[1]]), "xx"), "Invalid set_operation xx."),
        (lambda: union(fed([3, 1]), fed([1])), r"Shape \[2\] has rank 1 < 2"),
        (lambda: union(fed([[3, 1]]), fed([[1], [2]])), r"Mismatched shapes \[1\] vs \[2\]"),
        (lambda: union(fed([[3, 1]]), fed([[[1], [2]]])), r"Mismatched shapes \[1\] vs \[1,2\]"),
        (lambda: union(fed([[3]], tf.int32), sparse([[1, 0]], [9], [3, 4])), r"Mismatched shapes \[1\] vs \[3\]"),
    ],
)
def test_refused_at_run_time(build, text):
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(build())


def test_indices_out_of_bounds_are_refused_without_validation():
    with tf.Session() as sess, pytest.raises(tf.errors.InternalError, match=r"\[5,0\] is out of bounds"):
        sess.run(size([[0, 0], [5, 0]], [1, 1], [2, 2], validate_indices=False))


def constants(*parts):
    return tuple(tf.constant(p, t) for p, t in zip(parts, (tf.int64, tf.int32, tf.int64)))


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: union([3, 1], [1]), "Shape must be at least rank 2 but is rank 1"),
        (lambda: union([[3, 1]], [[1], [2]]), "Dimension 0 in both shapes must be equal, but are 1 and 2"),
        (lambda: union([[3, 1]], [[[1], [2]]]), "Shape must be rank 2 but is rank 3"),
        (lambda: union(tf.constant([[3]]), constants([[1, 0, 0]], [9], [3, 4, 1])), "Dimension must be 2 but is 3"),
        (lambda: union(constants([[0]], [1], [3]), constants([[0]], [1], [3])), "Input 0, expected rank >= 2, got 1."),
        (
            lambda: union(constants([[0, 0]], [1], [3, 1]), constants([[0, 0, 0]], [1], [3, 1, 1])),
            "Dimension must be 2 but is 3",
        ),
        (
            lambda: union(constants([[0, 0]], [1, 2], [3, 1]), constants([[0, 0]], [1], [3, 1])),
            r"Number of elements in index \(1\) and values \(2\) do not match.",
        ),
        (
            lambda: union(constants([[0, 0]], [1], [3, 1, 1]), constants([[0, 0]], [1], [3, 1])),
            r"Index rank \(2\) and shape rank \(3\) do not match.",
        ),
    ],
)
def test_refused_when_built(build, text):
    with pytest.raises(ValueError, match=text):
        build()


def test_static_shapes():
    result = union(fed([[1]]), tf.constant([[2]], tf.int64))
    assert [t.shape.as_list() for t in result] == [[None, 2], [None], [2]]
    result = union(fed([[1]], tf.int32), sparse([[0, 0]], [1], [1, 1]))
    assert [t.shape.as_list() for t in result] == [[None, None], [None], [None]]


def test_the_operation_may_be_in_capitals():
    with tf.Session() as sess:
        assert sess.run(union([[3, 1]], [[1, 5]], "UNION").result_values).tolist() == [1, 3, 5]


def test_rows_out_of_order_without_validation():
    """Two unordered tensors are merged by the rows that come next, as in TensorFlow; a dense one sets the order."""
    with tf.Session() as sess:
        assert sess.run(size([[0, 1], [0, 0]], [1, 1], [2, 2], validate_indices=False)).tolist() == [1, 0]
        a, b = sparse([[1, 0], [0, 1]], [5, 6], [3, 2]), sparse([[0, 3], [1, 0]], [4, 5], [3, 4])
        found = sess.run(union(a, b, validate_indices=False))
        assert found.result_indices.tolist() == [[0, 0], [1, 0], [0, 0]]
        assert found.result_values.tolist() == [4, 5, 6] and found.result_shape.tolist() == [3, 1]
        b = sparse([[1, 0], [0, 0]], [9, 8], [2, 4])
        found = sess.run(union(fed([[3, 1], [2, 2]], tf.int32), b, validate_indices=False))
        assert found.result_values.tolist() == [1, 3, 2, 9]


def test_rows_without_values_take_no_time():
    rows = 2**40
    empty = tf.placeholder(tf.int32, [None, 0])
    some = tf.SparseTensor([[rows // 2, 1]], [7], [rows, 3])
    with tf.Session() as sess:
        feed = {empty: np.zeros([rows, 0], np.int32)}
        found = sess.run(tf.sets.union(empty, empty), feed)
        assert found.values.size == 0 and found.dense_shape.tolist() == [rows, 0]
        found = sess.run(tf.sets.union(empty, some), feed)
        assert found.indices.tolist() == [[rows // 2, 0]] and found.values.tolist() == [7]


def test_strings_are_ordered_by_their_bytes():
    with tf.Session() as sess:
        found = sess.run(tf.sets.union(tf.constant([[b"b", b"a", b""]]), tf.constant([[b"zz", b"\xff", b"b", b"z"]])))
        assert found.values.tolist() == [b"", b"a", b"b", b"z", b"zz", b"\xff"]


def test_dense_and_sparse_operands():
    dense, value = tf.constant([[1, 3], [4, 4]]), tf.SparseTensorValue([[0, 0], [1, 1]], np.int32([3, 9]), [2, 2])
    with tf.Session() as sess:
        assert sess.run(tf.sets.difference(dense, value)).values.tolist() == [1, 4]
        assert sess.run(tf.sets.difference(dense, value, aminusb=False)).values.tolist() == [9]
        assert sess.run(tf.sets.difference(value, dense)).values.tolist() == [9]
        assert sess.run(tf.sets.difference(value, dense, aminusb=False)).values.tolist() == [1, 4]
        assert sess.run(tf.sets.intersection(value, dense)).values.tolist() == [3]
        assert sess.run(tf.sets.size(tf.sets.union(value, value))).tolist() == [1, 1]


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: tf.sets.size(tf.constant([[1]])), "Expected `SparseTensor`, got Tensor"),
        (lambda: tf.sets.size(tf.SparseTensor([[0, 0]], [1.0], [1, 1])), "Invalid dtype .*float32.* not in supported"),
        (lambda: tf.sets.union([[1.0]], [[1.0]]), "'a' has invalid dtype .*float32.* not in supported dtypes"),
        (lambda: tf.sets.union([[1]], tf.constant([[1]], tf.int64)), "Types don't match, .*int32.* vs .*int64"),
    ],
)
def test_refused_types(build, text):
    with pytest.raises(TypeError, match=text):
        build()


def test_names():
    assert tf.sets.set_size is tf.sets.size and tf.sets.set_union is tf.sets.union
    assert tf.sets.set_difference is tf.sets.difference and tf.sets.set_intersection is tf.sets.intersection
