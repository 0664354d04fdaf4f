"""Square roots and logarithms of matrices that a record does not draw."""

import numpy as np
import pytest
import scipy.linalg

import tfcore as tf
from tests.ops.linalg.test_decompositions import TYPES, draw
from tfcore.testing import evaluate


def conjugated(triangle, seed=3):
    """A matrix with the eigenvalues of a triangular one."""
    q, _ = np.linalg.qr(draw(triangle.shape, triangle.dtype, seed))
    return q @ triangle @ np.conj(q.T)


@pytest.mark.parametrize("n", [2, 3, 8, 40])
def test_roots_of_general_matrices(n):
    for dtype in TYPES:
        x = draw((n, n), dtype)
        x = x @ x  # has a root
        root = evaluate("MatrixSquareRoot", x)
        values = np.linalg.eigvals(root.astype(np.complex128))
        size = np.abs(root).max() ** 2 * n
        np.testing.assert_allclose(root.astype(np.complex128) @ root, x, atol=50 * np.finfo(dtype).eps * size)
        assert (values.real > -1e-4).all()


@pytest.mark.parametrize("n", [2, 3, 8, 40])
def test_logarithms_of_general_matrices(n):
    x = draw((n, n), np.complex128)
    logarithm = evaluate("MatrixLogarithm", x)
    np.testing.assert_allclose(scipy.linalg.expm(logarithm), x, atol=1e-11 * n)
    assert (np.abs(np.linalg.eigvals(logarithm).imag) < np.pi + 1e-9).all()
    far = x * 1e200
    np.testing.assert_allclose(evaluate("MatrixLogarithm", far), logarithm + np.eye(n) * np.log(1e200), atol=1e-9)
    np.testing.assert_allclose(evaluate("MatrixSquareRoot", far), evaluate("MatrixSquareRoot", x) * 1e100, rtol=1e-9)


def test_repeated_eigenvalues():
    jordan = conjugated(4 * np.eye(4) + np.eye(4, k=1))
    root = evaluate("MatrixSquareRoot", jordan)
    np.testing.assert_allclose(root @ root, jordan, atol=1e-12)
    logarithm = evaluate("MatrixLogarithm", jordan.astype(complex))
    np.testing.assert_allclose(scipy.linalg.expm(logarithm), jordan, atol=1e-12)
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])  # eigenvalues i and -i
    np.testing.assert_allclose(evaluate("MatrixSquareRoot", turn), (np.eye(2) + turn) / np.sqrt(2), atol=1e-15)
    cycle = np.roll(np.eye(6), 1, axis=0)  # an unshifted QR method does not converge for it
    root = evaluate("MatrixSquareRoot", cycle.astype(complex))
    np.testing.assert_allclose(root @ root, cycle, atol=1e-13)


@pytest.mark.parametrize(
    "x", [-np.eye(3), np.diag([-1.0, 2.0]), np.eye(2, k=1), np.diag([np.inf, 1]), np.diag([np.nan, 1])]
)
def test_matrices_without_a_root(x):
    first, second = evaluate("MatrixSquareRoot", np.stack([x, 4 * np.eye(len(x))]))
    assert not np.isfinite(first).all()
    np.testing.assert_array_equal(second, 2 * np.eye(len(x)))


def test_singular_matrices():
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(evaluate("MatrixSquareRoot", x), x / np.sqrt(5), atol=1e-8)
    assert np.isnan(evaluate("MatrixLogarithm", np.diag([1, 0, 2]).astype(complex))).all()
    both = np.stack([np.zeros((2, 2)), np.eye(2)]).astype(complex)
    assert np.isnan(evaluate("MatrixLogarithm", both)[0]).all() and not evaluate("MatrixLogarithm", both)[1].any()


def test_gradients_of_far_sizes():
    """Of grad and matrix."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(draw((3, 3)) + 5 * np.eye(3))
        (small,) = tf.gradients(tf.linalg.sqrtm(x), x)
        (large,) = tf.gradients(tf.linalg.sqrtm(x), x, [tf.fill([3, 3], tf.constant(2.0**60, tf.float64))])
        (zero,) = tf.gradients(tf.linalg.sqrtm(x), x, [tf.zeros_like(x)])
        one, other, none = sess.run([small, large, zero])
    np.testing.assert_allclose(other, one * 2.0**60, rtol=1e-13)
    assert not none.any()


def test_wrong_arguments():
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            tf.linalg.sqrtm(tf.zeros([2, 3]))
        with pytest.raises(TypeError):
            tf.linalg.logm(tf.zeros([2, 2]))
        x = tf.placeholder(tf.complex64)
        for function in (tf.linalg.sqrtm, tf.linalg.logm):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrices must be squares, got 3 != 2"):
                sess.run(function(x), {x: np.ones((3, 2))})
        with pytest.raises(LookupError, match="No gradient defined"):
            tf.gradients(tf.abs(tf.linalg.logm(x)), x)


def test_a_singular_logarithm_takes_no_time():
    x = np.triu(np.ones((500, 500))) - np.diag(np.arange(500) == 0)  # its eigenvalues are on the diagonal
    with tf.Graph().as_default(), tf.Session() as sess:
        result = sess.run(tf.linalg.logm(tf.constant(x, tf.complex128)), options=tf.RunOptions(timeout_in_ms=10_000))
    assert np.isnan(result).all()


def test_batches_of_many_parts():
    x = draw((130, 3, 3)) + 5 * np.eye(3)
    roots = evaluate("MatrixSquareRoot", x)
    np.testing.assert_allclose(roots @ roots, x, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(roots[[0, 64, 129]], [evaluate("MatrixSquareRoot", m) for m in x[[0, 64, 129]]])


def test_cancellation():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [None, None])
        root = tf.linalg.sqrtm(x)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(root, {x: draw((700, 700))}, tf.RunOptions(timeout_in_ms=200))
        triangle = tf.placeholder(tf.complex128, [None, None])  # its own Schur form: the time goes to the logarithm
        logarithm = tf.linalg.logm(triangle)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(
                logarithm,
                {triangle: np.eye(900) + 1e-4 * np.triu(draw((900, 900)), 1)},
                tf.RunOptions(timeout_in_ms=200),
            )
