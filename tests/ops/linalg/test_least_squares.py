"""Least squares and LU."""

import numpy as np
import pytest

import tfcore as tf
from tests.ops.linalg.test_decompositions import TYPES, adjoint, check_gradient, close, draw
from tfcore.testing import cpu_levels, evaluate

SHAPES = [(4, 4), (7, 3), (3, 7), (2, 5, 3), (2, 2, 3, 5), (40, 3, 2), (0, 3, 2), (70, 40), (40, 70)]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def at_each_level(op, *args, **attrs):
    """Values of each instruction set: rounding errors grow with the condition of a matrix."""
    return [evaluate(op, *args, at_levels=[level], **attrs) for level in cpu_levels()]


def shortest(a, b):
    return np.linalg.pinv(a) @ b


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_least_squares(shape, dtype):
    a, b = draw(shape, dtype), draw((*shape[:-1], 2), dtype, seed=1)
    expected = shortest(a, b)
    condition = np.linalg.cond(a).max(initial=1)
    for op in ("MatrixSolveLs", "BatchMatrixSolveLs")[: 1 if np.dtype(dtype).kind == "c" else 2]:
        for fast in (True, False):
            for x in at_each_level(op, a, b, 0.0, fast=fast):
                atol = 20 * np.finfo(dtype).eps * condition ** (2 if fast else 1) * shape[-2]
                assert x.dtype == dtype and x.shape == expected.shape
                np.testing.assert_allclose(x, expected, atol=atol * np.abs(expected).max(initial=1))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_regularization(shape, dtype):
    a, b = draw(shape, dtype), draw((shape[0], 2), dtype, seed=1)
    expected = np.linalg.solve(adjoint(a) @ a + 0.5 * np.eye(shape[1]), adjoint(a) @ b).astype(dtype)
    for x in at_each_level("MatrixSolveLs", a, b, 0.5):
        close(x, expected, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5)])
def test_matrices_without_full_rank(shape, dtype):
    a = (draw((shape[0], 2), dtype) @ draw((2, shape[1]), dtype, seed=1)).astype(dtype)
    b = draw((shape[0], 3), dtype, seed=2)
    a[:, 1] = 0
    expected = np.linalg.pinv(a, rcond=100 * np.finfo(dtype).eps) @ b
    for x in at_each_level("MatrixSolveLs", a, b, 0.0, fast=False):
        close(x, expected, dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank deficient or ill-conditioned. Try setting fast=F"):
        evaluate("MatrixSolveLs", a * 0, b, 0.0)


def test_no_equations():
    assert evaluate("MatrixSolveLs", np.ones((0, 2)), np.ones((0, 3)), 0.0).tolist() == [[0.0] * 3] * 2
    assert evaluate("MatrixSolveLs", np.ones((2, 0)), np.ones((2, 3)), 0.0).shape == (0, 3)
    assert evaluate("MatrixSolveLs", np.ones((2, 1)), np.ones((2, 0)), 0.0, fast=False).shape == (1, 0)
    assert not evaluate("MatrixSolveLs", np.zeros((2, 3)), np.ones((2, 1)), 0.0, fast=False).any()


def test_nan():
    a, b = draw((3, 2)), np.ones((3, 1))
    a[0, 0] = np.nan
    assert np.isnan(evaluate("MatrixSolveLs", a, b, 0.0)).all()
    assert np.isnan(evaluate("MatrixSolveLs", a, b, 0.0, fast=False)).all()


def test_shapes_that_are_refused():
    assert tf.matrix_solve_ls(tf.zeros([2, 5, 3]), tf.zeros([2, 5, 4])).shape.as_list() == [2, 3, 4]
    with pytest.raises(ValueError, match="must be equal, but are 5 and 4"):
        tf.matrix_solve_ls(tf.zeros([5, 3]), tf.zeros([4, 1]))
    a, b, l2 = (tf.placeholder(tf.float64) for _ in range(3))
    x = tf.matrix_solve_ls(a, b, l2)
    ones = np.ones
    with tf.Session() as session:
        for values, text in [
            ((ones((3, 2)), ones((4, 1)), 0), r"Input matrix and rhs are incompatible: \[3,2\] and \[4,1\]"),
            ((ones((3, 2)), ones(3), 0), "All input tensors must have the same rank"),
            ((ones(3), ones(3), 0), "Input tensor 0 must have rank >= 2, got 1"),
            ((ones((3, 2)), ones((3, 1)), [0]), r"l2_regularizer must be scalar, got shape \[1\]"),
            ((ones((3, 2)), ones((3, 1)), -1), "l2_regularizer must be >= 0, got -1"),
            ((ones((3, 2)), ones((3, 1)), np.nan), "l2_regularizer must be >= 0, got nan"),
        ]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(x, dict(zip((a, b, l2), values)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 3, 4)])
def test_gradients_of_least_squares(shape, dtype):
    a, b = draw(shape, dtype), draw((*shape[:-1], 2), dtype, seed=1)

    def parts(x):
        return tf.concat([tf.real(x), tf.imag(x)], -1) if dtype == np.complex128 else x

    for l2 in (0.0, 0.3):
        check_gradient(lambda x, l2=l2: parts(tf.matrix_solve_ls(x, b, l2)), a)
        check_gradient(lambda x, l2=l2: parts(tf.matrix_solve_ls(a, x, l2)), b)


def test_the_gradient_for_shapes_that_are_known_at_run_time():
    for shape in ((4, 2), (2, 4)):
        value, b = draw(shape), draw((shape[0], 1))
        known, unknown = tf.constant(value), tf.placeholder(tf.float64, [None, None])
        grads = [tf.gradients(tf.matrix_solve_ls(x, b), x)[0] for x in (known, unknown)]
        with tf.Session() as session:
            expected, got = session.run(grads, {unknown: value})
        np.testing.assert_allclose(got, expected)
    with pytest.raises(ValueError, match="Gradient not defined for fast=False"):
        tf.gradients(tf.matrix_solve_ls(known, b, fast=False), known)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (0, 0), (2, 3, 3), (0, 2, 2), (60, 4, 4)])
def test_lu(shape, dtype):
    x, n = draw(shape, dtype), shape[-1]
    for index in (tf.int32, tf.int64):
        for lu, p in at_each_level("Lu", x, output_idx_type=index):
            assert p.dtype == index.as_numpy_dtype and p.shape == shape[:-1]
            product = (np.tril(lu, -1) + np.eye(n)) @ np.triu(lu)
            close(product.astype(dtype), np.take_along_axis(x, p[..., None].astype(np.int64), -2), dtype)
            assert (np.abs(np.tril(lu, -1)) <= 1.5).all()  # pivots are the largest, by |re| + |im|


def test_lu_refuses():
    for x in (np.ones((3, 3)), np.full((2, 2), np.nan)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible."):
            evaluate("Lu", x)
    x = tf.placeholder(tf.float32)
    lu = tf.linalg.lu(x)[0]
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor must have rank >= 2, got 1"):
            session.run(lu, {x: np.ones(3)})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input matrix must be square, got shape \[3,2\]"):
            session.run(lu, {x: np.ones((3, 2))})
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.linalg.lu(tf.zeros([3, 2]))
