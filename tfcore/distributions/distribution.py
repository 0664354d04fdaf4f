"""The base class of distributions."""

import contextlib

import numpy as np

from tfcore.distributions import kullback_leibler
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_shape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.compare import equal
from tfcore.ops.cwise.unary import exp, log, log1p, sqrt, square
from tfcore.ops.reduce.reduce import reduce_prod


class ReparameterizationType:
    """Whether gradients flow through samples: FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED, compared by identity.

    Args:
      rep_type: The name, a string.
    """

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _first_possible(compute, derive):
    """The result of the first function that is implemented; the error of `compute` if none is."""
    try:
        return compute()
    except NotImplementedError as error:
        try:
            return derive()
        except NotImplementedError:
            raise error from None


def _missing(name):
    def method(self, *args, **kwargs):
        raise NotImplementedError(f"{name} is not implemented: {type(self).__name__}")

    return method


class Distribution:
    """A batch of probability distributions of one kind.

    A subclass defines `_sample_n`, `_log_prob`, `_mean` and so on for the methods that it supports, and `_batch_shape`,
    `_event_shape` and their `_tensor` forms. An event is one draw; parameters of shape [b...] make a batch of
    independent distributions.

    Args:
      dtype: The `DType` of samples.
      reparameterization_type: `FULLY_REPARAMETERIZED` or `NOT_REPARAMETERIZED`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether statistics are NaN where they are undefined; otherwise that is an error when run.
      parameters: A dict of the arguments that the instance was made of.
      graph_parents: A list of the `Tensor`s that it was made of.
      name: Prefix of the names of all operations; by default that of the class.

    Raises:
      ValueError: A member of `graph_parents` is not a `Tensor`.
    """

    def __init__(
        self,
        dtype,
        reparameterization_type,
        validate_args,
        allow_nan_stats,
        parameters=None,
        graph_parents=None,
        name=None,
    ):
        graph_parents = graph_parents or []
        for i, parent in enumerate(graph_parents):
            if not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        if not name or not name.endswith("/"):  # not an open name scope
            with name_scope(name or type(self).__name__) as name:
                pass
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = parameters or {}
        self._graph_parents = graph_parents
        self._name = name

    # ---- What it is made of

    @classmethod
    def param_shapes(cls, sample_shape, name="DistributionParamShapes"):
        """The shapes that parameters must have for a sample of a given shape.

        Args:
          sample_shape: The shape of `sample()`, a list of ints or an int32 vector.
          name: Name of the scope.

        Returns:
          A dict from the names of parameters to int32 `Tensor`s.

        Raises:
          NotImplementedError: The class does not tell.
        """
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """Like `param_shapes`, for a shape that is known statically.

        Args:
          sample_shape: The shape of `sample()`, a list of ints or a `TensorShape`.

        Returns:
          A dict from the names of parameters to `TensorShape`s.

        Raises:
          ValueError: The shape is not fully known.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        found = {name: constant_value(value) for name, value in cls.param_shapes(sample_shape).items()}
        if any(value is None for value in found.values()):
            raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
        return {name: TensorShape(value) for name, value in found.items()}

    @staticmethod
    def _param_shapes(sample_shape):
        raise NotImplementedError("_param_shapes not implemented")

    @property
    def name(self):
        """Prefix of the names of all operations, with a slash at its end."""
        return self._name

    @property
    def dtype(self):
        """The `DType` of samples."""
        return self._dtype

    @property
    def parameters(self):
        """A dict of the arguments that the instance was made of."""
        return {k: v for k, v in self._parameters.items() if k != "self" and not k.startswith("__")}

    @property
    def reparameterization_type(self):
        """`FULLY_REPARAMETERIZED` where gradients flow through samples, else `NOT_REPARAMETERIZED`."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self):
        """Whether statistics are NaN where they are undefined; otherwise that is an error when run."""
        return self._allow_nan_stats

    @property
    def validate_args(self):
        """Whether parameters and values are checked in each run."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs):
        """A new distribution of the same parameters, some of them replaced.

        Args:
          **override_parameters_kwargs: Arguments of the constructor.

        Returns:
          A distribution of the same class.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # ---- Shapes

    _batch_shape_tensor = _missing("batch_shape_tensor")
    _event_shape_tensor = _missing("event_shape_tensor")

    def _batch_shape(self):
        return TensorShape(None)

    def _event_shape(self):
        return TensorShape(None)

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The shape of the batch.

        Args:
          name: Name of the scope.

        Returns:
          An int32 `Tensor`, a vector.
        """
        with self._name_scope(name):
            return _shape_tensor(self.batch_shape, self._batch_shape_tensor, "batch_shape")

    @property
    def batch_shape(self):
        """The static shape of the batch, a `TensorShape`."""
        return as_shape(self._batch_shape())

    def event_shape_tensor(self, name="event_shape_tensor"):
        """The shape of an event.

        Args:
          name: Name of the scope.

        Returns:
          An int32 `Tensor`, a vector.
        """
        with self._name_scope(name):
            return _shape_tensor(self.event_shape, self._event_shape_tensor, "event_shape")

    @property
    def event_shape(self):
        """The static shape of an event, a `TensorShape`."""
        return as_shape(self._event_shape())

    def is_scalar_event(self, name="is_scalar_event"):
        """Whether an event is a single number.

        Args:
          name: Name of the scope.

        Returns:
          A bool `Tensor`, a scalar.
        """
        with self._name_scope(name):
            return convert_to_tensor(_is_scalar(self.event_shape, self.event_shape_tensor), name="is_scalar_event")

    def is_scalar_batch(self, name="is_scalar_batch"):
        """Whether there is a single distribution, not a batch.

        Args:
          name: Name of the scope.

        Returns:
          A bool `Tensor`, a scalar.
        """
        with self._name_scope(name):
            return convert_to_tensor(_is_scalar(self.batch_shape, self.batch_shape_tensor), name="is_scalar_batch")

    # ---- Samples

    _sample_n = _missing("sample_n")

    def sample(self, sample_shape=(), seed=None, name="sample"):
        """Draws samples.

        Args:
          sample_shape: Shape of the samples, an int or a list of ints or an int32 `Tensor`.
          seed: An int for the random generator (optional).
          name: Name of the scope.

        Returns:
          A `Tensor` of the distribution's type and shape sample_shape + batch_shape + event_shape.

        Raises:
          ValueError: `sample_shape` is neither a scalar nor a vector.
          NotImplementedError: The class has no samples.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(self, sample_shape, seed, name, **kwargs):
        with self._name_scope(name, [sample_shape]):
            sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
            if sizes.dims is not None and len(sizes.dims) > 1:
                raise ValueError("Input is neither scalar nor vector.")
            known = constant_value(sizes)
            count = reduce_prod(sizes) if known is None else np.prod(known, dtype=np.int32)
            if sizes.dims != (None,) and (sizes.dims is None or not sizes.dims):
                sizes = reshape(sizes, [-1])
            samples = self._sample_n(count, seed, **kwargs)
            result = reshape(samples, concat([sizes, shape(samples)[1:]], 0))
            result.set_shape(self._sample_static_shape(known, sizes))
            return result

    def _sample_static_shape(self, known, sizes):
        if known is not None:
            lead = TensorShape(known.reshape(-1).tolist())
        elif sizes.dims is not None and sizes.dims[0] is not None:
            lead = TensorShape([None] * sizes.dims[0])
        else:
            return TensorShape(None)
        return lead.concatenate(self.batch_shape).concatenate(self.event_shape)

    # ---- Functions of values

    _log_prob = _missing("log_prob")
    _prob = _missing("prob")
    _log_cdf = _missing("log_cdf")
    _cdf = _missing("cdf")
    _log_survival_function = _missing("log_survival_function")
    _survival_function = _missing("survival_function")
    _quantile = _missing("quantile")

    def _of_value(self, value, name, compute, derive=None, **kwargs):
        with self._name_scope(name, [value]):
            value = convert_to_tensor(value, name="value", preferred_dtype=self.dtype)
            if derive is None:
                return compute(value, **kwargs)
            return _first_possible(lambda: compute(value, **kwargs), lambda: derive(value))

    def _call_log_prob(self, value, name, **kwargs):
        return self._of_value(value, name, self._log_prob, lambda x: log(self._prob(x, **kwargs)), **kwargs)

    def _call_prob(self, value, name, **kwargs):
        return self._of_value(value, name, self._prob, lambda x: exp(self._log_prob(x, **kwargs)), **kwargs)

    def _call_log_cdf(self, value, name, **kwargs):
        return self._of_value(value, name, self._log_cdf, lambda x: log(self._cdf(x, **kwargs)), **kwargs)

    def _call_cdf(self, value, name, **kwargs):
        return self._of_value(value, name, self._cdf, lambda x: exp(self._log_cdf(x, **kwargs)), **kwargs)

    def _call_log_survival_function(self, value, name, **kwargs):
        return self._of_value(
            value, name, self._log_survival_function, lambda x: log1p(-self.cdf(x, **kwargs)), **kwargs
        )

    def _call_survival_function(self, value, name, **kwargs):
        return self._of_value(value, name, self._survival_function, lambda x: 1.0 - self.cdf(x, **kwargs), **kwargs)

    def _call_quantile(self, value, name, **kwargs):
        return self._of_value(value, name, self._quantile, **kwargs)

    def log_prob(self, value, name="log_prob"):
        """The logarithm of the probability density, or of the probability of discrete values.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the shape of `value` without the event's dimensions, broadcast with the batch.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_log_prob(value, name)

    def prob(self, value, name="prob"):
        """The probability density, or the probability of discrete values.

        Args:
          value: A `Tensor` that broadcasts with batch_shape + event_shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the shape of `value` without the event's dimensions, broadcast with the batch.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_prob(value, name)

    def log_cdf(self, value, name="log_cdf"):
        """The logarithm of the distribution function.

        Args:
          value: A `Tensor` that broadcasts with the batch shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_log_cdf(value, name)

    def cdf(self, value, name="cdf"):
        """The distribution function: the probability that a sample is at most `value`.

        Args:
          value: A `Tensor` that broadcasts with the batch shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_cdf(value, name)

    def log_survival_function(self, value, name="log_survival_function"):
        """The logarithm of the probability that a sample is greater than `value`.

        Args:
          value: A `Tensor` that broadcasts with the batch shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_log_survival_function(value, name)

    def survival_function(self, value, name="survival_function"):
        """The probability that a sample is greater than `value`.

        Args:
          value: A `Tensor` that broadcasts with the batch shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_survival_function(value, name)

    def quantile(self, value, name="quantile"):
        """The inverse of the distribution function.

        Args:
          value: A `Tensor` of probabilities that broadcasts with the batch shape.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        return self._call_quantile(value, name)

    # ---- Statistics

    _entropy = _missing("entropy")
    _mean = _missing("mean")
    _variance = _missing("variance")
    _stddev = _missing("stddev")
    _covariance = _missing("covariance")
    _mode = _missing("mode")

    def entropy(self, name="entropy"):
        """Shannon's entropy, in nats.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of the batch shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name="mean"):
        """The mean.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of shape batch_shape + event_shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        with self._name_scope(name):
            return self._mean()

    def variance(self, name="variance"):
        """The variance of each element of an event.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of shape batch_shape + event_shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        with self._name_scope(name):
            return _first_possible(self._variance, lambda: square(self._stddev()))

    def stddev(self, name="stddev"):
        """The standard deviation of each element of an event.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of shape batch_shape + event_shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        with self._name_scope(name):
            return _first_possible(self._stddev, lambda: sqrt(self._variance()))

    def covariance(self, name="covariance"):
        """The covariances of the elements of an event.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of shape batch_shape + [k, k], where an event has k elements.

        Raises:
          NotImplementedError: The class lacks it.
        """
        with self._name_scope(name):
            return self._covariance()

    def mode(self, name="mode"):
        """The most probable value.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of shape batch_shape + event_shape.

        Raises:
          NotImplementedError: The class lacks it.
        """
        with self._name_scope(name):
            return self._mode()

    # ---- Two distributions

    def _cross_entropy(self, other):
        return kullback_leibler.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def _kl_divergence(self, other):
        return kullback_leibler.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other, name="cross_entropy"):
        """The mean under this distribution of -log(other.prob(x)).

        Args:
          other: A `Distribution`.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast batch shapes.

        Raises:
          NotImplementedError: No divergence is registered for the two classes.
        """
        with self._name_scope(name):
            return self._cross_entropy(other)

    def kl_divergence(self, other, name="kl_divergence"):
        """The Kullback-Leibler divergence, see `tf.distributions.kl_divergence`.

        Args:
          other: A `Distribution`.
          name: Name of the scope.

        Returns:
          A `Tensor` of the broadcast batch shapes.

        Raises:
          NotImplementedError: No divergence is registered for the two classes.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)

    # ---- Python

    def __str__(self):
        known = [("batch_shape", self.batch_shape), ("event_shape", self.event_shape)]
        shapes = "".join(f", {name}={found}" for name, found in known if found.ndims is not None)
        return f'tf.distributions.{type(self).__name__}("{self.name}"{shapes}, dtype={self.dtype.name})'

    def __repr__(self):
        return (
            f"<tf.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with name_scope(self.name), name_scope(name, values=[*(values or ()), *self._graph_parents]) as scope:
            yield scope


def _shape_tensor(static, dynamic, name):
    if static.is_fully_defined():
        return convert_to_tensor(static.as_list(), dtype=dtypes.int32, name=name)
    return dynamic()


def _is_scalar(static, dynamic):
    if static.ndims is not None:
        return static.ndims == 0
    return equal(shape(dynamic())[0], 0)
