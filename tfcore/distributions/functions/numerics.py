"""Weighted sums of exponentials and the inverse of softplus, without overflow."""

from tfcore.distributions import util
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import squeeze as squeezed
from tfcore.ops.array.array import stop_gradient
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import exp, is_finite, log, sign
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum


def reduce_weighted_logsumexp(logx, w=None, axis=None, keep_dims=False, return_sign=False, name=None):
    """log(abs(sum(w * exp(logx)))), without overflow.

    Args:
      logx: A floating-point `Tensor`.
      w: Weights, a `Tensor` that broadcasts with `logx`; 1 by default.
      axis: The dimensions that are summed; by default all.
      keep_dims: Whether they are kept, with size 1.
      return_sign: Whether the signs of the sums are returned too.
      name: Name of the scope.

    Returns:
      A `Tensor`; with `return_sign`, a tuple with the signs.

    Raises:
      ValueError: `axis` is out of range.
    """
    with name_scope(name, "reduce_weighted_logsumexp", values=[logx, w]):
        logx = convert_to_tensor(logx, name="logx")
        w = None if w is None else convert_to_tensor(w, dtype=logx.dtype, name="w")
        largest = logx if w is None else logx + log(abs_of(w))
        largest = stop_gradient(reduce_max(largest, axis=axis, keepdims=True))
        largest = where_v2(is_finite(largest), largest, zeros_like(largest))
        terms = exp(logx - largest)
        total = reduce_sum(terms if w is None else w * terms, axis=axis, keepdims=True)
        result = largest + log(abs_of(total))
        if not keep_dims:
            result, total = squeezed(result, axis), squeezed(total, axis)
        return (result, sign(total)) if return_sign else result


def softplus_inverse(x, name=None):
    """log(exp(x) - 1), the inverse of `tf.nn.softplus`.

    Args:
      x: A positive floating-point `Tensor`.
      name: Name of the scope.

    Returns:
      A `Tensor` of the shape of `x`.

    Raises:
      TypeError: `x` has no floating-point numbers.

    Example:

    >>> print(sess.run(tf.contrib.distributions.softplus_inverse(tf.nn.softplus(2.0))).round(5))
    2.0
    """
    with name_scope(name, "softplus_inverse", values=[x]):
        return util.softplus_inverse(convert_to_tensor(x, name="x"))
