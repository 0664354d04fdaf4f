"""Distributions of numbers that are functions of uniform and normal ones: Kumaraswamy, SinhArcsinh."""

from tfcore.distributions import util
from tfcore.distributions.bijectors.compositions import Chain
from tfcore.distributions.bijectors.elementwise import AffineScalar
from tfcore.distributions.bijectors.elementwise import Kumaraswamy as KumaraswamyBijector
from tfcore.distributions.bijectors.elementwise import SinhArcsinh as SinhArcsinhBijector
from tfcore.distributions.derived.transformed import TransformedDistribution
from tfcore.distributions.normal import Normal
from tfcore.distributions.uniform import Uniform
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.compare import logical_and
from tfcore.ops.cwise.special import digamma, lgamma
from tfcore.ops.cwise.unary import exp, log, square
from tfcore.ops.debugging import check


def _batch_of(*tensors):
    """The broadcast shape of tensors: a list of ints where it is known, else an int32 vector."""
    static, dynamic = tensors[0].shape, shape(tensors[0])
    for tensor in tensors[1:]:
        static = broadcast_static_shape(static, tensor.shape)
        dynamic = broadcast_dynamic_shape(dynamic, shape(tensor))
    return static.as_list() if static.is_fully_defined() else dynamic


class Kumaraswamy(TransformedDistribution):
    """The distribution on (0, 1) with the distribution function 1 - (1 - x ** a) ** b.

    Args:
      concentration1: The parameter a, a positive floating-point `Tensor`.
      concentration0: The parameter b, of the type of `concentration1`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Kumaraswamy(1.0, 2.0).cdf(0.5)))
    0.75
    """

    def __init__(
        self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Kumaraswamy"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as name:
            a = convert_to_tensor(concentration1, name="concentration1")
            b = convert_to_tensor(concentration0, name="concentration0")
            check.assert_same_float_dtype([a, b])
            super().__init__(
                distribution=Uniform(
                    low=zeros([], dtype=a.dtype), high=ones([], dtype=a.dtype), allow_nan_stats=allow_nan_stats
                ),
                bijector=KumaraswamyBijector(a, b, validate_args=validate_args),
                batch_shape=_batch_of(a, b),
                name=name,
            )
        self._validate_args, self._parameters = validate_args, parameters
        self._reparameterization_type = self.distribution.reparameterization_type

    @property
    def concentration1(self):
        """The parameter a."""
        return self.bijector.concentration1

    @property
    def concentration0(self):
        """The parameter b."""
        return self.bijector.concentration0

    def _entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = digamma(b + 1.0) - digamma(convert_to_tensor(1.0, self.dtype))
        return 1.0 - 1.0 / b + (1.0 - 1.0 / a) * harmonic - log(a) - log(b)

    def _moment(self, n):
        a, b = self.concentration1, self.concentration0
        return exp(log(b) + lgamma(1.0 + n / a) + lgamma(b) - lgamma(1.0 + n / a + b))

    def _mean(self):
        return self._moment(1)

    def _variance(self):
        return self._moment(2) - square(self._moment(1))

    def _mode(self):
        a, b = self.concentration1, self.concentration0
        mode = exp(log((a - 1.0) / (a * b - 1.0)) / a)
        if self.allow_nan_stats:
            return util.nan_where_not(logical_and(a > 1.0, b > 1.0), mode)
        one = convert_to_tensor(1.0, self.dtype)
        checks = [
            check.assert_less(one, a, message="Mode undefined for concentration1 <= 1."),
            check.assert_less(one, b, message="Mode undefined for concentration0 <= 1."),
        ]
        return with_dependencies(checks, mode)


class SinhArcsinh(TransformedDistribution):
    """The distribution of loc + c * sinh((asinh(x) + skewness) * tailweight) for a standard normal x.

    c is scale * 2 / sinh(asinh(2) * tailweight), so that the scale of a symmetric one is about the same for all tails.

    Args:
      loc: A floating-point `Tensor`.
      scale: A positive `Tensor` of the same type.
      skewness: A `Tensor` of the same type; 0 by default.
      tailweight: A positive `Tensor` of the same type; 1 by default, larger ones have heavier tails.
      distribution: The `Distribution` of x, of numbers; `Normal(0, 1)` by default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `tailweight` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.SinhArcsinh(1.0, 2.0, skewness=0.0, tailweight=0.5).cdf(1.0)))
    0.5
    """

    def __init__(
        self,
        loc,
        scale,
        skewness=None,
        tailweight=None,
        distribution=None,
        validate_args=False,
        allow_nan_stats=True,
        name="SinhArcsinh",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale, skewness, tailweight]) as name:
            loc = convert_to_tensor(loc, name="loc")
            dtype = loc.dtype.base_dtype
            scale = convert_to_tensor(scale, dtype=dtype, name="scale")
            skewness = convert_to_tensor(0.0 if skewness is None else skewness, dtype=dtype, name="skewness")
            tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight, dtype=dtype, name="tailweight")
            batch = _batch_of(loc, scale, skewness, tailweight)
            if distribution is None:
                distribution = Normal(zeros([], dtype=dtype), ones([], dtype=dtype), allow_nan_stats=allow_nan_stats)
            else:
                nothing = loc + scale + skewness + tailweight
                loc += zeros(broadcast_dynamic_shape(distribution.batch_shape_tensor(), shape(nothing)), dtype=dtype)
                batch = None if distribution.batch_shape.ndims != 0 else batch
            bend = SinhArcsinhBijector(skewness, tailweight, validate_args=validate_args)
            level = SinhArcsinhBijector(zeros([], dtype=dtype), tailweight)
            factor = scale * 2.0 / level.forward(convert_to_tensor(2.0, dtype))
            affine = AffineScalar(shift=loc, scale=factor, validate_args=validate_args)
            super().__init__(distribution, Chain([affine, bend]), batch_shape=batch, name=name)
        self._validate_args, self._parameters = validate_args, parameters
        self._loc, self._scale, self._skewness, self._tailweight = loc, scale, skewness, tailweight

    @property
    def loc(self):
        """The location."""
        return self._loc

    @property
    def scale(self):
        """The scale."""
        return self._scale

    @property
    def skewness(self):
        """The skewness; 0 if the distribution is symmetric."""
        return self._skewness

    @property
    def tailweight(self):
        """The weight of tails, 1 for that of x."""
        return self._tailweight
