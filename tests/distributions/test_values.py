"""Densities, distribution functions and statistics beside SciPy's, for random parameters."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import tfcore as tf

positive = st.floats(0.2, 8)
real = st.floats(-5, 5)
# Class, its parameters, SciPy's distribution of them, the interval of values.
CONTINUOUS = {
    "Normal": ((real, positive), lambda loc, scale: stats.norm(loc, scale), (-20, 20)),
    "Laplace": ((real, positive), lambda loc, scale: stats.laplace(loc, scale), (-20, 20)),
    "Uniform": ((st.floats(-5, 0), positive), lambda low, high: stats.uniform(low, high - low), (-7, 9)),
    "Gamma": ((positive, positive), lambda a, rate: stats.gamma(a, scale=1 / rate), (0.01, 20)),
    "Exponential": ((positive,), lambda rate: stats.expon(scale=1 / rate), (0, 10)),
    "Beta": ((positive, positive), lambda a, b: stats.beta(a, b), (0.01, 0.99)),
    "StudentT": ((st.floats(2.5, 9), real, positive), lambda df, loc, scale: stats.t(df, loc, scale), (-20, 20)),
}


def both(data, name):
    """(an instance, SciPy's distribution, values) of the same random parameters of shape [3]."""
    strategies, frozen, (low, high) = CONTINUOUS[name]
    parameters = [np.array(data.draw(st.tuples(s, s, s))) for s in strategies]
    values = np.array(data.draw(st.tuples(*[st.floats(low, high)] * 3)))
    if name == "Uniform":  # its upper limit has density 0, as in TensorFlow; SciPy's has 1
        assume((values != parameters[1]).all())
    return getattr(tf.distributions, name)(*parameters), frozen(*parameters), values


@pytest.mark.slow
@given(st.data(), st.sampled_from(sorted(CONTINUOUS)))
def test_functions_of_values(data, name):
    with tf.Graph().as_default(), tf.Session() as sess:
        ours, theirs, x = both(data, name)
        calls = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival_function")
        with np.errstate(divide="ignore"):
            want = [theirs.pdf(x), theirs.logpdf(x), theirs.cdf(x), theirs.logcdf(x), theirs.sf(x), theirs.logsf(x)]
        for call, got, expected in zip(calls, sess.run([getattr(ours, call)(x) for call in calls]), want):
            # where 1 - cdf is all there is, tails are lost
            known = np.isfinite(expected) & (np.abs(expected) < 20) if "log_s" in call else np.isfinite(expected)
            np.testing.assert_allclose(got[known], expected[known], rtol=1e-6, atol=1e-9, err_msg=call)


@given(st.data(), st.sampled_from(sorted(CONTINUOUS)))
def test_statistics(data, name):
    with tf.Graph().as_default(), tf.Session() as sess:
        ours, theirs, _ = both(data, name)
        want = {"mean": theirs.mean(), "variance": theirs.var(), "stddev": theirs.std(), "entropy": theirs.entropy()}
        for call, expected in want.items():
            got = sess.run(getattr(ours, call)())
            np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-8, err_msg=call)
        assert ours.batch_shape == [3] and ours.event_shape == []
        assert sess.run([ours.batch_shape_tensor(), ours.event_shape_tensor()])[0].tolist() == [3]
        assert sess.run([ours.is_scalar_batch(), ours.is_scalar_event()]) == [False, True]


@given(st.floats(-39, 39), positive)
def test_far_tails_of_the_normal_distribution(x, scale):
    with tf.Graph().as_default(), tf.Session() as sess:
        d = tf.distributions.Normal(np.float64(0), np.float64(scale))
        z = np.float64(x * scale)
        left, right, quantile = sess.run([d.log_cdf(z), d.log_survival_function(z), d.quantile(d.cdf(z))])
    tiny = np.finfo(np.float64).tiny  # SciPy flushes smaller numbers to 0
    np.testing.assert_allclose(left, stats.norm.logcdf(x), rtol=1e-6, atol=tiny)
    np.testing.assert_allclose(right, stats.norm.logsf(x), rtol=1e-6, atol=tiny)
    if abs(x) < 4:
        np.testing.assert_allclose(quantile, x * scale, atol=1e-7 * scale)


@given(st.lists(st.floats(0.05, 5), min_size=2, max_size=5), st.integers(0, 4))
def test_dirichlet(concentration, seed):
    x = np.random.RandomState(seed).dirichlet(np.ones(len(concentration)))
    theirs = stats.dirichlet(concentration)
    with tf.Graph().as_default(), tf.Session() as sess:
        ours = tf.distributions.Dirichlet(np.array(concentration))
        got = sess.run([ours.log_prob(x), ours.mean(), ours.variance(), ours.entropy(), ours.covariance()])
    want = [theirs.logpdf(x), theirs.mean(), theirs.var(), theirs.entropy(), theirs.cov()]
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


@given(st.lists(st.floats(0.1, 5), min_size=2, max_size=4), st.integers(1, 9), st.integers(0, 4))
def test_counts(weights, total, seed):
    probs = np.array(weights) / np.sum(weights)
    counts = np.random.RandomState(seed).multinomial(total, probs).astype(np.float64)
    with tf.Graph().as_default(), tf.Session() as sess:
        plain = tf.distributions.Multinomial(np.float64(total), probs=probs)
        mixed = tf.distributions.DirichletMultinomial(np.float64(total), np.array(weights))
        got = sess.run([[d.log_prob(counts), d.mean(), d.covariance(), d.variance()] for d in (plain, mixed)])
    for values, theirs in zip(got, (stats.multinomial(total, probs), stats.dirichlet_multinomial(weights, total))):
        covariance = theirs.cov()
        logpmf = theirs.logpmf(counts.astype(int))
        mean = theirs.mean() if callable(theirs.mean) else theirs.mean
        for a, b in zip(values, (logpmf, mean, covariance, np.diag(covariance))):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


@given(st.floats(-4, 4))
def test_bernoulli(logit):
    p = 1 / (1 + np.exp(-logit))
    with tf.Graph().as_default(), tf.Session() as sess:
        for d in (tf.distributions.Bernoulli(np.float64(logit)), tf.distributions.Bernoulli(probs=np.float64(p))):
            probs, mean, variance, entropy, mode = sess.run(
                [d.prob([0, 1]), d.mean(), d.variance(), d.entropy(), d.mode()]
            )
            np.testing.assert_allclose(probs, [1 - p, p], rtol=1e-9)
            np.testing.assert_allclose([mean, variance, entropy], [p, p * (1 - p), stats.bernoulli(p).entropy()])
            assert mode == (p > 0.5) and mode.dtype == np.int32


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=5), st.integers(1, 3))
def test_categorical(logits, batch):
    p = np.exp(logits) / np.exp(logits).sum()
    k = np.arange(len(p))
    with tf.Graph().as_default(), tf.Session() as sess:
        d = tf.distributions.Categorical(np.array([logits] * batch))
        assert d.batch_shape == [batch] and d.event_shape == []
        got = sess.run([d.prob(k[:, None]), d.cdf(k[:, None]), d.entropy(), d.mode(), d.event_size])
    np.testing.assert_allclose(got[0], np.repeat(p[:, None], batch, 1), rtol=1e-9)
    np.testing.assert_allclose(got[1], np.repeat(np.cumsum(p)[:, None] - p[:, None], batch, 1), atol=1e-9)
    np.testing.assert_allclose(got[2], [stats.entropy(p)] * batch)
    assert p[got[3]].tolist() == [max(p)] * batch and got[4] == len(p)


PAIRS = {
    "Normal": ((0.5, 2.0), (-1.0, 1.5)), "Gamma": ((2.0, 1.5), (3.0, 0.5)), "Beta": ((2.0, 3.0), (1.5, 0.7)),
    "Bernoulli": ((0.4,), (-1.0,)), "Categorical": (([0.1, 2.0, -1.0],), ([1.0, 0.0, 0.5],)),
    "Dirichlet": (([1.5, 2.0],), ([0.5, 3.0],)),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_divergences_are_means_of_log_ratios(name):
    cls = getattr(tf.distributions, name)
    p, q = (cls(*[np.asarray(x, np.float64) for x in args]) for args in PAIRS[name])
    with tf.Session() as sess:
        x = p.sample(40_000, seed=1)
        ratio = p.log_prob(x) - q.log_prob(x)
        kl, same, cross, entropy, found = sess.run(
            [tf.distributions.kl_divergence(p, q), p.kl_divergence(p), p.cross_entropy(q), p.entropy(), ratio]
        )
    assert same == pytest.approx(0, abs=1e-12) and cross == pytest.approx(entropy + kl)
    assert kl > 0 and kl == pytest.approx(found.mean(), abs=5 * found.std() / 200)


def test_the_normal_distribution_function_needs_more_than_half_precision():
    """Its tails would be 0, and their logarithms infinite."""
    d = tf.distributions.Normal(np.float16(0), np.float16(1))
    for function in (d.cdf, d.log_cdf, d.survival_function, d.log_survival_function):
        with pytest.raises(TypeError, match="x.dtype=.*float16.* is not handled"):
            function(np.float16(-8))


def test_where_statistics_are_undefined():
    with tf.Session() as sess:
        d = tf.distributions.StudentT(df=[0.5, 1.5, 3.0], loc=0.0, scale=1.0)
        np.testing.assert_array_equal(sess.run(d.variance()), np.float32([np.nan, np.inf, 3]))
        np.testing.assert_array_equal(sess.run(d.mean()), np.float32([np.nan, 0, 0]))
        np.testing.assert_array_equal(sess.run(tf.distributions.Gamma([0.5, 3.0], 1.0).mode()), [np.nan, 2])
        np.testing.assert_array_equal(sess.run(tf.distributions.Beta([0.5, 3.0], 3.0).mode()), [np.nan, 0.5])
        modes = sess.run(tf.distributions.Dirichlet([[0.5, 2.0], [2.0, 2.0]]).mode())
        np.testing.assert_array_equal(modes, [[np.nan] * 2, [0.5] * 2])
        for cls, args, text in (
            ("StudentT", ([0.5], 0.0, 1.0), "mean not defined"),
            ("Gamma", ([0.5], 1.0), "mode not defined"),
            ("Beta", ([0.5], 3.0), "Mode undefined for concentration1"),
            ("Dirichlet", ([0.5, 2.0],), "Mode undefined when any"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                d = getattr(tf.distributions, cls)(*args, allow_nan_stats=False)
                sess.run(d.mean() if cls == "StudentT" else d.mode())
