"""Linear algebra and Fourier transforms: errors and special cases."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_levels, evaluate

SINGULAR = np.ones((2, 3, 3))


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


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


def several_blocks(shape, dtype):
    r = np.random.default_rng(7)
    x = r.standard_normal(shape)
    return (x + 1j * r.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("shape", [(65, 65), (200, 200), (2, 130, 130)])
def test_matrices_of_several_blocks(shape, dtype):
    n = shape[-1]
    a, b = several_blocks(shape, dtype), several_blocks([*shape[:-1], 5], dtype)
    positive = a @ a.conj().swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
    triangle = np.tril(a) + n * np.eye(n, dtype=dtype)
    adjoint = triangle.conj().swapaxes(-1, -2)
    real = np.finfo(dtype).eps
    got = run(tf.cholesky(np.where(np.tril(np.ones(shape)) > 0, positive, np.nan)))  # the rest is not read
    assert np.array_equal(got, np.tril(got))
    np.testing.assert_allclose(got @ got.conj().swapaxes(-1, -2), positive, rtol=0, atol=100 * n * real)
    solved = run(
        [tf.matrix_solve(positive, b), tf.matrix_solve(positive, b, adjoint=True), tf.matrix_inverse(positive)]
    )
    for x, product in zip(solved, (b, b, np.broadcast_to(np.eye(n), shape)), strict=True):
        np.testing.assert_allclose(positive @ x, product, rtol=0, atol=100 * n * real)
    general = run(tf.matrix_solve(a, b))
    np.testing.assert_allclose(a @ general, b, rtol=0, atol=30 * n * real * np.abs(general).max())
    lower = [(triangle, True, False), (triangle, True, True), (adjoint, False, False), (adjoint, False, True)]
    for matrix, is_lower, turned in lower:
        x = run(tf.matrix_triangular_solve(matrix, b, lower=is_lower, adjoint=turned))
        used = matrix.conj().swapaxes(-1, -2) if turned else matrix
        np.testing.assert_allclose(used @ x, b, rtol=0, atol=10 * n * real)
    sign, logarithm = run(tf.linalg.slogdet(a))
    expected = np.linalg.slogdet(a.astype(np.complex128 if np.dtype(dtype).kind == "c" else np.float64))
    np.testing.assert_allclose(sign, expected[0], rtol=0, atol=100 * n * real)
    np.testing.assert_allclose(logarithm, expected[1], rtol=100 * n * real)


def test_a_singular_matrix_of_several_blocks():
    a = several_blocks((150, 150), np.float64)
    a[:, 100] = 0
    for singular in (lambda: tf.matrix_inverse(a), lambda: tf.matrix_solve(a, a)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            run(singular())
    assert run(tf.matrix_determinant(a)) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cholesky decomposition was not successful"):
        run(tf.cholesky(np.diag([1.0] * 140 + [-1.0] + [1.0] * 9)))
    triangle = np.diag([1.0] * 100 + [0.0] + [1.0] * 49)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        run(tf.matrix_triangular_solve(triangle, a))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_nan_behind_a_zero(dtype):
    """No element is larger than NaN, so a zero may stay the pivot; and only a first pivot that is NaN is refused."""
    for x in ([[0, 1], [np.nan, 1]], [[1, 0, 0], [0, 0, 1], [0, np.nan, 1]], [[1, np.nan], [0, 0]]):
        assert np.isnan(run(tf.linalg.det(np.array(x, dtype))))
        assert np.isnan(run(tf.linalg.slogdet(np.array(x, dtype)))).all()
    wide = np.eye(100, dtype=dtype)  # several panels
    wide[3, 3], wide[90, 3], wide[3, 90] = 0, np.nan, 1
    assert np.isnan(run(tf.linalg.det(wide)))
    for x in ([[0, 1], [np.nan, 1]], [[np.nan, 1], [1, 1]], [[0, 0], [0, np.nan]]):
        for op in (tf.linalg.inv, lambda a: tf.linalg.lu(a)[0]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible."):
                run(op(tf.constant(np.array(x, dtype))))
    lu, p = run(tf.linalg.lu(np.array([[0, 1], [1, np.nan]], dtype)))
    np.testing.assert_array_equal(np.isnan(lu), [[False, True], [False, True]])
    assert lu[:, 0].tolist() == [1, 0] and p.tolist() == [1, 0]
    assert np.isnan(run(tf.linalg.inv(np.array([[0, 1], [1, np.nan]], dtype)))).all()


@pytest.mark.parametrize("batch", [1, 3])
def test_cancellation(batch):
    """Of work that takes more than a second."""
    x = np.random.RandomState(0).randn(batch, 1500, 1500) + 1500 * np.eye(1500) + 0j
    x = x + np.conj(np.swapaxes(x, -1, -2))
    a = tf.placeholder(tf.complex128, [None, None, None])
    with tf.Session() as session:
        for result in (tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.cholesky(a), tf.linalg.triangular_solve(a, a)):
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(result.op, {a: x}, tf.RunOptions(timeout_in_ms=50))
