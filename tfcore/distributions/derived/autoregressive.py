"""A distribution of sequences whose elements depend on those before them."""

from tfcore.distributions import util
from tfcore.distributions.distribution import Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.reduce.reduce import reduce_prod


class Autoregressive(Distribution):
    """The distribution of x where each element is drawn given those before it.

    Args:
      distribution_fn: A function of a sample that gives a `Distribution` of the next one: its element i must depend on
        the elements before i of the argument only.
      sample0: The first argument, a `Tensor`; by default a sample of `distribution_fn()`.
      num_steps: How often the function is applied, an int; by default the size of an event.
      validate_args: Accepted for compatibility; has no effect.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: `num_steps` is less than 1.
    """

    def __init__(
        self,
        distribution_fn,
        sample0=None,
        num_steps=None,
        validate_args=False,
        allow_nan_stats=True,
        name="Autoregressive",
    ):
        parameters = dict(locals())
        with name_scope(name) as name:
            self._distribution_fn, self._sample0 = distribution_fn, sample0
            self._distribution0 = distribution_fn() if sample0 is None else distribution_fn(sample0)
            if num_steps is None:
                known = self._distribution0.event_shape.num_elements()
                num_steps = reduce_prod(self._distribution0.event_shape_tensor()) if known is None else known
            self._num_steps = convert_to_tensor(num_steps, name="num_steps")
            known = util.constant_value_of(self._num_steps)
            if known is not None and known < 1:
                raise ValueError("Argument `num_steps` must be at least 1.")
        super().__init__(
            dtype=self._distribution0.dtype,
            reparameterization_type=self._distribution0.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    @property
    def distribution_fn(self):
        """The function that gives distributions."""
        return self._distribution_fn

    @property
    def sample0(self):
        """The first argument of `distribution_fn`, or None."""
        return self._sample0

    @property
    def num_steps(self):
        """How often the function is applied, an integer scalar."""
        return self._num_steps

    @property
    def distribution0(self):
        """The distribution of the first step."""
        return self._distribution0

    def _batch_shape_tensor(self):
        return self.distribution0.batch_shape_tensor()

    def _batch_shape(self):
        return self.distribution0.batch_shape

    def _event_shape_tensor(self):
        return self.distribution0.event_shape_tensor()

    def _event_shape(self):
        return self.distribution0.event_shape

    def _sample_n(self, n, seed=None):
        steps = util.constant_value_of(self.num_steps)
        if steps is None:
            raise NotImplementedError("num_steps must be known prior to graph execution.")
        seed = util.gen_new_seed(seed, "Autoregressive")
        samples = self.distribution0.sample(n, seed=seed)
        for _ in range(int(steps)):
            samples = self.distribution_fn(samples).sample(seed=seed)  # of the same seed: earlier elements stay
        return samples

    def _log_prob(self, value):
        return self.distribution_fn(value).log_prob(value)

    def _prob(self, value):
        return self.distribution_fn(value).prob(value)
