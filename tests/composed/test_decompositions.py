"""Functions of matrices by way of their decompositions, against NumPy."""

import numpy as np
import pytest

import tfcore as tf

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(3, 3), (2, 4, 4), (2, 2, 1, 1), (0, 3, 3)]


def draw(shape, dtype=np.float64, seed=0):
    rng = np.random.default_rng([seed, *shape])
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def run(*tensors):
    with tf.Session() as session:
        return session.run(tensors[0] if len(tensors) == 1 else tensors)


def close(x, y, dtype, factor=1000):
    assert x.dtype == dtype
    np.testing.assert_allclose(x, y, rtol=factor * np.finfo(dtype).eps, atol=factor * np.finfo(dtype).eps)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("validate", [False, True])
def test_lu(shape, dtype, validate):
    x = draw(shape, dtype) + 2 * np.eye(shape[-1], dtype=dtype)
    b = draw((*shape[:-1], 2), dtype, seed=1)
    lu, p = tf.linalg.lu(x)
    again = tf.linalg.lu_reconstruct(lu, p, validate)
    inverse = tf.linalg.lu_matrix_inverse(lu, p, validate)
    again, solution, inverse = run(again, tf.linalg.lu_solve(lu, p, b, validate), inverse)
    close(again, x, dtype)
    close(x @ solution, b, dtype)
    close(x @ inverse, np.broadcast_to(np.eye(shape[-1]), shape), dtype)


def test_lu_refuses():
    lu, p = tf.eye(2), tf.constant([0, 1])
    with pytest.raises(ValueError, match="Input `rhs` must have at least 2 dimensions."):
        tf.linalg.lu_solve(lu, p, tf.ones([2]))
    with pytest.raises(ValueError, match=r"`lower_upper.shape\[-1\]` must equal `rhs.shape\[-1\]`."):
        tf.linalg.lu_solve(lu, p, tf.ones([3, 1]))
    with pytest.raises(ValueError, match=r"must equal `rank\(perm\) \+ 1`"):
        tf.linalg.lu_reconstruct(lu, [[0, 1]])
    with pytest.raises(ValueError, match="Input `lower_upper` must have at least 2 dimensions."):
        tf.linalg.lu_reconstruct([1.0], [0])
    rows = tf.placeholder(tf.float32, [None, None])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="`lower_upper` must be square."):
        session.run(tf.linalg.lu_reconstruct(rows, [0, 1], validate_args=True), {rows: np.ones((2, 3))})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 0, 3)])
def test_pinv(shape, dtype):
    x = draw(shape, dtype)
    close(run(tf.linalg.pinv(x)), np.linalg.pinv(x), dtype)
    low = (draw((shape[-2], 1), dtype) @ draw((1, shape[-1]), dtype)).astype(dtype)
    close(run(tf.linalg.pinv(low)), np.linalg.pinv(low, rcond=1e-4), dtype)


def test_pinv_with_a_limit_for_each_matrix():
    x = np.array([np.diag([1.0, 0.1]), np.diag([1.0, 0.1])])
    np.testing.assert_allclose(run(tf.linalg.pinv(x, rcond=[0.01, 0.5])), [np.diag([1.0, 10]), np.diag([1.0, 0])])


def test_the_gradient_of_pinv_of_a_singular_matrix_is_finite():
    x = tf.constant([[1.0, 0.0], [0.0, 0.0]])
    assert np.isfinite(run(tf.gradients(tf.linalg.pinv(x), x)[0])).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_rank(dtype):
    x = np.stack(
        [draw((4, r), dtype) @ draw((r, 3), dtype, seed=1) if r else np.zeros((4, 3), dtype) for r in range(4)]
    )
    rank = run(tf.linalg.matrix_rank(x))
    assert rank.dtype == np.int32 and rank.tolist() == [0, 1, 2, 3]
    assert run(tf.linalg.matrix_rank(np.diag([3.0, 2, 1]), tol=1.5)) == 2
    assert run(tf.linalg.matrix_rank(np.diag([3, 2, 0]))) == 2


def test_arguments_that_are_refused():
    for call in (tf.linalg.pinv, tf.linalg.matrix_rank):
        with pytest.raises(ValueError, match=r"Input `a` must have at least 2 dimensions \(saw: 1\)."):
            call(np.ones(3))
        with pytest.raises(TypeError, match=r"Input `a` must have `float`-like `dtype` \(saw string\)."):
            call([["a"]])
    with pytest.raises(TypeError, match=r"Input `a` must have `float`-like `dtype` \(saw int64\)."):
        tf.linalg.pinv(np.ones((2, 2), np.int64))


@pytest.mark.parametrize("dtype", DTYPES)
def test_slogdet(dtype):
    x = draw((3, 40, 40), dtype) * dtype(1e3)
    sign, log_abs = run(*tf.linalg.slogdet(x))
    expected = np.linalg.slogdet(x)
    close(sign, expected[0], dtype)
    close(log_abs, expected[1].astype(dtype), dtype)
    sign, log_abs = run(*tf.linalg.slogdet(np.zeros((2, 2), dtype)))
    assert sign == 0 and log_abs.real == -np.inf


def test_slogdet_of_an_element_whose_magnitude_overflows():
    x = np.diag(np.array([3e38 + 3e38j, 1], np.complex64))
    with tf.Session() as session:
        sign, logarithm = session.run(tf.linalg.slogdet(tf.constant(x)))
    np.testing.assert_allclose(sign, np.exp(0.25j * np.pi), rtol=1e-6)
    np.testing.assert_allclose(logarithm, np.log(3e38) + np.log(2) / 2, rtol=1e-6)
