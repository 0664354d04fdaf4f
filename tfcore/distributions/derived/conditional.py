"""Distributions whose methods take more arguments by name."""

from tfcore.distributions.derived.transformed import TransformedDistribution
from tfcore.distributions.distribution import Distribution


class ConditionalDistribution(Distribution):
    """A distribution whose methods take more arguments by name, which those with an underscore get.

    Args:
      dtype: The `DType` of samples.
      reparameterization_type: `FULLY_REPARAMETERIZED` or `NOT_REPARAMETERIZED`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether statistics are NaN where they are undefined; otherwise that is an error when run.
      parameters: A dict of the arguments that the instance was made of.
      graph_parents: A list of the `Tensor`s that it was made of.
      name: Prefix of the names of all operations; by default that of the class.
    """

    def sample(self, sample_shape=(), seed=None, name="sample", **condition_kwargs):
        """Draws samples.

        Args:
          sample_shape: Shape of the samples, an int or a list of ints or an int32 `Tensor`.
          seed: An int for the random generator (optional).
          name: Name of the scope.
          **condition_kwargs: Arguments of `_sample_n`.

        Returns:
          A `Tensor` of shape sample_shape + batch_shape + event_shape.
        """
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def log_prob(self, value, name="log_prob", **condition_kwargs):
        """The logarithm of the probability density, or of the probability of discrete values.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_log_prob`.

        Returns:
          A `Tensor` of the broadcast batch shape.
        """
        return self._call_log_prob(value, name, **condition_kwargs)

    def prob(self, value, name="prob", **condition_kwargs):
        """The probability density, or the probability of discrete values.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_prob`.

        Returns:
          A `Tensor` of the broadcast batch shape.
        """
        return self._call_prob(value, name, **condition_kwargs)

    def log_cdf(self, value, name="log_cdf", **condition_kwargs):
        """The logarithm of the distribution function.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_log_cdf`.

        Returns:
          A `Tensor` of the broadcast batch shape.
        """
        return self._call_log_cdf(value, name, **condition_kwargs)

    def cdf(self, value, name="cdf", **condition_kwargs):
        """The distribution function.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_cdf`.

        Returns:
          A `Tensor` of the broadcast batch shape.
        """
        return self._call_cdf(value, name, **condition_kwargs)

    def log_survival_function(self, value, name="log_survival_function", **condition_kwargs):
        """The logarithm of the probability that a sample is greater than `value`.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_log_survival_function`.

        Returns:
          A `Tensor` of the broadcast batch shape.
        """
        return self._call_log_survival_function(value, name, **condition_kwargs)

    def survival_function(self, value, name="survival_function", **condition_kwargs):
        """The probability that a sample is greater than `value`.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.
          **condition_kwargs: Arguments of `_survival_function`.

        Returns:
          A `Tensor` of the broadcast batch shape.
        """
        return self._call_survival_function(value, name, **condition_kwargs)


class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """A TransformedDistribution whose methods take `bijector_kwargs` and `distribution_kwargs`.

    Args:
      distribution: The `Distribution` of the argument of the bijector.
      bijector: A `Bijector`; the identity by default.
      batch_shape: An integer vector: the shape of the batch, if `distribution` is a single one.
      event_shape: An integer vector: the shape of an event, if those of `distribution` are numbers.
      validate_args: Whether shapes that are not known statically are checked in each run.
      name: Prefix of the names of the operations.
    """
