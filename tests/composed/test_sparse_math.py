"""Arithmetic with sparse tensors: errors, names of arguments, what records do not draw."""

import functools
import re

import numpy as np
import pytest

import tfcore as tf
from tests.sparse_tensors import dense

R = tf.raw_ops
INDICES, VALUES, SHAPE = [[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3]
B = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def fed(value, dtype=tf.int64):
    return tf.placeholder_with_default(tf.constant(np.array(value), dtype), None)


def sparse():
    return tf.SparseTensor(INDICES, VALUES, SHAPE)


def reduce(indices, values, shape, axes, op="SparseReduceSum"):
    parts = {"input_indices": fed(indices), "input_values": fed(values, tf.float32), "input_shape": fed(shape)}
    return getattr(R, op)(**parts, reduction_axes=fed(axes, tf.int32))


def product(indices, values, shape, b, **attrs):
    parts = {"a_indices": fed(indices), "a_values": fed(values, tf.float32), "a_shape": fed(shape)}
    return R.SparseTensorDenseMatMul(**parts, b=fed(b, tf.float32), **attrs)


def softmax(indices, values, shape):
    return R.SparseSoftmax(sp_indices=fed(indices), sp_values=fed(values, tf.float32), sp_shape=fed(shape))


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: reduce(INDICES, VALUES, SHAPE, [2]), "Invalid reduction dimension 2, for input with 2 dimensions."),
        (
            lambda: reduce(INDICES, VALUES, SHAPE, [[0]]),
            "Expected reduction_axes to be a scalar or a vector; got shape",
        ),
        (lambda: reduce(INDICES, VALUES, [SHAPE], [0]), "Expected input_shape to be a vector; got shape: .1,2."),
        (lambda: reduce([1, 2, 3], VALUES, SHAPE, [0]), "indices must be a matrix, but got: .3."),
        (lambda: reduce(INDICES, [1, 2], SHAPE, [0]), r"must match. .indices = 3, values = 2\)"),
        (lambda: reduce(INDICES, [VALUES], SHAPE, [0]), "vals must be a vec, but got: .1,3."),
        (lambda: reduce(INDICES, VALUES, [2, 3, 4], [0]), "Order length must be SparseTensor rank."),
        (lambda: reduce(INDICES, VALUES, [2, -3], [0]), "Expected shape dimensions to be non-negative, got -3"),
        (lambda: reduce(INDICES, VALUES, [2**40, 2**40], [0]), "Encountered overflow when multiplying 1099511627776"),
        (lambda: reduce(INDICES, VALUES, [2**40, 2**20], []), "too many elements|memory"),
        (lambda: product(INDICES, VALUES, [2, 4], B), "inner dimension does not match: 4 vs. 3.  Did you forget a"),
        (lambda: product([[0, 1], [1, 0], [1, 3]], VALUES, SHAPE, B), r"k \(3\) from index.2,1. out of bounds \(>=3\)"),
        (lambda: product([[0, 1], [2, 0], [1, 2]], VALUES, SHAPE, B), r"m \(2\) from index.1,0. out of bounds \(>=2\)"),
        (lambda: product([[0, 1], [-2, 0], [1, 2]], VALUES, SHAPE, B), r"m \(-2\) from index.1,0. out of bounds"),
        (lambda: product([[-1, 1]], [1], [3, 2], B, adjoint_a=True), r"k \(-1\) from index.0,0. out of bounds \(>=3\)"),
        (lambda: product(INDICES, VALUES, SHAPE, [1]), "Tensor 'b' is not a matrix"),
        (lambda: product(INDICES, VALUES, [2, 3, 4], B), "Tensor 'a_shape' must have 2 elements"),
        (lambda: product(INDICES, VALUES, [SHAPE], B), "Tensor 'a_shape' is not a vector"),
        (lambda: product(INDICES, [VALUES], SHAPE, B), "Tensor 'a_values' is not a vector"),
        (lambda: product([1, 2], VALUES, SHAPE, B), "Tensor 'a_indices' is not a matrix"),
        (
            lambda: product(INDICES, [1], SHAPE, B),
            "Number of rows of a_indices does not match number of entries in a_v",
        ),
        (lambda: product([[1], [2], [3]], VALUES, SHAPE, B), "Number of columns of a_indices does not match number"),
        (lambda: product(np.zeros((0, 2)), [], [-2, 3], B), "Dimension -2 must be >= 0"),
        (lambda: product(np.zeros((0, 2)), [], [2**62, 3], B), "too many elements"),
        (lambda: softmax([[0], [1]], [1, 2], [2]), "Input should have rank >= 2, but received shape: 2$"),
        (lambda: softmax([0], [1], [2, 3]), "Input sp_indices should be a matrix but received shape: .1."),
        (
            lambda: softmax([[0, 1]], [[1]], [2, 3]),
            "sp_values and sp_shape should be vectors but received shapes: .1,1.",
        ),
        (lambda: softmax([[0, 1]], [1, 2], [2, 3]), "indices and values rows"),
        (lambda: softmax([[0, 1]], [1], [2, 3, 3]), "Order length must be SparseTensor rank."),
        (lambda: softmax([[0, 1]], [1], [2, -3]), "Expected shape dimensions to be non-negative, got -3"),
    ],
)
def test_refused_at_run_time(make, text):
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)) as error:
        run(make)
    assert re.search(text, error.value.message.split("\n")[0])


@pytest.mark.parametrize("indices, at", [([[0, 1], [5, 0]], 5), ([[-1, 1], [0, 0]], -1)])
def test_reductions_out_of_bounds(indices, at):
    with pytest.raises(tf.errors.InternalError, match=f"write index of {at} which is outside of bounds of .0, 2"):
        run(lambda: reduce(indices, [1, 2], [2, 3], [1]))
    out = run(lambda: reduce(indices, [1, 2], [2, 3], [1], "SparseReduceSumSparse"))
    assert out.output_indices.ravel().tolist() == sorted(i for i, _ in indices)
    assert run(lambda: reduce([[0, 1], [1, 9]], [1, 2], [2, 3], [1])).tolist() == [1, 2]  # along a reduced axis


def test_reductions():
    assert run(lambda: tf.sparse_reduce_sum(sparse())) == 6
    assert run(lambda: tf.sparse_reduce_sum(sparse(), keepdims=True)).tolist() == [[6]]
    assert run(lambda: tf.sparse_reduce_max(sparse(), reduction_axes=0, keep_dims=True)).tolist() == [[2, 1, 3]]
    assert (
        run(lambda: tf.sparse_reduce_sum(sparse(), [])).tolist()
        == dense(*map(np.array, (INDICES, VALUES, SHAPE))).tolist()
    )
    out = run(lambda: tf.sparse_reduce_max_sparse(sparse(), [-1]))
    assert (out.indices.tolist(), out.values.tolist(), out.dense_shape.tolist()) == ([[0], [1]], [1, 3], [2])
    assert run(lambda: tf.sparse_reduce_sum_sparse(sparse(), 1, True)).dense_shape.tolist() == [2, 1]
    unknown = run(lambda: tf.sparse_reduce_sum(tf.SparseTensor(fed(INDICES), fed(VALUES, tf.float32), fed(SHAPE))))
    assert unknown == 6
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.sparse_reduce_sum(sparse(), axis=0, reduction_axes=0)


def test_a_nan_stays():
    with_nan = [1.0, np.nan, 3.0]
    for op in ("SparseReduceMax", "SparseReduceSum"):
        np.testing.assert_array_equal(run(lambda: reduce(INDICES, with_nan, SHAPE, [1], op)), [1, np.nan])  # noqa: B023


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
def test_a_dense_matrix_times_a_sparse_one(adjoint_a, adjoint_b):
    rng = np.random.default_rng(0)
    a = (rng.normal(size=(4, 2)) + 1j * rng.normal(size=(4, 2))).astype(np.complex64)
    s = dense(*map(np.array, (INDICES, np.array(VALUES) * 1j, SHAPE))).astype(np.complex64)
    a = a.T if adjoint_a else a
    s = s.T if adjoint_b else s
    at = np.argwhere(s)
    out = run(lambda: tf.sparse_tensor_dense_matmul(
        a, tf.SparseTensor(at, s[tuple(at.T)], s.shape), adjoint_a=adjoint_a, adjoint_b=adjoint_b))  # fmt: skip
    want = (a.conj().T if adjoint_a else a) @ (s.conj().T if adjoint_b else s)
    np.testing.assert_allclose(out, want, 1e-5)


def test_repeated_indices_are_added():
    out = run(lambda: product([[0, 0], [0, 0], [1, 1]], [1, 2, 3], [2, 3], B))
    assert out.tolist() == [[3, 6], [9, 12]]


def test_static_shapes():
    assert tf.sparse_tensor_dense_matmul(sparse(), B).shape.as_list() == [2, 2]
    assert tf.sparse_tensor_dense_matmul(sparse(), [[1.0], [2.0]], adjoint_a=True).shape.as_list() == [3, 1]
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.sparse_tensor_dense_matmul(sparse(), [[1.0]])
    assert tf.sparse_softmax(sparse()).shape.as_list() == [2, 3]


def test_softmax_of_rows_in_any_order():
    out = run(lambda: softmax([[1, 2], [0, 1], [1, 0]], [1, 2, 3], [2, 3]))
    np.testing.assert_allclose(out, [0.11920292, 1, 0.880797], 1e-6)


def fed_parts(prefix, indices, values, shape):
    values = fed(values, tf.float32)
    return {f"{prefix}_indices": fed(indices), f"{prefix}_values": values, f"{prefix}_shape": fed(shape)}


def add(a, b, thresh=0.0):
    return R.SparseAdd(**fed_parts("a", *a), **fed_parts("b", *b), thresh=fed(thresh, tf.float32))


def maximum(a, b):
    return R.SparseSparseMaximum(**fed_parts("a", *a), **fed_parts("b", *b))


def dense_add(a, b):
    return R.SparseTensorDenseAdd(**fed_parts("a", *a), b=fed(b, tf.float32))


def multiply(a, b):
    return R.SparseDenseCwiseMul(**fed_parts("sp", *a), dense=fed(b, tf.float32))


def add_grad(grad, a, b, sums):
    grad = fed(grad, tf.float32)
    return R.SparseAddGrad(backprop_val_grad=grad, a_indices=fed(a), b_indices=fed(b), sum_indices=fed(sums))


X = INDICES, VALUES, SHAPE
ONES = np.ones((2, 3))


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: add(([1, 0], [1], SHAPE), X), r"indices should be matrices but received shapes: \[2\] and \[3,2\]"),
        (
            lambda: add((INDICES, [VALUES], SHAPE), X),
            r"values should be vectors but received shapes: \[1,3\] and \[3\]",
        ),
        (lambda: add((INDICES, [1], SHAPE), X), "Expected 3 and 3 non-empty input values, got 1 and 3"),
        (
            lambda: add((INDICES, VALUES, [SHAPE]), X),
            r"shapes should be a vector but received shapes \[1,2\] and \[2\]",
        ),
        (
            lambda: add((INDICES, VALUES, [2, 3, 4]), X),
            "Second dimension of a_indices and length of a_shape must match",
        ),
        (lambda: add(([[0], [1], [1]], VALUES, [2]), X), "Input indices must have the same dimension, got 1 and 2"),
        (lambda: add((INDICES, VALUES, [2, 4]), X), "Operands' shapes do not match: got 4 and 3 for dimension 1"),
        (lambda: add(X, X, [1.0]), r"The magnitude threshold must be a scalar: got shape \[1\]"),
        (lambda: add_grad([1, 2], [0], [[1]], [[0], [1]]), "Input indices should be matrices but received shapes"),
        (lambda: add_grad([[1, 2]], [[0]], [[1]], [[0], [1]]), "backprop_val_grad should be a vector"),
        (lambda: add_grad([1, 2], [[0, 1]], [[1]], [[0], [1]]), "The densified operands should have the same ndims"),
        (lambda: add_grad([1], [[0]], [[1]], [[0], [1]]), "should match .#nnz of sum.: got 1 and 2"),
        (lambda: maximum(([1, 0], [1], SHAPE), X), "Sparse indices must be rank 2 but is rank 1"),
        (lambda: maximum((INDICES, [1], SHAPE), X), r"elements in indices \(3\) and values \(1\) do not match"),
        (lambda: maximum(X, (INDICES, VALUES, [2, 3, 4])), r"Index rank \(2\) and shape rank \(3\) do not match"),
        (lambda: maximum((INDICES, VALUES, [2, 4]), X), "Operands' shapes do not match: got 4 and 3 for dimension 1"),
        (lambda: dense_add(([[0, 1], [5, 0]], [1, 2], SHAPE), ONES), r"on dimension 0: a_indices\(1,0\) = 5, dense"),
        (lambda: dense_add(([[0, 1], [0, -1]], [1, 2], SHAPE), ONES), r"on dimension 1: a_indices\(1,1\) = -1, dense"),
        (lambda: dense_add(X, [1, 1]), "Two operands have different ranks; received: 2 and 1"),
        (lambda: dense_add(X, ONES[:, :2]), "Dimension 1 does not equal .no broadcasting is supported.: sparse side 3"),
        (lambda: dense_add(([1], VALUES, SHAPE), ONES), "Input a_indices should be a matrix"),
        (lambda: dense_add((INDICES, [VALUES], SHAPE), ONES), "Inputs a_values and a_shape should be vectors"),
        (lambda: dense_add((INDICES, [1], SHAPE), ONES), "Dimensions 3 and 1 are not compatible"),
        (lambda: dense_add((np.zeros((1, 0)), [1], []), 5), "Only tensors with ranks between 1 and 5 are currently"),
        (lambda: multiply(X, [4, 5]), r"got incompatible shapes: \[2,3\] vs. \[2\]"),
        (lambda: multiply(X, np.ones((3, 2, 3))), r"got incompatible shapes: \[2,3\] vs. \[3,2,3\]"),
        (lambda: multiply(([[0, 0]], [1], [1, 3]), ONES), r"got incompatible shapes: \[1,3\] vs. \[2,3\]"),
        (
            lambda: multiply(([[0, 0], [2, 0]], [1, 2], SHAPE), [1, 2, 3]),
            "Provided indices are out-of-bounds w.r.t. dense",
        ),
        (lambda: multiply(([0], [1], SHAPE), 4), "Input sp_indices should be a matrix but received shape"),
        (lambda: multiply((INDICES, [VALUES], SHAPE), 4), "Inputs sp_values and sp_shape should be vectors"),
        (
            lambda: multiply((INDICES, [1], SHAPE), 4),
            r"The first dimension of values and indices should match. \(1 vs. 3",
        ),
        (
            lambda: multiply(([[0], [1], [1]], VALUES, SHAPE), 4),
            "Number of dimensions must match second dimension of ind",
        ),
        (lambda: multiply((np.zeros((1, 0)), [1], []), 4), "The shape argument requires at least one element."),
        (
            lambda: multiply((np.zeros((1, 6)), [1], [1] * 6), 4),
            "ranks between 1 and 5 are currently supported.  Tensor",
        ),
        (lambda: multiply((INDICES, VALUES, [2, -3]), 4), "Expected shape dimensions to be non-negative, got -3"),
        (
            lambda: R.SparseMatMul(a=fed(ONES, tf.float32), b=fed(ONES, tf.float32)),
            r"Matrix size incompatible: a: \[2,3\]",
        ),
        (lambda: R.SparseMatMul(a=fed([1], tf.float32), b=fed(ONES, tf.float32)), "a is not a matrix"),
    ],
)
def test_sums_and_products_refused_at_run_time(make, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(make)


def test_division_by_zero():
    x = tf.SparseTensor(INDICES, [1, 2, 3], SHAPE)
    with pytest.raises(tf.errors.InvalidArgumentError, match="SparseDenseCwiseDiv cannot divide by zero"):
        run(lambda: tf.SparseTensor(INDICES, [1, 2, 3], SHAPE).__div__([1, 0, 1]))
    assert x.dtype is tf.int32
    least = np.array([-(2**31)] * 3, np.int32)
    out = run(lambda: tf.SparseTensor(INDICES, least, SHAPE).__div__(-1))
    assert out.values.tolist() == least.tolist()


def test_add():
    other = [[0, 0], [1, 0]], [5.0, -2.0], SHAPE
    out = run(lambda: tf.sparse_add(sparse(), tf.SparseTensor(*other), thresh=1))
    assert (out.indices.tolist(), out.values.tolist()) == ([[0, 0], [0, 1], [1, 2]], [5, 1, 3])
    assert run(lambda: tf.sparse_add(ONES.astype(np.float32), sparse())).tolist() == [[1, 2, 1], [3, 1, 4]]
    assert tf.sparse_add(sparse(), sparse()).shape.as_list() == SHAPE
    with pytest.raises(TypeError, match="At least one input should be SparseTensor; do you mean to use tf.add"):
        tf.sparse_add([1.0], [2.0])
    with pytest.raises(ValueError, match="incompatible"):
        tf.sparse_add(sparse(), tf.SparseTensor([[0, 0]], [1.0], [2, 4]))


def test_what_is_given_stays_given():
    """A dense operand that is fed, or used again, is not written to."""
    b = np.ones((2, 3), np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        fed_b = tf.placeholder(tf.float32, [2, 3])
        total, again = tf.sparse_add(sparse(), fed_b), fed_b * 1
        for _ in range(2):
            assert sess.run([total, again], {fed_b: b})[1].tolist() == ONES.tolist()
    assert b.tolist() == ONES.tolist()


@pytest.mark.parametrize("op", [tf.sparse_maximum, tf.sparse_minimum, None])
def test_without_gradient(op):
    with tf.Graph().as_default():
        x = tf.constant(VALUES)
        a = tf.SparseTensor(INDICES, x, SHAPE)
        y = op(a, sparse()).values if op else R.SparseDenseCwiseAdd(
            sp_indices=a.indices, sp_values=x, sp_shape=a.dense_shape, dense=1.0)  # fmt: skip
        with pytest.raises(NotImplementedError, match="Gradient for Sparse.* is not implemented."):
            tf.gradients(y, x)


def test_namespace():
    for name in ("reorder", "reshape", "retain", "transpose", "reduce_max", "reduce_sum_sparse", "softmax"):
        assert getattr(tf.sparse, name) is getattr(tf, f"sparse_{name}")
    assert tf.sparse.matmul is tf.sparse.sparse_dense_matmul is tf.sparse_tensor_dense_matmul
    assert tf.sparse.to_dense is tf.sparse_tensor_to_dense and tf.sparse.placeholder is tf.sparse_placeholder
    assert tf.sparse.segment_sum is tf.sparse_segment_sum and tf.sparse.SparseTensor is tf.SparseTensor


_MAPPED = ["abs", "negative", "asinh", "sin", "tan", "atan", "asin", "atanh", "sign", "square", "sqrt", "erf", "tanh"]


@pytest.mark.parametrize("name", [*_MAPPED, "math.bessel_i0e", "math.bessel_i1e", "to_double", "to_int32"])
def test_element_wise_functions_take_sparse_tensors(name):
    function = functools.reduce(getattr, name.split("."), tf)
    sparse = tf.SparseTensor([[0, 0], [1, 2]], [0.25, 0.5], [2, 3])
    with tf.Session() as session:
        indices, values, shape = session.run(function(sparse))
        expected = session.run(function(tf.constant([0.25, 0.5])))
    assert indices.tolist() == [[0, 0], [1, 2]] and shape.tolist() == [2, 3]
    assert values.tolist() == expected.tolist()


def test_cast_of_a_sparse_tensor():
    sparse = tf.SparseTensor([[0, 0], [1, 2]], [1.5, -2.5], [2, 3])
    assert tf.cast(sparse, tf.float32) is sparse
    with tf.Session() as session:
        assert session.run(tf.cast(sparse, tf.int32, name="truncated")).values.tolist() == [1, -2]
