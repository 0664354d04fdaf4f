"""Kullback-Leibler divergences, registered for pairs of classes."""

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.ops.array.array import identity
from tfcore.ops.cwise.unary import is_nan, logical_not
from tfcore.ops.debugging.check import Assert
from tfcore.ops.reduce.reduce import reduce_any

_divergences = {}  # (class, class) -> function


class RegisterKL:
    """Decorator that registers a function (distribution_a, distribution_b, name=None) as their divergence.

    Args:
      dist_cls_a: A subclass of `tf.distributions.Distribution`.
      dist_cls_b: A subclass of `tf.distributions.Distribution`.

    Raises:
      TypeError: What is decorated is not callable.
      ValueError: The two classes have a divergence already.
    """

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _divergences:
            a, b = (cls.__name__ for cls in self._key)
            raise ValueError(f"KL({a} || {b}) has already been registered to: {_divergences[self._key]}")
        _divergences[self._key] = kl_fn
        return kl_fn


def _registered(type_a, type_b):
    """The function for the nearest base classes, or None."""
    found = [
        (i + j, _divergences[a, b])
        for i, a in enumerate(type_a.__mro__)
        for j, b in enumerate(type_b.__mro__)
        if (a, b) in _divergences
    ]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """The Kullback-Leibler divergence: the mean under `distribution_a` of log(a(x) / b(x)).

    Args:
      distribution_a: A `tf.distributions.Distribution`.
      distribution_b: A `tf.distributions.Distribution`.
      allow_nan_stats: Whether the result may be NaN where it is undefined; otherwise that is an error when run.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of the type of `distribution_a` and of the broadcast batch shapes.

    Raises:
      NotImplementedError: No divergence is registered for the two classes.
      tf.errors.InvalidArgumentError: When run: the result has NaN and `allow_nan_stats` is False.

    Example:

    >>> p, q = tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(1.0, 1.0)
    >>> print(sess.run(tf.distributions.kl_divergence(p, q)))
    0.5
    """
    function = _registered(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        result = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        result = identity(result, name="kl")
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was "
            "called with allow_nan_stats=False). Values:"
        )
        with control_dependencies([Assert(logical_not(reduce_any(is_nan(result))), [message, result])]):
            return identity(result, name="checked_kl")


def cross_entropy(ref, other, allow_nan_stats=True, name=None):
    """The entropy of `ref` plus its divergence from `other`."""
    with name_scope(name, "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats)
