"""tf.contrib.distributions beside SciPy, for random parameters, and its bijectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tfcore as tf

ds = tf.contrib.distributions
b = ds.bijectors
positive = st.floats(0.3, 6)


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-10)


def test_names_of_tf_distributions():
    assert set(tf.distributions.__all__) <= set(dir(ds)) and ds.Normal is tf.distributions.Normal


@given(positive, st.integers(0, 9))
def test_poisson(rate, count):
    theirs, x = stats.poisson(rate), np.float64(count)
    with tf.Graph().as_default(), tf.Session() as sess:
        for ours in (ds.Poisson(np.float64(rate)), ds.Poisson(log_rate=np.log(rate))):
            close(
                sess.run([ours.log_prob(x), ours.cdf(x + 0.5), ours.mean(), ours.variance(), ours.cdf(-x)]),
                [theirs.logpmf(count), theirs.cdf(count), rate, rate, theirs.cdf(-count)],
            )
        assert sess.run(ds.Poisson(np.float64(rate)).mode()) == np.floor(rate)


@given(st.integers(1, 9), st.floats(0.05, 0.95), st.integers(0, 9))
def test_binomial(total, probs, count):
    count = min(count, total)
    theirs, x = stats.binom(total, probs), np.float64(count)
    with tf.Graph().as_default(), tf.Session() as sess:
        ours = ds.Binomial(np.float64(total), logits=np.log(probs / (1 - probs)))
        close(
            sess.run([ours.log_prob(x), ours.cdf(x), ours.mean(), ours.variance()]),
            [theirs.logpmf(count), theirs.cdf(count), theirs.mean(), theirs.var()],
        )


@given(st.floats(2.2, 8), positive, positive)
def test_inverse_gamma_and_chi2(a, rate, x):
    theirs, x = stats.invgamma(a, scale=rate), np.float64(x)
    with tf.Graph().as_default(), tf.Session() as sess:
        ours = ds.InverseGamma(np.float64(a), np.float64(rate))
        calls = [ours.log_prob(x), ours.cdf(x), ours.mean(), ours.variance(), ours.entropy(), ours.mode()]
        expected = [theirs.logpdf(x), theirs.cdf(x), theirs.mean(), theirs.var(), theirs.entropy(), rate / (1 + a)]
        np.testing.assert_allclose(sess.run(calls), expected, rtol=1e-6)
        squares = ds.Chi2(np.float64(a))
        close(sess.run([squares.log_prob(x), squares.mean()]), [stats.chi2(a).logpdf(x), a])
        assert sess.run(squares.df) == a


def test_undefined_moments(session):
    low = ds.InverseGamma([0.5, 1.5], 1.0)
    assert np.isnan(session.run(low.mean())).tolist() == [True, False]
    assert np.isnan(session.run(low.variance())).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mean undefined when any concentration <= 1"):
        session.run(ds.InverseGamma(0.5, 1.0, allow_nan_stats=False).mean())


def test_checked_arguments(session):
    with pytest.raises(ValueError, match="Must specify exactly one of `rate` and `log_rate`."):
        ds.Poisson()
    with pytest.raises(TypeError, match="is not a a float-type"):
        ds.Poisson(2)
    with pytest.raises(ValueError, match="Must specify one or both of `loc`, `scale_tril`."):
        ds.MultivariateNormalTriL()
    with pytest.raises(ValueError, match="Cannot infer `event_shape`"):
        ds.MultivariateNormalDiag(scale_identity_multiplier=2.0)
    for broken in (
        lambda: ds.Poisson(-1.0, validate_args=True).mean(),
        lambda: ds.Poisson(1.0, validate_args=True).prob(0.5),
        lambda: ds.Binomial(2.0, probs=0.5, validate_args=True).prob(3.0),
        lambda: ds.InverseGamma(-1.0, 1.0, validate_args=True).entropy(),
        lambda: ds.Chi2(0.0, validate_args=True).mean(),
        lambda: ds.MultivariateNormalDiag([0.0], [0.0], validate_args=True).sample(),
        lambda: ds.MultivariateNormalTriL(scale_tril=[[1.0, 0.0], [1.0, 0.0]], validate_args=True).sample(),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(broken())


@pytest.mark.parametrize("size", [1, 2, 4])
def test_multivariate_normal(size):
    random = np.random.default_rng(size)
    loc, scale = random.normal(size=size), np.tril(random.normal(size=(size, size))) + 2 * np.eye(size)
    x = random.normal(size=(3, size))
    with tf.Graph().as_default(), tf.Session() as sess:
        full = ds.MultivariateNormalTriL(loc, scale + np.triu(np.ones((size, size)), 1))
        diagonal = ds.MultivariateNormalDiag(loc, np.diag(scale) - 0.5, np.float64(0.5))
        other = ds.MultivariateNormalTriL(scale_tril=np.eye(size) * 1.5)
        for ours, root in ((full, scale), (diagonal, np.diag(np.diag(scale)))):
            covariance = root @ root.T
            theirs = stats.multivariate_normal(loc, covariance)
            got = [ours.log_prob(x), ours.entropy(), ours.covariance(), ours.variance(), ours.mean(), ours.stddev()]
            variance = np.diag(covariance)
            expected = [theirs.logpdf(x), theirs.entropy(), covariance, variance, loc, np.sqrt(variance)]
            for value, wanted in zip(sess.run(got), expected):
                close(value, np.reshape(wanted, np.shape(value)))
            distance = (loc @ loc + np.trace(covariance)) / 1.5**2 - size
            logs = 2 * size * np.log(1.5) - np.linalg.slogdet(covariance)[1]
            close(sess.run(ours.kl_divergence(other)), (distance + logs) / 2)
            close(sess.run([ours.kl_divergence(ours), ours.kl_divergence(full) - full.cross_entropy(full) * 0])[0], 0)


def test_samples(session):
    loc, root = np.float64([1, -2]), np.float64([[2, 0], [1, 0.5]])
    for d in (ds.MultivariateNormalTriL(loc, root), ds.MultivariateNormalDiag(loc, np.diag(root))):
        samples, covariance = session.run([d.sample(20_000, seed=3), d.covariance()])
        np.testing.assert_allclose(samples.mean(0), loc, atol=0.05)
        np.testing.assert_allclose(np.cov(samples.T), covariance, atol=0.1)
    drawn = session.run(ds.InverseGamma(np.float64(3), np.float64(2)).sample(20_000, seed=1))
    assert stats.kstest(drawn, stats.invgamma(3, scale=2).cdf).pvalue > 1e-3
    counts = session.run(ds.Poisson(3.0).sample(20_000, seed=1))
    np.testing.assert_allclose([counts.mean(), counts.var()], 3, atol=0.1)
    with pytest.raises(NotImplementedError):
        ds.Binomial(2.0, probs=0.5).sample()


def test_batches(session):
    d = ds.MultivariateNormalDiag(np.zeros([3, 1, 2]), np.ones([4, 2]))
    assert d.batch_shape == (3, 4) and d.event_shape == (2,) and d.sample(5).shape == (5, 3, 4, 2)
    assert d.log_prob(np.zeros([5, 1, 1, 2])).shape == (5, 3, 4)
    t = ds.MultivariateNormalTriL(np.zeros([3, 1, 2]), np.eye(2)[None].repeat(4, 0))
    assert session.run(t.log_prob(np.zeros(2))).shape == (3, 4) == t.batch_shape
    assert session.run(t.kl_divergence(d)).shape == (3, 4) and np.abs(session.run(t.kl_divergence(d))).max() == 0
    assert session.run(t.covariance()).shape == (3, 4, 2, 2)


@given(st.lists(st.floats(0.1, 5), min_size=2, max_size=4))
def test_one_hot_categorical(weights):
    probs = np.array(weights) / np.sum(weights)
    theirs = stats.multinomial(1, probs)
    with tf.Graph().as_default(), tf.Session() as sess:
        ours = ds.OneHotCategorical(np.log(weights), dtype=tf.float64)
        got = [ours.prob(np.eye(len(probs))), ours.mean(), ours.covariance(), ours.entropy(), ours.mode()]
        mode = np.eye(len(probs))[probs.argmax()]
        for value, expected in zip(sess.run(got), (probs, probs, theirs.cov(), theirs.entropy(), mode)):
            np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-9)
        even = ds.OneHotCategorical(np.zeros(len(probs)))
        close(sess.run(ours.kl_divergence(even)), (probs * np.log(probs * len(probs))).sum())
        samples, variance = sess.run([ours.sample(4000, seed=1), ours.variance()])
    assert set(samples.sum(1)) == {1} and ours.event_shape == (len(probs),) and ours.batch_shape == ()
    np.testing.assert_allclose(samples.mean(0), probs, atol=0.05)
    close(variance, probs * (1 - probs))


def test_transformed_distribution(session):
    log_normal, theirs = (
        ds.TransformedDistribution(ds.Normal(np.float64(0.3), np.float64(0.7)), b.Exp()),
        stats.lognorm(0.7, 0, np.exp(0.3)),
    )
    x = np.float64([0.2, 1.0, 4.0])
    got = [
        log_normal.log_prob(x),
        log_normal.cdf(x),
        log_normal.survival_function(x),
        log_normal.quantile([0.2, 0.5, 0.9]),
    ]
    expected = [theirs.logpdf(x), theirs.cdf(x), theirs.sf(x), theirs.ppf([0.2, 0.5, 0.9])]
    np.testing.assert_allclose(session.run(got), expected, rtol=1e-6)
    assert stats.kstest(session.run(log_normal.sample(20_000, seed=2)), theirs.cdf).pvalue > 1e-3
    for call in (log_normal.mean, log_normal.entropy):
        with pytest.raises(NotImplementedError):
            call()
    wide = ds.TransformedDistribution(
        ds.MultivariateNormalDiag(np.zeros(2)), b.AffineScalar(np.float64(1), np.float64(2))
    )
    same = ds.MultivariateNormalDiag(np.ones(2), 2 * np.ones(2))
    calls = [lambda d: d.log_prob(np.float64([0.5, 2])), lambda d: d.mean(), lambda d: d.entropy()]
    for call in calls:
        np.testing.assert_allclose(*session.run([call(wide), call(same)]), rtol=1e-12)
    assert ds.TransformedDistribution(ds.Normal(0.0, 1.0)).bijector.name == "identity"
