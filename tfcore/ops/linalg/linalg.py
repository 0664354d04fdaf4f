"""Linear algebra on batches of square matrices: Cholesky, determinants, inverses, systems of equations."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.diag as diag
import tfcore.ops.cwise.cast as cast_ops
import tfcore.ops.cwise.complex as complex_ops
import tfcore.ops.linalg.matmul as products
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.join import unstack
from tfcore.ops.control_flow.cond import cond

_TYPES = "T: {half, float, double, complex64, complex128}"
_OLD_TYPES = "T: {double, float}"  # those of the deprecated Batch... ops


# ---- Shapes


def _square(dims):
    """The dims of a batch of square matrices; either size gives the other."""
    dims = shapes.with_rank_at_least(dims, 2)
    if dims is None:
        return None
    size = shapes.merge_dim(dims[-2], dims[-1])
    return (*dims[:-2], size, size)


def _square_shape(op):
    return [_square(op.inputs[0].dims)]


def _two_squares_shape(op):
    return [shapes.merge(*(_square(t.dims) for t in op.inputs))]


def _determinant_shape(op):
    dims = _square(op.inputs[0].dims)
    return [None if dims is None else dims[:-2]]


def _solve_shape(op):
    matrix, rhs = _square(op.inputs[0].dims), shapes.with_rank_at_least(op.inputs[1].dims, 2)
    if matrix is None or rhs is None:
        return [rhs]
    batch_and_rows = shapes.merge(matrix[:-1], rhs[:-1])
    return [(*batch_and_rows, rhs[-1])]


def _lu_shape(op):
    dims = _square(op.inputs[0].dims)
    return [dims, None if dims is None else dims[:-1]]


def _least_squares_shape(op):
    matrix, rhs = (shapes.with_rank_at_least(t.dims, 2) for t in op.inputs[:2])
    shapes.with_rank(op.inputs[2].dims, 0)
    if matrix is None or rhs is None:
        return [None]
    batch_and_rows = shapes.merge(matrix[:-1], rhs[:-1])
    return [(*batch_and_rows[:-1], matrix[-1], rhs[-1])]


# ---- Definitions. The Batch... ops are the first version's; they do the same.


def _define(name, shape, doc, inputs=("input: T",), attrs=(), old_types=_OLD_TYPES):
    output = ["output: T"]
    op = define_op(name, inputs=inputs, outputs=output, attrs=[*attrs, _TYPES], shape=shape, doc=doc)
    define_op(f"Batch{name}", inputs=inputs, outputs=output, attrs=[*attrs, old_types], shape=shape, doc=doc)
    return op


_ADJOINT = "adjoint: bool = false"
_SYSTEM = ("matrix: T", "rhs: T")

Cholesky = _define("Cholesky", _square_shape, "Lower triangular L with L L* = input; only its lower triangle is read.")
_CHOLESKY_GRAD_DOC = "Gradient of Cholesky: l is its output, grad the gradient with respect to it."
CholeskyGrad = define_op(
    "CholeskyGrad",
    inputs=["l: T", "grad: T"],
    outputs=["output: T"],
    attrs=["T: {half, float, double}"],
    shape=_two_squares_shape,
    doc=_CHOLESKY_GRAD_DOC,
)
define_op(
    "BatchCholeskyGrad",
    inputs=["l: T", "grad: T"],
    outputs=["output: T"],
    attrs=[_OLD_TYPES],
    shape=_two_squares_shape,
    doc=_CHOLESKY_GRAD_DOC,
)
MatrixDeterminant = _define(
    "MatrixDeterminant",
    _determinant_shape,
    "Determinants of matrices.",
    old_types="T: {float, double, complex64, complex128}",
)
LogMatrixDeterminant = define_op(
    "LogMatrixDeterminant",
    inputs=["input: T"],
    outputs=["sign: T", "log_abs_determinant: T"],
    attrs=[_TYPES],
    shape=lambda op: _determinant_shape(op) * 2,
    doc="Signs of determinants and logarithms of their magnitudes.",
)
MatrixInverse = _define("MatrixInverse", _square_shape, "Inverses of matrices, or of their adjoints.", attrs=[_ADJOINT])
MatrixSolve = _define(
    "MatrixSolve", _solve_shape, "x with matrix x = rhs, or adjoint(matrix) x = rhs.", _SYSTEM, [_ADJOINT]
)
MatrixTriangularSolve = _define(
    "MatrixTriangularSolve",
    _solve_shape,
    "x with matrix x = rhs; of the matrix only the lower (upper) triangle is read.",
    _SYSTEM,
    ["lower: bool = true", _ADJOINT],
)
Lu = define_op(
    "Lu",
    inputs=["input: T"],
    outputs=["lu: T", "p: output_idx_type"],
    attrs=["T: {double, float, half, complex64, complex128}", "output_idx_type: {int32, int64} = int32"],
    shape=_lu_shape,
    doc="Factors of matrices, and p with gather(input, p) = l u, where l is lower triangular with a diagonal of ones.",
)
_LEAST_SQUARES = {
    "inputs": ["matrix: T", "rhs: T", "l2_regularizer: double"],
    "outputs": ["output: T"],
    "shape": _least_squares_shape,
    "doc": "x for which the sum of squares of matrix x - rhs is least.",
}
MatrixSolveLs = define_op("MatrixSolveLs", attrs=[_TYPES, "fast: bool = true"], **_LEAST_SQUARES)
define_op("BatchMatrixSolveLs", attrs=[_OLD_TYPES, "fast: bool = true"], **_LEAST_SQUARES)
undefined_gradient("CholeskyGrad", "BatchCholeskyGrad", "Lu", "BatchMatrixSolveLs")


# ---- Gradients


@gradient("Cholesky", "BatchCholesky")
def _cholesky_grad(op, grad):
    l = op.outputs[0]
    middle = products.matmul(l, grad, adjoint_a=True)
    middle = diag.matrix_set_diag(middle, 0.5 * diag.matrix_diag_part(middle))
    middle = diag.matrix_band_part(middle, -1, 0)
    left = matrix_triangular_solve(l, middle, adjoint=True)
    # (left L^-1)* = L^-* left*
    result = matrix_triangular_solve(l, _adjoint(left), adjoint=True)
    return 0.5 * (result + _adjoint(result))


def _adjoint(a):
    return diag.matrix_transpose(a, conjugate=True)


@gradient("MatrixDeterminant", "BatchMatrixDeterminant")
def _determinant_grad(op, grad):
    a, det = op.inputs[0], op.outputs[0]
    factor = grad * complex_ops.conj(det)
    factor = array_ops.expand_dims(array_ops.expand_dims(factor, -1), -1)
    return factor * matrix_inverse(a, adjoint=True)


@gradient("LogMatrixDeterminant")
def _log_determinant_grad(op, _, grad):
    factor = array_ops.expand_dims(array_ops.expand_dims(grad, -1), -1)
    return factor * matrix_inverse(op.inputs[0], adjoint=True)


@gradient("MatrixInverse", "BatchMatrixInverse")
def _inverse_grad(op, grad):
    inverse = op.outputs[0]
    if op.get_attr("adjoint"):
        inner = products.matmul(inverse, grad, adjoint_b=True)
        return -products.matmul(inner, inverse)
    inner = products.matmul(grad, inverse, adjoint_b=True)
    return -products.matmul(inverse, inner, adjoint_a=True)


@gradient("MatrixSolve", "BatchMatrixSolve")
def _solve_grad(op, grad):
    matrix, solution, adjoint = op.inputs[0], op.outputs[0], op.get_attr("adjoint")
    grad_rhs = matrix_solve(matrix, grad, adjoint=not adjoint)
    return _matrix_grad(grad_rhs, solution, adjoint), grad_rhs


def _matrix_grad(grad_rhs, solution, adjoint):
    left, right = (solution, grad_rhs) if adjoint else (grad_rhs, solution)
    return -products.matmul(left, right, adjoint_b=True)


@gradient("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def _triangular_solve_grad(op, grad):
    matrix, solution = op.inputs[0], op.outputs[0]
    adjoint, lower = op.get_attr("adjoint"), op.get_attr("lower")
    grad_rhs = matrix_triangular_solve(matrix, grad, lower=lower, adjoint=not adjoint)
    grad_matrix = _matrix_grad(grad_rhs, solution, adjoint)
    return diag.matrix_band_part(grad_matrix, *((-1, 0) if lower else (0, -1))), grad_rhs


@gradient("MatrixSolveLs")
def _least_squares_grad(op, grad):
    matrix, rhs, l2 = op.inputs
    if not op.get_attr("fast"):
        raise ValueError("Gradient not defined for fast=False")
    m, n = (None, None) if matrix.dims is None else matrix.dims[-2:]
    if m is None or n is None:
        m, n = unstack(array_ops.shape(matrix)[-2:])
        return (*cond(m >= n, lambda: _tall_grad(op, grad), lambda: _wide_grad(op, grad)), None)
    return (*(_tall_grad(op, grad) if m >= n else _wide_grad(op, grad)), None)


def _gram_factor(matrix, l2, outer):
    """The Cholesky factor of adjoint(matrix) matrix + l2, or with `outer` of matrix adjoint(matrix) + l2."""
    gram = products.matmul(matrix, matrix, adjoint_a=not outer, adjoint_b=outer)
    return cholesky(diag.matrix_set_diag(gram, diag.matrix_diag_part(gram) + cast_ops.cast(l2, matrix.dtype)))


def _tall_grad(op, grad):
    (matrix, rhs, l2), solution = op.inputs, op.outputs[0]
    z = cholesky_solve(_gram_factor(matrix, l2, outer=False), grad)
    outer = products.matmul(solution, z, adjoint_b=True)
    grad_matrix = products.matmul(rhs, z, adjoint_b=True) - products.matmul(matrix, outer + _adjoint(outer))
    return grad_matrix, products.matmul(matrix, z)


def _wide_grad(op, grad):
    matrix, rhs, l2 = op.inputs
    factor = _gram_factor(matrix, l2, outer=True)
    grad_rhs = cholesky_solve(factor, products.matmul(matrix, grad))
    multipliers = cholesky_solve(factor, rhs)
    rest = grad - products.matmul(matrix, grad_rhs, adjoint_a=True)
    grad_matrix = products.matmul(multipliers, rest, adjoint_b=True)
    inner = products.matmul(multipliers, matrix, adjoint_a=True)
    return grad_matrix - products.matmul(grad_rhs, inner), grad_rhs


# ---- Public functions


@described(
    Cholesky,
    shapes={
        "input": "[..., n, n], symmetric (Hermitian) positive definite; only the lower triangle is read",
        "output": "[..., n, n], lower triangular",
    },
)
def cholesky(input, name=None):
    """The Cholesky factors of matrices: L with L adjoint(L) = input.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix is not positive definite.
    """
    return Cholesky(input, name=name)


def cholesky_solve(chol, rhs, name=None):
    """Solves A x = rhs, given the Cholesky factors of A.

    Args:
      chol: A `Tensor` of shape [..., n, n], the Cholesky factors of A as `cholesky` returns them.
      rhs: A `Tensor` of the type of `chol` and shape [..., n, k].
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of the type of `chol` and shape [..., n, k].

    Raises:
      ValueError: The static shapes don't fit together.
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: At run time, a factor is singular.

    Example:

    >>> chol = tf.cholesky([[4.0, 0.0], [0.0, 9.0]])
    >>> print(sess.run(tf.cholesky_solve(chol, [[8.0], [9.0]])))
    [[2.]
     [1.]]
    """
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        chol = convert_to_tensor(chol)
        y = matrix_triangular_solve(chol, rhs)
        return matrix_triangular_solve(chol, y, adjoint=True)


@described(
    MatrixDeterminant,
    shapes={
        "input": "[..., n, n]",
        "output": "[...]",
    },
)
def matrix_determinant(input, name=None):
    """The determinants of matrices."""
    return MatrixDeterminant(input, name=name)


@described(
    MatrixInverse,
    example="""
>>> print(sess.run(tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]])))
[[0.5  0.  ]
 [0.   0.25]]
""",
    shapes={
        "input": "[..., n, n]",
        "output": "[..., n, n]",
    },
)
def matrix_inverse(input, adjoint=False, name=None):
    """The inverses of matrices, or of their adjoints.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix is singular.
    """
    return MatrixInverse(input, adjoint=adjoint, name=name)


@described(
    MatrixSolve,
    example="""
>>> print(sess.run(tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]])))
[[1. ]
 [0.5]]
""",
    shapes={
        "matrix": "[..., n, n]",
        "rhs": "[..., n, k]",
        "output": "[..., n, k]",
    },
)
def matrix_solve(matrix, rhs, adjoint=False, name=None):
    """Solves matrix x = rhs, or with `adjoint` adjoint(matrix) x = rhs.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix is singular.
    """
    return MatrixSolve(matrix, rhs, adjoint=adjoint, name=name)


@described(
    MatrixTriangularSolve,
    shapes={
        "matrix": "[..., n, n]; only the lower (or upper) triangle is read",
        "rhs": "[..., n, k]",
        "output": "[..., n, k]",
    },
)
def matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """Solves matrix x = rhs for triangular matrices, by substitution.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix is singular.
    """
    return MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """Solves least-squares problems: x for which the sum of squares of matrix x - rhs is least.

    Args:
      matrix: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., m, n].
      rhs: A `Tensor` of the type of `matrix` and shape [..., m, k].
      l2_regularizer: A number; this times the sum of squares of x is added to what is made small.
      fast: Whether to solve the normal equations by Cholesky's method, which loses accuracy if a matrix is
        ill-conditioned. Otherwise a complete orthogonal decomposition gives the shortest solution also for matrices
        without full rank; `l2_regularizer` is ignored then, and there is no gradient.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `matrix` and shape [..., n, k].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, `fast` is True and a matrix does not have full rank.

    Example:

    >>> x = tf.matrix_solve_ls([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [[3.0], [4.0], [5.0]])
    >>> print(sess.run(x))
    [[3.]
     [2.]]
    """
    return MatrixSolveLs(matrix, rhs, l2_regularizer, fast=fast, name=name)


def lu(input, output_idx_type=dtypes.int32, name=None):  # noqa: A002  named as in TensorFlow
    """The LU decompositions of matrices with partial pivoting.

    Args:
      input: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      output_idx_type: The type of `p`, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      lu of the shape of `input`, which has l below its diagonal and u on and above it; and p of shape [..., n], a
      permutation: row i of matmul(l, u) is row p[i] of `input`, where l has a diagonal of ones.

    Raises:
      ValueError: The matrices are known not to be square.
      tf.errors.InvalidArgumentError: At run time, a matrix is singular.

    Example:

    >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> print(*sess.run([lu, p]), sep="\\n")
    [[4.   4.  ]
     [0.25 1.  ]]
    [1 0]
    """
    return Lu(input, output_idx_type=output_idx_type, name=name)


def slogdet(input, name=None):  # noqa: A002  named as in TensorFlow
    """The signs of the determinants of matrices, and the logarithms of their magnitudes, which do not overflow.

    Args:
      input: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      name: Name of the operation (optional).

    Returns:
      sign and log_abs_determinant of the type of `input` and shape [...]; the determinant is sign *
      exp(log_abs_determinant). Of a singular matrix they are 0 and -inf.

    Raises:
      ValueError: The matrices are known not to be square.

    Example:

    >>> sign, log_abs = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> print(*sess.run([sign, log_abs]))
    -1.0 0.0
    """
    return LogMatrixDeterminant(input, name=name)
