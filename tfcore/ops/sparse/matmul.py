"""Products with a sparse matrix: SparseTensorDenseMatMul; with dense ones that have many zeros: SparseMatMul."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge, merge_dim, with_rank, with_rank_at_least
from tfcore.framework.values.constant import constant_value_as_shape


def _product_shape(op):
    indices, values, _, b = (t.dims for t in op.inputs)
    with_rank(indices, 2)
    with_rank(values, 1)
    a = with_rank_at_least(constant_value_as_shape(op.inputs[2]), 2)
    b = with_rank_at_least(b, 2)
    if a is None or b is None:
        return [None]
    left, right = a[-2:], b[-2:]
    left = left[::-1] if op.attrs["adjoint_a"] else left
    right = right[::-1] if op.attrs["adjoint_b"] else right
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
    adjoint_a, adjoint_b = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
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


# ---- SparseMatMul


def _matmul_shape(op):
    a, b = (with_rank(t.dims, 2) for t in op.inputs)
    a = a[::-1] if op.attrs["transpose_a"] else a
    b = b[::-1] if op.attrs["transpose_b"] else b
    merge_dim(a[1], b[0])
    return [(a[0], b[1])]


SparseMatMul = define_op(
    "SparseMatMul",
    inputs=["a: Ta", "b: Tb"],
    outputs=["product: float"],
    attrs=[
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "a_is_sparse: bool = false",
        "b_is_sparse: bool = false",
        "Ta: {float, bfloat16} = DT_FLOAT",
        "Tb: {float, bfloat16} = DT_FLOAT",
    ],
    shape=_matmul_shape,
    doc="The product of two matrices that may have many zeros.",
)


@gradient("SparseMatMul")
def _matmul_grad(op, grad):
    """For y = A B: dA = dy B^T and dB = A^T dy; for a transposed operand the transpose of that."""
    a, b = op.inputs
    transpose_a, transpose_b = op.attrs["transpose_a"], op.attrs["transpose_b"]

    def product(x, y, kind, transpose_x, transpose_y):
        value = SparseMatMul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)
        return value if value.dtype is kind else get_op_def("Cast")(value, DstT=kind)

    of_a = (b, grad, transpose_b, True) if transpose_a else (grad, b, False, not transpose_b)
    of_b = (grad, a, True, transpose_a) if transpose_b else (a, grad, not transpose_a, False)
    return [product(x, y, t.dtype.base_dtype, *how) for t, (x, y, *how) in zip((a, b), (of_a, of_b))]


@described(SparseMatMul, shapes={"a": "[n, k]", "b": "[k, m]", "product": "[n, m]"})
def sparse_matmul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """The product of two dense matrices, which may have many zeros; the hints that they do have no effect here.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together.
    """
    return SparseMatMul(
        a,
        b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )
