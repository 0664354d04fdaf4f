"""tf.contrib.distributions.bijectors: invertible functions with the logarithms of their Jacobian determinants.

All of them are element-wise.
"""

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import exp, expm1, log, log1p, sigmoid
from tfcore.ops.nn.activations import softplus
from tfcore.ops.reduce.reduce import reduce_sum

__all__ = ["AffineScalar", "Bijector", "Chain", "Exp", "Identity", "Invert", "Sigmoid", "Softplus"]


class Bijector:
    """An invertible function y = forward(x) of each element.

    A subclass defines `_forward`, `_inverse` and `_forward_log_det_jacobian`, which has the logarithm of the absolute
    derivative of each element.

    Args:
      is_constant_jacobian: Whether the derivative is the same everywhere.
      validate_args: Kept for compatibility: no argument needs a check.
      name: Prefix of the names of the operations; by default that of the class.
    """

    def __init__(self, is_constant_jacobian=False, validate_args=False, name=None):
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._name = name or type(self).__name__.lower()

    @property
    def name(self):
        """Prefix of the names of the operations."""
        return self._name

    @property
    def validate_args(self):
        """Kept for compatibility."""
        return self._validate_args

    @property
    def is_constant_jacobian(self):
        """Whether the derivative is the same everywhere."""
        return self._is_constant_jacobian

    def _named(self, name, value, compute):
        with name_scope(self.name), name_scope(name, values=[value]):
            return compute(convert_to_tensor(value, name="value"))

    def forward(self, x, name="forward"):
        """The function.

        Args:
          x: A floating-point `Tensor`.
          name: Name of the scope.

        Returns:
          A `Tensor` of the same shape.
        """
        return self._named(name, x, self._forward)

    def inverse(self, y, name="inverse"):
        """The inverse function.

        Args:
          y: A floating-point `Tensor`.
          name: Name of the scope.

        Returns:
          A `Tensor` of the same shape.
        """
        return self._named(name, y, self._inverse)

    def forward_log_det_jacobian(self, x, event_ndims=0, name="forward_log_det_jacobian"):
        """The logarithm of the absolute Jacobian determinant of `forward`.

        Args:
          x: A floating-point `Tensor`.
          event_ndims: An int: how many of the last dimensions are those of an event. Before TensorFlow 1.7 it could be
            left out.
          name: Name of the scope.

        Returns:
          A `Tensor` of the shape of `x` without the dimensions of an event.

        Raises:
          ValueError: `event_ndims` is negative.
        """
        return self._named(name, x, lambda x: _sum(self._forward_log_det_jacobian(x) + zeros_like(x), event_ndims))

    def inverse_log_det_jacobian(self, y, event_ndims=0, name="inverse_log_det_jacobian"):
        """The logarithm of the absolute Jacobian determinant of `inverse`.

        Args:
          y: A floating-point `Tensor`.
          event_ndims: An int: how many of the last dimensions are those of an event. Before TensorFlow 1.7 it could be
            left out.
          name: Name of the scope.

        Returns:
          A `Tensor` of the shape of `y` without the dimensions of an event.

        Raises:
          ValueError: `event_ndims` is negative.
        """
        return self._named(name, y, lambda y: _sum(self._inverse_log_det_jacobian(y) + zeros_like(y), event_ndims))

    def _inverse_log_det_jacobian(self, y):
        return -self._forward_log_det_jacobian(self._inverse(y))


def _sum(values, event_ndims):
    if event_ndims < 0:
        raise ValueError(f"event_ndims must be non-negative: {event_ndims}")
    return reduce_sum(values, list(range(-event_ndims, 0))) if event_ndims else values


class Identity(Bijector):
    """y = x.

    Args:
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.
    """

    def __init__(self, validate_args=False, name="identity"):
        super().__init__(True, validate_args, name)

    def _forward(self, x):
        return identity(x)

    _inverse = _forward

    def _forward_log_det_jacobian(self, x):
        return zeros_like(x)


class Exp(Bijector):
    """y = exp(x).

    Args:
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.
    """

    def __init__(self, validate_args=False, name="exp"):
        super().__init__(False, validate_args, name)

    def _forward(self, x):
        return exp(x)

    def _inverse(self, y):
        return log(y)

    def _forward_log_det_jacobian(self, x):
        return x

    def _inverse_log_det_jacobian(self, y):
        return -log(y)


class Softplus(Bijector):
    """y = log(1 + exp(x)), from the real to the positive numbers.

    Args:
      hinge_softness: A nonzero floating-point `Tensor` c: the function is c * log(1 + exp(x / c)); 1 by default.
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.
    """

    def __init__(self, hinge_softness=None, validate_args=False, name="softplus"):
        super().__init__(False, validate_args, name)
        self._softness = hinge_softness

    @property
    def hinge_softness(self):
        """The argument of that name."""
        return self._softness

    def _scaled(self, x):
        return x if self._softness is None else x / convert_to_tensor(self._softness, dtype=x.dtype)

    def _rescaled(self, x):
        return x if self._softness is None else x * convert_to_tensor(self._softness, dtype=x.dtype)

    def _forward(self, x):
        return self._rescaled(softplus(self._scaled(x)))

    def _inverse(self, y):
        y = self._scaled(y)
        return self._rescaled(y + log(-expm1(-y)))

    def _forward_log_det_jacobian(self, x):
        return -softplus(-self._scaled(x))

    def _inverse_log_det_jacobian(self, y):
        return -log(-expm1(-self._scaled(y)))


class Sigmoid(Bijector):
    """y = 1 / (1 + exp(-x)), from the real numbers to those between 0 and 1.

    Args:
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.
    """

    def __init__(self, validate_args=False, name="sigmoid"):
        super().__init__(False, validate_args, name)

    def _forward(self, x):
        return sigmoid(x)

    def _inverse(self, y):
        return log(y) - log1p(-y)

    def _forward_log_det_jacobian(self, x):
        return -softplus(-x) - softplus(x)

    def _inverse_log_det_jacobian(self, y):
        return -log1p(-y) - log(y)


class AffineScalar(Bijector):
    """y = scale * x + shift.

    Args:
      shift: A floating-point `Tensor`; 0 by default.
      scale: A floating-point `Tensor` without zeros; 1 by default.
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.
    """

    def __init__(self, shift=None, scale=None, validate_args=False, name="affine_scalar"):
        super().__init__(True, validate_args, name)
        self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
        self._scale = None if scale is None else convert_to_tensor(scale, name="scale")

    @property
    def shift(self):
        """The number that is added."""
        return self._shift

    @property
    def scale(self):
        """The factor."""
        return self._scale

    def _forward(self, x):
        x = x if self._scale is None else x * self._scale
        return x if self._shift is None else x + self._shift

    def _inverse(self, y):
        y = y if self._shift is None else y - self._shift
        return y if self._scale is None else y / self._scale

    def _forward_log_det_jacobian(self, x):
        return zeros_like(x) if self._scale is None else log(abs_of(self._scale))


class Invert(Bijector):
    """The inverse function of another one.

    Args:
      bijector: The `Bijector`.
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.
    """

    def __init__(self, bijector, validate_args=False, name=None):
        super().__init__(bijector.is_constant_jacobian, validate_args, name or f"invert_{bijector.name}")
        self._bijector = bijector

    @property
    def bijector(self):
        """The other function."""
        return self._bijector

    def _forward(self, x):
        return self._bijector._inverse(x)

    def _inverse(self, y):
        return self._bijector._forward(y)

    def _forward_log_det_jacobian(self, x):
        return self._bijector._inverse_log_det_jacobian(x)

    def _inverse_log_det_jacobian(self, y):
        return self._bijector._forward_log_det_jacobian(y)


class Chain(Bijector):
    """One function after another: the last one of the list first.

    Args:
      bijectors: A list of `Bijector`s.
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.Chain([b.Exp(), b.AffineScalar(shift=1.0)]).forward([-1.0])))
    [1.]
    """

    def __init__(self, bijectors=None, validate_args=False, name=None):
        self._bijectors = list(bijectors or ())
        name = name or "_of_".join(["chain", *(b.name for b in self._bijectors)] if self._bijectors else ["identity"])
        super().__init__(all(b.is_constant_jacobian for b in self._bijectors), validate_args, name)

    @property
    def bijectors(self):
        """The list of functions."""
        return self._bijectors

    def _forward(self, x):
        for bijector in reversed(self._bijectors):
            x = bijector._forward(x)
        return x

    def _inverse(self, y):
        for bijector in self._bijectors:
            y = bijector._inverse(y)
        return y

    def _forward_log_det_jacobian(self, x):
        total = zeros_like(x)
        for bijector in reversed(self._bijectors):
            total += bijector._forward_log_det_jacobian(x)
            x = bijector._forward(x)
        return total
