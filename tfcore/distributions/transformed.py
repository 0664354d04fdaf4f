"""The distribution of a function of a random variable."""

from tfcore.distributions.bijectors import Identity
from tfcore.distributions.distribution import Distribution
from tfcore.framework.graph.graph import name_scope


class TransformedDistribution(Distribution):
    """The distribution of bijector.forward(x) for an x of another distribution.

    Args:
      distribution: The `Distribution` of x.
      bijector: A `Bijector`; it must be an increasing function for `cdf` and `survival_function`. The identity by
        default.
      validate_args: Kept for compatibility.
      name: Prefix of the names of the operations; by default those of the bijector and the distribution.

    Example:

    >>> ds = tf.contrib.distributions
    >>> log_normal = ds.TransformedDistribution(ds.Normal(0.0, 1.0), ds.bijectors.Exp())
    >>> print(sess.run(log_normal.cdf(1.0)))
    0.5
    """

    def __init__(self, distribution, bijector=None, validate_args=False, name=None):
        parameters = dict(locals())
        self._distribution = distribution
        self._bijector = Identity(validate_args) if bijector is None else bijector
        with name_scope(name or self._bijector.name + distribution.name.rstrip("/").rpartition("/")[2]) as name:
            pass
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    @property
    def distribution(self):
        """The distribution of the argument of the function."""
        return self._distribution

    @property
    def bijector(self):
        """The function."""
        return self._bijector

    def _batch_shape_tensor(self):
        return self.distribution.batch_shape_tensor()

    def _batch_shape(self):
        return self.distribution.batch_shape

    def _event_shape_tensor(self):
        return self.distribution.event_shape_tensor()

    def _event_shape(self):
        return self.distribution.event_shape

    def _sample_n(self, n, seed=None):
        return self.bijector.forward(self.distribution.sample(n, seed=seed))

    def _log_prob(self, y):
        rank = self.event_shape.ndims
        if rank is None:
            raise ValueError("The rank of the distribution's event shape must be known statically.")
        return self.distribution.log_prob(self.bijector.inverse(y)) + self.bijector.inverse_log_det_jacobian(y, rank)

    def _cdf(self, y):
        return self.distribution.cdf(self.bijector.inverse(y))

    def _log_cdf(self, y):
        return self.distribution.log_cdf(self.bijector.inverse(y))

    def _survival_function(self, y):
        return self.distribution.survival_function(self.bijector.inverse(y))

    def _log_survival_function(self, y):
        return self.distribution.log_survival_function(self.bijector.inverse(y))

    def _quantile(self, p):
        return self.bijector.forward(self.distribution.quantile(p))

    def _mean(self):
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError("mean is not implemented for non-affine bijectors")
        return self.bijector.forward(self.distribution.mean())

    def _entropy(self):
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        rank = self.event_shape.ndims
        mean = self.distribution.mean()
        return self.distribution.entropy() + self.bijector.forward_log_det_jacobian(mean, rank)
