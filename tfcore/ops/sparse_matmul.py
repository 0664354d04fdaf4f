"""Products with a sparse matrix: SparseTensorDenseMatMul."""

import tfcore.ops.array as array_ops
import tfcore.ops.reduce as reduce_ops
from tfcore.framework.constant import constant_value_as_shape
from tfcore.framework.op_def import define_op, get_op_def, gradient
from tfcore.framework.shapes import merge, merge_dim, with_rank, with_rank_at_least


def _product_shape(op):
    indices, values, _, b = (t.dims for t in op.inputs)
    with_rank(indices, 2)
    with_rank(values, 1)
    a = with_rank_at_least(constant_value_as_shape(op.inputs[2]), 2)
    b = with_rank_at_least(b, 2)
    if a is None or b is None:
        return [None]
    left, right = a[-2:], b[-2:]
    left = left[::-1] if op._attrs["adjoint_a"] else left
    right = right[::-1] if op._attrs["adjoint_b"] else right
    merge_dim(left[1], right[0])
    return [(*merge(a[:-2], b[:-2]), left[0], right[1])]


SparseTensorDenseMatMul = define_op(
    "SparseTensorDenseMatMul",
    inputs=["a_indices: Tindices", "a_values: T", "a_shape: int64", "b: T"],
    outputs=["product: T"],
    attrs=[
        "T: type",
        "Tindices: {int32, int64} = DT_INT64",
        "adjoint_a: bool = false",
        "adjoint_b: bool = false",
    ],
    shape=_product_shape,
    doc="The product of a sparse and a dense matrix, or of their adjoints.",
)


@gradient("SparseTensorDenseMatMul")
def _product_grad(op, grad):
    """For y = A B: dB = A^H dy, and the element of A at (m, k) has the gradient dy[m] . conj(B[k])."""
    indices, values, shape, b = op.inputs
    raw = get_op_def
    adjoint_a, adjoint_b = op._attrs["adjoint_a"], op._attrs["adjoint_b"]
    grad_b = SparseTensorDenseMatMul(indices, values, shape, grad, adjoint_a=not adjoint_a)
    inner = b
    if adjoint_b:
        grad_b = array_ops.transpose(grad_b, conjugate=True)
        inner = array_ops.transpose(b)
    rows, cols = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, cols = cols, rows
    of_y, of_b = raw("GatherV2")(grad, rows, 0), raw("GatherV2")(inner, cols, 0)
    if grad.dtype.is_complex:
        of_y = raw("Conj")(of_y) if adjoint_a else of_y
        of_b = raw("Conj")(of_b) if adjoint_a == adjoint_b else of_b
    return None, reduce_ops.reduce_sum(of_y * of_b, -1), None, grad_b
