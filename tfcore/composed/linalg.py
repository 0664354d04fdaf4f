"""Functions of matrices: trace, determinant, norm, exponential."""

import math

from tfcore.composed.norms import norm as norm_of
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.diag import eye, matrix_diag_part, matrix_transpose
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.binary import maximum, pow
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import real
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import ceil, is_finite, log
from tfcore.ops.linalg.linalg import cholesky, matrix_solve
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum


def adjoint(matrix, name=None):
    """The conjugate transpose of matrices.

    Args:
      matrix: A `Tensor` of shape [..., m, n].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `matrix` and shape [..., n, m].

    Raises:
      ValueError: The rank is known to be less than 2.
    """
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def trace(x, name=None):
    """The sum of the main diagonal of matrices.

    Args:
      x: A `Tensor` of shape [..., m, n].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `x` and shape [...].

    Raises:
      ValueError: The rank is known to be less than 2.

    Example:

    >>> print(sess.run(tf.trace([[1, 2], [3, 4]])))
    5
    """
    with name_scope(name, "Trace", [x]) as scope:
        return reduce_sum(matrix_diag_part(convert_to_tensor(x, name="x")), [-1], name=scope)


def logdet(matrix, name=None):
    """The logarithm of the determinant of symmetric (or Hermitian) positive definite matrices.

    Args:
      matrix: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      name: Prefix of the names of the operations (optional).

    Returns:
      A real `Tensor` of shape [...].

    Raises:
      ValueError: The matrices are not square.
      tf.errors.InvalidArgumentError: When run: a matrix is not positive definite.
    """
    with name_scope(name, "logdet", [matrix]):
        return 2.0 * reduce_sum(log(real(matrix_diag_part(cholesky(matrix)))), [-1])


def normalize(tensor, ord="euclidean", axis=None, name=None):  # noqa: A002  named as in TensorFlow
    """A tensor divided by its norm.

    Args:
      tensor: A `Tensor` of a floating-point or complex type.
      ord: The order of the norm, as for `tf.norm`.
      axis: The dimension of vectors, or a pair for matrices; None for the whole tensor as a vector.
      name: Prefix of the names of the operations (optional).

    Returns:
      A pair of `Tensor`s: the normalized tensor, and the norm, whose dimensions along `axis` are kept with size 1.

    Raises:
      ValueError: `ord` or `axis` is not valid.
    """
    with name_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        length = norm_of(tensor, ord, axis, keepdims=True)
        return tensor / cast(length, tensor.dtype), length


# Coefficients of Pade approximants of the exponential function, and the largest norm for which the error is below the
# precision of the type.
_SINGLE = (17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1), 3.925724783138660
_DOUBLE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
), 5.371920351148152  # fmt: skip


def expm(input, name=None):  # noqa: A002  named as in TensorFlow
    """The exponential of square matrices: the sum of A ** k / k! over all k.

    Source: N. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal.
    Appl. 26, 2005.

    Args:
      input: A `Tensor` of type float32, float64, complex64 or complex128 and shape [..., n, n].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `input`; NaN for matrices with elements that are not finite.

    Raises:
      TypeError: `input` has no numbers.
      ValueError: `input` has another type.

    Example:

    >>> print(sess.run(tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """
    with name_scope(name, "matrix_exponential", [input]):
        given = convert_to_tensor(input, name="input")
        magnitudes = abs_of(given)  # refuses what is not a number
        if given.dtype not in (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128):
            raise ValueError(f"tf.linalg.expm does not support matrices of type {given.dtype}")
        if given.dims is not None and given.dims[-2:] == (0, 0):
            return given
        sizes = shape(given)
        matrix = reshape(given, concat([[-1], sizes[-2:]], 0))
        coefficients, largest = _SINGLE if given.dtype in (dtypes.float32, dtypes.complex64) else _DOUBLE
        size = reduce_max(reduce_sum(reshape(magnitudes, shape(matrix)), -2), -1)[:, None, None]
        finite = is_finite(size)
        matrix = where_v2(finite, matrix, zeros_like(matrix))
        halvings = where_v2(finite, maximum(ceil(log(size / largest) / math.log(2.0)), 0), zeros_like(size))
        result = _pade(matrix / cast(pow(constant(2.0, halvings.dtype), halvings), matrix.dtype), coefficients)
        most = reduce_max(halvings)
        _, result = while_loop(
            lambda i, _: i < most,
            lambda i, r: (i + 1, where_v2(i < halvings, matmul(r, r), r)),
            [constant(0.0, halvings.dtype), result],
        )
        result = where_v2(finite, result, constant(math.nan, result.dtype))
        result = reshape(result, sizes)
        result.set_shape(given.shape)
        return result


def _pade(matrix, coefficients):
    """The quotient of two polynomials of matrices, both by Horner's method."""
    unit = eye(shape(matrix)[-1], dtype=matrix.dtype) + zeros_like(matrix)
    square = matmul(matrix, matrix)

    def polynomial(factors):
        total = unit * constant(factors[-1], matrix.dtype)
        for factor in reversed(factors[:-1]):
            total = matmul(total, square) + unit * constant(factor, matrix.dtype)
        return total

    odd, even = matmul(matrix, polynomial(coefficients[1::2])), polynomial(coefficients[::2])
    return matrix_solve(even - odd, even + odd)
