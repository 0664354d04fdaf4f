"""The scalar distributions of tf.contrib.distributions beside SciPy's: densities, quantiles, statistics, samples."""

import numpy as np
import pytest
from scipy import stats

import tfcore as tf

ds = tf.contrib.distributions
f = np.float64
CALLS = "prob log_prob cdf log_cdf survival_function log_survival_function".split()
STATISTICS = {"mean": "mean", "variance": "var", "stddev": "std", "entropy": "entropy"}


def softplus(x):
    return np.log1p(np.exp(x))


def kumaraswamy(a, b):
    """SciPy's beta distribution of x ** a."""

    class Of(stats.rv_continuous):
        def _cdf(self, x):
            return 1 - (1 - x**a) ** b

        def _pdf(self, x):
            return a * b * x ** (a - 1) * (1 - x**a) ** (b - 1)

        def _ppf(self, p):
            return (1 - (1 - p) ** (1 / b)) ** (1 / a)

    return Of(a=0, b=1)()


def logit_logistic(loc, temperature):
    class Of(stats.rv_continuous):
        def _cdf(self, x):
            return stats.logistic(loc / temperature, 1 / temperature).cdf(np.log(x / (1 - x)))

        def _pdf(self, x):
            return stats.logistic(loc / temperature, 1 / temperature).pdf(np.log(x / (1 - x))) / x / (1 - x)

    return Of(a=0, b=1)()


# The distribution, SciPy's, values, the calls that it lacks.
CONTINUOUS = {
    "Cauchy": (lambda: ds.Cauchy(f(1), f(2)), stats.cauchy(1, 2), [-30, 0.5, 40], "mean variance stddev"),
    "Gumbel": (lambda: ds.Gumbel(f(1), f(2)), stats.gumbel_r(1, 2), [-3, 0.5, 9], ""),
    "Logistic": (lambda: ds.Logistic(f(1), f(2)), stats.logistic(1, 2), [-30, 0.5, 40], ""),
    "HalfNormal": (lambda: ds.HalfNormal(f(2)), stats.halfnorm(0, 2), [-1, 0.5, 4, 9], ""),
    "Kumaraswamy": (lambda: ds.Kumaraswamy(f(2), f(3)), kumaraswamy(2, 3), [0.1, 0.5, 0.8], ""),
    "SinhArcsinh": (
        lambda: ds.SinhArcsinh(f(1), f(2), f(0), f(1)), stats.norm(1, 2), [-3, 0.5, 4],
        "mean variance stddev entropy",
    ),
    "RelaxedBernoulli": (
        lambda: ds.RelaxedBernoulli(f(0.7), logits=f(0.4)), logit_logistic(0.4, 0.7), [0.1, 0.5, 0.8],
        "mean variance stddev entropy",
    ),
    "TransformedDistribution": (
        lambda: ds.TransformedDistribution(ds.Normal(f(0.5), f(2)), ds.bijectors.AffineScalar(f(1), f(3))),
        stats.norm(2.5, 6), [-3, 0.5, 4], "variance stddev",
    ),
    "BetaWithSoftplusConcentration": (
        lambda: ds.BetaWithSoftplusConcentration(f(0.5), f(1)), stats.beta(softplus(0.5), softplus(1)), [0.2, 0.8], "",
    ),
    "Chi2WithAbsDf": (lambda: ds.Chi2WithAbsDf(f(-3.5)), stats.chi2(3), [0.5, 4], ""),
    "ExponentialWithSoftplusRate": (
        lambda: ds.ExponentialWithSoftplusRate(f(-1)), stats.expon(0, 1 / softplus(-1)), [0.5, 4], "",
    ),
    "GammaWithSoftplusConcentrationRate": (
        lambda: ds.GammaWithSoftplusConcentrationRate(f(1), f(-1)),
        stats.gamma(softplus(1), 0, 1 / softplus(-1)), [0.5, 4], "",
    ),
    "InverseGammaWithSoftplusConcentrationRate": (
        lambda: ds.InverseGammaWithSoftplusConcentrationRate(f(3), f(-1)),
        stats.invgamma(softplus(3), 0, softplus(-1)), [0.5, 4], "",
    ),
    "LaplaceWithSoftplusScale": (
        lambda: ds.LaplaceWithSoftplusScale(f(1), f(-1)), stats.laplace(1, softplus(-1)), [-1, 0.5, 2], "",
    ),
    "NormalWithSoftplusScale": (
        lambda: ds.NormalWithSoftplusScale(f(1), f(-1)), stats.norm(1, softplus(-1)), [0, 0.5, 2], "",
    ),
    "StudentTWithAbsDfSoftplusScale": (
        lambda: ds.StudentTWithAbsDfSoftplusScale(f(-3.5), f(1), f(-1)), stats.t(3, 1, softplus(-1)), [-1, 0.5, 4], "",
    ),
}  # fmt: skip
QUANTILES = "Cauchy Gumbel Logistic HalfNormal Kumaraswamy SinhArcsinh TransformedDistribution"
GEOMETRIC, NEGATIVE = stats.geom(0.3, -1), stats.nbinom(2.5, 1 - 0.3)
DISCRETE = {
    "Geometric": (lambda: ds.Geometric(probs=f(0.3)), GEOMETRIC, [0, 1, 7], ""),
    "Geometric of logits": (lambda: ds.Geometric(np.log(f(0.3 / 0.7))), GEOMETRIC, [0, 1, 7], ""),
    "NegativeBinomial": (lambda: ds.NegativeBinomial(f(2.5), probs=f(0.3)), NEGATIVE, [0, 1, 7], "entropy"),
    "NegativeBinomial of logits": (
        lambda: ds.NegativeBinomial(f(2.5), np.log(f(0.3 / 0.7))), NEGATIVE, [0, 1, 7], "entropy",
    ),
}  # fmt: skip
ALL = {**CONTINUOUS, **DISCRETE}


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


@pytest.mark.parametrize("name", ALL)
def test_beside_scipy(name, session):
    make, theirs, values, lacks = ALL[name]
    ours, x = make(), f(values)
    density = (theirs.pmf, theirs.logpmf) if name in DISCRETE else (theirs.pdf, theirs.logpdf)
    with np.errstate(divide="ignore", invalid="ignore"):
        want = [one(x) for one in (*density, theirs.cdf, theirs.logcdf, theirs.sf, theirs.logsf)]
    for call, got, expected in zip(CALLS, session.run([getattr(ours, call)(x) for call in CALLS]), want):
        known = (np.abs(expected) < 15) | ~np.isfinite(expected) | ("log" not in call)
        np.testing.assert_allclose(got[known], expected[known], rtol=1e-6, atol=1e-9, err_msg=call)
    for call, theirs_name in STATISTICS.items():
        if call not in lacks:
            expected = getattr(theirs, theirs_name)()
            np.testing.assert_allclose(session.run(getattr(ours, call)()), expected, rtol=1e-6, err_msg=call)
    if name in QUANTILES:
        p = f([0.05, 0.5, 0.9])
        np.testing.assert_allclose(session.run(ours.quantile(p)), theirs.ppf(p), rtol=1e-6, atol=1e-12)
    assert ours.batch_shape == () == ours.event_shape and ours.dtype == tf.float64


@pytest.mark.parametrize("name", ALL)
def test_samples(name, session):
    make, theirs, _, _ = ALL[name]
    ours = make()
    samples, shaped = session.run([ours.sample(4000, seed=3), ours.sample([2, 3], seed=1)])
    assert shaped.shape == (2, 3) and samples.dtype == np.float64
    if name in DISCRETE:
        counts = np.bincount(samples.astype(int), minlength=12)[:12] / 4000
        np.testing.assert_allclose(counts, theirs.pmf(np.arange(12)), atol=0.04)
    else:
        assert stats.kstest(samples, theirs.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", "Cauchy Gumbel Logistic HalfNormal Kumaraswamy SinhArcsinh RelaxedBernoulli".split())
def test_gradients_flow_through_samples(name, session):
    made = {
        "HalfNormal": lambda p: ds.HalfNormal(p),
        "RelaxedBernoulli": lambda p: ds.RelaxedBernoulli(p, logits=1.0),
    }
    p = tf.constant(1.5)
    d = made.get(name, lambda p: getattr(ds, name)(p, 2.0))(p)
    gradient = session.run(tf.gradients(d.sample(5, seed=1), p)[0])
    assert np.isfinite(gradient) and gradient != 0
    assert d.reparameterization_type is ds.FULLY_REPARAMETERIZED and d.dtype == tf.float32


BATCHES = {
    "Cauchy": lambda a, b: ds.Cauchy(a, b),
    "Kumaraswamy": lambda a, b: ds.Kumaraswamy(a, b),
    "SinhArcsinh": lambda a, b: ds.SinhArcsinh(a, b),
    "NegativeBinomial": lambda a, b: ds.NegativeBinomial(a, logits=b),
    "RelaxedBernoulli": lambda a, b: ds.RelaxedBernoulli(a, logits=b),
    "Deterministic": lambda a, b: ds.Deterministic(a + b),
    "PoissonLogNormalQuadratureCompound": lambda a, b: ds.PoissonLogNormalQuadratureCompound(a, b),
}


@pytest.mark.parametrize("name", BATCHES)
def test_parameters_broadcast(name, session):
    shapes = {}
    for known in (True, False):
        one, two = np.ones([3, 1], np.float32), np.full([2], 0.5, np.float32)
        if not known:
            one, two = (tf.placeholder_with_default(value, None) for value in (one, two))
        d = BATCHES[name](one, two)
        sample = d.sample([5, 4], seed=1)
        shapes[known] = [value.shape for value in session.run([sample, d.prob(sample), d.prob(0.5)])]
        shapes[known].append(tuple(session.run(d.batch_shape_tensor())))
        if known:
            assert d.batch_shape == (3, 2) and sample.shape == (5, 4, 3, 2) and d.copy().batch_shape == (3, 2)
    assert shapes[True] == shapes[False] == [(5, 4, 3, 2), (5, 4, 3, 2), (3, 2), (3, 2)]


def test_modes_and_undefined_statistics(session):
    modes = [ds.Cauchy(1.0, 2.0), ds.Gumbel(1.0, 2.0), ds.Logistic(1.0, 2.0), ds.HalfNormal(2.0), ds.Geometric(0.3)]
    assert session.run([d.mode() for d in modes]) == [1, 1, 1, 0, 0]
    assert session.run(ds.NegativeBinomial(5.0, probs=0.5).mode()) == 4
    a, b = 2.0, 3.0
    assert session.run(ds.Kumaraswamy(a, b).mode()) == pytest.approx(((a - 1) / (a * b - 1)) ** (1 / a))
    assert np.isnan(session.run([ds.Cauchy(1.0, 2.0).mean(), ds.Kumaraswamy(0.5, 2.0).mode()])).all()
    with pytest.raises(ValueError, match="`mean` is undefined for Cauchy distribution"):
        ds.Cauchy(1.0, 2.0, allow_nan_stats=False).mean()


def test_bernoulli_of_any_number(session):
    d = ds.BernoulliWithSigmoidProbs(f(0.3))
    assert session.run(d.prob(1)) == pytest.approx(1 / (1 + np.exp(-0.3))) and d.dtype == tf.int32
    assert d.copy(dtype=tf.float32).sample().dtype == tf.float32


def test_one_value(session):
    d = ds.Deterministic(f([1, 2]), atol=0.1)
    got = session.run([d.prob(f(1.05)), d.cdf(f(1.95)), d.mean(), d.variance(), d.entropy(), d.mode(), d.sample(3)])
    assert [one.tolist() for one in got[:6]] == [[1, 0], [1, 1], [1, 2], [0, 0], [0, 0], [1, 2]]
    assert got[6].tolist() == [[1, 2]] * 3
    v = ds.VectorDeterministic(f([[1, 2], [3, 4]]))
    assert v.batch_shape == (2,) and v.event_shape == (2,) and session.run(v.sample(5)).shape == (5, 2, 2)
    assert session.run(v.prob(f([1, 2]))).tolist() == [1, 0] and session.run(v.log_prob(f([1, 2])))[1] == -np.inf
    kl = session.run(ds.Deterministic(f(0.5)).kl_divergence(ds.Normal(f(0), f(1))))
    np.testing.assert_allclose(kl, -stats.norm.logpdf(0.5))
    whole = ds.Deterministic(3)
    assert session.run([whole.sample(), whole.prob([2, 3])])[1].tolist() == [0, 1]
    with pytest.raises(ValueError, match="Argument loc must be at least rank 1"):
        ds.VectorDeterministic(1.0)


PAIRS = {
    "Gumbel": (lambda: ds.Gumbel(f(0.5), f(2)), lambda: ds.Gumbel(f(-1), f(1.5))),
    "HalfNormal": (lambda: ds.HalfNormal(f(2)), lambda: ds.HalfNormal(f(1.5))),
    "Independent": (
        lambda: ds.Independent(ds.Normal(f([0, 1]), f(2)), 1), lambda: ds.Independent(ds.Normal(f([1, 1]), f(1)), 1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_divergences_are_means_of_log_ratios(name, session):
    p, q = (make() for make in PAIRS[name])
    x = p.sample(20_000, seed=1)
    kl, found, same = session.run([ds.kl_divergence(p, q), p.log_prob(x) - q.log_prob(x), p.kl_divergence(p)])
    assert same == pytest.approx(0, abs=1e-12) and kl == pytest.approx(found.mean(), abs=5 * found.std() / 141)


CHECKED = {
    "x > 0 did not hold": lambda: ds.Cauchy(0.0, -1.0, validate_args=True).prob(0.0),
    "tailweight was not positive": lambda: ds.SinhArcsinh(0.0, 1.0, 0.0, -1.0, validate_args=True).prob(0.0),
    "must be positive": lambda: ds.Kumaraswamy(-1.0, 1.0, validate_args=True).prob(0.5),
    "x >= 0 did not hold": lambda: ds.Geometric(probs=0.5, validate_args=True).cdf(-1.0),
    "fractional": lambda: ds.NegativeBinomial(1.0, probs=0.5, validate_args=True).prob(0.5),
    "atol": lambda: ds.Deterministic(0.0, atol=-1.0, validate_args=True).prob(0.5),
}


@pytest.mark.parametrize("message", CHECKED)
def test_checked_arguments(message, session):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(CHECKED[message]())
