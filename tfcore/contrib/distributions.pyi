# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Tensor as Tensor
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
'Autoregressive', 'BatchReshape', 'Bernoulli', 'BernoulliWithSigmoidProbs', 'Beta', 'BetaWithSoftplusConcentration',
'Binomial', 'Categorical', 'Cauchy', 'Chi2', 'Chi2WithAbsDf', 'ConditionalDistribution',
'ConditionalTransformedDistribution', 'Deterministic', 'Dirichlet', 'DirichletMultinomial', 'Distribution',
'ExpRelaxedOneHotCategorical', 'Exponential', 'ExponentialWithSoftplusRate', 'FULLY_REPARAMETERIZED', 'Gamma',
'GammaWithSoftplusConcentrationRate', 'Geometric', 'Gumbel', 'HalfNormal', 'Independent', 'InverseGamma',
'InverseGammaWithSoftplusConcentrationRate', 'Kumaraswamy', 'Laplace', 'LaplaceWithSoftplusScale', 'Logistic',
'Mixture', 'MixtureSameFamily', 'Multinomial', 'MultivariateNormalDiag', 'MultivariateNormalDiagPlusLowRank',
'MultivariateNormalDiagWithSoftplusScale', 'MultivariateNormalFullCovariance', 'MultivariateNormalTriL',
'NOT_REPARAMETERIZED', 'NegativeBinomial', 'Normal', 'NormalWithSoftplusScale', 'OneHotCategorical', 'Poisson',
'PoissonLogNormalQuadratureCompound', 'QuantizedDistribution', 'RegisterKL', 'RelaxedBernoulli',
'RelaxedOneHotCategorical', 'ReparameterizationType', 'SeedStream', 'SinhArcsinh', 'StudentT',
'StudentTWithAbsDfSoftplusScale', 'TransformedDistribution', 'Uniform', 'VectorDeterministic', 'VectorDiffeomixture',
'VectorExponentialDiag', 'VectorLaplaceDiag', 'VectorSinhArcsinhDiag', 'WishartCholesky', 'WishartFull',
'assign_log_moving_mean_exp', 'assign_moving_mean_variance', 'auto_correlation', 'bijectors', 'fill_triangular',
'fill_triangular_inverse', 'kl_divergence', 'matrix_diag_transform', 'moving_mean_variance',
'normal_conjugates_known_scale_posterior', 'normal_conjugates_known_scale_predictive', 'percentile',
'quadrature_scheme_lognormal_gauss_hermite', 'quadrature_scheme_lognormal_quantiles',
'quadrature_scheme_softmaxnormal_gauss_hermite', 'quadrature_scheme_softmaxnormal_quantiles',
'reduce_weighted_logsumexp', 'softplus_inverse', 'tridiag'
]

class Autoregressive(Distribution):
    """The distribution of x where each element is drawn given those before it."""
    def __init__(self, distribution_fn: _Any, sample0: _Any = None, num_steps: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Autoregressive') -> None: ...
    @property
    def distribution0(self) -> _Any:
        """The distribution of the first step."""
    @property
    def distribution_fn(self) -> _Any:
        """The function that gives distributions."""
    @property
    def num_steps(self) -> _Any:
        """How often the function is applied, an integer scalar."""
    @property
    def sample0(self) -> _Any:
        """The first argument of `distribution_fn`, or None."""

class BatchReshape(Distribution):
    """A batch of distributions in another shape."""
    def __init__(self, distribution: _Any, batch_shape: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = None) -> None: ...
    @property
    def distribution(self) -> _Any:
        """The distribution whose batch has the shape from before."""

class BernoulliWithSigmoidProbs(Bernoulli):
    """Bernoulli with the parameter probs = sigmoid(logits)."""
    def __init__(self, logits: _Any = None, dtype: _Any = ..., validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'BernoulliWithSigmoidProbs') -> None: ...

class BetaWithSoftplusConcentration(Beta):
    """Beta with the parameters softplus(concentration1), softplus(concentration0)."""
    def __init__(self, concentration1: _Any, concentration0: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'BetaWithSoftplusConcentration') -> None: ...

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

class Cauchy(Distribution):
    """The Cauchy distribution, which has neither a mean nor a variance."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Cauchy') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added to z."""
    @property
    def scale(self) -> _Any:
        """The factor of z."""

class Chi2(Gamma):
    """The chi-squared distribution: that of the sum of `df` squares of standard normal numbers."""
    def __init__(self, df: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Chi2') -> None: ...
    @property
    def df(self) -> _Any:
        """The degrees of freedom."""

class Chi2WithAbsDf(Chi2):
    """Chi2 with the parameter floor(abs(df))."""
    def __init__(self, df: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Chi2WithAbsDf') -> None: ...

class ConditionalDistribution(Distribution):
    """A distribution whose methods take more arguments by name, which those with an underscore get."""
    def cdf(self, value: _Any, name: str | None = 'cdf', **condition_kwargs: _Any) -> Tensor:
        """The distribution function."""
    def log_cdf(self, value: _Any, name: str | None = 'log_cdf', **condition_kwargs: _Any) -> Tensor:
        """The logarithm of the distribution function."""
    def log_prob(self, value: _Any, name: str | None = 'log_prob', **condition_kwargs: _Any) -> Tensor:
        """The logarithm of the probability density, or of the probability of discrete values."""
    def log_survival_function(self, value: _Any, name: str | None = 'log_survival_function', **condition_kwargs: _Any) -> Tensor:
        """The logarithm of the probability that a sample is greater than `value`."""
    def prob(self, value: _Any, name: str | None = 'prob', **condition_kwargs: _Any) -> Tensor:
        """The probability density, or the probability of discrete values."""
    def sample(self, sample_shape: _Any = (), seed: _Any = None, name: str | None = 'sample', **condition_kwargs: _Any) -> Tensor:
        """Draws samples."""
    def survival_function(self, value: _Any, name: str | None = 'survival_function', **condition_kwargs: _Any) -> Tensor:
        """The probability that a sample is greater than `value`."""

class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """A TransformedDistribution whose methods take `bijector_kwargs` and `distribution_kwargs`."""

class Deterministic(Distribution):
    """The distribution of the number `loc`: its probability is 1."""
    def __init__(self, loc: _Any, atol: _Any = None, rtol: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Deterministic') -> None: ...
    @property
    def atol(self) -> _Any:
        """How far values may be from `loc`."""
    @property
    def loc(self) -> _Any:
        """The value."""
    @property
    def rtol(self) -> _Any:
        """How far values may be from `loc`, as a part of it."""

class ExpRelaxedOneHotCategorical(Distribution):
    """The distribution of log_softmax((logits + z) / temperature), for a vector z of standard Gumbel numbers."""
    def __init__(self, temperature: _Any, logits: _Any = None, probs: _Any = None, dtype: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'ExpRelaxedOneHotCategorical') -> None: ...
    @property
    def event_size(self) -> _Any:
        """The number of classes, an int32 scalar."""
    @property
    def logits(self) -> _Any:
        """Unscaled log probabilities."""
    @property
    def probs(self) -> _Any:
        """The probabilities."""
    @property
    def temperature(self) -> _Any:
        """How far samples are from one-hot vectors."""

class ExponentialWithSoftplusRate(Exponential):
    """Exponential with the parameter softplus(rate)."""
    def __init__(self, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'ExponentialWithSoftplusRate') -> None: ...

FULLY_REPARAMETERIZED: _Any

class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma with the parameters softplus(concentration), softplus(rate)."""
    def __init__(self, concentration: _Any, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'GammaWithSoftplusConcentrationRate') -> None: ...

class Geometric(Distribution):
    """The geometric distribution: the number of failures before the first success."""
    def __init__(self, logits: _Any = None, probs: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Geometric') -> None: ...
    @property
    def logits(self) -> _Any:
        """Log odds of success."""
    @property
    def probs(self) -> _Any:
        """Probability of success."""

class Gumbel(Distribution):
    """The Gumbel distribution of maxima, with the distribution function exp(-exp(-(x - loc) / scale))."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Gumbel') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added to z."""
    @property
    def scale(self) -> _Any:
        """The factor of z."""

class HalfNormal(Distribution):
    """The distribution of |x| for a normal x with the mean 0."""
    def __init__(self, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'HalfNormal') -> None: ...
    @property
    def scale(self) -> _Any:
        """The standard deviation of the normal distribution."""

class Independent(Distribution):
    """Treats the last batch dimensions of a distribution as event dimensions."""
    def __init__(self, distribution: _Any, reinterpreted_batch_ndims: _Any = None, validate_args: _Any = False, name: str | None = None) -> None: ...
    @property
    def distribution(self) -> _Any:
        """The distribution whose batch this one divides."""
    @property
    def reinterpreted_batch_ndims(self) -> _Any:
        """How many dimensions of its batch are those of an event."""

class InverseGamma(Distribution):
    """The distribution of 1 / x for an x with the gamma distribution."""
    def __init__(self, concentration: _Any, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'InverseGamma') -> None: ...
    @property
    def concentration(self) -> _Any:
        """The shape parameter."""
    @property
    def rate(self) -> _Any:
        """The rate of the gamma distribution of 1 / x, which is the scale of this one."""

class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """InverseGamma with the parameters softplus(concentration), softplus(rate)."""
    def __init__(self, concentration: _Any, rate: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'InverseGammaWithSoftplusConcentrationRate') -> None: ...

class Kumaraswamy(TransformedDistribution):
    """The distribution on (0, 1) with the distribution function 1 - (1 - x ** a) ** b."""
    def __init__(self, concentration1: _Any = None, concentration0: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Kumaraswamy') -> None: ...
    @property
    def concentration0(self) -> _Any:
        """The parameter b."""
    @property
    def concentration1(self) -> _Any:
        """The parameter a."""

class LaplaceWithSoftplusScale(Laplace):
    """Laplace with the parameter softplus(scale)."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'LaplaceWithSoftplusScale') -> None: ...

class Logistic(Distribution):
    """The logistic distribution, with the distribution function sigmoid((x - loc) / scale)."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'Logistic') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added to z."""
    @property
    def scale(self) -> _Any:
        """The factor of z."""

class Mixture(Distribution):
    """A mixture of different distributions."""
    def __init__(self, cat: _Any, components: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, use_static_graph: _Any = False, name: str | None = 'Mixture') -> None: ...
    @property
    def cat(self) -> _Any:
        """The distribution of the number of the component."""
    @property
    def components(self) -> _Any:
        """The list of distributions that are mixed."""
    def entropy_lower_bound(self, name: str | None = 'entropy_lower_bound') -> Tensor:
        """A lower bound of the entropy: the weighted sum of those of the components."""
    @property
    def num_components(self) -> _Any:
        """How many they are, an int."""

class MixtureSameFamily(Distribution):
    """A mixture of distributions of one class: those along the last dimension of a batch."""
    def __init__(self, mixture_distribution: _Any, components_distribution: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MixtureSameFamily') -> None: ...
    @property
    def components_distribution(self) -> _Any:
        """The batch of distributions that are mixed."""
    @property
    def mixture_distribution(self) -> _Any:
        """The distribution of the number of the component."""

class MultivariateNormalDiag(TransformedDistribution):
    """The multivariate normal distribution of independent elements: loc + scale * z."""
    def __init__(self, loc: _Any = None, scale_diag: _Any = None, scale_identity_multiplier: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalDiag') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added, or None."""
    @property
    def scale(self) -> _Any:
        """The scale, a `LinearOperator`."""

class MultivariateNormalDiagPlusLowRank(TransformedDistribution):
    """The multivariate normal distribution whose scale is a diagonal plus V @ diag(d) @ V'."""
    def __init__(self, loc: _Any = None, scale_diag: _Any = None, scale_identity_multiplier: _Any = None, scale_perturb_factor: _Any = None, scale_perturb_diag: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalDiagPlusLowRank') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added, or None."""
    @property
    def scale(self) -> _Any:
        """The scale, a `LinearOperator`."""

class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """MultivariateNormalDiag with the standard deviations softplus(scale_diag)."""
    def __init__(self, loc: _Any, scale_diag: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalDiagWithSoftplusScale') -> None: ...

class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The multivariate normal distribution with a mean and a covariance matrix."""
    def __init__(self, loc: _Any = None, covariance_matrix: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalFullCovariance') -> None: ...

class MultivariateNormalTriL(TransformedDistribution):
    """The multivariate normal distribution loc + scale_tril @ z, with the covariance scale_tril @ scale_tril'."""
    def __init__(self, loc: _Any = None, scale_tril: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'MultivariateNormalTriL') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added, or None."""
    @property
    def scale(self) -> _Any:
        """The scale, a `LinearOperator`."""

NOT_REPARAMETERIZED: _Any

class NegativeBinomial(Distribution):
    """The negative binomial distribution: the number of successes before `total_count` failures."""
    def __init__(self, total_count: _Any, logits: _Any = None, probs: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'NegativeBinomial') -> None: ...
    @property
    def logits(self) -> _Any:
        """Log odds of success."""
    @property
    def probs(self) -> _Any:
        """Probability of success."""
    @property
    def total_count(self) -> _Any:
        """The number of failures."""

class NormalWithSoftplusScale(Normal):
    """Normal with the parameter softplus(scale)."""
    def __init__(self, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'NormalWithSoftplusScale') -> None: ...

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

class PoissonLogNormalQuadratureCompound(Distribution):
    """The Poisson distribution whose rate is one of a grid that approximates a log-normal distribution."""
    def __init__(self, loc: _Any, scale: _Any, quadrature_size: _Any = 8, quadrature_fn: _Any = ..., validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'PoissonLogNormalQuadratureCompound') -> None: ...
    @property
    def distribution(self) -> _Any:
        """The Poisson distributions of all rates."""
    @property
    def loc(self) -> _Any:
        """The mean of the logarithm of the rate."""
    @property
    def mixture_distribution(self) -> _Any:
        """The distribution of the number of the rate."""
    @property
    def quadrature_size(self) -> _Any:
        """The number of rates of the grid."""
    @property
    def scale(self) -> _Any:
        """The standard deviation of the logarithm of the rate."""

class QuantizedDistribution(Distribution):
    """The distribution of ceil(x), cut off at `low` and `high`, for an x of another distribution."""
    def __init__(self, distribution: _Any, low: _Any = None, high: _Any = None, validate_args: _Any = False, name: str | None = 'QuantizedDistribution') -> None: ...
    @property
    def distribution(self) -> _Any:
        """The continuous distribution."""
    @property
    def high(self) -> _Any:
        """The greatest value, or None."""
    @property
    def low(self) -> _Any:
        """The least value, or None."""

class RelaxedBernoulli(TransformedDistribution):
    """The distribution of sigmoid((logits + z) / temperature), for a z of the standard logistic distribution."""
    def __init__(self, temperature: _Any, logits: _Any = None, probs: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'RelaxedBernoulli') -> None: ...
    @property
    def logits(self) -> _Any:
        """Log odds of 1."""
    @property
    def probs(self) -> _Any:
        """The probability of 1."""
    @property
    def temperature(self) -> _Any:
        """How far samples are from 0 and 1."""

class RelaxedOneHotCategorical(TransformedDistribution):
    """The distribution of softmax((logits + z) / temperature), for a vector z of standard Gumbel numbers."""
    def __init__(self, temperature: _Any, logits: _Any = None, probs: _Any = None, dtype: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'RelaxedOneHotCategorical') -> None: ...
    @property
    def event_size(self) -> _Any:
        """The number of classes, an int32 scalar."""
    @property
    def logits(self) -> _Any:
        """Unscaled log probabilities."""
    @property
    def probs(self) -> _Any:
        """The probabilities."""
    @property
    def temperature(self) -> _Any:
        """How far samples are from one-hot vectors."""

class SeedStream:
    """A function that gives another seed in each call, or None if there is no seed."""
    def __call__(self) -> _Any: ...
    def __init__(self, seed: _Any, salt: _Any) -> None: ...
    @property
    def original_seed(self) -> _Any:
        """The seed that it began with."""
    @property
    def salt(self) -> _Any:
        """The string that tells this stream from others of the seed."""

class SinhArcsinh(TransformedDistribution):
    """The distribution of loc + c * sinh((asinh(x) + skewness) * tailweight) for a standard normal x."""
    def __init__(self, loc: _Any, scale: _Any, skewness: _Any = None, tailweight: _Any = None, distribution: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'SinhArcsinh') -> None: ...
    @property
    def loc(self) -> _Any:
        """The location."""
    @property
    def scale(self) -> _Any:
        """The scale."""
    @property
    def skewness(self) -> _Any:
        """The skewness; 0 if the distribution is symmetric."""
    @property
    def tailweight(self) -> _Any:
        """The weight of tails, 1 for that of x."""

class StudentTWithAbsDfSoftplusScale(StudentT):
    """StudentT with the parameters floor(abs(df)), softplus(scale)."""
    def __init__(self, df: _Any, loc: _Any, scale: _Any, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'StudentTWithAbsDfSoftplusScale') -> None: ...

class TransformedDistribution(Distribution):
    """The distribution of bijector.forward(x) for an x of another distribution."""
    def __init__(self, distribution: _Any, bijector: _Any = None, batch_shape: _Any = None, event_shape: _Any = None, validate_args: _Any = False, name: str | None = None) -> None: ...
    @property
    def bijector(self) -> _Any:
        """The function."""
    @property
    def distribution(self) -> _Any:
        """The distribution of the argument of the function."""

class VectorDeterministic(Distribution):
    """The distribution of the vector `loc`: its probability is 1."""
    def __init__(self, loc: _Any, atol: _Any = None, rtol: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'VectorDeterministic') -> None: ...
    @property
    def atol(self) -> _Any:
        """How far values may be from `loc`."""
    @property
    def loc(self) -> _Any:
        """The value."""
    @property
    def rtol(self) -> _Any:
        """How far values may be from `loc`, as a part of it."""

class VectorDiffeomixture(Distribution):
    """The mixture of loc + scale @ x over a quadrature grid of weights."""
    def __init__(self, mix_loc: _Any, temperature: _Any, distribution: _Any, loc: _Any = None, scale: _Any = None, quadrature_size: _Any = 8, quadrature_fn: _Any = ..., validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'VectorDiffeomixture') -> None: ...
    @property
    def distribution(self) -> _Any:
        """The distribution of the elements of x."""
    @property
    def endpoint_affine(self) -> _Any:
        """The two affine bijectors, a list."""
    @property
    def grid(self) -> _Any:
        """The weights, of shape [..., 2, quadrature_size]."""
    @property
    def interpolated_affine(self) -> _Any:
        """Their means for each weight, a list of affine bijectors."""
    @property
    def mixture_distribution(self) -> _Any:
        """The distribution of the number of the weight."""

class VectorExponentialDiag(TransformedDistribution):
    """loc + scale * x for a vector x of independent numbers of the exponential distribution with mean 1."""
    def __init__(self, loc: _Any = None, scale_diag: _Any = None, scale_identity_multiplier: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'VectorExponentialDiag') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added, or None."""
    @property
    def scale(self) -> _Any:
        """The scale, a `LinearOperator`."""

class VectorLaplaceDiag(TransformedDistribution):
    """loc + scale * x for a vector x of independent numbers of the Laplace distribution."""
    def __init__(self, loc: _Any = None, scale_diag: _Any = None, scale_identity_multiplier: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'VectorLaplaceDiag') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added, or None."""
    @property
    def scale(self) -> _Any:
        """The scale, a `LinearOperator`."""

class VectorSinhArcsinhDiag(TransformedDistribution):
    """The distribution of vectors loc + c * sinh((asinh(x) + skewness) * tailweight), of independent normal x."""
    def __init__(self, loc: _Any = None, scale_diag: _Any = None, scale_identity_multiplier: _Any = None, skewness: _Any = None, tailweight: _Any = None, distribution: _Any = None, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'VectorSinhArcsinhDiag') -> None: ...
    @property
    def loc(self) -> _Any:
        """What is added, or None."""
    @property
    def scale(self) -> _Any:
        """The scale, a `LinearOperator`."""
    @property
    def skewness(self) -> _Any:
        """The skewness; 0 if the distribution is symmetric."""
    @property
    def tailweight(self) -> _Any:
        """The weight of tails, 1 for that of x."""

class WishartCholesky(Distribution):
    """The Wishart distribution with a scale matrix given by its Cholesky factor."""
    def __init__(self, df: _Any, scale: _Any, cholesky_input_output_matrices: _Any = False, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'WishartCholesky') -> None: ...
    @property
    def cholesky_input_output_matrices(self) -> builtins.bool:
        """Whether samples and values are Cholesky factors of matrices."""
    @property
    def df(self) -> _Any:
        """The degrees of freedom."""
    @property
    def dimension(self) -> _Any:
        """The number k of rows of a matrix, an int32 scalar."""
    def log_normalization(self, name: str | None = 'log_normalization') -> Tensor:
        """The logarithm of the number by which the density is divided."""
    def mean_log_det(self, name: str | None = 'mean_log_det') -> Tensor:
        """The mean of the logarithm of the determinant."""
    def scale(self) -> Tensor:
        """The scale matrix, or its Cholesky factor if `cholesky_input_output_matrices` is set."""
    @property
    def scale_operator(self) -> _Any:
        """The Cholesky factor of the scale matrix, a `LinearOperator`."""

class WishartFull(Distribution):
    """The Wishart distribution with a scale matrix."""
    def __init__(self, df: _Any, scale: _Any, cholesky_input_output_matrices: _Any = False, validate_args: _Any = False, allow_nan_stats: _Any = True, name: str | None = 'WishartFull') -> None: ...
    @property
    def cholesky_input_output_matrices(self) -> builtins.bool:
        """Whether samples and values are Cholesky factors of matrices."""
    @property
    def df(self) -> _Any:
        """The degrees of freedom."""
    @property
    def dimension(self) -> _Any:
        """The number k of rows of a matrix, an int32 scalar."""
    def log_normalization(self, name: str | None = 'log_normalization') -> Tensor:
        """The logarithm of the number by which the density is divided."""
    def mean_log_det(self, name: str | None = 'mean_log_det') -> Tensor:
        """The mean of the logarithm of the determinant."""
    def scale(self) -> Tensor:
        """The scale matrix, or its Cholesky factor if `cholesky_input_output_matrices` is set."""
    @property
    def scale_operator(self) -> _Any:
        """The Cholesky factor of the scale matrix, a `LinearOperator`."""

def assign_log_moving_mean_exp(log_mean_exp_var: _Any, log_value: _Any, decay: _Any, name: str | None = None) -> _Any:
    """Updates the logarithm of a moving average, given logarithms of values."""

def assign_moving_mean_variance(mean_var: _Any, variance_var: _Any, value: _Any, decay: _Any, name: str | None = None) -> _Any:
    """Updates moving averages of mean and variance."""

def auto_correlation(x: _Any, axis: _Any = -1, max_lags: _Any = None, center: _Any = True, normalize: _Any = True, name: str | None = 'auto_correlation') -> Tensor:
    """The means of the products of elements of a series with those some steps later."""

def fill_triangular(x: _Any, upper: _Any = False, name: str | None = None) -> Tensor:
    """Triangular matrices of the elements of vectors, in a clockwise spiral from the last row (or the first one)."""

def fill_triangular_inverse(x: _Any, upper: _Any = False, name: str | None = None) -> Tensor:
    """The vectors of which `fill_triangular` makes matrices."""

def matrix_diag_transform(matrix: _Any, transform: _Any = None, name: str | None = None) -> Tensor:
    """Matrices with a function applied to their diagonals."""

def moving_mean_variance(value: _Any, decay: _Any, collections: _Any = None, name: str | None = None) -> _Any:
    """Moving averages of mean and variance in variables of their own, see `assign_moving_mean_variance`."""

def normal_conjugates_known_scale_posterior(prior: _Any, scale: _Any, s: _Any, n: _Any) -> _Any:
    """The distribution of the mean of a normal distribution after observations of it."""

def normal_conjugates_known_scale_predictive(prior: _Any, scale: _Any, s: _Any, n: _Any) -> _Any:
    """The distribution of the next observation of a normal distribution after some of them."""

def percentile(x: _Any, q: _Any, axis: _Any = None, interpolation: _Any = None, keep_dims: _Any = False, validate_args: _Any = False, name: str | None = None) -> Tensor:
    """The element below which a percentage of all elements is."""

def quadrature_scheme_lognormal_gauss_hermite(loc: _Any, scale: _Any, quadrature_size: _Any, validate_args: _Any = False, name: str | None = None) -> _Any:
    """Gauss-Hermite nodes and weights for a log-normal distribution."""

def quadrature_scheme_lognormal_quantiles(loc: _Any, scale: _Any, quadrature_size: _Any, validate_args: _Any = False, name: str | None = None) -> _Any:
    """The midpoints between quantiles of a log-normal distribution, all of the same weight."""

def quadrature_scheme_softmaxnormal_gauss_hermite(normal_loc: _Any, normal_scale: _Any, quadrature_size: _Any, validate_args: _Any = False, name: str | None = None) -> _Any:
    """Gauss-Hermite nodes and weights for two weights: SoftmaxCentered of a normal distribution."""

def quadrature_scheme_softmaxnormal_quantiles(normal_loc: _Any, normal_scale: _Any, quadrature_size: _Any, validate_args: _Any = False, name: str | None = None) -> _Any:
    """The midpoints between quantiles of two weights: SoftmaxCentered of a normal distribution."""

def reduce_weighted_logsumexp(logx: _Any, w: _Any = None, axis: _Any = None, keep_dims: _Any = False, return_sign: _Any = False, name: str | None = None) -> Tensor:
    """log(abs(sum(w * exp(logx)))), without overflow."""

def softplus_inverse(x: _Any, name: str | None = None) -> Tensor:
    """log(exp(x) - 1), the inverse of `tf.nn.softplus`."""

def tridiag(below: _Any = None, diag: _Any = None, above: _Any = None, name: str | None = None) -> Tensor:
    """Matrices of three diagonals."""
