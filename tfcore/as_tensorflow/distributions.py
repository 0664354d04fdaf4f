"""Distributions of tensorflow.python.ops.distributions whose parameters pass through functions that make them valid."""

from tfcore.distributions.beta import Beta
from tfcore.distributions.gamma import Exponential, Gamma
from tfcore.distributions.laplace import Laplace
from tfcore.distributions.normal import Normal
from tfcore.distributions.student_t import StudentT
from tfcore.framework.graph.graph import name_scope
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import floor
from tfcore.ops.nn.activations import softplus


class BetaWithSoftplusConcentration(Beta):
    """Beta with the softplus of both parameters."""

    def __init__(
        self,
        concentration1,
        concentration0,
        validate_args=False,
        allow_nan_stats=True,
        name="BetaWithSoftplusConcentration",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            concentrations = softplus(concentration1), softplus(concentration0)
            super().__init__(*concentrations, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class ExponentialWithSoftplusRate(Exponential):
    """Exponential with the softplus of the rate."""

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="ExponentialWithSoftplusRate"):
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as scope:
            super().__init__(softplus(rate), validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma with the softplus of both parameters."""

    def __init__(
        self,
        concentration,
        rate,
        validate_args=False,
        allow_nan_stats=True,
        name="GammaWithSoftplusConcentrationRate",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as scope:
            super().__init__(softplus(concentration), softplus(rate), validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class LaplaceWithSoftplusScale(Laplace):
    """Laplace with the softplus of the scale."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="LaplaceWithSoftplusScale"):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            super().__init__(loc, softplus(scale), validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class NormalWithSoftplusScale(Normal):
    """Normal with the softplus of the scale."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="NormalWithSoftplusScale"):
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as scope:
            super().__init__(loc, softplus(scale), validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class StudentTWithAbsDfSoftplusScale(StudentT):
    """StudentT with the rounded absolute number of degrees of freedom and the softplus of the scale."""

    def __init__(
        self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentTWithAbsDfSoftplusScale"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[df, scale]) as scope:
            super().__init__(floor(abs_of(df)), loc, softplus(scale), validate_args, allow_nan_stats, scope)
        self._parameters = parameters
