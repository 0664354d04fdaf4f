"""Records of linear algebra, on matrices that are far from singular."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _batch(draw, case):
    """(batch dims, size of the matrices)"""
    n = draw(st.sampled_from([0, 1, 2, 3, 4] if case.smooth else [0, 1, 2, 3, 4, 5, 8, 13, 17]))
    return draw(st.sampled_from([(), (1,), (3,), (2, 2), (0,)])), n


def _regular(draw, case, batch, n):
    x = draw(case.array((*batch, n, n), domain=(-1, 1), special=False))
    return (x + (n + 1) * np.eye(n)).astype(x.dtype)


def _matrix(draw, case):
    return [_regular(draw, case, *_batch(draw, case))]


def _inverse_inputs(draw, case):
    return _matrix(draw, case), {"adjoint": draw(st.booleans())}


def _system(draw, case):
    batch, n = _batch(draw, case)
    rhs = draw(case.array((*batch, n, draw(st.sampled_from([0, 1, 2, 5, 9]))), domain=(-4, 4), special=False))
    return [_regular(draw, case, batch, n), rhs], {"adjoint": draw(st.booleans())}


def _triangular_system(draw, case):
    inputs, attrs = _system(draw, case)
    return inputs, {**attrs, "lower": draw(st.booleans())}


def _positive(draw, case):
    """Its upper triangle is never read."""
    (x,) = _matrix(draw, case)
    return [x if x.dtype.kind != "c" else _real_diagonal(x)]


def _real_diagonal(x):
    i = np.arange(x.shape[-1])
    x = x.copy()
    x[..., i, i] = x[..., i, i].real
    return x


def _hermitian(x):
    lower = np.tril(x)
    return lower + np.conj(np.swapaxes(np.tril(x, -1), -1, -2))


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def _cholesky(x):
    return np.linalg.cholesky(_hermitian(x))


def _build_cholesky(op):
    """Of a matrix that is Hermitian whatever the input: only then is the gradient a derivative."""

    def build(tensors, attrs):
        import tfcore as tf

        x = tensors[0]
        return getattr(tf.raw_ops, op)(input=x + tf.linalg.matrix_transpose(x, conjugate=True))

    return build


def _cholesky_grad(l, g):
    middle = np.tril(_adjoint(l) @ np.tril(g))
    i = np.arange(l.shape[-1])
    middle[..., i, i] /= 2
    inverse = np.linalg.inv(l)
    s = _adjoint(inverse) @ middle @ inverse
    return (s + _adjoint(s)) / 2


def _factor_and_gradient(draw, case):
    (x,) = _matrix(draw, case)
    return [np.tril(x), draw(case.array(x.shape, domain=(-2, 2), special=False))]


def _slogdet(x):
    return list(np.linalg.slogdet(x))


def _slogdet_scale(x):
    return [1 + np.abs(y) for y in _slogdet(x)]


def _inverse(x, adjoint):
    return np.linalg.inv(_adjoint(x) if adjoint else x)


def _solve(a, b, adjoint):
    return np.linalg.solve(_adjoint(a) if adjoint else a, b)


def _triangular_solve(a, b, adjoint, lower):
    return _solve(np.tril(a) if lower else np.triu(a), b, adjoint)


def _largest(reference):
    """The largest magnitude in each matrix of the result: what the rounding of its elements is proportional to."""

    def scale(*inputs, **attrs):
        y = np.abs(reference(*inputs, **attrs))
        return np.broadcast_to(np.max(y, axis=(-2, -1), keepdims=True, initial=0), y.shape)

    return scale


def _both(name, reference, inputs, **options):
    options = {"scale": _largest(reference), "ulps": 40, **options}
    return [OpRecord(op, reference, inputs, **options) for op in (name, f"Batch{name}")]


_TEST = "tests/ops/linalg/test_least_squares.py"
EXPLICIT = {
    "MatrixSolveLs": f"{_TEST}::test_least_squares",
    "BatchMatrixSolveLs": f"{_TEST}::test_least_squares",
    "Lu": f"{_TEST}::test_lu",
}
RECORDS = [
    *_both("Cholesky", _cholesky, _positive, gradient=0),
    *(
        OpRecord(
            op,
            lambda x: _cholesky(x + _adjoint(x)),
            _matrix,
            build=_build_cholesky(op),
            ulps=40,
            scale=_largest(lambda x: _cholesky(x + _adjoint(x))),
            types={"T": ("double", "complex128")},
        )
        for op in ("Cholesky", "BatchCholesky")
    ),
    *_both("CholeskyGrad", _cholesky_grad, _factor_and_gradient),
    *_both("MatrixDeterminant", np.linalg.det, _matrix, scale=None, ulps=300),
    *(  # the gradient is that of the logarithm only, but the sign of a complex determinant changes smoothly
        OpRecord("LogMatrixDeterminant", _slogdet, _matrix, ulps=300, scale=_slogdet_scale, types={"T": types}, **more)
        for types, more in ((("float", "double"), {}), (("complex64", "complex128"), {"gradient": 0}))
    ),
    *_both("MatrixInverse", _inverse, _inverse_inputs),
    *_both("MatrixSolve", _solve, _system),
    *_both("MatrixTriangularSolve", _triangular_solve, _triangular_system),
]
