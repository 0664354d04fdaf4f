"""Linear algebra and Fourier transforms: errors and special cases."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_levels, evaluate

SINGULAR = np.ones((2, 3, 3))


def run(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: tf.matrix_inverse(x), "Input is not invertible."),
        (lambda x: tf.matrix_solve(x, x), "Input matrix is not invertible."),
        (lambda x: tf.matrix_triangular_solve(x - 1.0, x), "Input matrix is not invertible."),
        (lambda x: tf.cholesky(-x), "Cholesky decomposition was not successful. The input might not be valid."),
    ],
)
def test_singular_matrices(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(call(tf.constant(SINGULAR)))


def test_a_singular_matrix_has_a_determinant():
    assert run(tf.matrix_determinant(tf.constant(SINGULAR))).tolist() == [0, 0]
    assert run(tf.linalg.det(tf.zeros([0, 0]))) == 1


@pytest.mark.parametrize("op", ["cholesky", "matrix_inverse", "matrix_determinant"])
def test_shapes_that_are_refused(op):
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        getattr(tf, op)(tf.zeros([4, 2, 3]))
    with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
        getattr(tf, op)(tf.zeros([4]))
    x = tf.placeholder(tf.float32)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrices must be squares, got 2 != 3"):
            session.run(getattr(tf, op)(x), {x: np.zeros((4, 2, 3))})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must have rank >= 2, got shape \[4\]"):
            session.run(getattr(tf, op)(x), {x: np.zeros(4)})


def test_right_hand_sides_that_do_not_fit():
    a, b = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
    x = tf.linalg.solve(a, b)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"are incompatible: \[2,2\] and \[3,1\]"):
            session.run(x, {a: np.eye(2), b: np.ones((3, 1))})
    with pytest.raises(ValueError):
        tf.linalg.solve(tf.eye(2), tf.ones([3, 1]))


def test_cholesky_solve():
    a = np.array([[4.0, 2], [2, 3]])
    x = run(tf.cholesky_solve(tf.cholesky(tf.constant(a)), tf.constant([[2.0], [1]], tf.float64)))
    np.testing.assert_allclose(a @ x, [[2], [1]], atol=1e-14)


def test_fourier_transforms_of_long_and_odd_lines():
    rng = np.random.default_rng(0)
    for n in (1, 97, 1000, 1024, 2**13 + 1):
        x = rng.standard_normal((2, n)) + 1j * rng.standard_normal((2, n))
        for level in cpu_levels():
            y = evaluate("FFT", x, at_levels=[level])
            np.testing.assert_allclose(y, np.fft.fft(x), atol=1e-11)
            np.testing.assert_allclose(evaluate("IFFT", y, at_levels=[level]), x, atol=1e-12)


def test_fourier_transforms_need_dimensions():
    with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
        tf.fft2d(tf.zeros([3], tf.complex64))
    x = tf.placeholder(tf.complex64)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="rank of at least 3 but got"):
        session.run(tf.fft3d(x), {x: np.zeros((2, 2))})
