# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import DType as DType
from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'Bernoulli', 'Beta', 'Categorical', 'Dirichlet', 'DirichletMultinomial', 'Distribution', 'Exponential',
'FULLY_REPARAMETERIZED', 'Gamma', 'Laplace', 'Multinomial', 'NOT_REPARAMETERIZED', 'Normal', 'RegisterKL',
'ReparameterizationType', 'StudentT', 'Uniform', 'kl_divergence'
]

class Bernoulli(Distribution):
    """The distribution of a coin: 1 with probability `probs`, else 0."""
    def __init__(self, logits: _Any = None, probs: _Any = None, dtype: _Any = ..., validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Bernoulli') -> None: ...
    @property
    def logits(self) -> _Any:
        """The log-odds of 1."""
    @property
    def probs(self) -> _Any:
        """The probability of 1."""

class Beta(Distribution):
    """The beta distribution on (0, 1), with a density proportional to x ** (a - 1) * (1 - x) ** (b - 1)."""
    def __init__(self, concentration1: _Any = None, concentration0: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Beta') -> None: ...
    @property
    def concentration0(self) -> _Any:
        """The parameter of 1 - x."""
    @property
    def concentration1(self) -> _Any:
        """The parameter of x."""
    @property
    def total_concentration(self) -> _Any:
        """The sum of the two parameters."""

class Categorical(Distribution):
    """The distribution of a die: class k of 0, ..., K - 1 with probability `probs[..., k]`."""
    def __init__(self, logits: _Any = None, probs: _Any = None, dtype: _Any = ..., validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Categorical') -> None: ...
    @property
    def event_size(self) -> _Any:
        """The number of classes, an int32 scalar."""
    @property
    def logits(self) -> _Any:
        """Unscaled log probabilities."""
    @property
    def probs(self) -> _Any:
        """The probabilities."""

class Dirichlet(Distribution):
    """The Dirichlet distribution of K probabilities, with a density proportional to the product of x ** (a - 1)."""
    def __init__(self, concentration: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Dirichlet') -> None: ...
    @property
    def concentration(self) -> _Any:
        """The parameters."""
    @property
    def total_concentration(self) -> _Any:
        """The sum of the parameters of each distribution."""

class DirichletMultinomial(Distribution):
    """The distribution of the counts of each class in `total_count` draws, whose probabilities are one Dirichlet draw."""
    def __init__(self, total_count: _Any, concentration: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'DirichletMultinomial') -> None: ...
    @property
    def concentration(self) -> _Any:
        """The parameters of the Dirichlet distribution."""
    @property
    def total_concentration(self) -> _Any:
        """The sum of the parameters of each distribution."""
    @property
    def total_count(self) -> _Any:
        """The number of draws."""

class Distribution:
    """A batch of probability distributions of one kind."""
    def __init__(self, dtype: _Any, reparameterization_type: _Any, validate_args: _Any, allow_nan_stats: _Any, parameters: _Any = None, graph_parents: _Any = None, name: str | None = None) -> None: ...
    @property
    def allow_nan_stats(self) -> builtins.bool:
        """Whether statistics are NaN where they are undefined; otherwise that is an error when run."""
    @property
    def batch_shape(self) -> _Any:
        """The static shape of the batch, a `TensorShape`."""
    def batch_shape_tensor(self, name: str | None = 'batch_shape_tensor') -> _Any:
        """The shape of the batch."""
    def cdf(self, value: _Any, name: str | None = 'cdf') -> Tensor:
        """The distribution function: the probability that a sample is at most `value`."""
    def copy(self, **override_parameters_kwargs: _Any) -> _Any:
        """A new distribution of the same parameters, some of them replaced."""
    def covariance(self, name: str | None = 'covariance') -> Tensor:
        """The covariances of the elements of an event."""
    def cross_entropy(self, other: _Any, name: str | None = 'cross_entropy') -> Tensor:
        """The mean under this distribution of -log(other.prob(x))."""
    @property
    def dtype(self) -> DType:
        """The `DType` of samples."""
    def entropy(self, name: str | None = 'entropy') -> Tensor:
        """Shannon's entropy, in nats."""
    @property
    def event_shape(self) -> _Any:
        """The static shape of an event, a `TensorShape`."""
    def event_shape_tensor(self, name: str | None = 'event_shape_tensor') -> _Any:
        """The shape of an event."""
    def is_scalar_batch(self, name: str | None = 'is_scalar_batch') -> builtins.bool:
        """Whether there is a single distribution, not a batch."""
    def is_scalar_event(self, name: str | None = 'is_scalar_event') -> builtins.bool:
        """Whether an event is a single number."""
    def kl_divergence(self, other: _Any, name: str | None = 'kl_divergence') -> Tensor:
        """The Kullback-Leibler divergence, see `tf.distributions.kl_divergence`."""
    def log_cdf(self, value: _Any, name: str | None = 'log_cdf') -> Tensor:
        """The logarithm of the distribution function."""
    def log_prob(self, value: _Any, name: str | None = 'log_prob') -> Tensor:
        """The logarithm of the probability density, or of the probability of discrete values."""
    def log_survival_function(self, value: _Any, name: str | None = 'log_survival_function') -> Tensor:
        """The logarithm of the probability that a sample is greater than `value`."""
    def mean(self, name: str | None = 'mean') -> Tensor:
        """The mean."""
    def mode(self, name: str | None = 'mode') -> Tensor:
        """The most probable value."""
    @property
    def name(self) -> _Any:
        """Prefix of the names of all operations, with a slash at its end."""
    @classmethod
    def param_shapes(cls, sample_shape: _Any, name: str | None = 'DistributionParamShapes') -> _Any:
        """The shapes that parameters must have for a sample of a given shape."""
    @classmethod
    def param_static_shapes(cls, sample_shape: _Any) -> _Any:
        """Like `param_shapes`, for a shape that is known statically."""
    @property
    def parameters(self) -> _Any:
        """A dict of the arguments that the instance was made of."""
    def prob(self, value: _Any, name: str | None = 'prob') -> Tensor:
        """The probability density, or the probability of discrete values."""
    def quantile(self, value: _Any, name: str | None = 'quantile') -> Tensor:
        """The inverse of the distribution function."""
    @property
    def reparameterization_type(self) -> _Any:
        """`FULLY_REPARAMETERIZED` where gradients flow through samples, else `NOT_REPARAMETERIZED`."""
    def sample(self, sample_shape: _Any = (), seed: _Any = None, name: str | None = 'sample') -> Tensor:
        """Draws samples."""
    def stddev(self, name: str | None = 'stddev') -> Tensor:
        """The standard deviation of each element of an event."""
    def survival_function(self, value: _Any, name: str | None = 'survival_function') -> Tensor:
        """The probability that a sample is greater than `value`."""
    @property
    def validate_args(self) -> builtins.bool:
        """Whether parameters and values are checked in each run."""
    def variance(self, name: str | None = 'variance') -> Tensor:
        """The variance of each element of an event."""

class Exponential(Gamma):
    """The exponential distribution, with the density rate * exp(-x * rate)."""
    def __init__(self, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Exponential') -> None: ...

FULLY_REPARAMETERIZED: _Any

class Gamma(Distribution):
    """The gamma distribution, with a density proportional to x ** (concentration - 1) * exp(-x * rate)."""
    def __init__(self, concentration: _Any, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Gamma') -> None: ...
    @property
    def concentration(self) -> _Any:
        """The shape parameter."""
    @property
    def rate(self) -> _Any:
        """The inverse of the scale."""

class Laplace(Distribution):
    """The Laplace distribution, with the density exp(-abs(x - loc) / scale) / (2 * scale)."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Laplace') -> None: ...
    @property
    def loc(self) -> _Any:
        """The mean."""
    @property
    def scale(self) -> _Any:
        """The mean distance from the mean."""

class Multinomial(Distribution):
    """The distribution of the counts of each class in `total_count` draws."""
    def __init__(self, total_count: _Any, logits: _Any = None, probs: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Multinomial') -> None: ...
    @property
    def logits(self) -> _Any:
        """Unscaled log probabilities of the classes."""
    @property
    def probs(self) -> _Any:
        """The probabilities of the classes."""
    @property
    def total_count(self) -> _Any:
        """The number of draws."""

NOT_REPARAMETERIZED: _Any

class Normal(Distribution):
    """The normal distribution with the mean `loc` and the standard deviation `scale`."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Normal') -> None: ...
    @property
    def loc(self) -> _Any:
        """The mean."""
    @property
    def scale(self) -> _Any:
        """The standard deviation."""

class RegisterKL:
    """Decorator that registers a function (distribution_a, distribution_b, name=None) as their divergence."""
    def __call__(self, kl_fn: _Any) -> _Any: ...
    def __init__(self, dist_cls_a: _Any, dist_cls_b: _Any) -> None: ...

class ReparameterizationType:
    """Whether gradients flow through samples: FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED, compared by identity."""
    def __init__(self, rep_type: _Any) -> None: ...

class StudentT(Distribution):
    """Student's t distribution, moved by `loc` and scaled by `scale`."""
    def __init__(self, df: _Any, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'StudentT') -> None: ...
    @property
    def df(self) -> _Any:
        """The degrees of freedom."""
    @property
    def loc(self) -> _Any:
        """The location."""
    @property
    def scale(self) -> _Any:
        """The scale."""

class Uniform(Distribution):
    """The uniform distribution on [low, high)."""
    def __init__(self, low: _Any = 0.0, high: _Any = 1.0, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Uniform') -> None: ...
    @property
    def high(self) -> _Any:
        """The upper bound."""
    @property
    def low(self) -> _Any:
        """The lower bound."""
    def range(self, name: str | None = 'range') -> Tensor:
        """The length of the interval."""

def kl_divergence(distribution_a: _Any, distribution_b: _Any, allow_nan_stats: _Any = True, name: str | None = None) -> Tensor:
    """The Kullback-Leibler divergence: the mean under `distribution_a` of log(a(x) / b(x))."""
