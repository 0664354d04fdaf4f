"""Mixtures of distributions."""

from tfcore.distributions import util
from tfcore.distributions.categorical import Categorical
from tfcore.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.join import concat, stack, unstack
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import square
from tfcore.ops.debugging import check
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.nn.softmax import log_softmax, softmax
from tfcore.ops.reduce.reduce import reduce_logsumexp, reduce_sum


class Mixture(Distribution):
    """A mixture of different distributions.

    Args:
      cat: A `Categorical`: which component a sample is of.
      components: A list of `Distribution`s, as many as `cat` has classes, of the same type, batch and event.
      validate_args: Whether shapes that are not known statically are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      use_static_graph: Accepted for compatibility: all components are always sampled.
      name: Prefix of the names of the operations.

    Raises:
      TypeError: `cat` is not a `Categorical`, or `components` has other elements than `Distribution`s of one type.
      ValueError: `components` is empty or has another number of elements, or shapes differ.

    Example:

    >>> ds = tf.contrib.distributions
    >>> mixture = ds.Mixture(ds.Categorical(probs=[0.5, 0.5]), [ds.Normal(0.0, 1.0), ds.Normal(4.0, 1.0)])
    >>> print(sess.run(mixture.mean()))
    2.0
    """

    def __init__(
        self,
        cat,
        components,
        validate_args=False,
        allow_nan_stats=True,
        use_static_graph=False,
        name="Mixture",
    ):
        parameters = dict(locals())
        if not isinstance(cat, Categorical):
            raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        if not isinstance(components, (list, tuple)):
            raise TypeError(f"components must be a list or tuple, but saw: {components}")
        if not all(isinstance(one, Distribution) for one in components):
            raise TypeError(f"all entries in components must be Distribution instances but saw: {components}")
        if any(one.dtype != components[0].dtype for one in components):
            types = [(one.name, one.dtype) for one in components]
            raise TypeError(f"All components must have the same dtype, but saw dtypes: {types}")
        event, batch = components[0].event_shape, cat.batch_shape
        for one in components:
            event, batch = event.merge_with(one.event_shape), batch.merge_with(one.batch_shape)
        if event.ndims is None:
            raise ValueError("Expected to know rank(event_shape) from components, but none of the components provide a "
                             "static number of ndims")  # fmt: skip
        with name_scope(name, values=[cat.logits]) as name:
            count = util.constant_value_of(cat.event_size)
            if count is None:
                raise ValueError("Could not infer number of classes from cat and unable to compare this value to the "
                                 "number of components passed in.")  # fmt: skip
            if count != len(components):
                raise ValueError(f"cat.num_classes != len(components): {int(count)} vs. {len(components)}")
            self._cat, self._components = cat, list(components)
            self._static_batch_shape, self._static_event_shape = batch, event
            self._assertions = self._shape_checks() if validate_args else []
        super().__init__(
            dtype=components[0].dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    def _shape_checks(self):
        expected = self.cat.batch_shape_tensor()
        message = "components batch shape must match cat batch shape"
        return [check.assert_equal(one.batch_shape_tensor(), expected, message=message) for one in self.components]

    @property
    def cat(self):
        """The distribution of the number of the component."""
        return self._cat

    @property
    def components(self):
        """The list of distributions that are mixed."""
        return self._components

    @property
    def num_components(self):
        """How many they are, an int."""
        return len(self._components)

    def _batch_shape_tensor(self):
        return self.cat.batch_shape_tensor()

    def _batch_shape(self):
        return self._static_batch_shape

    def _event_shape_tensor(self):
        return self.components[0].event_shape_tensor()

    def _event_shape(self):
        return self._static_event_shape

    def _checked(self, value):
        return with_dependencies(self._assertions, value) if self._assertions else value

    def _probs(self):
        """The probabilities of the components, a list of tensors."""
        return unstack(softmax(self.cat.logits), num=self.num_components, axis=-1)

    def _weighted(self, values):
        """The sum of values of the components of the shape of an event, weighted with their probabilities."""
        total = 0
        for probs, value in zip(self._probs(), values):
            for _ in range(self.event_shape.ndims):
                probs = expand_dims(probs, -1)
            total += probs * value
        return self._checked(total)

    def _mean(self):
        return self._weighted([one.mean() for one in self.components])

    def _stddev(self):
        means, deviations = zip(*[(one.mean(), one.stddev()) for one in self.components])
        mean = self._weighted(means)
        return self._weighted([square(d) + square(m - mean) for m, d in zip(means, deviations)]) ** 0.5

    def _weighted_logs(self, name, x):
        logs = unstack(log_softmax(self.cat.logits), num=self.num_components, axis=-1)
        return [getattr(one, name)(x) + weight for one, weight in zip(self.components, logs)]

    def _log_prob(self, x):
        return self._checked(reduce_logsumexp(stack(self._weighted_logs("log_prob", x), axis=0), axis=0))

    def _log_cdf(self, x):
        return self._checked(reduce_logsumexp(stack(self._weighted_logs("log_cdf", x), axis=0), axis=0))

    def _sample_n(self, n, seed=None):
        chosen = self.cat.sample(n, seed=util.gen_new_seed(seed, "mixture"))
        mask = one_hot(chosen, self.num_components, on_value=True, off_value=False)
        mask = unstack(mask, num=self.num_components, axis=-1)
        result = None
        for i, one in enumerate(self.components):
            seed = util.gen_new_seed(seed, f"mixture {i}")
            drawn, here = one.sample(n, seed=seed), mask[i]
            for _ in range(self.event_shape.ndims):
                here = expand_dims(here, -1)
            result = drawn if result is None else where_v2(here, drawn, result)
        return self._checked(result)

    def entropy_lower_bound(self, name="entropy_lower_bound"):
        """A lower bound of the entropy: the weighted sum of those of the components.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of the batch shape.
        """
        with self._name_scope(name):
            entropies = [probs * one.entropy() for probs, one in zip(self._probs(), self.components)]
            return self._checked(sum(entropies[1:], entropies[0]))


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one class: those along the last dimension of a batch.

    Args:
      mixture_distribution: A `Categorical`: which component a sample is of. Its batch is that of the mixture, or is
        empty.
      components_distribution: The `Distribution` whose batch has the components in its last dimension.
      validate_args: Whether shapes that are not known statically are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: `mixture_distribution` does not have integers or is not a distribution of numbers,
        `components_distribution` does not have a batch, or the numbers of components or the batches differ.

    Example:

    >>> ds = tf.contrib.distributions
    >>> mixture = ds.MixtureSameFamily(ds.Categorical(probs=[0.5, 0.5]), ds.Normal([0.0, 4.0], 1.0))
    >>> print(sess.run(mixture.mean()))
    2.0
    """

    def __init__(
        self,
        mixture_distribution,
        components_distribution,
        validate_args=False,
        allow_nan_stats=True,
        name="MixtureSameFamily",
    ):
        parameters = dict(locals())
        self._mixture_distribution, self._components_distribution = mixture_distribution, components_distribution
        with name_scope(name) as name:
            self._assertions = self._check(validate_args)
        super().__init__(
            dtype=components_distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    def _check(self, validate_args):
        mixture, components = self.mixture_distribution, self.components_distribution
        if not mixture.dtype.is_integer:
            raise ValueError(f"`mixture_distribution.dtype` ({mixture.dtype.name}) is not over integers")
        if mixture.event_shape.ndims not in (None, 0):
            raise ValueError("`mixture_distribution` must have scalar `event_dim`s")
        if components.batch_shape.ndims == 0:
            raise ValueError("`components_distribution` must have at least one batch dimension.")
        batch = components.batch_shape
        if batch.ndims is not None:
            ours = mixture.logits.shape.with_rank_at_least(1).as_list()[-1]
            theirs = batch.as_list()[-1]
            if None not in (ours, theirs) and ours != theirs:
                raise ValueError(
                    f"`mixture_distribution components` ({ours}) does not equal "
                    f"`components_distribution.batch_shape[-1]` ({theirs})"
                )
            if mixture.batch_shape.ndims and not mixture.batch_shape.is_compatible_with(batch[:-1]):
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture.batch_shape.as_list()}) is not compatible with "
                    f"`components_distribution.batch_shape` ({batch.as_list()})"
                )
            if batch.is_fully_defined() and ours is not None:
                return []
        if not validate_args:
            return []
        count = components.batch_shape_tensor()[-1]
        return [check.assert_equal(shape(mixture.logits)[-1], count, message="numbers of components must be equal")]

    @property
    def mixture_distribution(self):
        """The distribution of the number of the component."""
        return self._mixture_distribution

    @property
    def components_distribution(self):
        """The batch of distributions that are mixed."""
        return self._components_distribution

    def _batch_shape_tensor(self):
        return self._checked(self.components_distribution.batch_shape_tensor()[:-1])

    def _batch_shape(self):
        batch = self.components_distribution.batch_shape
        return TensorShape(None) if batch.ndims is None else batch[:-1]

    def _event_shape_tensor(self):
        return self.components_distribution.event_shape_tensor()

    def _event_shape(self):
        return self.components_distribution.event_shape

    def _checked(self, value):
        return with_dependencies(self._assertions, value) if self._assertions else value

    def _event_rank(self):
        rank = self.event_shape.ndims
        if rank is None:
            raise ValueError("The rank of the distribution's event shape must be known statically.")
        return rank

    def _for_event(self, weights):
        """Weights of components with dimensions of size 1 for those of an event."""
        for _ in range(self._event_rank()):
            weights = expand_dims(weights, -1)
        return weights

    def _sum_components(self, values):
        return self._checked(reduce_sum(values, -1 - self._event_rank()))

    def _sample_n(self, n, seed=None):
        drawn = self.components_distribution.sample(n, seed=seed)  # [n, batch, k, event]
        seed = util.gen_new_seed(seed, "mixture_same_family")
        if self.mixture_distribution.batch_shape.ndims == 0:
            sizes = concat([[n], self.batch_shape_tensor()], 0)
            chosen = self.mixture_distribution.sample(sizes, seed=seed)
        else:
            chosen = self.mixture_distribution.sample(n, seed=seed)
        count = shape(self.mixture_distribution.logits)[-1]
        mask = self._for_event(one_hot(chosen, count, on_value=True, off_value=False))
        # of other components zeros, not products with 0, which would make infinite numbers NaN
        return self._sum_components(where_v2(mask, drawn, cast(0, drawn.dtype)))

    def _with_component_axis(self, x):
        return expand_dims(x, -1 - self._event_rank())

    def _log_prob(self, x):
        logs = self.components_distribution.log_prob(self._with_component_axis(x))
        return self._checked(reduce_logsumexp(logs + log_softmax(self.mixture_distribution.logits), -1))

    def _log_cdf(self, x):
        logs = self.components_distribution.log_cdf(self._with_component_axis(x))
        return self._checked(reduce_logsumexp(logs + log_softmax(self.mixture_distribution.logits), -1))

    def _cdf(self, x):
        values = self.components_distribution.cdf(self._with_component_axis(x))
        return self._checked(reduce_sum(values * self.mixture_distribution.probs, -1))

    def _mean(self):
        return self._sum_components(
            self._for_event(self.mixture_distribution.probs) * self.components_distribution.mean()
        )

    def _variance(self):
        # the mean of the variances plus the variance of the means
        weights, means = self._for_event(self.mixture_distribution.probs), self.components_distribution.mean()
        distances = square(means - self._with_component_axis(self._mean()))
        return self._sum_components(weights * (self.components_distribution.variance() + distances))

    def _covariance(self):
        if self._event_rank() != 1:
            raise NotImplementedError("covariance is not implemented unless an event is a vector")
        weights = expand_dims(self._for_event(self.mixture_distribution.probs), -1)
        away = self.components_distribution.mean() - self._with_component_axis(self._mean())
        products = expand_dims(away, -1) * expand_dims(away, -2)
        return self._checked(reduce_sum(weights * (self.components_distribution.covariance() + products), -3))
