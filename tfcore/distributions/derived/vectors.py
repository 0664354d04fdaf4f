"""Vectors of independent numbers that are scaled and moved: exponential, Laplace, and SinhArcsinh."""

from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.distributions import scales
from tfcore.distributions.bijectors.affine import AffineLinearOperator
from tfcore.distributions.bijectors.compositions import Chain
from tfcore.distributions.bijectors.elementwise import SinhArcsinh
from tfcore.distributions.derived.transformed import TransformedDistribution
from tfcore.distributions.gamma import Exponential
from tfcore.distributions.laplace import Laplace
from tfcore.distributions.normal import Normal
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.diag import matrix_diag
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.unary import sqrt, square
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.reduce.reduce import reduce_sum


class VectorOfScaled(TransformedDistribution):
    """loc + scale @ x for a vector x of independent numbers of one distribution with the variance `_variance_of_x`."""

    _variance_of_x = 1.0
    _mean_of_x = 0.0

    def _set_up(self, base, loc, scale, validate_args, parameters, name):
        batch, event = scales.shapes_of(loc, scale)
        TransformedDistribution.__init__(
            self,
            base,
            AffineLinearOperator(shift=loc, scale=scale, validate_args=validate_args),
            batch_shape=batch,
            event_shape=event,
            validate_args=validate_args,
            name=name,
        )
        self._parameters = parameters

    @property
    def loc(self):
        """What is added, or None."""
        return self.bijector.shift

    @property
    def scale(self):
        """The scale, a `LinearOperator`."""
        return self.bijector.scale

    def _for_batch(self, value, *event):
        """A statistic repeated for the whole batch."""
        sizes = concat([self.batch_shape_tensor(), *event], 0)
        result = value * ones(sizes, dtype=self.dtype)
        static = self.batch_shape
        for _ in event:
            static = static.concatenate(self.event_shape)
        result.set_shape(static)
        return result

    def _mean(self):
        event = self.event_shape_tensor()
        mean = zeros(event, dtype=self.dtype)
        if self._mean_of_x:
            mean = self.scale.matvec(ones(event, dtype=self.dtype)) * self._mean_of_x
        return self._for_batch(mean if self.loc is None else mean + self.loc, event)

    def _product_with_itself(self):
        dense = self.scale.to_dense()
        return matmul(dense, dense, transpose_b=True)

    def _covariance(self):
        event = self.event_shape_tensor()
        if isinstance(self.scale, LinearOperatorDiag):
            square_of = matrix_diag(square(self.scale.diag_part()))
        else:
            square_of = self._product_with_itself()
        return self._for_batch(self._variance_of_x * square_of, event, event)

    def _variance(self):
        if isinstance(self.scale, LinearOperatorDiag):
            variance = square(self.scale.diag_part())
        else:
            variance = reduce_sum(square(self.scale.to_dense()), -1)
        return self._for_batch(self._variance_of_x * variance, self.event_shape_tensor())

    def _stddev(self):
        return sqrt(self._variance())


class VectorExponentialDiag(VectorOfScaled):
    """loc + scale * x for a vector x of independent numbers of the exponential distribution with mean 1.

    Args:
      loc: A floating-point `Tensor` of shape [..., k]; 0 by default.
      scale_diag: The scales, a `Tensor` of shape [..., k].
      scale_identity_multiplier: A `Tensor` of the shape of the batch, which is added to the scales.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `scale_diag` is given.

    Example:

    >>> print(sess.run(tf.contrib.distributions.VectorExponentialDiag([1.0, 0.0], [1.0, 3.0]).mean()))
    [2. 3.]
    """

    _mean_of_x = 1.0

    def __init__(
        self,
        loc=None,
        scale_diag=None,
        scale_identity_multiplier=None,
        validate_args=False,
        allow_nan_stats=True,
        name="VectorExponentialDiag",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
            given = {"loc": loc, "scale_diag": scale_diag, "scale_identity_multiplier": scale_identity_multiplier}
            loc, diag, multiplier = scales.convert_to_common_type(**given)
            scale = scales.diagonal_scale(loc, diag, multiplier, validate_args)
            base = Exponential(ones([], dtype=scale.dtype), allow_nan_stats=allow_nan_stats)
            self._set_up(base, loc, scale, validate_args, parameters, name)

    def _mode(self):
        zero = zeros(self.event_shape_tensor(), dtype=self.dtype)
        return self._for_batch(zero if self.loc is None else zero + self.loc, self.event_shape_tensor())


class VectorLaplaceDiag(VectorOfScaled):
    """loc + scale * x for a vector x of independent numbers of the Laplace distribution.

    Args:
      loc: The mean, a floating-point `Tensor` of shape [..., k]; 0 by default.
      scale_diag: The scales, a `Tensor` of shape [..., k].
      scale_identity_multiplier: A `Tensor` of the shape of the batch, which is added to the scales.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `scale_diag` is given.

    Example:

    >>> print(sess.run(tf.contrib.distributions.VectorLaplaceDiag(scale_diag=[1.0, 2.0]).variance()))
    [2. 8.]
    """

    _variance_of_x = 2.0

    def __init__(
        self,
        loc=None,
        scale_diag=None,
        scale_identity_multiplier=None,
        validate_args=False,
        allow_nan_stats=True,
        name="VectorLaplaceDiag",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
            given = {"loc": loc, "scale_diag": scale_diag, "scale_identity_multiplier": scale_identity_multiplier}
            loc, diag, multiplier = scales.convert_to_common_type(**given)
            scale = scales.diagonal_scale(loc, diag, multiplier, validate_args)
            zero, one = zeros([], dtype=scale.dtype), ones([], dtype=scale.dtype)
            base = Laplace(zero, one, allow_nan_stats=allow_nan_stats)
            self._set_up(base, loc, scale, validate_args, parameters, name)

    def _mode(self):
        return self._mean()


class VectorSinhArcsinhDiag(TransformedDistribution):
    """The distribution of vectors loc + c * sinh((asinh(x) + skewness) * tailweight), of independent normal x.

    c is scale_diag * 2 / sinh(asinh(2) * tailweight).

    Args:
      loc: A floating-point `Tensor` of shape [..., k]; 0 by default.
      scale_diag: The scales, a `Tensor` of shape [..., k].
      scale_identity_multiplier: A `Tensor` of the shape of the batch, which is added to the scales.
      skewness: A `Tensor` of shape [..., k]; 0 by default.
      tailweight: A positive `Tensor` of shape [..., k]; 1 by default.
      distribution: The `Distribution` of the elements of x, a single one of numbers; `Normal(0, 1)` by default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither `loc` nor `scale_diag` is given.

    Example:

    >>> d = tf.contrib.distributions.VectorSinhArcsinhDiag(scale_diag=[1.0, 2.0], tailweight=1.0)
    >>> print(d.event_shape)
    (2,)
    """

    def __init__(
        self,
        loc=None,
        scale_diag=None,
        scale_identity_multiplier=None,
        skewness=None,
        tailweight=None,
        distribution=None,
        validate_args=False,
        allow_nan_stats=True,
        name="VectorSinhArcsinhDiag",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier, skewness, tailweight]) as name:
            given = {
                "loc": loc,
                "scale_diag": scale_diag,
                "scale_identity_multiplier": scale_identity_multiplier,
                "skewness": skewness,
                "tailweight": tailweight,
            }
            loc, diag, multiplier, skewness, tailweight = scales.convert_to_common_type(**given)
            scale = scales.diagonal_scale(loc, diag, multiplier)
            dtype = scale.dtype
            skewness = zeros([], dtype=dtype) if skewness is None else skewness
            tailweight = ones([], dtype=dtype) if tailweight is None else tailweight
            batch, event = self._shapes(loc, scale, skewness, tailweight)
            level = SinhArcsinh(zeros([], dtype=dtype), tailweight)
            factor = 2.0 / level.forward(convert_to_tensor(2.0, dtype))
            diagonal = scale.diag_part() * factor
            scale = scales.diagonal_scale(loc, diagonal, None, validate_args)
            if distribution is None:
                distribution = Normal(zeros([], dtype=dtype), ones([], dtype=dtype), allow_nan_stats=allow_nan_stats)
            affine = AffineLinearOperator(shift=loc, scale=scale, validate_args=validate_args)
            bend = SinhArcsinh(skewness, tailweight, validate_args=validate_args)
            super().__init__(distribution, Chain([affine, bend]), batch, event, validate_args, name)
        self._parameters = parameters
        self._loc, self._affine_scale, self._skewness, self._tailweight = loc, scale, skewness, tailweight

    @staticmethod
    def _shapes(loc, scale, skewness, tailweight):
        """The shapes of the batch and of an event, to which skewness and tailweight broadcast."""
        batch, event = scales.shapes_of(loc, scale)
        for more in (skewness, tailweight):
            if more.shape.ndims == 0:
                continue
            lead = more.shape[:-1]
            if isinstance(batch, list) and lead.is_fully_defined():
                batch = broadcast_static_shape(lead, lead.__class__(batch)).as_list()
            else:
                batch = broadcast_dynamic_shape(convert_to_tensor(batch, dtype="int32"), shape(more)[:-1])
        return batch, event

    @property
    def loc(self):
        """What is added, or None."""
        return self._loc

    @property
    def scale(self):
        """The scale, a `LinearOperator`."""
        return self._affine_scale

    @property
    def skewness(self):
        """The skewness; 0 if the distribution is symmetric."""
        return self._skewness

    @property
    def tailweight(self):
        """The weight of tails, 1 for that of x."""
        return self._tailweight
