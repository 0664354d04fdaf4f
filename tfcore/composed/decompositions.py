"""Functions of matrices by way of their LU or singular value decompositions."""

import numpy as np

from tfcore.framework.graph.default_graph import control_dependencies
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity, shape
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.array.diag import eye, matrix_band_part, matrix_diag_part, matrix_set_diag
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.debugging.check import assert_equal
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.linalg.decompositions import svd
from tfcore.ops.linalg.linalg import matrix_triangular_solve
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum
from tfcore.ops.reduce.sort import argsort


def _check_factors(lower_upper, perm, validate_args):
    """The factors, after checks at run time if there are some."""
    if lower_upper.dims is not None and len(lower_upper.dims) < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if perm.dims is not None and len(perm.dims) < 1:
        raise ValueError("Input `perm` must have at least 1 dimension.")
    if lower_upper.dims is None:
        raise ValueError("The rank of `lower_upper` must be known.")
    if perm.dims is not None and len(perm.dims) != len(lower_upper.dims) - 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if not validate_args:
        return lower_upper
    checks = [
        assert_equal(shape(lower_upper)[-1], shape(lower_upper)[-2], message="`lower_upper` must be square."),
        assert_equal(shape(lower_upper)[:-1], shape(perm), message="`perm` must have a number for each row."),
    ]
    with control_dependencies(checks):
        return identity(lower_upper)


def _unit_lower(lower_upper):
    return matrix_set_diag(lower_upper, ones_like(matrix_diag_part(lower_upper)))


def _permute_rows(x, perm):
    return gather(x, perm, axis=-2, batch_dims=len(x.dims) - 2)


def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """The matrices of which `tf.linalg.lu` gave the decompositions.

    Args:
      lower_upper: A `Tensor` of shape [..., n, n], the first result of `tf.linalg.lu`.
      perm: A `Tensor` of shape [..., n], the second one.
      validate_args: Whether to check the shapes at run time.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `lower_upper`.

    Raises:
      ValueError: The ranks don't fit together, or are not known.
    """
    with name_scope(name or "lu_reconstruct"):
        lower_upper = convert_to_tensor(lower_upper, dtype_hint=dtypes.float32, name="lower_upper")
        perm = convert_to_tensor(perm, dtype_hint=dtypes.int32, name="perm")
        lower_upper = _check_factors(lower_upper, perm, validate_args)
        lower = matrix_band_part(_unit_lower(lower_upper), -1, 0)
        return _permute_rows(matmul(lower, matrix_band_part(lower_upper, 0, -1)), argsort(perm))


def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """Solves A x = rhs, given the LU decompositions of A.

    Args:
      lower_upper: A `Tensor` of shape [..., n, n], the first result of `tf.linalg.lu` for A.
      perm: A `Tensor` of shape [..., n], the second one.
      rhs: A `Tensor` of the type of `lower_upper` and shape [..., n, k].
      validate_args: Whether to check the shapes at run time.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `rhs` and shape [..., n, k].

    Raises:
      ValueError: The ranks don't fit together, or are not known.

    Example:

    >>> lu, p = tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])
    >>> print(sess.run(tf.linalg.lu_solve(lu, p, [[2.0], [8.0]])))
    [[2.]
     [1.]]
    """
    with name_scope(name or "lu_solve"):
        lower_upper = convert_to_tensor(lower_upper, dtype_hint=dtypes.float32, name="lower_upper")
        perm = convert_to_tensor(perm, dtype_hint=dtypes.int32, name="perm")
        rhs = convert_to_tensor(rhs, dtype_hint=lower_upper.dtype, name="rhs")
        if rhs.dims is None or len(rhs.dims) < 2:
            raise ValueError("Input `rhs` must have at least 2 dimensions.")
        rows, size = rhs.dims[-2], None if lower_upper.dims is None else lower_upper.dims[-1]
        if None not in (rows, size) and rows != size:
            raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
        lower_upper = _check_factors(lower_upper, perm, validate_args)
        if len(rhs.dims) == 2 < len(lower_upper.dims):  # the same right-hand side for all
            rhs = broadcast_to(rhs, concat([shape(perm), shape(rhs)[-1:]], 0))
        y = matrix_triangular_solve(_unit_lower(lower_upper), _permute_rows(rhs, perm))
        return matrix_triangular_solve(lower_upper, y, lower=False)


def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """The inverses of matrices, given their LU decompositions.

    Args:
      lower_upper: A `Tensor` of shape [..., n, n], the first result of `tf.linalg.lu`.
      perm: A `Tensor` of shape [..., n], the second one.
      validate_args: Whether to check the shapes at run time.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `lower_upper`.

    Raises:
      ValueError: The ranks don't fit together, or are not known.
    """
    with name_scope(name or "lu_matrix_inverse"):
        lower_upper = convert_to_tensor(lower_upper, dtype_hint=dtypes.float32, name="lower_upper")
        unit = eye(shape(lower_upper)[-1], dtype=lower_upper.dtype)
        return lu_solve(lower_upper, perm, unit, validate_args)


def _matrix_argument(a):
    a = convert_to_tensor(a, name="a")
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.dims is not None and len(a.dims) < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {len(a.dims)}).")
    return a


def _larger_size(a, dtype):
    return cast(reduce_max(shape(a)[-2:]), dtype)


def matrix_rank(a, tol=None, validate_args=False, name=None):
    """The ranks of matrices: how many singular values are larger than a tolerance.

    Args:
      a: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., m, n]. Integers count as float32.
      tol: The tolerance; by default max(m, n) times the largest singular value times the precision of the type.
      validate_args: Accepted as in TensorFlow; nothing is left to check at run time.
      name: Prefix of the names of the operations (optional).

    Returns:
      An int32 `Tensor` of shape [...].

    Raises:
      TypeError: `a` has another type.
      ValueError: The rank is known to be less than 2.

    Example:

    >>> print(sess.run(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])))
    1
    """
    with name_scope(name or "matrix_rank"):
        a = convert_to_tensor(a, name="a")
        a = _matrix_argument(cast(a, dtypes.float32) if a.dtype.is_integer or a.dtype.is_bool else a)
        s = svd(a, compute_uv=False)
        if tol is None:
            precision = np.finfo(s.dtype.as_numpy_dtype).eps
            tol = precision * _larger_size(a, s.dtype) * reduce_max(s, -1, keepdims=True)
        return reduce_sum(cast(s > tol, dtypes.int32), -1)


def pinv(a, rcond=None, validate_args=False, name=None):
    """The Moore-Penrose pseudo-inverses of matrices.

    Args:
      a: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., m, n].
      rcond: Singular values up to this times the largest one count as 0. By default 10 * max(m, n) times the precision
        of the type. A number, or a `Tensor` of shape [...].
      validate_args: Accepted as in TensorFlow; nothing is left to check at run time.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `a` and shape [..., n, m].

    Raises:
      TypeError: `a` has another type.
      ValueError: The rank is known to be less than 2.

    Example:

    >>> print(sess.run(tf.linalg.pinv([[2.0], [0.0]])))
    [[0.5 0. ]]
    """
    with name_scope(name or "pinv"):
        a = _matrix_argument(a)
        s, u, v = svd(a)
        if rcond is None:
            rcond = 10 * np.finfo(s.dtype.as_numpy_dtype).eps * _larger_size(a, s.dtype)
        rcond = convert_to_tensor(rcond, dtype=s.dtype, name="rcond")
        kept = s > rcond[..., None] * reduce_max(s, -1, keepdims=True)
        inverse = where_v2(kept, 1 / where_v2(kept, s, ones_like(s)), zeros_like(s))
        result = matmul(v * cast(inverse, v.dtype)[..., None, :], u, adjoint_b=True)
        if a.dims is not None:
            result.set_shape((*a.dims[:-2], a.dims[-1], a.dims[-2]))
        return result
