"""Decompositions of matrices. References are products of the factors, and NumPy's spectra."""

import os

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_levels, evaluate

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(1, 1), (3, 3), (6, 3), (3, 6), (2, 4, 3), (2, 2, 3, 4), (0, 3, 2), (2, 0, 3), (3, 0), (0, 0), (90, 5, 5)]
SQUARES = [(1, 1), (4, 4), (0, 0), (3, 7, 7), (0, 2, 2), (90, 5, 5)]


def draw(shape, dtype=np.float64, seed=0):
    rng = np.random.default_rng([seed, *shape])
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def hermitian(x):
    return (x + adjoint(x)) / 2


def close(x, y, dtype):
    assert x.shape == y.shape
    np.testing.assert_allclose(x, y, atol=(20 if dtype == np.float16 else 500) * np.finfo(dtype).eps)


def orthonormal(q, dtype):
    close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])), dtype)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_svd(shape, dtype):
    x, p = draw(shape, dtype), min(shape[-2:])
    for op in ("Svd", "BatchSvd"):
        for full in (False, True):
            s, u, v = evaluate(op, x, full_matrices=full)
            assert s.dtype == dtype and u.shape[-1] == (shape[-2] if full else p)
            assert v.shape == (*shape[:-2], shape[-1], shape[-1] if full else p)
            orthonormal(u, dtype)
            orthonormal(v, dtype)
            close(u[..., :p] * s[..., None, :] @ adjoint(v[..., :p]), x, dtype)
            close(s, np.linalg.svd(x, compute_uv=False).astype(dtype), dtype)
        s, u, v = evaluate(op, x, compute_uv=False)
        close(s, np.linalg.svd(x, compute_uv=False).astype(dtype), dtype)
        assert u.shape == v.shape == (0,)


@pytest.mark.parametrize("dtype", [np.float16, *TYPES])
@pytest.mark.parametrize("shape", [*SHAPES, (70, 40), (40, 70), (2, 33, 33), (17, 90)])
def test_qr(shape, dtype):
    x = draw(shape, dtype)
    wide = np.result_type(dtype, np.float32)
    for full in (False, True):
        columns = shape[-2] if full else min(shape[-2:])
        for level in cpu_levels():
            q, r = evaluate("Qr", x, full_matrices=full, at_levels=[level])
            assert q.dtype == dtype and q.shape == (*shape[:-1], columns)
            orthonormal(q.astype(wide), dtype)
            close(q.astype(wide) @ r, x, dtype)
            assert not np.tril(r, -1).any()


def test_qr_does_not_depend_on_threads():
    x = tf.constant(draw((200, 150)))
    values = []
    for threads in (1, 4):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Session(config=config) as session:
            values.append(session.run(tf.qr(x)))
    for one, other in zip(*values):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARES)
def test_self_adjoint_eig(shape, dtype):
    x = hermitian(draw(shape, dtype))
    garbage = np.tril(x) + np.triu(np.full_like(x, np.nan), 1)  # is not read
    batch = ["BatchSelfAdjointEigV2"] if np.dtype(dtype).kind == "f" else []
    for op in ("SelfAdjointEigV2", *batch):
        e, v = evaluate(op, garbage)
        orthonormal(v, dtype)
        close(v * e[..., None, :] @ adjoint(v), x, dtype)
        assert e.dtype == dtype and (np.diff(e.real) >= 0).all()
        only_e, none = evaluate(op, garbage, compute_v=False)
        close(only_e, e, dtype)
        assert none.shape == (0,)
    if batch:
        for op in ("SelfAdjointEig", "BatchSelfAdjointEig"):
            both = evaluate(op, garbage)
            np.testing.assert_array_equal(both, np.concatenate([e[..., None, :], v], -2))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SQUARES)
def test_eig(shape, dtype):
    x = draw(shape, dtype)
    with tf.Session() as session:
        e, v, only_e = session.run([*tf.linalg.eig(x), tf.linalg.eigvals(x)])
    assert e.dtype == v.dtype == np.result_type(dtype, np.complex64)
    close(x @ v, v * e[..., None, :], dtype)
    np.testing.assert_allclose(np.linalg.norm(v, axis=-2), np.ones(shape[:-1]), rtol=1e-5)
    close(np.sort_complex(only_e), np.sort_complex(e), dtype)


def test_the_range_of_numbers():
    for scale in (1e-300, 1e300):
        x = draw((4, 4)) * scale
        np.testing.assert_allclose(evaluate("Svd", x)[0], np.linalg.svd(x / scale)[1] * scale)
        q, r = evaluate("Qr", x)
        np.testing.assert_allclose(q @ (r / scale), x / scale)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite(bad):
    """Only its own matrix suffers."""
    x = draw((3, 2, 2))
    x[1, 0, 0] = bad
    for op in ("Svd", "Qr"):
        factors = evaluate(op, x)
        good = evaluate(op, x[[0, 2]])
        assert all(np.isnan(f[1]).any() for f in factors)
        for f, g in zip(factors, good):
            np.testing.assert_allclose(f[[0, 2]], g)
    assert np.isnan(evaluate("Svd", x)[1][1]).all()
    text = "igen decomposition was not successful. The input might not be valid."
    for op, attrs in (("SelfAdjointEigV2", {}), ("SelfAdjointEig", {}), ("Eig", {"Tout": tf.complex128})):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            evaluate(op, x, **attrs)


def test_shapes():
    x = tf.placeholder(tf.float32, [None, 4, 3])
    assert [t.shape.as_list() for t in tf.raw_ops.Svd(input=x)] == [[None, 3], [None, 4, 3], [None, 3, 3]]
    assert [t.shape.as_list() for t in tf.raw_ops.Svd(input=x, full_matrices=True)][1:] == [[None, 4, 4], [None, 3, 3]]
    assert [t.shape.as_list() for t in tf.linalg.qr(x, full_matrices=True)] == [[None, 4, 4], [None, 4, 3]]
    y = tf.placeholder(tf.complex64, [5, None, 3])
    assert [t.shape.as_list() for t in tf.linalg.eigh(y)] == [[5, 3], [5, 3, 3]]
    assert tf.linalg.eigh(y)[0].dtype == tf.linalg.eigvalsh(y).dtype == tf.complex64
    assert tf.svd(y)[0].dtype == tf.svd(y, compute_uv=False).dtype == tf.float32
    for call in (tf.svd, tf.qr, tf.self_adjoint_eig):
        with pytest.raises(ValueError, match="must be at least rank 2 but is rank 1"):
            call(tf.zeros([3]))
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 4 and 3"):
        tf.self_adjoint_eigvals(x)


def test_shapes_that_are_refused_at_run_time():
    x = tf.placeholder(tf.float64)
    with tf.Session() as session:
        for call in (tf.svd, tf.qr, tf.self_adjoint_eig, tf.linalg.eig):
            with pytest.raises(tf.errors.InvalidArgumentError, match="tensor 0 must have rank >= 2, got 1"):
                session.run(call(x), {x: np.zeros(3)})
        for call in (tf.self_adjoint_eig, tf.linalg.eig):
            with pytest.raises(tf.errors.InvalidArgumentError, match="must be square. It has 2 rows and 3 columns."):
                session.run(call(x), {x: np.zeros((2, 3))})


# ---- Gradients


def check_gradient(function, x, tolerance=2e-6):
    """Of a function of a matrix that does not depend on the choice of signs or phases."""
    tensor = tf.placeholder(tf.as_dtype(x.dtype), x.shape)
    y = function(tensor)
    weights = np.random.default_rng(1).standard_normal(y.shape.as_list())
    loss = tf.reduce_sum(y * weights)
    grad = tf.gradients(loss, tensor)[0]
    with tf.Session() as session:
        got = session.run(grad, {tensor: x})
        loss_at = session.make_callable(loss, [tensor])
        expected = numeric_gradient(loss_at, x)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def numeric_gradient(f, x, step=1e-5):
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        for direction in (1, 1j) if x.dtype.kind == "c" else (1,):
            change = np.zeros_like(x)
            change[i] = step * direction
            out[i] += direction * (f(x + change) - f(x - change)) / (2 * step)
    return out


def magnitudes(*tensors):
    """Of products of them, so that signs and phases do not matter."""
    return tf.concat([tf.reshape(tf.real(t), [-1]) for t in tensors], 0)


def times_adjoint(u, weights):
    return tf.matmul(u * weights, u, adjoint_b=True)


def _weights(n, dtype):
    return np.arange(1, n + 1).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 3, 4)])
def test_gradients_of_svd(shape, dtype):
    def thin(x):
        s, u, v = tf.svd(x)
        p = s.shape[-1].value
        w = _weights(p, dtype)
        return magnitudes(
            tf.cast(s, u.dtype), times_adjoint(u, w), times_adjoint(v, w), tf.matmul(u * w, v, adjoint_b=True)
        )

    check_gradient(thin, draw(shape, dtype))
    check_gradient(lambda x: tf.svd(x, compute_uv=False), draw(shape, dtype))


def test_svd_of_a_full_matrix_has_a_gradient_if_it_is_nearly_square():
    def full(x):
        s, u, v = tf.svd(x, full_matrices=True)
        return magnitudes(s, *(times_adjoint(t, _weights(t.shape[-1].value, np.float64)) for t in (u, v)))

    for shape in ((3, 3), (4, 3), (3, 4)):
        check_gradient(full, draw(shape))
    with pytest.raises(NotImplementedError, match=r"abs\(m - n\) > 1 when full_matrices is True"):
        check_gradient(full, draw((5, 3)))
    x = tf.placeholder(tf.float64, [None, 3])
    with pytest.raises(NotImplementedError, match="unknown inner matrix shape"):
        tf.gradients(tf.svd(x)[1], x)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 3, 4)])
def test_gradients_of_qr(shape, dtype):
    check_gradient(lambda x: magnitudes(*tf.qr(x)), draw(shape, dtype))


def test_gradients_of_full_qr():
    check_gradient(lambda x: magnitudes(*tf.qr(x, full_matrices=True)), draw((3, 4)))
    x = tf.constant(draw((4, 3)))
    with pytest.raises(NotImplementedError, match="not implemented when nrows > ncols and full_matrices is true"):
        tf.gradients(tf.qr(x, full_matrices=True)[0], x)
    x = tf.placeholder(tf.float64, [3, None])
    with pytest.raises(NotImplementedError, match="QrGrad not implemented with dynamic shapes"):
        tf.gradients(tf.qr(x)[0], x)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3)])
def test_gradients_of_self_adjoint_eig(shape, dtype):
    def both(x):
        x = (x + tf.linalg.adjoint(x)) / 2
        e, v = tf.self_adjoint_eig(x)
        return magnitudes(tf.cast(e, v.dtype), times_adjoint(v, _weights(shape[-1], dtype)))

    check_gradient(both, draw(shape, dtype))
    check_gradient(lambda x: tf.real(tf.self_adjoint_eigvals(x + tf.linalg.adjoint(x))), draw(shape, dtype))


@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3)])
def test_gradients_of_eig(shape):
    """Of a symmetric function of the eigenvalues: their order does not matter."""

    def function(x):
        e, v = tf.linalg.eig(x)
        return magnitudes(tf.reduce_sum(e * e * e, -1), tf.matmul(v * tf.exp(e)[..., None, :], tf.linalg.inv(v)))

    check_gradient(function, draw(shape))
    check_gradient(lambda x: tf.real(tf.reduce_sum(tf.linalg.eigvals(x) ** 3, -1)), draw(shape))


def test_equal_values_have_a_finite_gradient():
    x = tf.constant(np.eye(3))
    grads = [tf.gradients(t, x)[0] for t in (*tf.svd(x), *tf.self_adjoint_eig(x))]
    with tf.Session() as session:
        assert all(np.isfinite(g).all() for g in session.run(grads))


def test_the_threads_of_numpy_are_as_before():
    """Also in a child that is forked while a decomposition runs."""
    x = draw((200, 200))
    before = np.linalg.svd(x, compute_uv=False)
    evaluate("Svd", x)
    pid = os.fork()
    if pid == 0:
        ok = False
        try:
            ok = np.allclose(np.linalg.svd(x, compute_uv=False), before)
        finally:
            os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0
