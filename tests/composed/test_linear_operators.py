"""Linear operators: each kind beside its dense matrix in NumPy."""

import numpy as np
import pytest
import scipy.linalg

import tfcore as tf

L = tf.linalg
N = 4


class Draw:
    """Arrays, and tensors of them, whose sizes are known when the graph is built, or only in a run."""

    def __init__(self, dtype, static, batch):
        self.rng, self.dtype, self.static, self.batch = np.random.RandomState(7), dtype, static, batch

    def array(self, *shape, batch=None):
        shape = (*(self.batch if batch is None else batch), *shape)
        x = np.asarray(self.rng.randn(*shape))
        return np.asarray(x + 1j * self.rng.randn(*shape) if np.dtype(self.dtype).kind == "c" else x).astype(self.dtype)

    def tensor(self, x):
        x = np.asarray(x)
        return tf.constant(x) if self.static else tf.placeholder_with_default(x, [None] * x.ndim)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def regular(d, n=N):
    return d.array(n, n) + 4 * np.eye(n, dtype=d.dtype)


def positive(d, n=N):
    a = d.array(n, n)
    return a @ adjoint(a) + np.eye(n, dtype=d.dtype)


def diagonal(a):
    return a[..., None] * np.eye(a.shape[-1])


def identity(d):
    rows, batch = (N, d.batch) if d.static else (tf.placeholder_with_default(N, []), d.tensor(np.int32(d.batch)))
    return L.LinearOperatorIdentity(rows, batch, d.dtype), np.broadcast_to(np.eye(N), (*d.batch, N, N))


def zeros(d):
    rows, batch = (N, d.batch) if d.static else (tf.placeholder_with_default(N, []), d.tensor(np.int32(d.batch)))
    return L.LinearOperatorZeros(rows, batch_shape=batch, dtype=d.dtype), np.zeros((*d.batch, N, N))


def scaled_identity(d):
    factor = d.array()
    return L.LinearOperatorScaledIdentity(N, d.tensor(factor)), np.asarray(factor)[..., None, None] * np.eye(N)


def diag(d):
    a = d.array(N)
    return L.LinearOperatorDiag(d.tensor(a)), diagonal(a)


def positive_diag(d):
    a = np.abs(d.array(N)).astype(d.dtype)
    return L.LinearOperatorDiag(d.tensor(a), is_positive_definite=True, is_self_adjoint=True), diagonal(a)


def full_matrix(d):
    a = regular(d)
    return L.LinearOperatorFullMatrix(d.tensor(a)), a


def positive_matrix(d):
    a = positive(d)
    return L.LinearOperatorFullMatrix(d.tensor(a), is_positive_definite=True, is_self_adjoint=True), a


def lower_triangular(d):
    a = regular(d)
    return L.LinearOperatorLowerTriangular(d.tensor(a)), np.tril(a)


def low_rank_update(d):
    base, u, v, c = regular(d), d.array(N, 2), d.array(N, 2, batch=()), d.array(2, batch=())
    operator = L.LinearOperatorLowRankUpdate(
        L.LinearOperatorFullMatrix(d.tensor(base)), d.tensor(u), d.tensor(c), d.tensor(v)
    )
    return operator, base + u @ diagonal(c) @ adjoint(v)


def positive_update(d):
    base, u = positive_diag(d), d.array(N, 2)
    return L.LinearOperatorLowRankUpdate(base[0], d.tensor(u), is_self_adjoint=True), base[1] + u @ adjoint(u)


def composition(d):
    (a, x), (b, y) = full_matrix(d), diag(d)
    return L.LinearOperatorComposition([a, b]), x @ y


def gram(d):
    a, x = lower_triangular(d)
    return a @ a.adjoint(), x @ adjoint(x)


def inversion(d):
    a, x = full_matrix(d)
    return L.LinearOperatorInversion(a), np.linalg.inv(x)


def adjoint_operator(d):
    a, x = lower_triangular(d)
    return L.LinearOperatorAdjoint(a), adjoint(x)


def block_diag(d):
    a, b = regular(d, 3), positive(d, 1)
    blocks = [L.LinearOperatorFullMatrix(d.tensor(x), is_square=True) for x in (a, b)]
    dense = np.zeros((*d.batch, N, N), d.dtype)
    dense[..., :3, :3], dense[..., 3:, 3:] = a, b
    return L.LinearOperatorBlockDiag(blocks), dense


def block_lower_triangular(d):
    a, b, c = regular(d, 3), d.array(1, 3), regular(d, 1)
    first, second, third = (L.LinearOperatorFullMatrix(d.tensor(x)) for x in (a, b, c))
    dense = np.zeros((*d.batch, N, N), d.dtype)
    dense[..., :3, :3], dense[..., 3:, :3], dense[..., 3:, 3:] = a, b, c
    return L.LinearOperatorBlockLowerTriangular([[first], [second, third]]), dense


def kronecker(d):
    a, b = regular(d, 2), np.random.RandomState(1).randn(2, 2).astype(d.dtype) + 3 * np.eye(2, dtype=d.dtype)
    factors = [L.LinearOperatorFullMatrix(d.tensor(x), is_square=True) for x in (a, b)]
    dense = (a[..., :, None, :, None] * b[:, None, :]).reshape(*d.batch, N, N)
    return L.LinearOperatorKronecker(factors), dense


def circulant_of(kind, *sizes):
    def make(d):
        spectrum = d.array(*sizes) + 3
        axes = tuple(range(-len(sizes), 0))
        units = np.eye(N).reshape(N, *sizes)
        values = np.expand_dims(spectrum, -len(sizes) - 1) * np.fft.fftn(units, axes=axes)
        columns = np.fft.ifftn(values, axes=axes).reshape(*d.batch, N, N)
        return kind(d.tensor(spectrum), np.complex128), np.swapaxes(columns, -1, -2)

    return make


def householder(d):
    v = d.array(N)
    v1 = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return L.LinearOperatorHouseholder(d.tensor(v)), np.eye(N) - 2 * v1[..., :, None] * np.conj(v1[..., None, :])


def permutation(d):
    perm = np.argsort(d.rng.rand(*d.batch, N), axis=-1)
    return L.LinearOperatorPermutation(d.tensor(perm), d.dtype), np.eye(N)[perm]


def toeplitz(d):
    col, row = d.array(N), d.array(N)
    col[..., 0] = row[..., 0] = 5
    flat = zip(col.reshape(-1, N), row.reshape(-1, N))
    dense = np.stack([scipy.linalg.toeplitz(c, r) for c, r in flat]).reshape(*d.batch, N, N)
    return L.LinearOperatorToeplitz(d.tensor(col), d.tensor(row)), dense


def tridiag(d):
    a = regular(d)
    return L.LinearOperatorTridiag(d.tensor(a), "matrix"), np.triu(np.tril(a, 1), -1)


KINDS = {
    f.__name__: f
    for f in (
        identity, zeros, scaled_identity, diag, positive_diag, full_matrix, positive_matrix, lower_triangular,
        low_rank_update, positive_update, composition, gram, inversion, adjoint_operator, block_diag,
        block_lower_triangular, kronecker, householder, permutation, toeplitz, tridiag,
    )
}  # fmt: skip
KINDS["circulant"] = circulant_of(L.LinearOperatorCirculant, 4)
KINDS["circulant_2d"] = circulant_of(L.LinearOperatorCirculant2D, 2, 2)
KINDS["circulant_3d"] = circulant_of(L.LinearOperatorCirculant3D, 2, 1, 2)
SINGULAR = {"zeros"}


def expected_and_found(operator, a, d):
    """What the methods give, and what NumPy does."""
    complex_type = operator.dtype.as_numpy_dtype
    x, v = d.array(N, 3, batch=()).astype(complex_type), d.array(N, batch=()).astype(complex_type)
    many = d.array(N, 3, batch=(2, *d.batch)).astype(complex_type)
    results = {
        "to_dense": (operator.to_dense(), a),
        "matmul": (operator.matmul(d.tensor(x)), a @ x),
        "matmul of more batches": (operator.matmul(d.tensor(many)), a @ many),
        "matmul, adjoint": (operator.matmul(d.tensor(x), adjoint=True), adjoint(a) @ x),
        "matmul, adjoint_arg": (operator.matmul(d.tensor(adjoint(x)), adjoint_arg=True), a @ x),
        "matvec": (operator.matvec(d.tensor(v)), a @ v),
        "matvec, adjoint": (operator.matvec(d.tensor(v), adjoint=True), adjoint(a) @ v),
        "diag_part": (operator.diag_part(), np.diagonal(a, axis1=-2, axis2=-1)),
        "trace": (operator.trace(), np.trace(a, axis1=-2, axis2=-1)),
        "determinant": (operator.determinant(), np.linalg.det(a)),
        "add_to_tensor": (operator.add_to_tensor(d.tensor(a.astype(complex_type))), 2 * a),
        "adjoint": (operator.adjoint().to_dense(), adjoint(a)),
        "shape": (operator.shape_tensor(), a.shape),
        "batch_shape": (operator.batch_shape_tensor(), d.batch),
        "rank": (operator.tensor_rank_tensor(), a.ndim),
        "rows": (operator.range_dimension_tensor(), N),
        "columns": (operator.domain_dimension_tensor(), N),
        "a product": ((operator @ operator).to_dense(), a @ a),
    }
    return results, (x, v, many)


def add_solutions(results, operator, a, d, arguments):
    x, v, many = arguments
    inverse = np.linalg.inv(a)
    results |= {
        "solve": (operator.solve(d.tensor(x)), inverse @ x),
        "solve of more batches": (operator.solve(d.tensor(many)), inverse @ many),
        "solve, adjoint": (operator.solve(d.tensor(x), adjoint=True), adjoint(inverse) @ x),
        "solve, adjoint_arg": (operator.solve(d.tensor(adjoint(x)), adjoint_arg=True), inverse @ x),
        "solvevec": (operator.solvevec(d.tensor(v)), inverse @ v),
        "log_abs_determinant": (operator.log_abs_determinant(), np.linalg.slogdet(a)[1]),
        "inverse": (operator.inverse().to_dense(), inverse),
        "a solution": (
            operator.solve(L.LinearOperatorFullMatrix(d.tensor(adjoint(a)))).to_dense(),
            inverse @ adjoint(a),
        ),
        "cond": (operator.cond(), np.linalg.cond(a)),
    }


@pytest.mark.parametrize("batch, dtype, static", [((), np.float64, True), ((2, 3), np.complex128, False)])
@pytest.mark.parametrize("kind", KINDS)
def test_methods(kind, batch, dtype, static):
    with tf.Graph().as_default(), tf.Session() as sess:
        d = Draw(dtype, static, batch)
        operator, a = KINDS[kind](d)
        a = a.astype(operator.dtype.as_numpy_dtype)
        results, arguments = expected_and_found(operator, a, d)
        if kind not in SINGULAR:
            add_solutions(results, operator, a, d, arguments)
        if kind == "lower_triangular":  # eigenvalues are not singular values
            del results["cond"]
        if operator.is_self_adjoint:
            found = operator.eigvals()
            results["eigvals"] = (tf.sort(tf.real(found)), np.sort(np.linalg.eigvalsh(a)))
        if operator.is_self_adjoint and operator.is_positive_definite:
            results["cholesky"] = (operator.cholesky().to_dense(), np.linalg.cholesky(a))
        values = sess.run({name: found for name, (found, _) in results.items()})
        if static:
            assert operator.shape.as_list() == list(a.shape)
            assert (operator @ operator).shape.as_list() == list(a.shape)
    for name, (_, want) in results.items():
        np.testing.assert_allclose(values[name], want, atol=1e-9, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - SINGULAR))
def test_assertions_hold(kind):
    with tf.Graph().as_default(), tf.Session() as sess:
        operator, a = KINDS[kind](Draw(np.float64, True, ()))
        sess.run(operator.assert_non_singular())
        if np.allclose(a, adjoint(a)):
            sess.run(operator.assert_self_adjoint())
            if operator.is_self_adjoint and np.linalg.eigvalsh(a).min() > 0:
                sess.run(operator.assert_positive_definite())
        elif kind not in ("kronecker", "circulant_2d", "circulant_3d"):
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(operator.assert_self_adjoint())


def test_assertions_fail():
    zero = np.zeros(2)
    failing = [
        lambda: L.LinearOperatorDiag(zero).assert_non_singular(),
        lambda: L.LinearOperatorDiag(zero).assert_positive_definite(),
        lambda: L.LinearOperatorDiag([1j, 1]).assert_self_adjoint(),
        lambda: L.LinearOperatorScaledIdentity(2, 0.0).assert_non_singular(),
        lambda: L.LinearOperatorScaledIdentity(2, -1.0).assert_positive_definite(),
        lambda: L.LinearOperatorFullMatrix(np.ones((2, 2))).assert_non_singular(),
        lambda: L.LinearOperatorFullMatrix(np.ones((2, 2)), is_self_adjoint=True).assert_positive_definite(),
        lambda: L.LinearOperatorLowerTriangular(np.diag(zero)).assert_non_singular(),
        lambda: L.LinearOperatorCirculant(zero).assert_non_singular(),
        lambda: L.LinearOperatorCirculant(-np.ones(2)).assert_positive_definite(),
        lambda: L.LinearOperatorCirculant([1j, 1]).assert_self_adjoint(),
        lambda: L.LinearOperatorCirculant([1j, 1, 3]).assert_hermitian_spectrum(),
        lambda: L.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).assert_self_adjoint(),
        lambda: L.LinearOperatorTridiag(np.arange(6.0).reshape(3, 2)).assert_self_adjoint(),
        lambda: L.LinearOperatorZeros(2).assert_non_singular(),
        lambda: L.LinearOperatorZeros(2).assert_positive_definite(),
        lambda: L.LinearOperatorHouseholder([1.0, 2.0]).assert_positive_definite(),
    ]
    with tf.Graph().as_default(), tf.Session() as sess:
        for make in failing:
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(make())
        with pytest.raises(NotImplementedError, match="assert_positive_definite is not implemented"):
            L.LinearOperatorFullMatrix(np.ones((2, 2))).assert_positive_definite()


def test_kinds_of_results():
    with tf.Graph().as_default():
        d = Draw(np.float64, True, ())
        made = {name: KINDS[name](d)[0] for name in KINDS}
        for a, b, kind in (
            ("diag", "diag", L.LinearOperatorDiag),
            ("diag", "scaled_identity", L.LinearOperatorDiag),
            ("scaled_identity", "diag", L.LinearOperatorDiag),
            ("scaled_identity", "scaled_identity", L.LinearOperatorScaledIdentity),
            ("diag", "lower_triangular", L.LinearOperatorLowerTriangular),
            ("lower_triangular", "lower_triangular", L.LinearOperatorLowerTriangular),
            ("identity", "toeplitz", L.LinearOperatorToeplitz),
            ("toeplitz", "identity", L.LinearOperatorToeplitz),
            ("toeplitz", "zeros", L.LinearOperatorZeros),
            ("zeros", "toeplitz", L.LinearOperatorZeros),
            ("circulant", "circulant", L.LinearOperatorCirculant),
            ("block_diag", "block_diag", L.LinearOperatorBlockDiag),
            ("kronecker", "kronecker", L.LinearOperatorKronecker),
            ("toeplitz", "diag", L.LinearOperatorComposition),
        ):
            assert type(made[a] @ made[b]) is kind, (a, b)
        for name, kind in (
            ("diag", L.LinearOperatorDiag),
            ("scaled_identity", L.LinearOperatorScaledIdentity),
            ("block_diag", L.LinearOperatorBlockDiag),
            ("block_lower_triangular", L.LinearOperatorBlockLowerTriangular),
            ("kronecker", L.LinearOperatorKronecker),
            ("circulant_2d", L.LinearOperatorCirculant2D),
            ("householder", L.LinearOperatorHouseholder),
            ("full_matrix", L.LinearOperatorInversion),
        ):
            assert type(made[name].inverse()) is kind, name
        inverse = made["full_matrix"].inverse()
        assert inverse.inverse() is made["full_matrix"] and inverse.is_non_singular is None
        assert made["full_matrix"].adjoint().adjoint() is made["full_matrix"]
        assert made["diag"].adjoint() is made["diag"]  # real diagonals are self-adjoint
        assert type(made["gram"]) is L.LinearOperatorComposition and made["gram"].is_self_adjoint
        assert made["full_matrix"].H.to_dense().shape == (N, N)


def test_hints_that_contradict():
    square = np.eye(2)
    whole = L.LinearOperatorFullMatrix
    for make, words in (
        (lambda: whole(square, is_positive_definite=True, is_non_singular=False), "is always non-singular"),
        (lambda: whole(square, is_non_singular=True, is_square=False), "non-singular matrix is always square"),
        (lambda: whole(square, is_self_adjoint=True, is_square=False), "self-adjoint matrix is always square"),
        (lambda: whole(square, is_square=False).is_square, "User set is_square hint to False"),
        (lambda: L.LinearOperatorDiag([1.0], is_self_adjoint=False), "real diagonal operator is always self adjoint"),
        (lambda: L.LinearOperatorDiag([1.0], is_square=False), "Only square diagonal operators"),
        (lambda: L.LinearOperatorIdentity(2, is_non_singular=False), "identity operator is always non-singular"),
        (lambda: L.LinearOperatorIdentity(-2), "num_rows must be non-negative"),
        (lambda: L.LinearOperatorIdentity([2]), "num_rows must be a 0-D Tensor"),
        (lambda: L.LinearOperatorIdentity(2, batch_shape=[-1]), "batch_shape must be non-negative"),
        (lambda: L.LinearOperatorZeros(2, is_non_singular=True), "zero operator is always singular"),
        (lambda: L.LinearOperatorZeros(2, 3), r"got num_rows\(2\) != num_columns\(3\)"),
        (lambda: L.LinearOperatorPermutation([0, 0]), "unique integers from 0 to 1"),
        (lambda: L.LinearOperatorPermutation([0, 1], is_non_singular=False), "always non-singular"),
        (lambda: L.LinearOperatorHouseholder([1.0], is_positive_definite=True), "always non-positive definite"),
        (lambda: L.LinearOperatorToeplitz([1.0], [1.0, 2.0]), "mismatched dimensions"),
        (lambda: L.LinearOperatorTridiag(square, "other"), "must be one of compact, matrix, or sequence"),
        (lambda: L.LinearOperatorCirculant([1.0], is_self_adjoint=False), "real spectrum always"),
        (lambda: L.LinearOperatorCirculant2D([1.0]), "must have at least 2 dimensions"),
        (lambda: L.LinearOperatorComposition([]), "Expected a non-empty list of operators"),
        (lambda: L.LinearOperatorComposition([whole(square), whole(np.eye(3))]), "are not compatible"),
        (lambda: L.LinearOperatorInversion(whole(np.ones((2, 3)))), "must have supplied hint `is_square`"),
        (
            lambda: L.LinearOperatorAdjoint(whole(square, is_self_adjoint=True), is_self_adjoint=False),
            "An operator is self-adjoint if and only if its adjoint is self-adjoint",
        ),
        (lambda: L.LinearOperatorBlockLowerTriangular([[whole(square)] * 2]), "must contain `1` blocks"),
        (
            lambda: L.LinearOperatorBlockLowerTriangular([[whole(square)], [whole(np.ones((2, 3))), whole(square)]]),
            r"operators\[1\]\[0\].domain_dimension` \(3\) must be the same as `operators\[0\]\[0\]",
        ),
        (lambda: L.LinearOperatorLowRankUpdate(whole(square), np.ones((3, 1))), "are not compatible"),
        (lambda: whole(square).cholesky(), "Not a positive definite self adjoint matrix"),
        (lambda: whole(np.ones((2, 3))).inverse(), "non square matrix"),
        (lambda: whole(square).matmul(whole(np.eye(3))), "Operators are incompatible"),
        (lambda: whole(square).matmul(np.ones((3, 1))), "are not compatible"),
    ):
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            make()
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="same dtype"):
            L.LinearOperatorKronecker([whole(square), whole(square.astype(np.float32))])
        with pytest.raises(TypeError, match="Expected argument to have dtype"):
            whole(square).matmul(tf.ones([2, 1]))
        with pytest.raises(NotImplementedError, match="expected to be singular"):
            L.LinearOperatorZeros(2).solve(np.ones((2, 1), np.float32))
        with pytest.raises(NotImplementedError, match="expected to not be square"):
            whole(np.ones((2, 3))).determinant()
        with pytest.raises(NotImplementedError, match="Only self-adjoint matrices are supported"):
            whole(square).eigvals()


@pytest.mark.parametrize("kind", ["block_diag", "block_lower_triangular"])
def test_blocks_as_lists(kind):
    d = Draw(np.float64, True, (2,))
    with tf.Graph().as_default(), tf.Session() as sess:
        operator, a = KINDS[kind](d)
        x = d.array(N, 2)
        blocks = [tf.constant(x[:, :3]), tf.constant(x[:, 3:])]
        vectors = [b[..., 0] for b in blocks]
        turned = [tf.linalg.adjoint(b) for b in blocks]
        for found, want in (
            (operator.matmul(blocks), a @ x),
            (operator.matmul(turned, adjoint=True, adjoint_arg=True), adjoint(a) @ x),
            (operator.solve(blocks), np.linalg.solve(a, x)),
            (operator.solve(blocks, adjoint=True), np.linalg.solve(adjoint(a), x)),
        ):
            assert isinstance(found, list)
            np.testing.assert_allclose(np.concatenate(sess.run(found), 1), want, atol=1e-10)
        for found, want in (
            (operator.matvec(vectors), a @ x[..., :1]),
            (operator.solvevec(vectors), np.linalg.solve(a, x[..., :1])),
        ):
            np.testing.assert_allclose(np.concatenate(sess.run(found), 1), want[..., 0], atol=1e-10)


def test_matrices_that_are_not_square():
    d = Draw(np.float64, True, (2,))
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = d.array(3, 2), d.array(2, 4)
        first, second = L.LinearOperatorFullMatrix(a), L.LinearOperatorFullMatrix(b)
        product = first @ second
        assert product.shape == (2, 3, 4) and product.is_square is False and product.is_non_singular is False
        x = d.array(3, 4)
        pairs = [
            (product.to_dense(), a @ b),
            (product.adjoint().to_dense(), adjoint(a @ b)),
            (L.LinearOperatorKronecker([first, second]).to_dense(), np.stack([np.kron(*p) for p in zip(a, b)])),
            (L.LinearOperatorBlockDiag([first, second], is_square=None).to_dense()[:, 3:, 2:], b),
            (
                L.LinearOperatorZeros(3, 4, is_square=False, dtype=np.float64).matmul(x.swapaxes(1, 2)),
                np.zeros((2, 3, 3)),
            ),
            (first[1].to_dense(), a[1]),
            (first[..., tf.newaxis].to_dense(), a[:, None]),
            (first.cond(), np.linalg.cond(a)),
        ]
        for found, want in pairs:
            np.testing.assert_allclose(sess.run(found), want, atol=1e-12)


@pytest.mark.parametrize("kind", ["toeplitz", "low_rank_update", "kronecker", "householder", "tridiag"])
def test_gradients(kind):
    """Of a solution, with respect to the right-hand side and to what the operator is made of."""
    with tf.Graph().as_default(), tf.Session() as sess:
        operator, a = KINDS[kind](Draw(np.float64, True, ()))
        x = tf.constant(np.random.RandomState(2).randn(N, 2))
        slope = sess.run(tf.gradients(operator.matmul(x), x)[0])
        np.testing.assert_allclose(slope, a.T @ np.ones((N, 2)), atol=1e-10)
        given = [v for v in operator.parameters.values() if isinstance(v, tf.Tensor)]
        for v in given or [operator.operators[0].matrix]:
            loss = lambda s, v=v: tf.reduce_sum(s)  # noqa: E731
            found = sess.run(tf.gradients(loss(operator.matmul(x)), v)[0])
            again = sess.run(tf.gradients(loss(operator.to_dense() @ x), v)[0])
            np.testing.assert_allclose(found, again, atol=1e-9)


class Shift(L.LinearOperator):
    """A kind that a program defines."""

    def __init__(self, n):
        self.n = n
        super().__init__(tf.float64, is_non_singular=True)

    def _shape(self):
        return tf.TensorShape([self.n, self.n])

    def _shape_tensor(self):
        return tf.constant([self.n, self.n])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = tf.linalg.adjoint(x) if adjoint_arg else x
        return tf.roll(x, -1 if adjoint else 1, axis=-2)


def test_kinds_of_programs():
    with tf.Graph().as_default(), tf.Session() as sess:
        shift, a, x = Shift(3), np.roll(np.eye(3), 1, 0), np.arange(6.0).reshape(3, 2)
        for found, want in (
            (shift.matmul(x), a @ x),
            (shift.solve(x), a.T @ x),
            (shift.adjoint().matmul(x), a.T @ x),
            (shift.inverse().matmul(x), a.T @ x),
            (shift.determinant(), 1),
            (shift.log_abs_determinant(), 0),
            (shift.trace(), 0),
            ((shift @ shift @ shift).to_dense(), np.eye(3)),
            (shift.cond(), 1),
        ):
            np.testing.assert_allclose(sess.run(found), want, atol=1e-12)
        sess.run(shift.assert_non_singular())
        assert shift.is_square and shift.name == "Shift" and shift.parameters == {} and shift.graph_parents == []


@pytest.mark.parametrize("kind", ["BlockDiag", "Composition", "Kronecker"])
def test_an_iterator_of_operators(kind):
    """Nothing is known of these matrices, which differ from their adjoints."""
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    with tf.Graph().as_default(), tf.Session() as sess:
        of_kind = getattr(L, f"LinearOperator{kind}")
        given, expected = (
            of_kind(make(L.LinearOperatorFullMatrix, [a, a + 5])) for make in (map, lambda *p: [*map(*p)])
        )
        assert given.is_non_singular is given.is_self_adjoint is given.is_positive_definite is None
        assert given.name == expected.name
        np.testing.assert_array_equal(*sess.run([given.to_dense(), expected.to_dense()]))
        solutions = [o.solve(tf.eye(expected.shape[0].value, dtype=tf.float64)) for o in (given, expected)]
        np.testing.assert_allclose(*sess.run(solutions))


def test_infinite_diagonals():
    with tf.Graph().as_default(), tf.Session() as sess:
        total = sess.run(L.LinearOperatorDiag([np.inf, 1.0]).add_to_tensor(tf.ones([3, 2, 2])))
    np.testing.assert_array_equal(total, np.broadcast_to([[np.inf, 1.0], [1.0, 2.0]], (3, 2, 2)))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.complex64])
def test_permutations_of_many_rows(dtype):
    """More than some types can count."""
    perm = np.stack([np.roll(np.arange(3000), 1), np.arange(3000)[::-1]])
    x = np.tile([[0.0], [1.0], [2.0]], (1000, 1))
    with tf.Graph().as_default(), tf.Session() as sess:
        operator, argument = L.LinearOperatorPermutation(perm, dtype), tf.cast(tf.constant(x), dtype)
        moved = [operator.matmul(argument), operator.matmul(argument, adjoint=True)]
        moved, back = sess.run([tf.cast(y, tf.float32) for y in moved])
    np.testing.assert_array_equal(moved, x[perm])
    np.testing.assert_array_equal(back, x[np.argsort(perm, -1)])


@pytest.mark.parametrize("adjoint", [False, True])
def test_permutations_of_unknown_rank(adjoint):
    perm, x = np.array([[2, 0, 1], [1, 2, 0]]), np.arange(6.0).reshape(3, 2)
    order = np.argsort(perm, -1) if adjoint else perm
    with tf.Graph().as_default(), tf.Session() as sess:
        for shapes in ((None, None), ([2, 3], None), (None, [3, 2])):
            p, y = tf.placeholder(tf.int64, shapes[0]), tf.placeholder(tf.float64, shapes[1])
            product = L.LinearOperatorPermutation(p, tf.float64).matmul(y, adjoint=adjoint)
            np.testing.assert_array_equal(sess.run(product, {p: perm, y: x}), x[order])


def test_the_cholesky_factor_of_a_complex_product():
    a = np.array([[2j, 0.0], [1 - 1j, -3 + 4j]])
    with tf.Graph().as_default(), tf.Session() as sess:
        left = L.LinearOperatorLowerTriangular(a, is_non_singular=True)
        product = L.LinearOperatorComposition([left, left.H])
        factor = sess.run(product.cholesky().to_dense())
    np.testing.assert_allclose(factor, np.linalg.cholesky(a @ adjoint(a)), atol=1e-14)


def test_wide_integers_as_sizes():
    with tf.Graph().as_default(), tf.Session() as sess:
        rows, batch = tf.placeholder(tf.int64, []), tf.placeholder(tf.int64, [1])
        operators = [
            L.LinearOperatorIdentity(rows, batch),
            L.LinearOperatorIdentity(rows),
            L.LinearOperatorScaledIdentity(rows, 2.0),
            L.LinearOperatorZeros(rows, batch_shape=batch),
        ]
        shapes = sess.run([o.shape_tensor() for o in operators], {rows: 3, batch: [2]})
        assert [s.tolist() for s in shapes] == [[2, 3, 3], [3, 3], [3, 3], [2, 3, 3]]
        assert sess.run(operators[0].to_dense(), {rows: 3, batch: [2]}).shape == (2, 3, 3)


def test_shapes_of_kronecker_products():
    with tf.Graph().as_default():
        a, b = (L.LinearOperatorFullMatrix(np.ones(s)) for s in ((5, 2, 3), (4, 6)))
        operator = L.LinearOperatorKronecker([a, b])
        wide, high = tf.zeros([18, 7], tf.float64), tf.zeros([8, 7], tf.float64)
        assert operator.matmul(wide).shape.as_list() == [5, 8, 7]
        assert operator.matmul(high, adjoint=True).shape.as_list() == [5, 18, 7]
        assert operator.matmul(tf.zeros([7, 18], tf.float64), adjoint_arg=True).shape.as_list() == [5, 8, 7]
        square = L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(np.eye(n)) for n in (2, 3)])
        for flag in (False, True):
            solution = square.solve(tf.placeholder(tf.float64, [5, 6, None]), adjoint=flag)
            assert solution.shape.as_list() == [5, 6, None]
        assert square.matmul(tf.placeholder(tf.float64)).shape.ndims is None
