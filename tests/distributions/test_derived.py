"""Distributions made of others, and those of vectors and matrices, beside SciPy and sums over components."""

import numpy as np
import pytest
from scipy import integrate, stats

import tfcore as tf

ds = tf.contrib.distributions
f = np.float64
ROOT = f([[2, 0], [1, 0.5]])
MATRIX = f([[2, 0.5], [0.5, 1]])


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def close(got, expected, rtol=1e-8):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-10)


# ---- Vectors

FACTOR = f([[1], [0.5]])
SYMMETRIC = np.diag(f([1, 2])) + FACTOR @ FACTOR.T * 0.3
NORMALS = {
    "full": (lambda: ds.MultivariateNormalFullCovariance(f([1, 2]), MATRIX), np.linalg.cholesky(MATRIX)),
    "softplus": (
        lambda: ds.MultivariateNormalDiagWithSoftplusScale(f([1, 2]), f([0.5, -1])),
        np.diag(np.log1p(np.exp([0.5, -1]))),
    ),
    "low rank": (
        lambda: ds.MultivariateNormalDiagPlusLowRank(
            f([1, 2]), f([1, 2]), scale_perturb_factor=FACTOR, scale_perturb_diag=f([0.3])
        ),
        SYMMETRIC,
    ),
    "identity": (lambda: ds.MultivariateNormalTriL(f([1, 2])), np.eye(2)),
    "multiple": (lambda: ds.MultivariateNormalDiag(f([1, 2]), scale_identity_multiplier=f(3)), 3 * np.eye(2)),
}


@pytest.mark.parametrize("name", NORMALS)
def test_multivariate_normals(name, session):
    make, scale = NORMALS[name]
    ours, theirs, x = make(), stats.multivariate_normal([1, 2], scale @ scale.T), f([[0, 1], [3, -1], [1, 2]])
    other = ds.MultivariateNormalTriL(f([0, 0]), ROOT)
    calls = [ours.log_prob(x), ours.entropy(), ours.mean(), ours.mode(), ours.covariance(), ours.variance()]
    expected = [theirs.logpdf(x), theirs.entropy(), [1, 2], [1, 2], theirs.cov, np.diag(theirs.cov)]
    for got, wanted in zip(session.run(calls), expected):
        close(got, wanted)
    close(session.run([ours.scale.to_dense(), ours.kl_divergence(ours)])[0], scale)
    samples, ratio, kl = session.run([
        sample := ours.sample(20_000, seed=1), ours.log_prob(sample) - other.log_prob(sample), ours.kl_divergence(other)
    ])  # fmt: skip
    np.testing.assert_allclose(np.cov(samples.T), theirs.cov, atol=0.25)
    assert kl == pytest.approx(ratio.mean(), abs=5 * ratio.std() / 141)
    assert isinstance(ours.bijector, ds.bijectors.AffineLinearOperator) and isinstance(ours.distribution, ds.Normal)


def test_vectors_of_independent_numbers(session):
    loc, scale, x = f([1, 2]), f([2, 0.5]), f([[1.5, 2.1], [4, 3]])
    kinds = {
        ds.VectorExponentialDiag: (stats.expon, loc + scale, scale**2),
        ds.VectorLaplaceDiag: (stats.laplace, loc, 2 * scale**2),
    }
    for cls, (theirs, mean, variance) in kinds.items():
        ours = cls(loc, scale)
        got = session.run([ours.log_prob(x), ours.mean(), ours.variance(), ours.covariance(), ours.stddev()])
        expected = [theirs(loc, scale).logpdf(x).sum(1), mean, variance, np.diag(variance), np.sqrt(variance)]
        for one, wanted in zip(got, expected):
            close(one, wanted)
        close(session.run(ours.mode()), loc)
        samples = session.run(ours.sample(4000, seed=2))
        for i in range(2):
            assert stats.kstest(samples[:, i], theirs(loc[i], scale[i]).cdf).pvalue > 1e-3
    bent = ds.VectorSinhArcsinhDiag(loc, scale, skewness=f([0.3, -0.2]), tailweight=f(0.8))
    single = ds.SinhArcsinh(loc, scale, f([0.3, -0.2]), f(0.8))
    close(*session.run([bent.log_prob(x), tf.reduce_sum(single.log_prob(x), -1)]))
    assert bent.event_shape == (2,) and session.run(bent.sample(3)).shape == (3, 2)
    wide = ds.VectorSinhArcsinhDiag(loc, scale, skewness=np.zeros([3, 2]))
    assert wide.batch_shape == (3,) and session.run(wide.log_prob(x[0])).shape == (3,)


def test_given_shapes(session):
    """A batch or an event of independent copies of a distribution."""
    one = ds.TransformedDistribution(ds.Normal(f(0), f(1)), ds.bijectors.Affine(f([1, 2]), scale_tril=ROOT), [3], [2])
    same = ds.MultivariateNormalTriL(np.tile(f([1, 2]), [3, 1]), ROOT)
    x = one.sample(4, seed=1)
    assert one.batch_shape == (3,) and one.event_shape == (2,) and x.shape == (4, 3, 2)
    close(*session.run([one.log_prob(tf.identity(x)), same.log_prob(x)]))
    close(*session.run([one.log_prob(x), same.log_prob(x)]))
    close(*session.run([one.entropy(), same.entropy()]))
    close(*session.run([one.mean(), same.mean()]))
    # a batch whose events come first when they are drawn
    batch = ds.TransformedDistribution(ds.Normal(f([0, 5, 9]), f(0.01)), event_shape=[2])
    drawn = session.run([sample := batch.sample(4, seed=1), batch.log_prob(tf.identity(sample)), batch.mean()])
    assert np.abs(drawn[0] - f([0, 5, 9])[:, None]).max() < 0.1
    close(drawn[1], stats.norm(f([0, 5, 9])[:, None], 0.01).logpdf(drawn[0]).sum(-1))
    with pytest.raises(ValueError, match="base distribution not scalar"):
        ds.TransformedDistribution(ds.Normal([0.0, 1.0], 1.0), batch_shape=[2])
    with pytest.raises(ValueError, match="must have positive elements"):
        ds.TransformedDistribution(ds.Normal(0.0, 1.0), batch_shape=[0])
    with pytest.raises(NotImplementedError, match="cdf is not implemented when overriding event_shape"):
        batch.cdf(f([0, 0]))


def test_samples_keep_their_inverse(session):
    d = ds.TransformedDistribution(ds.Normal(0.0, 1.0), ds.bijectors.Exp())
    y = d.sample([2, 3], seed=1)
    before = {op.name for op in y.graph.get_operations()}
    d.log_prob(y)
    made = [op for op in y.graph.get_operations() if op.name not in before]
    assert "inverse/" not in " ".join(op.name for op in made if op.type == "Log" and y in op.inputs)
    assert d.bijector.inverse(y).op.name.startswith("expNormal")


@pytest.mark.parametrize("cls", [ds.WishartCholesky, ds.WishartFull])
def test_wishart(cls, session):
    ours = cls(f(4.5), np.linalg.cholesky(MATRIX) if cls is ds.WishartCholesky else MATRIX)
    theirs, x = stats.wishart(4.5, MATRIX), f([[3, 1], [1, 2]])
    got = session.run([ours.log_prob(x), ours.entropy(), ours.mean(), ours.mode(), ours.variance(), ours.scale()])
    expected = [theirs.logpdf(x), theirs.entropy(), theirs.mean(), theirs.mode(), theirs.var(), MATRIX]
    for one, wanted in zip(got, expected):
        close(one, wanted, 1e-7)
    samples, log_det = session.run([ours.sample(20_000, seed=1), ours.mean_log_det()])
    np.testing.assert_allclose(samples.mean(0), theirs.mean(), rtol=0.05)
    np.testing.assert_allclose(samples.var(0), theirs.var(), rtol=0.1)
    np.testing.assert_allclose(np.linalg.slogdet(samples)[1].mean(), log_det, atol=0.05)
    roots = cls(f(4.5), ours.scale() if cls is ds.WishartFull else np.linalg.cholesky(MATRIX), True)
    close(session.run(roots.log_prob(np.linalg.cholesky(x))), theirs.logpdf(x))
    assert np.triu(session.run(roots.sample(seed=1)), 1).max() == 0 and ours.event_shape == (2, 2)
    with pytest.raises(ValueError, match="cannot be less than dimension of scale matrix"):
        cls(f(1), MATRIX)
    with pytest.raises(ValueError, match="Computing std. dev."):
        roots.stddev()


# ---- Mixtures

WEIGHTS, LOCS, SCALES = f([0.2, 0.5, 0.3]), f([-2, 0, 3]), f([0.5, 1, 2])


def mixtures():
    components = [ds.Normal(loc, scale) for loc, scale in zip(LOCS, SCALES)]
    yield ds.Mixture(ds.Categorical(probs=WEIGHTS), components)
    yield ds.MixtureSameFamily(ds.Categorical(probs=WEIGHTS), ds.Normal(LOCS, SCALES))


def test_mixtures_of_numbers(session):
    x = f([-3, 0.2, 4])
    each = stats.norm(LOCS, SCALES)
    mean = (WEIGHTS * LOCS).sum()
    variance = (WEIGHTS * (SCALES**2 + (LOCS - mean) ** 2)).sum()
    for d in mixtures():
        got = session.run([d.prob(x), d.cdf(x), d.mean(), d.variance(), d.stddev()])
        expected = [
            (each.pdf(x[:, None]) * WEIGHTS).sum(1),
            (each.cdf(x[:, None]) * WEIGHTS).sum(1),
            mean,
            variance,
            variance**0.5,
        ]
        for one, wanted in zip(got, expected):
            close(one, wanted)
        samples = session.run(d.sample(4000, seed=4))
        assert stats.kstest(samples, lambda x: (each.cdf(x[:, None]) * WEIGHTS).sum(1)).pvalue > 1e-3
    lower = next(mixtures()).entropy_lower_bound()
    close(session.run(lower), (WEIGHTS * each.entropy()).sum())


def test_mixtures_of_vectors(session):
    locs = np.random.RandomState(0).normal(size=(4, 3, 2))
    logits = np.random.RandomState(1).normal(size=(4, 3))
    parts = [ds.MultivariateNormalDiag(locs[:, k], f([1, 2])) for k in range(3)]
    different = ds.Mixture(ds.Categorical(logits), parts)
    same = ds.MixtureSameFamily(ds.Categorical(logits), ds.MultivariateNormalDiag(locs, f([1, 2])))
    x = np.random.RandomState(2).normal(size=(5, 1, 2))
    for call in ("mean", "variance"):
        close(*session.run([getattr(different, call)(), getattr(same, call)()]))
    close(*session.run([different.log_prob(x), same.log_prob(x)]))
    for d in (different, same):
        assert d.batch_shape == (4,) and d.event_shape == (2,)
        samples, mean = session.run([d.sample(4000, seed=1), d.mean()])
        assert samples.shape == (4000, 4, 2)
        np.testing.assert_allclose(samples.mean(0), mean, atol=0.2)
    covariance = session.run(same.covariance())
    np.testing.assert_allclose(covariance, [np.cov(samples[:, i].T) for i in range(4)], atol=0.5)


BROKEN_MIXTURES = {
    "cat must be a Categorical distribution": (TypeError, lambda: ds.Mixture(1, [])),
    "components must be a non-empty list": (ValueError, lambda: ds.Mixture(ds.Categorical([0.0]), [])),
    "must be Distribution instances": (TypeError, lambda: ds.Mixture(ds.Categorical([0.0]), [1])),
    "must have the same dtype": (
        TypeError, lambda: ds.Mixture(ds.Categorical([0.0, 1.0]), [ds.Normal(0.0, 1.0), ds.Normal(f(0), f(1))])
    ),
    "cat.num_classes != len": (ValueError, lambda: ds.Mixture(ds.Categorical([0.0, 1.0]), [ds.Normal(0.0, 1.0)])),
    "does not equal": (
        ValueError, lambda: ds.MixtureSameFamily(ds.Categorical([0.0, 1.0]), ds.Normal([0.0, 1.0, 2.0], 1.0))
    ),
    "must have at least one batch": (
        ValueError, lambda: ds.MixtureSameFamily(ds.Categorical([0.0, 1.0]), ds.Normal(0.0, 1.0))
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", BROKEN_MIXTURES)
def test_broken_mixtures(message):
    error, make = BROKEN_MIXTURES[message]
    with pytest.raises(error, match=message):
        make()


# ---- Batches


def test_independent(session):
    base = ds.Normal(np.zeros([4, 3, 2]), f(2))
    d = ds.Independent(base, 2)
    assert d.batch_shape == (4,) and d.event_shape == (3, 2) and ds.Independent(base).event_shape == (3, 2)
    x = np.random.RandomState(0).normal(size=(5, 4, 3, 2))
    got = session.run([d.log_prob(x), d.entropy(), d.mean(), d.stddev(), d.variance(), d.mode(), d.sample(6)])
    close(got[0], stats.norm(0, 2).logpdf(x).sum((2, 3)))
    close(got[1], [6 * stats.norm(0, 2).entropy()] * 4)
    assert [one.shape for one in got[2:]] == [(4, 3, 2)] * 4 + [(6, 4, 3, 2)]
    assert session.run([d.batch_shape_tensor(), d.event_shape_tensor()])[1].tolist() == [3, 2]
    with pytest.raises(ValueError, match=r"reinterpreted_batch_ndims\(4\) cannot exceed distribution.batch_ndims\(3\)"):
        ds.Independent(base, 4)


def test_batch_reshape(session):
    loc = np.arange(12.0).reshape(6, 2)
    base = ds.MultivariateNormalDiag(loc, f([1, 2]))
    d, x = ds.BatchReshape(base, [2, -1]), np.random.RandomState(0).normal(size=(5, 1, 1, 2))
    assert d.batch_shape == (2, 3) and d.event_shape == (2,)
    got = session.run([d.log_prob(x), base.log_prob(x[:, 0]), d.mean(), d.covariance(), d.entropy(), d.sample(7)])
    close(got[0], got[1].reshape(5, 2, 3))
    close(got[2], loc.reshape(2, 3, 2))
    assert [one.shape for one in got[3:]] == [(2, 3, 2, 2), (2, 3), (7, 2, 3, 2)]
    close(session.run(d.log_prob(x[0])), got[0][0])
    unknown = ds.BatchReshape(base, tf.placeholder_with_default([3, -1], None), validate_args=True)
    assert session.run(unknown.mean()).shape == (3, 2, 2)
    for sizes, message in (([4], "must match"), ([-1, -1], "at most one"), ([-2], ">=-1"), (6, "must be a vector")):
        with pytest.raises(ValueError, match=message):
            ds.BatchReshape(base, sizes)


def test_quantized(session):
    x = f([-9, -1, 0, 2, 9])
    plain, cut = (
        ds.QuantizedDistribution(ds.Normal(f(0), f(2))),
        ds.QuantizedDistribution(ds.Normal(f(0), f(2)), -1.0, 2.0),
    )
    theirs = stats.norm(0, 2)
    close(session.run(plain.prob(x)), theirs.cdf(x) - theirs.cdf(x - 1))
    close(session.run(plain.log_prob(f([60]))), theirs.logsf(59), 1e-4)
    mass = session.run([cut.prob(np.arange(-1.0, 3)), tf.exp(cut.log_prob(np.arange(-1.0, 3)))])
    close(mass[0], mass[1])
    close(mass[0], [theirs.cdf(-1), *np.diff(theirs.cdf([-1, 0, 1])), theirs.sf(1)])
    close(session.run([cut.cdf(x), 1 - cut.survival_function(x)])[0], [0, *theirs.cdf([-1, 0]), 1, 1])
    samples = session.run(cut.sample(4000, seed=1))
    np.testing.assert_allclose([np.mean(samples == i) for i in range(-1, 3)], mass[0], atol=0.03)
    with pytest.raises(tf.errors.InvalidArgumentError, match="low must be strictly less than high"):
        session.run(ds.QuantizedDistribution(ds.Normal(0.0, 1.0), 2.0, 1.0, validate_args=True).sample())
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-integer components"):
        session.run(ds.QuantizedDistribution(ds.Normal(0.0, 1.0), validate_args=True).prob(0.5))


def test_autoregressive(session):
    def normal(x):
        return ds.Independent(ds.Normal(tf.cumsum(x, exclusive=True, axis=-1), 0.01), 1)

    d = ds.Autoregressive(normal, tf.ones([3]) / 3)
    x, got = session.run([sample := d.sample(5, seed=1), d.log_prob(sample)])
    assert x.shape == (5, 3) and d.event_shape == (3,) and d.batch_shape == ()
    expected = stats.norm(np.cumsum(np.c_[np.zeros(5), x[:, :2]], axis=1), 0.01).logpdf(x).sum(1)
    np.testing.assert_allclose(got, expected, rtol=1e-3)
    with pytest.raises(ValueError, match="`num_steps` must be at least 1"):
        ds.Autoregressive(normal, tf.ones([3]), num_steps=0)


# ---- Grids and relaxations


def test_poisson_with_random_rates(session):
    d = ds.PoissonLogNormalQuadratureCompound(f(0.5), f(0.7), 30, ds.quadrature_scheme_lognormal_gauss_hermite)
    rate = stats.lognorm(0.7, 0, np.exp(0.5))
    for k in range(4):
        expected = integrate.quad(lambda r, k=k: stats.poisson(r).pmf(k) * rate.pdf(r), 0, np.inf)[0]
        close(session.run(d.prob(f(k))), expected, 1e-4)
    close(session.run([d.mean(), d.variance()]), [rate.mean(), rate.mean() + rate.var()], 1e-4)
    batch = ds.PoissonLogNormalQuadratureCompound(f([0, 1]), f(0.5))
    samples, mean = session.run([batch.sample(20_000, seed=1), batch.mean()])
    np.testing.assert_allclose(samples.mean(0), mean, rtol=0.05)


def test_mixture_of_two_affine_functions(session):
    scale = [
        tf.linalg.LinearOperatorScaledIdentity(2, f(1.5), is_positive_definite=True),
        tf.linalg.LinearOperatorDiag(f([1, 2]), is_positive_definite=True),
    ]
    for grid in (ds.quadrature_scheme_softmaxnormal_quantiles, ds.quadrature_scheme_softmaxnormal_gauss_hermite):
        d = ds.VectorDiffeomixture(
            f([[0], [1]]), f([2]), ds.Normal(f(0), f(1)), [None, f([3, 1])], scale, 5, grid, validate_args=True
        )
        x = f([0.5, 1])
        weights, probs, got = session.run([d.grid, d.mixture_distribution.probs, d.prob(x)])
        assert weights.shape == (2, 2, 5) and d.batch_shape == (2,) and d.event_shape == (2,)
        close(weights.sum(1), np.ones([2, 5]))
        expected = np.zeros(2)
        for i in range(2):
            for q in range(5):
                w = weights[i, :, q]
                deviations = w[0] * f([1.5, 1.5]) + w[1] * f([1, 2])
                expected[i] += probs[q] * stats.norm(w[1] * f([3, 1]), deviations).pdf(x).prod()
        close(got, expected)
        samples, mean, covariance = session.run([d.sample(20_000, seed=1), d.mean(), d.covariance()])
        np.testing.assert_allclose(samples.mean(0), mean, atol=0.06)
        np.testing.assert_allclose([np.cov(samples[:, i].T) for i in range(2)], covariance, atol=0.2)
    with pytest.raises(NotImplementedError, match="Currently only bimixtures are supported"):
        ds.VectorDiffeomixture([0.0], [1.0], ds.Normal(f(0), f(1)), scale=[*scale, scale[0]])
    with pytest.raises(ValueError, match="Must specify list"):
        ds.VectorDiffeomixture([0.0], [1.0], ds.Normal(f(0), f(1)), scale=scale[:1])


def test_relaxed_categories(session):
    logits, temperature = f([0.5, 0.1, -0.3]), 0.7
    d = ds.RelaxedOneHotCategorical(temperature, logits)
    samples, total = session.run([d.sample(2000, seed=1), d.event_size])
    close(samples.sum(1), np.ones(2000))
    assert total == 3 and d.event_shape == (3,) and d.reparameterization_type is ds.FULLY_REPARAMETERIZED
    probs = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(np.bincount(samples.argmax(1)) / 2000, probs, atol=0.05)
    x = f([0.2, 0.5, 0.3])
    # Maddison, Mnih and Teh, "The Concrete Distribution", equation 10
    alpha = np.exp(logits)
    density = 2 * temperature**2 * np.prod(alpha * x ** (-temperature - 1)) / (alpha * x**-temperature).sum() ** 3
    close(session.run(d.prob(x)), density)
    logs = ds.ExpRelaxedOneHotCategorical(temperature, logits, validate_args=True)
    close(session.run(logs.prob(np.log(x))), density * np.prod(x))
    two = ds.RelaxedOneHotCategorical([0.5, 1.0], np.float32(logits))
    assert two.batch_shape == (2,) and session.run(two.sample(4)).shape == (4, 2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="log-simplex"):
        session.run(logs.prob(x))


def test_conditional_distributions(session):
    class Shifted(ds.ConditionalDistribution):
        def __init__(self):
            super().__init__(tf.float32, ds.FULLY_REPARAMETERIZED, False, True, name="Shifted")

        def _batch_shape(self):
            return []

        def _event_shape(self):
            return []

        def _sample_n(self, n, seed=None, shift=0.0):
            return tf.zeros([n]) + shift

        def _log_prob(self, x, shift=0.0):
            return -tf.abs(x - shift)

        def _cdf(self, x, shift=0.0):
            return tf.sigmoid(x - shift)

    d = Shifted()
    assert session.run([d.sample(2, shift=3.0), d.log_prob(1.0, shift=3.0)])[0].tolist() == [3, 3]
    got = session.run([d.prob(1.0, shift=3.0), d.survival_function(1.0, shift=1.0), d.log_cdf(1.0, shift=1.0)])
    np.testing.assert_allclose(got, [np.exp(-2), 0.5, np.log(0.5)], rtol=1e-6)
