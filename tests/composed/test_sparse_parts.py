"""Sparse tensors joined, split, sliced, with other shapes, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.sparse_tensors import dense, draw_indices

R = tf.raw_ops


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def fed(value, dtype=None):
    return tf.placeholder_with_default(tf.constant(np.array(value), dtype), None)


def draw(data, shape=None):
    """A function that makes a sparse tensor, whose shapes may be known, and the dense array."""
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)) if shape is None else shape
    indices = draw_indices(data.draw, shape, data.draw(st.booleans()))
    parts = indices, np.arange(1, len(indices) + 1), np.array(shape, np.int64)
    known = data.draw(st.booleans())
    return (lambda: tf.SparseTensor(*(parts if known else map(fed, parts)))), dense(*parts)


def x():
    return tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3])


@given(st.data())
def test_concat(data):
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    pairs = []
    for _ in range(data.draw(st.integers(1, 3))):
        shape[axis] = data.draw(st.integers(0, 4))
        pairs.append(draw(data, tuple(shape)))
    out = run(lambda: tf.sparse_concat(axis, [make() for make, _ in pairs]))
    np.testing.assert_array_equal(dense(*out), np.concatenate([array for _, array in pairs], axis))


@given(st.data())
def test_concat_of_different_shapes(data):
    rank = data.draw(st.integers(1, 3))
    axis = data.draw(st.integers(-1, rank - 1))
    shapes = st.lists(st.integers(0, 4), min_size=rank, max_size=rank)
    pairs = [draw(data, data.draw(shapes)) for _ in range(2)]
    out = run(lambda: tf.sparse_concat(axis, [make() for make, _ in pairs], expand_nonconcat_dim=True))
    most = np.max([array.shape for _, array in pairs], 0)
    padded = []
    for _, array in pairs:
        pad = [(0, 0 if d == axis % rank else m - n) for d, (m, n) in enumerate(zip(most, array.shape))]
        padded.append(np.pad(array, pad))
    np.testing.assert_array_equal(dense(*out), np.concatenate(padded, axis))


@given(st.data())
def test_split_and_slices_are_the_same(data):
    make, array = draw(data)
    axis = data.draw(st.integers(0, array.ndim - 1))
    if array.shape[axis] == 0:
        return
    count = data.draw(st.integers(1, array.shape[axis]))
    parts = run(lambda: tf.sparse_split(sp_input=make(), num_split=count, axis=axis))
    expected = np.array_split(array, count, axis)
    start = 0
    for part, want in zip(parts, expected):
        np.testing.assert_array_equal(dense(*part), want)
        begin, size = [0] * array.ndim, list(array.shape)
        begin[axis], size[axis] = start, want.shape[axis]
        start += want.shape[axis]
        np.testing.assert_array_equal(dense(*run(lambda: tf.sparse_slice(make(), begin, size))), want)  # noqa: B023


@given(st.data())
def test_expand_dims(data):
    make, array = draw(data)
    axis = data.draw(st.none() | st.integers(-array.ndim - 1, array.ndim))
    out = run(lambda: tf.sparse.expand_dims(make(), axis))
    np.testing.assert_array_equal(dense(*out), np.expand_dims(array, -1 if axis is None else axis))
    given_as_tensor = run(lambda: tf.sparse.expand_dims(make(), tf.constant(-1 if axis is None else axis)))
    np.testing.assert_array_equal(given_as_tensor.dense_shape, out.dense_shape)


@given(st.data())
def test_reset_shape(data):
    make, array = draw(data)
    larger = [size + data.draw(st.integers(0, 2)) for size in array.shape]
    out = run(lambda: tf.sparse_reset_shape(make(), larger))
    want = np.pad(array, [(0, new - old) for new, old in zip(larger, array.shape)])
    np.testing.assert_array_equal(dense(*out), want)
    least = run(lambda: tf.sparse_reset_shape(make())).dense_shape
    places = np.argwhere(array)
    assert least.tolist() == (places.max(0) + 1 if len(places) else 0 * least).tolist()


def test_static_shapes():
    assert tf.sparse_concat(1, [x(), x()]).shape.as_list() == [2, 6]
    wide = tf.SparseTensor([[0, 4]], [1], [1, 5])
    assert tf.sparse_concat(0, [x(), wide], expand_nonconcat_dim=True).shape.as_list() == [3, 5]
    assert tf.sparse_concat(0, [x(), tf.sparse_placeholder(tf.int32, [None, 3])]).shape.as_list() == [None, 3]
    assert tf.sparse.expand_dims(x(), 0).shape.as_list() == [1, None, None]
    assert tf.sparse_reset_shape(x(), [4, 5]).shape.as_list() == [4, 5]
    only = x()
    assert tf.sparse_concat(0, [only]) is only


def test_fill_empty_rows():
    out, empty = run(lambda: tf.sparse_fill_empty_rows(tf.SparseTensor([[2, 0], [0, 1]], [b"a", b"b"], [4, 2]), "-"))
    assert out.indices.tolist() == [[0, 1], [1, 0], [2, 0], [3, 0]]
    assert out.values.tolist() == [b"b", b"-", b"a", b"-"] and empty.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: tf.sparse_concat(0, x()), TypeError, "Inputs must be a list or tuple."),
        (lambda: tf.sparse_concat(0, [x(), 1]), TypeError, "Input must be a SparseTensor."),
        (
            lambda: tf.sparse_concat(0, [x(), x()], concat_dim=1),
            ValueError,
            "Cannot specify both 'concat_dim' and 'axis'",
        ),
        (lambda: tf.sparse_split(x(), 2, 1), ValueError, "Keyword arguments are required for this function."),
        (lambda: tf.sparse_split(num_split=2, axis=1), ValueError, "sp_input is required"),
        (lambda: tf.sparse_split(sp_input=x(), axis=1), ValueError, "num_split is required"),
        (lambda: tf.sparse_split(sp_input=x(), num_split=2), ValueError, "axis is required"),
        (lambda: tf.sparse_fill_empty_rows(x(), "a"), TypeError, "Expected int32"),
        (lambda: tf.sparse_reset_shape(x(), [1, 5]), ValueError, "Requested new_shape should have dimension sizes >="),
        (lambda: tf.sparse_reset_shape(x(), [1, 5, 6]), ValueError, "Dimensions 3 and 2 are not compatible"),
        (lambda: tf.sparse_reset_shape(x(), [[1, 5]]), ValueError, "must have rank 1"),
        (
            lambda: tf.sparse.expand_dims(x(), 1.5),
            TypeError,
            "axis must be an integer value in range .-rank.sp_input. ",
        ),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


I, V, S = [[0, 1], [1, 0], [1, 2]], [1, 2, 3], [2, 3]
NONE = np.zeros((0, 2), np.int64)


def concat(dim, *tensors):
    parts = zip(*tensors)
    return R.SparseConcat(
        **{k: [fed(x) for x in p] for k, p in zip(("indices", "values", "shapes"), parts)}, concat_dim=dim
    )


def split(axis, indices, values, shape, n):
    return R.SparseSplit(
        split_dim=fed(axis, tf.int64), indices=fed(indices), values=fed(values), shape=fed(shape), num_split=n
    )


def part(start, size, indices=I, values=V, shape=S):
    parts = {"indices": fed(indices), "values": fed(values), "shape": fed(shape)}
    return R.SparseSlice(**parts, start=fed(start), size=fed(size))


def slice_grad(grad, indices, start, out):
    names = ("backprop_val_grad", "input_indices", "input_start", "output_indices")
    return R.SparseSliceGrad(**dict(zip(names, map(fed, (grad, indices, start, out)))))


def fill(indices, values, shape, default):
    parts = {"indices": fed(indices), "values": fed(values), "dense_shape": fed(shape)}
    return R.SparseFillEmptyRows(**parts, default_value=fed(default))


def fill_grad(places, grad):
    return R.SparseFillEmptyRowsGrad(reverse_index_map=fed(places), grad_values=fed(grad))


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: concat(2, (I, V, S), (I, V, S)), r"Concat dimension must be in range \[-2, 2\), got 2"),
        (lambda: concat(0, (I, V, S), ([[0]], [1], [3])), "expected 2 but got 1 at position 1"),
        (lambda: concat(0, (I, V, S), ([[0, 0]], [1], [2, 4])), "expected 3 for dimension 1 but got 4 at position 1"),
        (
            lambda: concat(0, ([0], [1], S), (I, V, S)),
            r"indices should be a matrix but received shape \[1\] at position 0",
        ),
        (
            lambda: concat(0, (I, V, S), (I, [V], S)),
            r"values should be a vector but received shape \[1,3\] at position 1",
        ),
        (
            lambda: concat(0, (I, V, [S]), (I, V, S)),
            r"shapes should be a vector but received shape \[1,2\] at position 0",
        ),
        (lambda: concat(0, (I, [1], S), (I, V, S)), "indices and values rows"),
        (lambda: concat(0, ([[0], [1], [1]], V, S), (I, V, S)), "Order length must be SparseTensor rank."),
        (lambda: split(1, I, V, S, 4), r"between 1 and the splitting dimension size \(3\), got 4"),
        (lambda: split(2, I, V, S, 2), r"Input axis should be in range \[-2, 2\), got 2"),
        (lambda: split([1], I, V, S, 2), r"Input axis should be a scalar but received shape \[1\]"),
        (lambda: split(1, [[0, 9]], [1], S, 2), r"index tuple indices\[0, :\] = .* is out of bounds"),
        (lambda: split(1, [[0, -1]], [1], S, 2), r"index tuple indices\[0, :\] = .* is out of bounds"),
        (lambda: split(1, [0], V, S, 2), "Input indices should be a matrix"),
        (lambda: split(1, I, [V], S, 2), "Input values should be a vector"),
        (lambda: split(1, I, V, [S], 2), "Input shape should be a vector"),
        (lambda: split(1, I, [1], S, 2), r"elements in indices \(3\) and values \(1\) do not match"),
        (lambda: part([0, 0], [-1, 2]), "Expected a non-negative size, got -1"),
        (lambda: part([[0, 0]], [1, 2]), "Input start should be a vector but received shape"),
        (lambda: part([0, 0], [[1, 2]]), "Input size should be a vector but received shape"),
        (lambda: part([0], [1, 2]), "Expected start to be a vector of length 2 but got length 1"),
        (lambda: part([0, 0], [1]), "Expected size to be a vector of length 2 but got length 1"),
        (lambda: part([0, 0], [1, 1], shape=[2, -3]), "Expected shape dimensions to be non-negative, got -3"),
        (lambda: part([0, 0], [1, 1], shape=[2**40, 2**40]), "Encountered overflow when multiplying"),
        (lambda: part([0, 0], [1, 1], indices=[0]), "Sparse indices must be rank 2 but is rank 1"),
        (lambda: slice_grad([1], I, [0, 1], [[0, 0], [1, 1]]), "should match .#nnz of sum.: got 1 and 2"),
        (lambda: slice_grad([1] * 4, I, [0, 0], [[0, 0]] * 4), "not greater than of input_indices, got 4 and 3"),
        (lambda: slice_grad([1, 2], I, [[0, 1]], [[0, 0], [1, 1]]), "input_start should be a vector"),
        (lambda: slice_grad([1, 2], I, [0], [[0, 0], [1, 1]]), "Expected input_start to be a vector of length 2"),
        (lambda: slice_grad([1, 2], I, [0, 1], [[0], [1]]), "should have the same ndims: got: 2 and 1"),
        (lambda: slice_grad([[1, 2]], I, [0, 1], [[0, 0], [1, 1]]), "backprop_val_grad should be a vector"),
        (lambda: slice_grad([1, 2], [1], [0, 1], [[0, 0], [1, 1]]), "should be matrices but received shapes"),
        (lambda: fill([[5, 0]], [1], [4, 3], 9), r"indices\(0, 0\) is invalid: 5 >= 4"),
        (lambda: fill([[-1, 0]], [1], [4, 3], 9), r"indices\(0, 0\) is invalid: -1 >= 4"),
        (lambda: fill([[0, 0]], [1], [0, 3], 9), r"dense_shape\[0\] = 0 but indices.shape\[0\] = 1"),
        (lambda: fill(I, V, [S], 9), "dense_shape must be a vector, saw: .1,2."),
        (lambda: fill([0], V, S, 9), "indices must be a matrix, saw: .1."),
        (lambda: fill(I, [V], S, 9), "values must be a vector, saw: .1,3."),
        (lambda: fill(I, [1], S, 9), r"length of `values` \(1\) must match the first dimension of `indices` \(3\)."),
        (lambda: fill(I, V, S, [9]), "default_value must be a scalar, saw: .1."),
        (lambda: fill([[0], [1], [1]], V, S, 9), r"length of `dense_shape` \(2\) must match the second dimension of"),
        (lambda: fill(NONE, np.zeros(0), [-2, 3], 9.0), "Expected shape dimensions to be non-negative, got -2"),
        (lambda: fill_grad([0, 9], [1, 2, 3]), r"Elements in reverse index must be in \[0, 3\) but got 9"),
        (lambda: fill_grad([0, -1], [1, 2, 3]), r"Elements in reverse index must be in \[0, 3\) but got -1"),
        (lambda: fill_grad([[0]], [1, 2]), "reverse_index_map must be a vector, saw: .1,1."),
        (lambda: fill_grad([0], [[1, 2]]), "grad_values must be a vector, saw: .1,2."),
    ],
)
def test_refused_at_run_time(make, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(make)


def test_more_that_is_refused():
    huge = (NONE, np.zeros(0), [2, 2**62])
    with pytest.raises(tf.errors.InternalError, match="Encountered overflow from large input shape."):
        run(lambda: concat(1, huge, huge))
    with pytest.raises(tf.errors.InternalError, match="aren't all propagated. Num elements:2, used: 1"):
        run(lambda: slice_grad([1, 2], I, [0, 1], [[0, 0], [1, 7]]))


def test_slices_reach_as_far_as_the_tensor():
    most = 2**63 - 1
    out = run(lambda: part([1, 1], [most, most]))
    assert (out.output_indices.tolist(), out.output_shape.tolist()) == ([[0, 1]], [1, 2])
    assert run(lambda: part([5, 5], [1, 1])).output_shape.tolist() == [0, 0]
    assert run(lambda: part([-(2**63), 0], [most, 3])).output_indices.shape == (0, 2)
