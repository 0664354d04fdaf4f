"""The namespace tf.distributions."""

from tfcore.distributions.bernoulli import Bernoulli
from tfcore.distributions.beta import Beta
from tfcore.distributions.categorical import Categorical
from tfcore.distributions.dirichlet import Dirichlet
from tfcore.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from tfcore.distributions.gamma import Exponential, Gamma
from tfcore.distributions.kullback_leibler import RegisterKL, kl_divergence
from tfcore.distributions.laplace import Laplace
from tfcore.distributions.multinomial import DirichletMultinomial, Multinomial
from tfcore.distributions.normal import Normal
from tfcore.distributions.student_t import StudentT
from tfcore.distributions.uniform import Uniform
from tfcore.framework.lazy import lazy_names as _lazy_names

__all__ = [
    "FULLY_REPARAMETERIZED", "NOT_REPARAMETERIZED", "Bernoulli", "Beta", "Categorical", "Dirichlet",
    "DirichletMultinomial", "Distribution", "Exponential", "Gamma", "Laplace", "Multinomial", "Normal", "RegisterKL",
    "ReparameterizationType", "StudentT", "Uniform", "kl_divergence",
]  # fmt: skip

__getattr__, __dir__ = _lazy_names(globals(), {})
