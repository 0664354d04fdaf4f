"""Distributions given a random parameter, summed over a grid of its values: PoissonLogNormal, VectorDiffeomixture."""

import math

import numpy as np

from tfcore.composed.linear_operators.diag import LinearOperatorDiag
from tfcore.composed.linear_operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from tfcore.composed.linear_operators.lower_triangular import LinearOperatorLowerTriangular
from tfcore.distributions import util
from tfcore.distributions.bijectors.affine import AffineLinearOperator
from tfcore.distributions.bijectors.vectors import SoftmaxCentered
from tfcore.distributions.categorical import Categorical
from tfcore.distributions.counts import Poisson
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution
from tfcore.distributions.normal import Normal
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import fill, ones, zeros
from tfcore.ops.array.diag import matrix_diag_part
from tfcore.ops.array.join import concat, stack
from tfcore.ops.cwise.unary import exp, log, square
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.random.sample import random_poisson
from tfcore.ops.reduce.reduce import reduce_logsumexp, reduce_sum

# ---- Grids


def _hermite(size, dtype):
    """Gauss-Hermite nodes and weights; the weights sum to 1."""
    nodes, weights = np.polynomial.hermite.hermgauss(size)
    return nodes.astype(dtype.as_numpy_dtype), convert_to_tensor((weights / weights.sum()).astype(dtype.as_numpy_dtype))


def _edges(size, dtype):
    """The probabilities between which `size` intervals are, without 0 and 1, whose quantiles may be infinite."""
    return np.linspace(0, 1, size + 3)[1:-1].astype(dtype.as_numpy_dtype)


def _even(size, dtype):
    return fill([size], convert_to_tensor(1.0 / size, dtype))


def _pair_of(loc, scale):
    loc = convert_to_tensor(loc, name="loc")
    return loc, convert_to_tensor(scale, dtype=loc.dtype.base_dtype, name="scale")


def quadrature_scheme_lognormal_gauss_hermite(loc, scale, quadrature_size, validate_args=False, name=None):
    """Gauss-Hermite nodes and weights for a log-normal distribution.

    Args:
      loc: The mean of the logarithm, a floating-point `Tensor`.
      scale: Its standard deviation, a `Tensor` of the same type.
      quadrature_size: The number of nodes, an int.
      validate_args: Accepted for compatibility; has no effect.
      name: Name of the scope.

    Returns:
      A tuple: the nodes, of shape [..., quadrature_size], and their weights, of shape [quadrature_size].

    Raises:
      ValueError: `scale` is a `Tensor` of another type.
    """
    with name_scope(name, "vector_diffeomixture_quadrature_gauss_hermite", values=[loc, scale]):
        loc, scale = _pair_of(loc, scale)
        nodes, weights = _hermite(quadrature_size, loc.dtype.base_dtype)
        return exp(expand_dims(loc, -1) + expand_dims(scale, -1) * (math.sqrt(2) * nodes)), weights


def quadrature_scheme_lognormal_quantiles(loc, scale, quadrature_size, validate_args=False, name=None):
    """The midpoints between quantiles of a log-normal distribution, all of the same weight.

    Args:
      loc: The mean of the logarithm, a floating-point `Tensor`.
      scale: Its standard deviation, a `Tensor` of the same type.
      quadrature_size: The number of points, an int.
      validate_args: Accepted for compatibility; has no effect.
      name: Name of the scope.

    Returns:
      A tuple: the points, of shape [..., quadrature_size], and their weights, of shape [quadrature_size].

    Raises:
      ValueError: `scale` is a `Tensor` of another type.
    """
    with name_scope(name, "quadrature_scheme_lognormal_quantiles", values=[loc, scale]):
        loc, scale = _pair_of(loc, scale)
        kind = loc.dtype.base_dtype
        quantiles = exp(Normal(expand_dims(loc, -1), expand_dims(scale, -1)).quantile(_edges(quadrature_size, kind)))
        return (quantiles[..., :-1] + quantiles[..., 1:]) / 2, _even(quadrature_size, kind)


def _mixing(loc, scale):
    """Parameters of weights of two components, as tensors; more components are not supported, as in TensorFlow."""
    loc = convert_to_tensor(loc, name="normal_loc")
    scale = convert_to_tensor(scale, dtype=loc.dtype.base_dtype, name="normal_scale")
    if scale.shape.ndims is not None:
        if scale.shape.ndims == 0:
            raise ValueError("Mixing params must be a (batch of) vector; normal_scale.rank=0 is not at least one.")
        if scale.shape.as_list()[-1] != 1:
            raise NotImplementedError(
                f"Currently only bimixtures are supported; normal_scale.shape[-1]={scale.shape.as_list()[-1]} is not 1."
            )
    return loc, scale


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc, normal_scale, quadrature_size, validate_args=False, name=None
):
    """Gauss-Hermite nodes and weights for two weights: SoftmaxCentered of a normal distribution.

    Args:
      normal_loc: The mean of the normal distribution, a floating-point `Tensor` of shape [..., 1].
      normal_scale: Its standard deviation, of the same shape and type.
      quadrature_size: The number of nodes, an int.
      validate_args: Accepted for compatibility; has no effect.
      name: Name of the scope.

    Returns:
      A tuple: the nodes, of shape [..., 2, quadrature_size], and their weights, of shape [quadrature_size].

    Raises:
      ValueError: A parameter is a scalar.
      NotImplementedError: There are more than two weights.
    """
    with name_scope(name, "quadrature_scheme_softmaxnormal_gauss_hermite", values=[normal_loc, normal_scale]):
        loc, scale = _mixing(normal_loc, normal_scale)
        nodes, weights = _hermite(quadrature_size, loc.dtype.base_dtype)
        points = loc + scale * (math.sqrt(2) * nodes)  # [..., quadrature_size]
        return _two_weights(points), weights


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc, normal_scale, quadrature_size, validate_args=False, name=None
):
    """The midpoints between quantiles of two weights: SoftmaxCentered of a normal distribution.

    Args:
      normal_loc: The mean of the normal distribution, a floating-point `Tensor` of shape [..., 1].
      normal_scale: Its standard deviation, of the same shape and type.
      quadrature_size: The number of points, an int.
      validate_args: Accepted for compatibility; has no effect.
      name: Name of the scope.

    Returns:
      A tuple: the points, of shape [..., 2, quadrature_size], and their weights, of shape [quadrature_size].

    Raises:
      ValueError: A parameter is a scalar.
      NotImplementedError: There are more than two weights.
    """
    with name_scope(name, "softmax_normal_grid_and_probs", values=[normal_loc, normal_scale]):
        loc, scale = _mixing(normal_loc, normal_scale)
        kind = loc.dtype.base_dtype
        quantiles = _two_weights(Normal(loc, scale).quantile(_edges(quadrature_size, kind)))
        return (quantiles[..., :-1] + quantiles[..., 1:]) / 2, _even(quadrature_size, kind)


def _two_weights(points):
    """The weights of two components at points of shape [..., n], of shape [..., 2, n]."""
    weights = SoftmaxCentered().forward(expand_dims(points, -1))  # [..., n, 2]
    return stack([weights[..., 0], weights[..., 1]], axis=-2)


# ---- Distributions


class PoissonLogNormalQuadratureCompound(Distribution):
    """The Poisson distribution whose rate is one of a grid that approximates a log-normal distribution.

    Args:
      loc: The mean of the logarithm of the rate, a floating-point `Tensor`.
      scale: Its standard deviation, a `Tensor` of the same type.
      quadrature_size: The number of rates of the grid, an int.
      quadrature_fn: A function of `loc`, `scale`, `quadrature_size` and `validate_args` that gives the grid and its
        probabilities.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      TypeError: The types differ.

    Example:

    >>> d = tf.contrib.distributions.PoissonLogNormalQuadratureCompound([0.0, 1.0], 0.5)
    >>> print(d.batch_shape)
    (2,)
    """

    def __init__(
        self,
        loc,
        scale,
        quadrature_size=8,
        quadrature_fn=quadrature_scheme_lognormal_quantiles,
        validate_args=False,
        allow_nan_stats=True,
        name="PoissonLogNormalQuadratureCompound",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            self._loc, self._scale = _pair_of(loc, scale)
            grid, probs = tuple(quadrature_fn(self._loc, self._scale, quadrature_size, validate_args))
            self._quadrature_grid, self._quadrature_probs, self._quadrature_size = grid, probs, quadrature_size
            if grid.dtype.base_dtype != probs.dtype.base_dtype:
                raise TypeError(
                    f"Quadrature grid dtype ({grid.dtype.name}) does not match quadrature probs dtype "
                    f"({probs.dtype.name})."
                )
            self._distribution = Poisson(
                log_rate=log(grid), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            self._mixture_distribution = Categorical(
                logits=log(probs), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
        super().__init__(
            dtype=grid.dtype.base_dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=name,
        )

    @property
    def mixture_distribution(self):
        """The distribution of the number of the rate."""
        return self._mixture_distribution

    @property
    def distribution(self):
        """The Poisson distributions of all rates."""
        return self._distribution

    @property
    def loc(self):
        """The mean of the logarithm of the rate."""
        return self._loc

    @property
    def scale(self):
        """The standard deviation of the logarithm of the rate."""
        return self._scale

    @property
    def quadrature_size(self):
        """The number of rates of the grid."""
        return self._quadrature_size

    def _batch_shape_tensor(self):
        return broadcast_dynamic_shape(
            shape(self.distribution.rate)[:-1], self.mixture_distribution.batch_shape_tensor()
        )

    def _batch_shape(self):
        return broadcast_static_shape(self.distribution.batch_shape[:-1], self.mixture_distribution.batch_shape)

    def _event_shape_tensor(self):
        return convert_to_tensor([], dtype="int32")

    def _event_shape(self):
        return TensorShape([])

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        chosen = _choose(self.mixture_distribution, n, sizes, util.gen_new_seed(seed, "poisson_lognormal"))
        picked = one_hot(chosen, self.quadrature_size, dtype=self.dtype)
        rate = reduce_sum(picked * self.distribution.rate, -1)
        return random_poisson(rate, [], dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        logs = self.mixture_distribution.logits + self.distribution.log_prob(expand_dims(x, -1))
        return reduce_logsumexp(logs, -1)

    def _mean(self):
        return reduce_sum(self.mixture_distribution.probs * self.distribution.mean(), -1)

    def _variance(self):
        # the mean of the variances plus the variance of the means
        means = self.distribution.mean()
        distances = square(means - expand_dims(self._mean(), -1))
        return reduce_sum(self.mixture_distribution.probs * (self.distribution.variance() + distances), -1)


def _choose(mixture, n, sizes, seed):
    """Numbers of points of a grid, of the shape `sizes` = [n, ...]."""
    return mixture.sample(sizes if mixture.batch_shape.ndims == 0 else n, seed=seed)


class VectorDiffeomixture(Distribution):
    """The mixture of loc + scale @ x over a quadrature grid of weights.

    loc and scale are weighted means of two endpoints. The weights approximate SoftmaxCentered of a normal distribution
    with the mean mix_loc / temperature and the standard deviation 1 / temperature.

    Args:
      mix_loc: A floating-point `Tensor` of shape [..., 1].
      temperature: A positive `Tensor` of the same type and shape; near 0, weights are near 0 and 1.
      distribution: The `Distribution` of the elements of x, a single one of numbers.
      loc: A list of two `Tensor`s of shape [..., k], of which one may be None for 0.
      scale: A list of two `LinearOperator`s of shape [..., k, k]: identities, diagonals or lower triangles.
      quadrature_size: The number of weights of the grid, an int.
      quadrature_fn: A function of the mean, the standard deviation, `quadrature_size` and `validate_args` that gives
        the grid and its probabilities.
      validate_args: Whether parameters are checked.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Lists have less than two elements or not as many, a scale may not be positive definite (with
        `validate_args`), or `distribution` is a batch or has no numbers.
      TypeError: The types differ.
      NotImplementedError: There are more than two components, or a scale is another operator.

    Example:

    >>> ds = tf.contrib.distributions
    >>> scale = [tf.linalg.LinearOperatorDiag(one, is_positive_definite=True) for one in ([1.0, 1.0], [2.0, 4.0])]
    >>> print(ds.VectorDiffeomixture([[0.0]], [1.0], ds.Normal(0.0, 1.0), [None, [1.0, 1.0]], scale).event_shape)
    (2,)
    """

    def __init__(
        self,
        mix_loc,
        temperature,
        distribution,
        loc=None,
        scale=None,
        quadrature_size=8,
        quadrature_fn=quadrature_scheme_softmaxnormal_quantiles,
        validate_args=False,
        allow_nan_stats=True,
        name="VectorDiffeomixture",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[mix_loc, temperature]) as name:
            loc, dtype = _components(loc, scale, validate_args)
            _check_base(distribution, dtype, validate_args)
            self._distribution = distribution
            self._endpoint_affine = [
                AffineLinearOperator(one, operator, validate_args, f"endpoint_affine_{k}")
                for k, (one, operator) in enumerate(zip(loc, scale))
            ]
            mix_loc = convert_to_tensor(mix_loc, dtype=dtype, name="mix_loc")
            temperature = convert_to_tensor(temperature, dtype=dtype, name="temperature")
            self._grid, probs = quadrature_fn(mix_loc / temperature, 1.0 / temperature, quadrature_size, validate_args)
            self._mixture_distribution = Categorical(
                logits=log(probs), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            self._interpolated_affine = [
                AffineLinearOperator(
                    _weighted_loc(self._grid[..., q], loc),
                    _weighted_scale(self._grid[..., q], scale),
                    validate_args,
                    f"interpolated_affine_{q}",
                )
                for q in range(quadrature_size)
            ]
        super().__init__(
            dtype=dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    @property
    def mixture_distribution(self):
        """The distribution of the number of the weight."""
        return self._mixture_distribution

    @property
    def distribution(self):
        """The distribution of the elements of x."""
        return self._distribution

    @property
    def grid(self):
        """The weights, of shape [..., 2, quadrature_size]."""
        return self._grid

    @property
    def endpoint_affine(self):
        """The two affine bijectors, a list."""
        return self._endpoint_affine

    @property
    def interpolated_affine(self):
        """Their means for each weight, a list of affine bijectors."""
        return self._interpolated_affine

    def _batch_shape_tensor(self):
        sizes = shape(self.grid)[:-2]
        for affine in self.endpoint_affine:
            sizes = broadcast_dynamic_shape(sizes, affine.scale.batch_shape_tensor())
            sizes = sizes if affine.shift is None else broadcast_dynamic_shape(sizes, shape(affine.shift)[:-1])
        return sizes

    def _batch_shape(self):
        sizes = self.grid.shape[:-2]
        for affine in self.endpoint_affine:
            sizes = broadcast_static_shape(sizes, affine.scale.batch_shape)
            sizes = sizes if affine.shift is None else broadcast_static_shape(sizes, affine.shift.shape[:-1])
        return sizes

    def _event_shape_tensor(self):
        return expand_dims(self.endpoint_affine[0].scale.range_dimension_tensor(), 0)

    def _event_shape(self):
        return TensorShape([self.endpoint_affine[0].scale.range_dimension])

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        x = self.distribution.sample(concat([sizes, self.event_shape_tensor()], 0), seed=seed)
        first, second = (affine.forward(x) for affine in self.endpoint_affine)
        chosen = _choose(self.mixture_distribution, n, sizes, util.gen_new_seed(seed, "vector_diffeomixture"))
        picked = one_hot(chosen, len(self.interpolated_affine), dtype=self.dtype)
        weight = expand_dims(reduce_sum(picked * self.grid[..., 0, :], -1), -1)
        return weight * (first - second) + second

    def _log_prob(self, x):
        logs = []
        for affine in self.interpolated_affine:
            inside = reduce_sum(self.distribution.log_prob(affine.inverse(x)), -1)
            logs.append(inside + affine.inverse_log_det_jacobian(x, 1))
        return reduce_logsumexp(stack(logs, axis=-1) + self.mixture_distribution.logits, -1)

    def _parts(self):
        """For each weight its probability, of shape [..., 1], the mean, and the scale as a matrix."""
        event = concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        mean = self.distribution.mean() * ones(event, dtype=self.dtype)
        probs = self.mixture_distribution.probs
        return [
            (expand_dims(probs[..., q], -1), affine.forward(mean), affine.scale.to_dense())
            for q, affine in enumerate(self.interpolated_affine)
        ]

    def _mean(self):
        return sum((probs * mean for probs, mean, _ in self._parts()), zeros([], dtype=self.dtype))

    def _covariance(self):
        # the mean of the covariances plus the covariance of the means
        total, variance = zeros([], dtype=self.dtype), self.distribution.variance()
        center = self._mean()
        for probs, mean, scale in self._parts():
            away = mean - center
            inner = variance * matmul(scale, scale, adjoint_b=True)
            total += expand_dims(probs, -1) * (inner + expand_dims(away, -1) * expand_dims(away, -2))
        return total

    def _variance(self):
        return matrix_diag_part(self._covariance())


def _components(loc, scale, validate_args):
    """The checked list of locations, and the type of all."""
    if not scale or len(scale) < 2:
        raise ValueError(
            "Must specify list (or list-like object) of scale LinearOperators, one for each component with "
            "num_component >= 2."
        )
    loc = [None] * len(scale) if loc is None else loc
    if len(loc) != len(scale):
        raise ValueError("loc/scale must be same-length lists (or same-length list-like objects).")
    dtype = scale[0].dtype.base_dtype
    loc = [None if one is None else convert_to_tensor(one, dtype=dtype, name=f"loc{k}") for k, one in enumerate(loc)]
    for k, operator in enumerate(scale):
        if validate_args and not operator.is_positive_definite:
            raise ValueError(f"scale[{k}].is_positive_definite = {operator.is_positive_definite} != True")
        if operator.dtype.base_dtype != dtype:
            other = operator.dtype.base_dtype.name
            raise TypeError(f'dtype mismatch; scale[{k}].base_dtype="{other}" != "{dtype.name}"')
    if len(scale) != 2:
        raise NotImplementedError(f"Currently only bimixtures are supported; len(scale)={len(scale)} is not 2.")
    return loc, dtype


def _check_base(distribution, dtype, validate_args):
    if distribution.dtype != dtype:
        raise TypeError(f'dtype mismatch; distribution.dtype="{distribution.dtype.name}" is not "{dtype.name}"')
    if validate_args and distribution.reparameterization_type is not FULLY_REPARAMETERIZED:
        raise ValueError("Base distribution should be reparameterized or be a function of non-trainable variables.")
    for what, scalar in (("batch", distribution.is_scalar_batch()), ("event", distribution.is_scalar_event())):
        known = util.constant_value_of(scalar)
        if known is not None and not known:
            raise ValueError(f"`distribution` must have scalar {what}, distribution.{what}_shape is "
                             f"{getattr(distribution, f'{what}_shape')}.")  # fmt: skip


def _weighted_loc(weights, loc):
    """The mean of the locations for weights of shape [..., 2]; None for 0."""
    parts = [expand_dims(weights[..., k], -1) * one for k, one in enumerate(loc) if one is not None]
    return sum(parts[1:], parts[0]) if parts else None


def _weighted_scale(weights, scale):
    """The mean of the scales for weights of shape [..., 2], as an operator."""
    diagonals = LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorDiag
    positive = True if all(one.is_positive_definite for one in scale) else None
    for one in scale:
        if not isinstance(one, (*diagonals, LinearOperatorLowerTriangular)):
            raise NotImplementedError(f"Unsupported Linop type ({type(one).__name__})")
    first, second = (expand_dims(weights[..., k], -1) for k in range(2))
    if all(isinstance(one, diagonals) for one in scale):
        diagonal = first * scale[0].diag_part() + second * scale[1].diag_part()
        return LinearOperatorDiag(diagonal, is_non_singular=True, is_positive_definite=positive)
    triangle = expand_dims(first, -1) * scale[0].to_dense() + expand_dims(second, -1) * scale[1].to_dense()
    return LinearOperatorLowerTriangular(triangle, is_non_singular=True)
