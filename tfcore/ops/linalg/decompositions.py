"""Decompositions of batches of matrices: singular values, eigenvalues, QR."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.diag as diag
import tfcore.ops.cwise.cast as cast_ops
import tfcore.ops.cwise.complex as complex_ops
import tfcore.ops.linalg.linalg as linalg
import tfcore.ops.linalg.matmul as products
from tfcore.core.registry.registry import kernels_are_in
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.join import concat

_TYPES = "T: {double, float, half, complex64, complex128}"
_OLD_TYPES = "T: {double, float}"  # those of the deprecated Batch... ops

# ---- Shapes


def _matrix(op):
    """(dims of the batch, rows, columns), or None."""
    dims = shapes.with_rank_at_least(op.inputs[0].dims, 2)
    return None if dims is None else (dims[:-2], dims[-2], dims[-1])


def _smaller(m, n):
    if m == 0 or n == 0:
        return 0
    return None if m is None or n is None else min(m, n)


def _svd_shape(op):
    if (found := _matrix(op)) is None:
        return [None, None, None] if op.attrs["compute_uv"] else [None, (0,), (0,)]
    batch, m, n = found
    p = _smaller(m, n)
    if not op.attrs["compute_uv"]:
        return [(*batch, p), (0,), (0,)]
    us, vs = (m, n) if op.attrs["full_matrices"] else (p, p)
    return [(*batch, p), (*batch, m, us), (*batch, n, vs)]


def _qr_shape(op):
    if (found := _matrix(op)) is None:
        return [None, None]
    batch, m, n = found
    columns = m if op.attrs["full_matrices"] else _smaller(m, n)
    return [(*batch, m, columns), (*batch, columns, n)]


def _square(op):
    """(dims of the batch, size of the matrices), or None."""
    if (found := _matrix(op)) is None:
        return None
    batch, m, n = found
    return batch, shapes.merge_dim(m, n)


def _eig_shape(op):
    vectors = op.attrs["compute_v"]
    if (found := _square(op)) is None:
        return [None, None if vectors else (0,)]
    batch, n = found
    return [(*batch, n), (*batch, n, n) if vectors else (0,)]


def _old_eig_shape(op):
    if (found := _square(op)) is None:
        return [None]
    batch, n = found
    return [(*batch, None if n is None else n + 1, n)]


# ---- Definitions. The Batch... ops are the first version's; they do the same.

_SVD = {
    "inputs": ["input: T"],
    "outputs": ["s: T", "u: T", "v: T"],
    "shape": _svd_shape,
    "doc": "Singular value decompositions: input = u diag(s) adjoint(v).",
}
_SVD_ATTRS = ["compute_uv: bool = true", "full_matrices: bool = false"]
Svd = define_op("Svd", attrs=[*_SVD_ATTRS, _TYPES], **_SVD)
define_op("BatchSvd", attrs=[*_SVD_ATTRS, "T: {double, float, complex64, complex128}"], **_SVD)

Qr = define_op(
    "Qr",
    inputs=["input: T"],
    outputs=["q: T", "r: T"],
    attrs=["full_matrices: bool = false", _TYPES],
    shape=_qr_shape,
    doc="QR decompositions: input = q r with orthonormal columns of q, and an upper triangular r.",
)

_EIG_DOC = "Eigenvalues in ascending order, and eigenvectors of self-adjoint matrices; reads their lower triangles."
_EIG = {"inputs": ["input: T"], "outputs": ["e: T", "v: T"], "shape": _eig_shape, "doc": _EIG_DOC}
SelfAdjointEigV2 = define_op("SelfAdjointEigV2", attrs=["compute_v: bool = true", _TYPES], **_EIG)
define_op("BatchSelfAdjointEigV2", attrs=["compute_v: bool = true", _OLD_TYPES], **_EIG)
_OLD_EIG = {"inputs": ["input: T"], "outputs": ["output: T"], "shape": _old_eig_shape, "doc": _EIG_DOC}
define_op("SelfAdjointEig", attrs=["T: {double, float, half}"], **_OLD_EIG)
define_op("BatchSelfAdjointEig", attrs=[_OLD_TYPES], **_OLD_EIG)
Eig = define_op(
    "Eig",
    inputs=["input: T"],
    outputs=["e: Tout", "v: Tout"],
    attrs=["compute_v: bool = true", "T: {float, double, complex64, complex128}", "Tout: {complex64, complex128}"],
    shape=_eig_shape,
    doc="Eigenvalues and eigenvectors of matrices.",
)

_OPS = (
    "Svd",
    "BatchSvd",
    "SelfAdjointEig",
    "BatchSelfAdjointEig",
    "SelfAdjointEigV2",
    "BatchSelfAdjointEigV2",
    "Eig",
)
kernels_are_in("tfcore.core.registry.lapack", _OPS)
undefined_gradient("BatchSvd", "SelfAdjointEig", "BatchSelfAdjointEig", "BatchSelfAdjointEigV2")


# ---- Gradients. Vectors of equal values are not unique, and the gradient of whatever depends on their choice has no
# finite value; equal values count as far apart here.


def _adjoint(a):
    return diag.matrix_transpose(a, conjugate=True)


def _safe_reciprocal(x):
    return x / (x * x + 1e-20)


def _reciprocals_of_differences(x):
    """1 / (x[j] - x[i]), and 0 on the diagonal."""
    differences = array_ops.expand_dims(x, -2) - array_ops.expand_dims(x, -1)
    return diag.matrix_set_diag(_safe_reciprocal(differences), zeros_like(x))


def _only_diagonal(a):
    return diag.matrix_diag(diag.matrix_diag_part(a))


def _sandwich(u, middle, v):
    return products.matmul(u, products.matmul(middle, v, adjoint_b=True))


@gradient("Svd")
def _svd_grad(op, grad_s, grad_u, grad_v):
    a, (s, u, v) = op.inputs[0], op.outputs
    if not op.get_attr("compute_uv"):
        _, u, v = Svd(a)
        return _sandwich(u, diag.matrix_diag(grad_s), v)
    dims = a.dims
    m, n = (None, None) if dims is None else dims[-2:]
    if m is None or n is None:
        raise NotImplementedError("SVD gradient has not been implemented for input with unknown inner matrix shape.")
    p = min(m, n)
    u_null, v_null = u[..., p:], v[..., p:]
    grad_u_null, grad_v_null = grad_u[..., p:], grad_v[..., p:]
    if op.get_attr("full_matrices"):
        if abs(m - n) > 1:
            raise NotImplementedError(
                "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received:"
                f" m={m} and n={n} from op input={a} with shape={a.shape}."
            )
        u, v, grad_u, grad_v = u[..., :p], v[..., :p], grad_u[..., :p], grad_v[..., :p]
    s_diag, inverse = diag.matrix_diag(s), diag.matrix_diag(_safe_reciprocal(s))
    weights = _reciprocals_of_differences(s * s)
    u_gu, v_gv = products.matmul(u, grad_u, adjoint_a=True), products.matmul(v, grad_v, adjoint_a=True)
    turn_u, turn_v = weights * u_gu, weights * v_gv
    middle = diag.matrix_diag(grad_s)
    middle += products.matmul(turn_u + _adjoint(turn_u), s_diag) + products.matmul(s_diag, turn_v + _adjoint(turn_v))
    if a.dtype.is_complex:  # the phases of a pair of vectors turn together
        phases = _only_diagonal(v_gv)
        middle += 0.5 * products.matmul(inverse, _adjoint(phases) - phases)
    grad = _sandwich(u, middle, v)
    if m > n:
        grad += _sandwich(_outside(u, grad_u, u_gu, u_null, grad_u_null, op), inverse, v)
    if m < n:
        grad += _sandwich(u, inverse, _outside(v, grad_v, v_gv, v_null, grad_v_null, op))
    return grad


def _outside(v, grad, v_gv, null, grad_null, op):
    """The part of a gradient that turns vectors out of the space that they span."""
    grad -= products.matmul(v, v_gv)
    if op.get_attr("full_matrices"):
        grad -= products.matmul(null, products.matmul(grad_null, v, adjoint_a=True))
    return grad


@gradient("SelfAdjointEigV2")
def _self_adjoint_eig_grad(op, grad_e, grad_v):
    e, v = op.outputs
    middle = diag.matrix_diag(grad_e)
    if op.get_attr("compute_v"):
        middle += _reciprocals_of_differences(e) * products.matmul(v, grad_v, adjoint_a=True)
    else:
        _, v = SelfAdjointEigV2(op.inputs[0])
    grad = _sandwich(v, middle, v)
    # Only the lower triangle is read.
    grad = diag.matrix_band_part(grad + _adjoint(grad), -1, 0)
    return diag.matrix_set_diag(grad, 0.5 * diag.matrix_diag_part(grad))


@gradient("Eig")
def _eig_grad(op, grad_e, grad_v):
    e, v = op.outputs
    middle = diag.matrix_diag(grad_e)
    if op.get_attr("compute_v"):
        v_gv = products.matmul(v, grad_v, adjoint_a=True)
        lengths = diag.matrix_diag(cast_ops.cast(complex_ops.real(diag.matrix_diag_part(v_gv)), v.dtype))
        gram = products.matmul(v, v, adjoint_a=True)
        weights = complex_ops.conj(_reciprocals_of_differences(e))
        middle += weights * (v_gv - products.matmul(gram, lengths))
    else:
        _, v = Eig(op.inputs[0], Tout=e.dtype)
    left = _adjoint(v)
    return cast_ops.cast(linalg.matrix_solve(left, products.matmul(middle, left)), op.inputs[0].dtype)


@gradient("Qr")
def _qr_grad(op, grad_q, grad_r):
    """Source: D. Roberts, L. Roberts, "QR and LQ decomposition matrix backpropagation algorithms", arXiv:2009.10071."""
    q, r = op.outputs
    rows, columns = (None, None) if r.dims is None else r.dims[-2:]
    if rows is None or columns is None:
        raise NotImplementedError(f"QrGrad not implemented with dynamic shapes. Received r.shape: {r.shape}")
    if rows > columns and op.get_attr("full_matrices"):
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape="
            f"{r.shape} with nrows={rows} and ncols={columns}."
        )
    if rows == columns:
        return _tall_qr_grad(q, r, grad_q, grad_r)
    # Columns on the right of the square part are products with q only.
    right, grad_right = op.inputs[0][..., rows:], grad_r[..., rows:]
    grad_q += products.matmul(right, grad_right, adjoint_b=True)
    square = _tall_qr_grad(q, r[..., :rows], grad_q, grad_r[..., :rows])
    return concat([square, products.matmul(q, grad_right)], -1)


def _tall_qr_grad(q, r, grad_q, grad_r):
    q_gq = products.matmul(q, grad_q, adjoint_a=True)
    r_gr = products.matmul(r, grad_r, adjoint_b=True)
    lower = diag.matrix_band_part(q_gq - _adjoint(q_gq) + r_gr - _adjoint(r_gr), -1, 0)
    inner = lower - q_gq
    if q.dtype.is_complex:  # the diagonal of r is real
        m = diag.matrix_diag_part(r_gr - _adjoint(q_gq))
        inner += _adjoint(diag.matrix_diag(m - cast_ops.cast(complex_ops.real(m), m.dtype)))
    turned = _times_inverse_adjoint(grad_q + products.matmul(q, inner), r)
    return products.matmul(q, grad_r) + turned


def _times_inverse_adjoint(x, r):
    """x times the inverse of adjoint(r), with an upper triangular r."""
    return _adjoint(linalg.matrix_triangular_solve(r, _adjoint(x), lower=False))


# ---- Public functions


def qr(input, full_matrices=False, name=None):  # noqa: A002  named as in TensorFlow
    """The QR decompositions of matrices: input = matmul(q, r).

    Args:
      input: A `Tensor` of type float16, float32, float64, complex64 or complex128 and shape [..., m, n].
      full_matrices: Whether q is square; by default it has p = min(m, n) columns.
      name: Name of the operation (optional).

    Returns:
      q of shape [..., m, p] with orthonormal columns, and r of shape [..., p, n], upper triangular.

    Raises:
      ValueError: The rank is known to be less than 2.

    Example:

    >>> q, r = tf.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> print(sess.run(tf.round(tf.matmul(q, r))))
    [[3. 1.]
     [4. 2.]]
    """
    return Qr(input, full_matrices=full_matrices, name=name)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular value decompositions of matrices: tensor = u diag(s) adjoint(v).

    Args:
      tensor: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., m, n].
      full_matrices: Whether u and v are square; by default they have p = min(m, n) columns.
      compute_uv: Whether to compute u and v.
      name: Name of the operation (optional).

    Returns:
      s of shape [..., p], real and in descending order, u and v; only s if `compute_uv` is False. They are NaN for
      matrices with elements that are not finite.

    Raises:
      ValueError: The rank is known to be less than 2.

    Example:

    >>> s, u, v = tf.svd([[0.0, 2.0], [3.0, 0.0]])
    >>> print(sess.run(s))
    [3. 2.]
    """
    s, u, v = Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    s = _real(s)
    return (s, u, v) if compute_uv else s


def _real(values):
    return complex_ops.real(values) if values.dtype.is_complex else values


def self_adjoint_eig(tensor, name=None):
    """The eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
      tensor: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n]; only the lower
        triangles are read.
      name: Name of the operation (optional).

    Returns:
      e of the type of `tensor` and shape [..., n], in ascending order, and v of shape [..., n, n], whose columns are
        the vectors.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix has elements that are not finite.

    Example:

    >>> e, v = tf.self_adjoint_eig([[2.0, 1.0], [1.0, 2.0]])
    >>> print(sess.run(tf.round(e)))
    [1. 3.]
    """
    return SelfAdjointEigV2(tensor, compute_v=True, name=name)


def self_adjoint_eigvals(tensor, name=None):
    """The eigenvalues of self-adjoint matrices, in ascending order.

    Args:
      tensor: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n]; only the lower
        triangles are read.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `tensor` and shape [..., n].

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix has elements that are not finite.
    """
    return SelfAdjointEigV2(tensor, compute_v=False, name=name)[0]


def eig(tensor, name=None):
    """The eigenvalues and eigenvectors of matrices, in no particular order.

    Args:
      tensor: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      name: Name of the operation (optional).

    Returns:
      Complex e of shape [..., n], and v of shape [..., n, n], whose columns are the vectors, of length 1.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix has elements that are not finite.
    """
    return _general_eig(tensor, True, name)


def eigvals(tensor, name=None):
    """The eigenvalues of matrices, in no particular order.

    Args:
      tensor: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      name: Name of the operation (optional).

    Returns:
      A complex `Tensor` of shape [..., n].

    Raises:
      tf.errors.InvalidArgumentError: At run time, a matrix has elements that are not finite.
    """
    return _general_eig(tensor, False, name)[0]


def _general_eig(tensor, vectors, name):
    tensor = convert_to_tensor(tensor, name="tensor")
    single = tensor.dtype in (dtypes.float32, dtypes.complex64)
    return Eig(tensor, Tout=dtypes.complex64 if single else dtypes.complex128, compute_v=vectors, name=name)
