# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.distributions import Bernoulli as Bernoulli
from tfcore.distributions import Beta as Beta
from tfcore.distributions import Categorical as Categorical
from tfcore.distributions import Dirichlet as Dirichlet
from tfcore.distributions import DirichletMultinomial as DirichletMultinomial
from tfcore.distributions import Distribution as Distribution
from tfcore.distributions import Exponential as Exponential
from tfcore.distributions import Gamma as Gamma
from tfcore.distributions import Laplace as Laplace
from tfcore.distributions import Multinomial as Multinomial
from tfcore.distributions import Normal as Normal
from tfcore.distributions import RegisterKL as RegisterKL
from tfcore.distributions import ReparameterizationType as ReparameterizationType
from tfcore.distributions import StudentT as StudentT
from tfcore.distributions import Uniform as Uniform
from tfcore.distributions import bijectors as bijectors
from tfcore.distributions import kl_divergence as kl_divergence
from typing import Any as _Any

__all__ = [
'Bernoulli', 'Beta', 'Binomial', 'Categorical', 'Chi2', 'Dirichlet', 'DirichletMultinomial', 'Distribution',
'Exponential', 'FULLY_REPARAMETERIZED', 'Gamma', 'InverseGamma', 'Laplace', 'Multinomial', 'MultivariateNormalDiag',
'MultivariateNormalTriL', 'NOT_REPARAMETERIZED', 'Normal', 'OneHotCategorical', 'Poisson', 'RegisterKL',
'ReparameterizationType', 'StudentT', 'TransformedDistribution', 'Uniform', 'bijectors', 'kl_divergence'
]

class Binomial(Distribution):
    """The binomial distribution: the number of successes in `total_count` trials. As in TensorFlow, it has no samples."""
    def __init__(self, total_count: _Any, logits: _Any = None, probs: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Binomial') -> None: ...
    @property
    def logits(self) -> _Any:
        """Log odds of success."""
    @property
    def probs(self) -> _Any:
        """Probability of success."""
    @property
    def total_count(self) -> _Any:
        """The number of trials."""

class Chi2(Gamma):
    """The chi-squared distribution: that of the sum of `df` squares of standard normal numbers."""
    def __init__(self, df: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Chi2') -> None: ...
    @property
    def df(self) -> _Any:
        """The degrees of freedom."""

FULLY_REPARAMETERIZED: _Any

class InverseGamma(Distribution):
    """The distribution of 1 / x for an x with the gamma distribution."""
    def __init__(self, concentration: _Any, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'InverseGamma') -> None: ...
    @property
    def concentration(self) -> _Any:
        """The shape parameter."""
    @property
    def rate(self) -> _Any:
        """The rate of the gamma distribution of 1 / x, which is the scale of this one."""

class MultivariateNormalDiag(Distribution):
    """The multivariate normal distribution of independent elements: loc + scale * z."""
    def __init__(self, loc: _Any = None, scale_diag: _Any = None, scale_identity_multiplier: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalDiag') -> None: ...
    @property
    def loc(self) -> _Any:
        """The mean."""

class MultivariateNormalTriL(Distribution):
    """The multivariate normal distribution loc + scale_tril * z, with the covariance scale_tril * scale_tril'."""
    def __init__(self, loc: _Any = None, scale_tril: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalTriL') -> None: ...
    @property
    def loc(self) -> _Any:
        """The mean."""

NOT_REPARAMETERIZED: _Any

class OneHotCategorical(Distribution):
    """The distribution of vectors with a one for one of several classes, and zeros."""
    def __init__(self, logits: _Any = None, probs: _Any = None, dtype: _Any = ..., validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'OneHotCategorical') -> None: ...
    @property
    def event_size(self) -> _Any:
        """The number of classes, an int32 scalar."""
    @property
    def logits(self) -> _Any:
        """Unscaled log probabilities."""
    @property
    def probs(self) -> _Any:
        """The probabilities."""

class Poisson(Distribution):
    """The Poisson distribution of the number of events in some time."""
    def __init__(self, rate: _Any = None, log_rate: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Poisson') -> None: ...
    @property
    def log_rate(self) -> _Any:
        """The logarithm of the mean."""
    @property
    def rate(self) -> _Any:
        """The mean."""

class TransformedDistribution(Distribution):
    """The distribution of bijector.forward(x) for an x of another distribution."""
    def __init__(self, distribution: _Any, bijector: _Any = None, validate_args: _Any = False, name: str | None = None) -> None: ...
    @property
    def bijector(self) -> _Any:
        """The function."""
    @property
    def distribution(self) -> _Any:
        """The distribution of the argument of the function."""
