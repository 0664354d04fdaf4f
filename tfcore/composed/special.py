"""Functions composed of special functions."""

import math

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.cwise.binary import div_no_nan
from tfcore.ops.cwise.special import lgamma, ndtri
from tfcore.ops.reduce.reduce import reduce_sum


def lbeta(x, name=None):
    """The logarithm of the absolute value of the beta function of the last dimension.

    For a vector z this is sum(lgamma(z)) - lgamma(sum(z)), and for two elements the usual beta function. It is -inf
    where there are no elements.

    Args:
      x: A `Tensor` of a floating-point type and shape [..., n].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `x` and shape [...].

    Raises:
      TypeError: `x` has an integer type.

    Example:

    >>> print(sess.run(tf.exp(tf.lbeta([2.0, 2.0]))).round(4))
    0.1667
    """
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        return reduce_sum(lgamma(x), -1) - lgamma(reduce_sum(x, -1))


def erfcinv(x, name=None):
    """The inverse of `tf.erfc`.

    Args:
      x: A `Tensor` of a floating-point type, from 0 to 2.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      TypeError: `x` has an integer type.
    """
    with name_scope(name, "erfcinv", [x]):
        x = convert_to_tensor(x, name="start")
        return -ndtri(0.5 * x) * math.sqrt(0.5)


def polyval(coeffs, x, name=None):
    """The value of a polynomial, by Horner's method.

    Args:
      coeffs: A list of coefficients, of the type of `x` and shapes that broadcast, that of the highest power first.
      x: A `Tensor` of a numeric type.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `x` and of the broadcast shape.

    Raises:
      ValueError: `coeffs` is not a list.
      TypeError: The types differ.

    Example:

    >>> print(sess.run(tf.math.polyval([1.0, 0.0, -2.0], 3.0)))  # x ** 2 - 2
    7.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x, name="zeros")
        coeffs = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        total = coeffs[0]
        for coefficient in coeffs[1:]:
            total = coefficient + total * x
        return identity(total)


def reciprocal_no_nan(x, name=None):
    """1 / x, and 0 where x is 0.

    Args:
      x: A `Tensor` of type bfloat16, float16, float32, float64, complex64 or complex128.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      TypeError: `x` has another type.

    Example:

    >>> print(sess.run(tf.math.reciprocal_no_nan([2.0, 0.0])))
    [0.5 0. ]
    """
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return div_no_nan(ones_like(x), x, name=scope)
