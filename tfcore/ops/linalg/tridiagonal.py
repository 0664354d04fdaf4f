"""Products and systems of equations with tridiagonal matrices, given by their diagonals.

Of the diagonals above, on and below the main one, each of n elements, the last element of the first and the first of
the last are not used.
"""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.diag as diag
import tfcore.ops.cwise.complex as complex_ops
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.join import concat, stack

_TYPES = "T: {double, float, complex64, complex128}"


def _solve_shape(op):
    diagonals, rhs = (shapes.with_rank_at_least(t.dims, 2) for t in op.inputs)
    if diagonals is None or rhs is None:
        return [rhs]
    shapes.merge_dim(diagonals[-2], 3)
    return [(*shapes.merge((*diagonals[:-2], diagonals[-1]), rhs[:-1]), rhs[-1])]


def _matmul_shape(op):
    *diagonals, rhs = (shapes.with_rank_at_least(t.dims, 2) for t in op.inputs)
    for dims in diagonals:
        if dims is not None:
            shapes.merge_dim(dims[-2], 1)
        if dims is not None and rhs is not None:
            rhs = (*shapes.merge((*dims[:-2], dims[-1]), rhs[:-1]), rhs[-1])
    return [rhs]


TridiagonalSolve = define_op(
    "TridiagonalSolve",
    inputs=["diagonals: T", "rhs: T"],
    outputs=["output: T"],
    attrs=["partial_pivoting: bool = true", "perturb_singular: bool = false", _TYPES],
    shape=_solve_shape,
    doc="x with a x = rhs for tridiagonal matrices a, given by their diagonals; NaN where a is singular.",
)
TridiagonalMatMul = define_op(
    "TridiagonalMatMul",
    inputs=["superdiag: T", "maindiag: T", "subdiag: T", "rhs: T"],
    outputs=["output: T"],
    attrs=[_TYPES],
    shape=_matmul_shape,
    doc="Products of tridiagonal matrices, given by their diagonals, with matrices.",
)


# ---- Gradients


def _later(x):
    """Row i + 1 of x in row i; 0 in the last."""
    return concat([x[..., 1:, :], zeros_like(x[..., :1, :])], -2)


def _earlier(x):
    """Row i - 1 of x in row i; 0 in the first."""
    return concat([zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)


def _diagonals_of_product(x, y):
    """The three diagonals of matmul(x, adjoint(y))."""
    return [reduce_ops.reduce_sum(x * complex_ops.conj(z), -1) for z in (_later(y), y, _earlier(y))]


@gradient("TridiagonalSolve")
def _solve_grad(op, grad):
    columns = complex_ops.conj(diag.matrix_transpose(op.inputs[0]))  # [..., n, 3]
    above, main, below = (columns[..., i : i + 1] for i in range(3))
    adjoint = diag.matrix_transpose(concat([_later(below), main, _earlier(above)], -1))
    names = ("partial_pivoting", "perturb_singular")
    grad_rhs = TridiagonalSolve(adjoint, grad, **{name: op.get_attr(name) for name in names})
    return -stack(_diagonals_of_product(grad_rhs, op.outputs[0]), -2), grad_rhs


@gradient("TridiagonalMatMul")
def _matmul_grad(op, grad):
    above, main, below = (diag.matrix_transpose(d, conjugate=True) for d in op.inputs[:3])
    grad_rhs = _earlier(above * grad) + main * grad + _later(below * grad)
    return [*(array_ops.expand_dims(d, -2) for d in _diagonals_of_product(grad, op.inputs[3])), grad_rhs]
