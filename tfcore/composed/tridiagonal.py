"""Tridiagonal matrices: products, systems of equations, eigenvalues."""

from tfcore.framework.graph.default_graph import control_dependencies
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, identity, squeeze
from tfcore.ops.array.diag import matrix_diag, matrix_diag_part, matrix_transpose
from tfcore.ops.array.join import stack
from tfcore.ops.array.move import pad
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import logical_and
from tfcore.ops.cwise.complex import conj, real
from tfcore.ops.debugging.check import assert_less, assert_less_equal
from tfcore.ops.linalg.decompositions import self_adjoint_eig, self_adjoint_eigvals
from tfcore.ops.linalg.tridiagonal import TridiagonalMatMul, TridiagonalSolve

DIAGONALS_FORMATS = ("compact", "sequence", "matrix")


def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """The product of tridiagonal matrices, given by their diagonals, with matrices.

    Args:
      diagonals: With the format "compact" a `Tensor` of shape [..., 3, m]: the diagonals above, on and below the main
        one; the last element of the first and the first of the last are not used. "sequence": a list of the
        three. "matrix": a `Tensor` of shape [..., m, m], whose other elements are not used.
      rhs: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., m, n].
      diagonals_format: "compact", "sequence" or "matrix".
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of shape [..., m, n].

    Raises:
      ValueError: The format is another, or `diagonals` does not fit it.
    """
    with name_scope(name, "tridiagonal_matmul"):
        rows = [expand_dims(d, -2) for d in diagonals_of(diagonals, diagonals_format)]
        return TridiagonalMatMul(*rows, convert_to_tensor(rhs, name="rhs"))


def tridiagonal_solve(
    diagonals,
    rhs,
    diagonals_format="compact",
    transpose_rhs=False,
    conjugate_rhs=False,
    name=None,
    partial_pivoting=True,
    perturb_singular=False,
):
    """Solves systems of equations with tridiagonal matrices, given by their diagonals.

    Args:
      diagonals: With the format "compact" a `Tensor` of shape [..., 3, m]: the diagonals above, on and below the main
        one; the last element of the first and the first of the last are not used. "sequence": a list of the
        three, of which those outside may have m - 1 elements. "matrix": a `Tensor` of shape [..., m, m], whose other
        elements are not used.
      rhs: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., m] or [..., m, k].
      diagonals_format: "compact", "sequence" or "matrix".
      transpose_rhs: Whether `rhs` has the shape [..., k, m]; without effect if it has the shape [..., m].
      conjugate_rhs: Whether to conjugate `rhs` first.
      name: Prefix of the names of the operations (optional).
      partial_pivoting: Whether to exchange rows, which is stable for every regular matrix. Matrices with a dominant
        diagonal, and positive definite ones, need none.
      perturb_singular: Whether to move pivots that are almost 0, so that solutions are finite for singular matrices,
        too.

    Returns:
      A `Tensor` of the shape of `rhs` (of its transpose, if `transpose_rhs`); NaN where the matrix is singular.

    Raises:
      ValueError: The format is another, an argument does not fit it, or `perturb_singular` is given without
        `partial_pivoting`.

    Example:

    >>> print(sess.run(tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [4.0, 5.0])))
    [1. 2.]
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    with name_scope(name, "tridiagonal_solve"):
        given = stack(diagonals_of(diagonals, diagonals_format), -2)
        rhs = convert_to_tensor(rhs, name="rhs")
        is_vector = _check_ranks(given, rhs)
        if is_vector:
            rhs = expand_dims(conj(rhs) if conjugate_rhs else rhs, -1)
        elif transpose_rhs:
            rhs = matrix_transpose(rhs, conjugate=conjugate_rhs)
        elif conjugate_rhs:
            rhs = conj(rhs)
        if None not in (given.dims, rhs.dims) and None not in (rows := (given.dims[-1], rhs.dims[-2])):
            if rows[0] != rows[1]:
                raise ValueError(
                    f"Expected number of left-hand sided and right-hand sides to be equal, got {rows[0]} and {rows[1]}"
                )
        solution = TridiagonalSolve(given, rhs, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular)
        return squeeze(solution, [-1]) if is_vector else solution


def _check_ranks(diagonals, rhs):
    """Whether the right-hand sides are vectors; unless ranks are known, they are matrices."""
    if diagonals.dims is None or rhs.dims is None:
        return False
    rank = len(diagonals.dims)
    if len(rhs.dims) not in (rank - 1, rank):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {len(rhs.dims)}")
    if not diagonals.shape[:-2].is_compatible_with(rhs.shape[: rank - 2]):
        raise ValueError(f"Batch shapes {diagonals.shape[:-2]} and {rhs.shape[: rank - 2]} are incompatible")
    return len(rhs.dims) == rank - 1


def diagonals_of(diagonals, kind):
    """The diagonals above, on and below the main one, each of shape [..., m]."""
    if kind not in DIAGONALS_FORMATS:
        raise ValueError(f"Unrecognized diagonals_format: {kind}")
    if kind == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (convert_to_tensor(d) for d in diagonals)
        return [_padded(above, main, "superdiagonal", [0, 1]), main, _padded(below, main, "subdiagonal", [1, 0])]
    diagonals = convert_to_tensor(diagonals, name="diagonals")
    dims = diagonals.dims
    if dims is not None and len(dims) < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {len(dims)}")
    if kind == "compact":
        if dims is not None and dims[-2] not in (3, None):
            raise ValueError(f"Expected 3 diagonals got {dims[-2]}")
        return [diagonals[..., i, :] for i in range(3)]
    if dims is None:
        raise ValueError("The rank of diagonals must be known.")
    if None not in dims[-2:] and dims[-2] != dims[-1]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {dims[-1]} and {dims[-2]}")
    above, below = matrix_diag_part(diagonals[..., :-1, 1:]), matrix_diag_part(diagonals[..., 1:, :-1])
    return [_pad(above, [0, 1]), matrix_diag_part(diagonals), _pad(below, [1, 0])]


def _padded(diagonal, main, name, places):
    """A diagonal outside the main one with as many elements."""
    if diagonal.dims is None or main.dims is None:
        return diagonal
    if not diagonal.shape[:-1].is_compatible_with(main.shape[:-1]):
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape, except for the last dimension, got"
            f" {diagonal.shape} and {main.shape}"
        )
    m, n = main.dims[-1], diagonal.dims[-1]
    if None in (m, n) or m == n:
        return diagonal
    if n == m - 1:
        return _pad(diagonal, places)
    raise ValueError(f"Expected {name} to be have length {m} or {m - 1}, got {n}.")


def _pad(diagonal, places):
    return pad(diagonal, [*[[0, 0]] * (len(diagonal.dims) - 1), places])


def eigh_tridiagonal(alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None):
    """The eigenvalues of a self-adjoint tridiagonal matrix.

    They are those of the dense matrix, so that time grows with n ** 3 and memory with n ** 2.

    Args:
      alpha: A `Tensor` of type float32, float64, complex64 or complex128 and shape [n]: the diagonal, of which
        imaginary parts are not used.
      beta: A `Tensor` of the type of `alpha` and shape [n - 1]: the diagonal above the main one.
      eigvals_only: Whether to return no eigenvectors.
      select: Which eigenvalues: "a": all, "v": those in the interval (min, max] of `select_range`, "i": those with
        indices min <= i <= max.
      select_range: A pair (min, max), not used if `select` is "a".
      tol: Not used: all eigenvalues have full precision.
      name: Prefix of the names of the operations (optional).

    Returns:
      Real eigenvalues in ascending order; unless `eigvals_only`, a pair of them and of the eigenvectors, in columns.

    Raises:
      ValueError: The types differ, or `select` is another string.
      tf.errors.InvalidArgumentError: When run: the range is empty.

    Example:

    >>> print(sess.run(tf.linalg.eigh_tridiagonal([0.0, 0.0], [2.0])))
    [-2.  2.]
    """
    if select not in ("a", "v", "i"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    with name_scope(name, "eigh_tridiagonal", [alpha, beta]):
        alpha, beta = convert_to_tensor(alpha, name="alpha"), convert_to_tensor(beta, name="beta")
        if alpha.dtype != beta.dtype:
            raise ValueError("'alpha' and 'beta' must have the same type.")
        below = conj(beta) if beta.dtype.is_complex else beta
        matrix = matrix_diag(alpha) + pad(matrix_diag(below), [[1, 0], [0, 1]])  # only the lower triangle is read
        if alpha.dtype.is_complex:
            matrix -= matrix_diag(alpha - cast(real(alpha), alpha.dtype))
        values, vectors = (self_adjoint_eigvals(matrix), None) if eigvals_only else self_adjoint_eig(matrix)
        values = real(values) if values.dtype.is_complex else values
        values, vectors = _select(values, vectors, select, select_range)
        return values if eigvals_only else (values, vectors)


def _select(values, vectors, select, select_range):
    if select == "a":
        return values, vectors
    low, high = select_range
    check, words = (assert_less_equal, "index range") if select == "i" else (assert_less, "interval")
    with control_dependencies([check(low, high, message=f"Got empty {words} in select_range.")]):
        values = identity(values)
    if select == "i":
        return values[low : high + 1], None if vectors is None else vectors[:, low : high + 1]
    inside = logical_and(values > low, values <= high)
    return boolean_mask(values, inside), None if vectors is None else boolean_mask(vectors, inside, axis=1)
