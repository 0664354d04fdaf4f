"""Tridiagonal matrices, beside NumPy's dense ones."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.composed.test_linalg import matrices, run
from tfcore.testing import evaluate


def tridiagonal(seed, *shape):
    full = matrices(seed, *shape)
    return np.triu(np.tril(full, 1), -1)


def in_formats(full):
    """The diagonals in each format; 7 is not used."""
    zero = np.zeros([*full.shape[:-2], 1])
    above, main, below = (np.diagonal(full, k, -2, -1) for k in (1, 0, -1))
    diagonals = [np.concatenate([above, zero + 7], -1), main, np.concatenate([zero + 7, below], -1)]
    return [("compact", np.stack(diagonals, -2)), ("sequence", diagonals), ("matrix", full)]


@given(st.integers(0, 99), st.integers(2, 5), st.integers(1, 3))
def test_tridiagonal_matmul(seed, m, n):
    full, rhs = tridiagonal(seed, 2, m, m), matrices(seed + 1, 2, m, n)
    for kind, diagonals in in_formats(full):
        got = run(lambda kind=kind, diagonals=diagonals: tf.linalg.tridiagonal_matmul(diagonals, rhs, kind))
        np.testing.assert_allclose(got, full @ rhs, atol=1e-12)


@given(st.integers(0, 99), st.integers(2, 6), st.integers(1, 3))
def test_tridiagonal_solve(seed, m, n):
    full, rhs = tridiagonal(seed, 2, m, m), matrices(seed + 1, 2, m, n)
    want = np.linalg.solve(full, rhs)
    near = {"rtol": 1e-9 * np.linalg.cond(full).max(), "atol": 1e-9}
    for kind, diagonals in in_formats(full):
        got = run(lambda kind=kind, diagonals=diagonals: tf.linalg.tridiagonal_solve(diagonals, rhs, kind))
        np.testing.assert_allclose(got, want, **near)
    compact = in_formats(full)[0][1]
    got = run(lambda: tf.linalg.tridiagonal_solve(compact, rhs[..., 0]))
    np.testing.assert_allclose(got, want[..., 0], **near)
    turned = np.conj(rhs.swapaxes(1, 2) * (1 + 1j))
    got = run(lambda: tf.linalg.tridiagonal_solve(compact + 0j, turned, transpose_rhs=True, conjugate_rhs=True))
    np.testing.assert_allclose(got, want * (1 + 1j), **near)
    short = [np.diagonal(full[0], k) for k in (1, 0, -1)]
    got = run(lambda: tf.linalg.tridiagonal_solve(short, rhs[0], "sequence", perturb_singular=True))
    np.testing.assert_allclose(got, want[0], **near)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_singular_matrices(dtype):
    singular = np.array([[1, 1, 7], [0, 0, 0], [7, 1, 1]], dtype)
    other = np.array([[1, 1, 7], [2, 2, 2], [7, 1, 1]], dtype)
    both, rhs = np.stack([singular, other]), np.arange(12, dtype=dtype).reshape(2, 3, 2)
    for pivoting in (True, False):
        got = evaluate("TridiagonalSolve", both, rhs, partial_pivoting=pivoting)
        assert np.isnan(got[0]).all() and np.isfinite(got[1]).all()
    got = evaluate("TridiagonalSolve", both, rhs, perturb_singular=True)
    assert np.isfinite(got).all() and np.abs(got[0]).max() > 1e5
    zero = evaluate("TridiagonalSolve", np.zeros((3, 1), dtype), np.ones((1, 1), dtype))
    assert np.isnan(zero).all()
    tiny = np.finfo(dtype).tiny.astype(dtype)
    got = evaluate("TridiagonalSolve", np.full((3, 1), tiny / 4), np.full((1, 1), tiny), perturb_singular=True)
    np.testing.assert_allclose(got, 4)
    none = [np.zeros((rows, 1), dtype) for rows in (3, 1)]
    assert evaluate("TridiagonalSolve", *none, perturb_singular=True) == 0


def test_wrong_diagonals():
    rhs = np.ones([3, 1])
    for function in (tf.linalg.tridiagonal_matmul, tf.linalg.tridiagonal_solve):
        with pytest.raises(ValueError, match="Unrecognized diagonals_format: other"):
            function(np.ones([3, 3]), rhs, "other")
        with pytest.raises(ValueError, match="Expected 3 diagonals got 2"):
            function(np.ones([2, 3]), rhs)
        with pytest.raises(ValueError, match="sequence of length 3"):
            function([np.ones(3)], rhs, "sequence")
        with pytest.raises(ValueError, match="last two dimensions of diagonals to be same, got 2 and 3"):
            function(np.ones([3, 2]), rhs, "matrix")
        with pytest.raises(ValueError, match="superdiagonal to be have length 3 or 2, got 5"):
            function([np.ones(5), np.ones(3), np.ones(3)], rhs, "sequence")


def test_systems_that_do_not_fit():
    solve = tf.linalg.tridiagonal_solve
    with pytest.raises(ValueError, match="partial_pivoting must be True if perturb_singular is"):
        solve(np.ones([3, 3]), np.ones(3), partial_pivoting=False, perturb_singular=True)
    with pytest.raises(ValueError, match="Expected the rank of rhs to be 1 or 2, got 3"):
        solve(np.ones([3, 3]), np.ones([1, 3, 1]))
    with pytest.raises(ValueError, match="right-hand sides to be equal, got 3 and 4"):
        solve(np.ones([3, 3]), np.ones(4))
    with pytest.raises(ValueError, match=r"Batch shapes \(2,\) and \(5,\) are incompatible"):
        solve(np.ones([2, 3, 3]), np.ones([5, 3, 1]))


def test_kernels_check_shapes():
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        solution = tf.raw_ops.TridiagonalSolve(diagonals=a, rhs=b)
        product = tf.raw_ops.TridiagonalMatMul(superdiag=a, maindiag=a, subdiag=a, rhs=b)
        for op, shapes, words in (
            (solution, [(3,), (1, 1)], "Input tensor 0 must have rank >= 2, got 1"),
            (solution, [(1, 3, 3), (3, 3)], "All input tensors must have the same rank"),
            (solution, [(1, 3, 3), (2, 3, 3)], "All input tensors must have the same outer dimensions"),
            (solution, [(2, 3), (3, 1)], "as a matrix with 3 rows, got 2 rows"),
            (solution, [(3, 3), (2, 1)], "left-hand sides and right-hand sides, got 3 and 2"),
            (product, [(1, 3), (2, 1)], "Invalid superdiagonal shape"),
            (product, [(2, 3), (3, 1)], "Invalid superdiagonal shape"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                sess.run(op, {a: np.ones(shapes[0]), b: np.ones(shapes[1])})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Setting perturb_singular requires"):
            sess.run(
                tf.raw_ops.TridiagonalSolve(
                    diagonals=tf.ones([3, 2]), rhs=tf.ones([2, 1]), partial_pivoting=False, perturb_singular=True
                )
            )


@given(st.integers(0, 99), st.integers(1, 7))
def test_eigh_tridiagonal(seed, n):
    alpha, beta = matrices(seed, n), matrices(seed + 1, n - 1)
    values, vectors = run(lambda: tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False))
    want = scipy.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=True)
    full = np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1)
    np.testing.assert_allclose(values, want, atol=1e-12)
    np.testing.assert_allclose(full @ vectors, vectors * values, atol=1e-12)
    phases = np.exp(1j * matrices(seed + 2, n - 1))
    got = run(lambda: tf.linalg.eigh_tridiagonal(alpha + 1j, beta * phases))  # the imaginary part is not used
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_selected_eigenvalues():
    alpha, beta = matrices(1, 6), matrices(2, 5)
    want = scipy.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=True)
    eigh = tf.linalg.eigh_tridiagonal
    some, vectors = run(lambda: eigh(alpha, beta, eigvals_only=False, select="i", select_range=(1, 3)))
    np.testing.assert_allclose(some, want[1:4], atol=1e-12)
    assert vectors.shape == (6, 3)
    inside = run(lambda: eigh(alpha, beta, select="v", select_range=(want[1] + 1e-9, want[4] + 1e-9)))
    np.testing.assert_allclose(inside, want[2:5], atol=1e-12)
    for select, span, words in (("i", (3, 2), "Got empty index range"), ("v", (1.0, 1.0), "Got empty interval")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            run(lambda select=select, span=span: eigh(alpha, beta, select=select, select_range=span))
    with pytest.raises(ValueError, match="must have a value in"):
        eigh(alpha, beta, select="x")
    with pytest.raises(ValueError, match="'alpha' and 'beta' must have the same type"):
        eigh(alpha, beta.astype(np.float32))
