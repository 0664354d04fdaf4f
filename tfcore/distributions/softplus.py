"""Distributions with unconstrained parameters, made positive by softplus or abs."""

from tfcore.distributions.bernoulli import Bernoulli
from tfcore.distributions.beta import Beta
from tfcore.distributions.gamma import Exponential, Gamma
from tfcore.distributions.inverse_gamma import Chi2, InverseGamma
from tfcore.distributions.laplace import Laplace
from tfcore.distributions.normal import Normal
from tfcore.distributions.student_t import StudentT
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import floor, sigmoid
from tfcore.ops.nn.activations import softplus


def _whole_magnitude(df):
    return floor(abs_of(df, name="abs_df"))


class BernoulliWithSigmoidProbs(Bernoulli):
    """Bernoulli with the parameter probs = sigmoid(logits).

    Args:
      logits: An unconstrained floating-point `Tensor`.
      dtype: The `DType` of samples.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self,
        logits=None,
        dtype=dtypes.int32,
        validate_args=False,
        allow_nan_stats=True,
        name="BernoulliWithSigmoidProbs",
    ):
        parameters = dict(locals())
        with name_scope(name) as name:
            super().__init__(
                probs=sigmoid(logits, name="sigmoid_probs"),
                dtype=dtype,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=name,
            )
        self._parameters = parameters


class BetaWithSoftplusConcentration(Beta):
    """Beta with the parameters softplus(concentration1), softplus(concentration0).

    Args:
      concentration1: An unconstrained floating-point `Tensor`.
      concentration0: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self,
        concentration1,
        concentration0,
        validate_args=False,
        allow_nan_stats=True,
        name="BetaWithSoftplusConcentration",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as name:
            super().__init__(
                softplus(concentration1, name="softplus_concentration1"),
                softplus(concentration0, name="softplus_concentration0"),
                validate_args,
                allow_nan_stats,
                name,
            )
        self._parameters = parameters


class Chi2WithAbsDf(Chi2):
    """Chi2 with the parameter floor(abs(df)).

    Args:
      df: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(self, df, validate_args=False, allow_nan_stats=True, name="Chi2WithAbsDf"):
        parameters = dict(locals())
        with name_scope(name, values=[df]) as name:
            super().__init__(_whole_magnitude(df), validate_args, allow_nan_stats, name)
        self._parameters = parameters


class ExponentialWithSoftplusRate(Exponential):
    """Exponential with the parameter softplus(rate).

    Args:
      rate: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="ExponentialWithSoftplusRate"):
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            super().__init__(softplus(rate, name="softplus_rate"), validate_args, allow_nan_stats, name)
        self._parameters = parameters


class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma with the parameters softplus(concentration), softplus(rate).

    Args:
      concentration: An unconstrained floating-point `Tensor`.
      rate: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self, concentration, rate, validate_args=False, allow_nan_stats=True, name="GammaWithSoftplusConcentrationRate"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            super().__init__(
                softplus(concentration, name="softplus_concentration"),
                softplus(rate, name="softplus_rate"),
                validate_args,
                allow_nan_stats,
                name,
            )
        self._parameters = parameters


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """InverseGamma with the parameters softplus(concentration), softplus(rate).

    Args:
      concentration: An unconstrained floating-point `Tensor`.
      rate: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self,
        concentration,
        rate,
        validate_args=False,
        allow_nan_stats=True,
        name="InverseGammaWithSoftplusConcentrationRate",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            super().__init__(
                softplus(concentration, name="softplus_concentration"),
                softplus(rate, name="softplus_rate"),
                validate_args,
                allow_nan_stats,
                name,
            )
        self._parameters = parameters


class LaplaceWithSoftplusScale(Laplace):
    """Laplace with the parameter softplus(scale).

    Args:
      loc: A floating-point `Tensor`.
      scale: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="LaplaceWithSoftplusScale"):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            super().__init__(loc, softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, name)
        self._parameters = parameters


class NormalWithSoftplusScale(Normal):
    """Normal with the parameter softplus(scale).

    Args:
      loc: A floating-point `Tensor`.
      scale: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="NormalWithSoftplusScale"):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            super().__init__(loc, softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, name)
        self._parameters = parameters


class StudentTWithAbsDfSoftplusScale(StudentT):
    """StudentT with the parameters floor(abs(df)), softplus(scale).

    Args:
      df: An unconstrained floating-point `Tensor`.
      loc: A floating-point `Tensor`.
      scale: An unconstrained floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.
    """

    def __init__(
        self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentTWithAbsDfSoftplusScale"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as name:
            super().__init__(
                _whole_magnitude(df), loc, softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, name
            )
        self._parameters = parameters
