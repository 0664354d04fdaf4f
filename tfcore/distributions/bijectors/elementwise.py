"""Bijectors that take numbers one by one."""

import math

from tfcore.distributions import util
from tfcore.distributions.bijectors.bijector import Bijector
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity
from tfcore.ops.array.constants import zeros
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import pow as pow_of
from tfcore.ops.cwise.binary import xlogy
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import asinh, exp, expm1, log, log1p, sigmoid, sinh, sqrt, square
from tfcore.ops.debugging import check
from tfcore.ops.nn.activations import softplus, softsign


class _Elementwise(Bijector):
    """The base of functions of numbers."""

    def __init__(self, validate_args, name, graph_parents=None, is_constant_jacobian=False):
        super().__init__(
            graph_parents=graph_parents,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            forward_min_event_ndims=0,
            name=name,
        )

    def _checked(self, assertion, value, *limit, **message):
        return with_dependencies([assertion(value, *limit, **message)], value) if self.validate_args else value


class Identity(_Elementwise):
    """y = x.

    Args:
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.
    """

    def __init__(self, validate_args=False, name="identity"):
        super().__init__(validate_args, name, is_constant_jacobian=True)

    def _forward(self, x):
        return x

    def _inverse(self, y):
        return y

    def _forward_log_det_jacobian(self, x):
        return zeros([], dtype=x.dtype)

    def _inverse_log_det_jacobian(self, y):
        return zeros([], dtype=y.dtype)


class AbsoluteValue(_Elementwise):
    """y = |x|. Its inverse is the pair -y, y.

    Args:
      validate_args: Whether arguments of the inverse are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `inverse` is given a negative number.
    """

    def __init__(self, validate_args=False, name="absolute_value"):
        super().__init__(validate_args, name, is_constant_jacobian=True)

    @property
    def _is_injective(self):
        return False

    def _positive(self, y):
        return self._checked(check.assert_non_negative, y, message="Argument y was negative")

    def _forward(self, x):
        return abs_of(x)

    def _inverse(self, y):
        y = self._positive(y)
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        zero = zeros([], dtype=y.dtype) if not self.validate_args else 0 * self._positive(y)
        return zero, zero


class PowerTransform(_Elementwise):
    """y = (1 + x * power) ** (1 / power), or exp(x) for the power 0.

    Args:
      power: A number that is not negative.
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      ValueError: `power` is negative or not known statically.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: 1 + x * power or y is not positive.
    """

    def __init__(self, power=0.0, validate_args=False, name="power_transform", event_ndims=0):
        self._default_event_ndims = event_ndims
        known = util.constant_value_of(power)
        if known is None or known < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power = float(known)
        super().__init__(validate_args, name)

    @property
    def power(self):
        """The power, a float."""
        return self._power

    def _valid_x(self, x):
        if not self.validate_args or not self.power:
            return x
        inside = check.assert_non_negative(1.0 + self.power * x, message="Forward transformation input must be at "
                                           f"least {-1 / self.power}.")  # fmt: skip
        return with_dependencies([inside], x)

    def _valid_y(self, y):
        return self._checked(check.assert_positive, y, message="Inverse transformation input must be greater than 0.")

    def _forward(self, x):
        x = self._valid_x(x)
        return exp(x) if not self.power else exp(log1p(x * self.power) / self.power)

    def _inverse(self, y):
        y = self._valid_y(y)
        return log(y) if not self.power else expm1(log(y) * self.power) / self.power

    def _inverse_log_det_jacobian(self, y):
        return (self.power - 1.0) * log(self._valid_y(y))

    def _forward_log_det_jacobian(self, x):
        x = self._valid_x(x)
        return identity(x) if not self.power else (1.0 / self.power - 1.0) * log1p(x * self.power)


class Exp(PowerTransform):
    """y = exp(x).

    Args:
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `inverse` is given a number that is not positive.
    """

    def __init__(self, validate_args=False, name="exp", event_ndims=0):
        super().__init__(0.0, validate_args, name, event_ndims)


class Softplus(_Elementwise):
    """y = log(1 + exp(x)), from the real to the positive numbers.

    Args:
      hinge_softness: A nonzero floating-point `Tensor` c: the function is c * log(1 + exp(x / c)); 1 by default.
      validate_args: Whether `hinge_softness` is checked in each run.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `hinge_softness` is 0.
    """

    def __init__(self, hinge_softness=None, validate_args=False, name="softplus", event_ndims=0):
        self._default_event_ndims = event_ndims
        softness = None if hinge_softness is None else convert_to_tensor(hinge_softness, name="hinge_softness")
        if validate_args and softness is not None:
            zero = zeros([], dtype=softness.dtype)
            checks = [check.assert_none_equal(softness, zero, message="hinge_softness must be non-zero")]
            softness = with_dependencies(checks, softness)
        self._hinge_softness = softness
        super().__init__(validate_args, name)

    @property
    def hinge_softness(self):
        """The width of the bend, a `Tensor`, or None for 1."""
        return self._hinge_softness

    def _scaled(self, x):
        return x if self._hinge_softness is None else x / util.of_type(self._hinge_softness, x.dtype)

    def _rescaled(self, x):
        return x if self._hinge_softness is None else x * util.of_type(self._hinge_softness, x.dtype)

    def _forward(self, x):
        return self._rescaled(softplus(self._scaled(x)))

    def _inverse(self, y):
        return self._rescaled(util.softplus_inverse(self._scaled(y)))

    def _forward_log_det_jacobian(self, x):
        return -softplus(-self._scaled(x))

    def _inverse_log_det_jacobian(self, y):
        return -log(-expm1(-self._scaled(y)))


class Sigmoid(_Elementwise):
    """y = 1 / (1 + exp(-x)), from the real numbers to those between 0 and 1.

    Args:
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.
    """

    def __init__(self, validate_args=False, name="sigmoid"):
        super().__init__(validate_args, name)

    def _forward(self, x):
        return sigmoid(x)

    def _inverse(self, y):
        return log(y) - log1p(-y)

    def _forward_log_det_jacobian(self, x):
        return -softplus(-x) - softplus(x)

    def _inverse_log_det_jacobian(self, y):
        return -log1p(-y) - log(y)


class Softsign(_Elementwise):
    """y = x / (1 + |x|), from the real numbers to those between -1 and 1.

    Args:
      validate_args: Whether arguments of the inverse are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `inverse` is given a number that is not between
        -1 and 1.
    """

    def __init__(self, validate_args=False, name="softsign"):
        super().__init__(validate_args, name)

    def _inside(self, y):
        if not self.validate_args:
            return y
        one = convert_to_tensor(1.0, y.dtype)
        checks = [
            check.assert_greater(y, -one, message="Inverse transformation input must be greater than -1."),
            check.assert_less(y, one, message="Inverse transformation input must be less than 1."),
        ]
        return with_dependencies(checks, y)

    def _forward(self, x):
        return softsign(x)

    def _inverse(self, y):
        y = self._inside(y)
        return y / (1 - abs_of(y))

    def _forward_log_det_jacobian(self, x):
        return -2.0 * log1p(abs_of(x))

    def _inverse_log_det_jacobian(self, y):
        return -2.0 * log1p(-abs_of(self._inside(y)))


class Square(_Elementwise):
    """y = x * x, for numbers x that are not negative.

    Args:
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: an argument is negative.
    """

    def __init__(self, validate_args=False, name="square"):
        super().__init__(validate_args, name)

    def _valid(self, value, direction):
        message = f"{direction} transformation input must be non-negative."
        return self._checked(check.assert_non_negative, value, message=message)

    def _forward(self, x):
        return square(self._valid(x, "Forward"))

    def _inverse(self, y):
        return sqrt(self._valid(y, "Inverse"))

    def _forward_log_det_jacobian(self, x):
        return math.log(2.0) + log(self._valid(x, "Forward"))


class AffineScalar(_Elementwise):
    """y = scale * x + shift.

    Args:
      shift: A floating-point `Tensor`; 0 by default.
      scale: A floating-point `Tensor` without zeros; 1 by default.
      validate_args: Whether `scale` is checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` has zeros.
    """

    def __init__(self, shift=None, scale=None, validate_args=False, name="affine_scalar"):
        self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
        self._scale = None if scale is None else convert_to_tensor(scale, name="scale")
        if validate_args and scale is not None:
            nonzero = check.assert_none_equal(self._scale, zeros([], dtype=self._scale.dtype))
            self._scale = with_dependencies([nonzero], self._scale)
        super().__init__(validate_args, name, is_constant_jacobian=True)

    @property
    def shift(self):
        """The number that is added."""
        return self._shift

    @property
    def scale(self):
        """The factor."""
        return self._scale

    def _forward(self, x):
        y = identity(x) if self.scale is None else x * self.scale
        return y if self.shift is None else y + self.shift

    def _inverse(self, y):
        x = identity(y) if self.shift is None else y - self.shift
        return x if self.scale is None else x / self.scale

    def _forward_log_det_jacobian(self, x):
        return zeros([], dtype=x.dtype) if self.scale is None else log(abs_of(self.scale))


class Gumbel(_Elementwise):
    """y = exp(-exp(-(x - loc) / scale)), the distribution function of the Gumbel distribution.

    Args:
      loc: A floating-point `Tensor`.
      scale: A positive `Tensor` of the same type.
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive, or `inverse` is given a
        number that is not between 0 and 1.
    """

    def __init__(self, loc=0.0, scale=1.0, validate_args=False, name="gumbel", event_ndims=0):
        self._default_event_ndims = event_ndims
        self._loc, self._scale = _parameters(validate_args, {}, loc=loc, scale=scale)
        self._scale = _positive(self._scale, validate_args, "Argument scale was not positive")
        super().__init__(validate_args, name, [self._loc, self._scale])

    @property
    def loc(self):
        """The location."""
        return self._loc

    @property
    def scale(self):
        """The scale."""
        return self._scale

    def _forward(self, x):
        return exp(-exp(-(x - self.loc) / self.scale))

    def _inverse(self, y):
        return self.loc - self.scale * log(-log(_probability("Inverse", y, self.validate_args)))

    def _forward_log_det_jacobian(self, x):
        z = (x - self.loc) / self.scale
        return -z - exp(-z) - log(self.scale)

    def _inverse_log_det_jacobian(self, y):
        y = _probability("Inverse", y, self.validate_args)
        return log(self.scale / (-log(y) * y))


class Weibull(_Elementwise):
    """y = 1 - exp(-((x / scale) ** concentration)), the distribution function of the Weibull distribution.

    Args:
      scale: A positive floating-point `Tensor`.
      concentration: A positive `Tensor` of the same type.
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive, `forward` is given a
        negative number, or `inverse` one that is not between 0 and 1.
    """

    def __init__(self, scale=1.0, concentration=1.0, validate_args=False, name="weibull", event_ndims=0):
        self._default_event_ndims = event_ndims
        scale, concentration = _parameters(validate_args, {}, scale=scale, concentration=concentration)
        self._scale = _positive(scale, validate_args, "Argument scale was not positive")
        self._concentration = _positive(concentration, validate_args, "Argument concentration was not positive")
        super().__init__(validate_args, name, [self._scale, self._concentration])

    @property
    def scale(self):
        """The scale."""
        return self._scale

    @property
    def concentration(self):
        """The shape parameter."""
        return self._concentration

    def _valid_x(self, x):
        message = "Forward transformation input must be at least 0."
        return self._checked(check.assert_non_negative, x, message=message)

    def _forward(self, x):
        return -expm1(-pow_of(self._valid_x(x) / self.scale, self.concentration))

    def _inverse(self, y):
        y = _probability("Inverse", y, self.validate_args)
        return self.scale * pow_of(-log1p(-y), 1 / self.concentration)

    def _forward_log_det_jacobian(self, x):
        z, k = self._valid_x(x) / self.scale, self.concentration
        return -pow_of(z, k) + xlogy(k - 1, z) + log(k) - log(self.scale)

    def _inverse_log_det_jacobian(self, y):
        y, k = _probability("Inverse", y, self.validate_args), self.concentration
        return -log1p(-y) + xlogy(1 / k - 1, -log1p(-y)) + log(self.scale / k)


class Kumaraswamy(_Elementwise):
    """y = (1 - (1 - x) ** (1 / b)) ** (1 / a): numbers between 0 and 1, uniform ones to those of Kumaraswamy.

    Args:
      concentration1: a, a positive floating-point `Tensor`.
      concentration0: b, a positive `Tensor` of the same type.
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive, or a value is not
        between 0 and 1.
    """

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, name="kumaraswamy"):
        a = convert_to_tensor(concentration1, name="concentration1")
        b = convert_to_tensor(concentration0, name="concentration0")
        message = "Concentration parameter must be positive."
        self._concentration1 = _positive(a, validate_args, message)
        self._concentration0 = _positive(b, validate_args, message)
        super().__init__(validate_args, name, [self._concentration1, self._concentration0])

    @property
    def concentration1(self):
        """The parameter a."""
        return self._concentration1

    @property
    def concentration0(self):
        """The parameter b."""
        return self._concentration0

    def _forward(self, x):
        x = _probability("Forward", x, self.validate_args)
        return exp(log(-expm1(log1p(-x) / self.concentration0)) / self.concentration1)

    def _inverse(self, y):
        y = _probability("Inverse", y, self.validate_args)
        return -expm1(self.concentration0 * log1p(-pow_of(y, self.concentration1)))

    def _inverse_log_det_jacobian(self, y):
        y, a, b = _probability("Inverse", y, self.validate_args), self.concentration1, self.concentration0
        return log(a) + log(b) + xlogy(a - 1, y) + xlogy(b - 1, 1 - pow_of(y, a))


class SinhArcsinh(_Elementwise):
    """y = sinh((asinh(x) + skewness) * tailweight).

    Args:
      skewness: A floating-point `Tensor`; 0 by default.
      tailweight: A positive `Tensor` of the same type; 1 by default.
      validate_args: Whether `tailweight` is checked in each run.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Raises:
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `tailweight` is not positive.
    """

    def __init__(self, skewness=None, tailweight=None, validate_args=False, name="SinhArcsinh", event_ndims=0):
        self._default_event_ndims = event_ndims
        given = {"skewness": 0.0 if skewness is None else skewness, "tailweight": tailweight}
        given["tailweight"] = 1.0 if tailweight is None else tailweight
        free = {"skewness": skewness is None, "tailweight": tailweight is None}
        self._skewness, self._tailweight = _parameters(validate_args, free, **given)
        check.assert_same_float_dtype([self._skewness, self._tailweight])
        self._tailweight = _positive(self._tailweight, validate_args, "Argument tailweight was not positive")
        super().__init__(validate_args, name)

    @property
    def skewness(self):
        """What is added."""
        return self._skewness

    @property
    def tailweight(self):
        """The factor."""
        return self._tailweight

    def _forward(self, x):
        return sinh((asinh(x) + self.skewness) * self.tailweight)

    def _inverse(self, y):
        return sinh(asinh(y) / self.tailweight - self.skewness)

    def _forward_log_det_jacobian(self, x):
        z = (asinh(x) + self.skewness) * self.tailweight
        return _log_cosh(z) + log(self.tailweight) - _log_hypotenuse(x)

    def _inverse_log_det_jacobian(self, y):
        z = asinh(y) / self.tailweight - self.skewness
        return _log_cosh(z) - log(self.tailweight) - _log_hypotenuse(y)


def _log_cosh(x):
    """log(cosh(x)), also where cosh(x) is too large."""
    x = abs_of(x)
    return x + log1p(exp(-2 * x)) - math.log(2.0)


def _log_hypotenuse(x):
    """log(sqrt(1 + x * x)), also where x * x is too large."""
    return _log_cosh(asinh(x))


def _parameters(validate_args, free, **values):
    """Parameters as tensors of one type: that of the first one that is not `free`, as defaults are."""
    first = next((value for name, value in values.items() if not free.get(name)), None)
    dtype = None if first is None else convert_to_tensor(first).dtype
    return [
        convert_to_tensor(value, dtype=dtype if free.get(name) or isinstance(value, float) else None, name=name)
        for name, value in values.items()
    ]


def _positive(value, validate_args, message):
    return with_dependencies([check.assert_positive(value, message=message)], value) if validate_args else value


def _probability(direction, value, validate_args):
    """The value with checks that it is from 0 to 1. direction: "Forward" or "Inverse", for the messages."""
    if not validate_args:
        return value
    one = convert_to_tensor(1.0, value.dtype)
    what = f"{direction} transformation input must be"
    checks = [
        check.assert_non_negative(value, message=f"{what} at least 0."),
        check.assert_less_equal(value, one, message=f"{what} less than or equal to 1."),
    ]
    return with_dependencies(checks, value)
