"""Samples of distributions: the values TensorFlow gives for the same seeds, distributions, gradients."""

import numpy as np
import pytest
from scipy import stats

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels, strategies

LEVELS = cpu_levels()


def run_twice(build, level=None, **config):
    """The values of two runs of what `build` makes in a new graph."""
    with tf.Graph().as_default() as graph:
        tensor = build()
    with cpu_level(level or LEVELS[-1]):
        with tf.Session(graph=graph, config=tf.ConfigProto(**config)) as session:
            return session.run(tensor), session.run(tensor)


def test_multinomial_is_tensorflows():
    logits = np.array([[1, 2, 3, -np.inf, 0.5], [0, 0, 0, 0, 0], [1, np.nan, 2, 2, 2]])

    def build():
        seeds = {"seed": 4, "seed2": 5}
        first = tf.raw_ops.Multinomial(logits=logits, num_samples=3, output_dtype=tf.int32, **seeds)
        logits32 = logits[:1].astype(np.float32)
        return [first, tf.raw_ops.Multinomial(logits=logits32, num_samples=33, **seeds)]

    (three, one), (_, second) = run_twice(build)
    assert (three.dtype, one.dtype) == (np.int32, np.int64)
    assert three.ravel().tolist()[:6] == [1, 2, 2, 4, 1, 1]
    assert three[2, 2] == 4
    assert one[0, :6].tolist() == [1, 2, 2, 2, 2, 2]
    assert second[0, :3].tolist() == [2, 2, 1]


NUMBERS = [t for t in strategies.TYPES if t not in (tf.string, tf.bool) and not t.is_complex]


def test_multinomial_of_logits_that_are_not_finite():
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.placeholder(tf.float32, [None, None])
        draw = tf.multinomial(logits, 2000, seed=3)
        inf, nan = np.inf, np.nan
        drawn = session.run(draw, {logits: [[0, inf, 1, inf], [-inf, 2, nan, 2], [inf, nan, -inf, 3]]})
        assert [sorted(set(row)) for row in drawn] == [[1, 3], [1, 3], [0]]
        assert 0.4 < np.mean(drawn[0] == 1) < 0.6
        for row in ([-inf] * 4, [nan] * 4, [nan, -inf, nan, -inf]):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"logits\[1\] has no class to draw"):
                session.run(draw, {logits: [[1.0] * 4, row]})


def test_stateless_multinomial_is_tensorflows():
    logits = np.log([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]])

    def build():
        draw = tf.random.stateless_categorical(logits, 7, [1, 2])
        return [draw, tf.random.stateless_multinomial(logits.astype(np.float32), 7, [1, 2], tf.int32), draw + 0]

    first, second = run_twice(build)
    for draw in (*first, *second):
        assert draw.tolist() == [[2, 2, 0, 2, 1, 1, 2], [2, 2, 2, 2, 2, 2, 2]]
    assert first[1].dtype == np.int32
    with pytest.raises(ValueError, match="Argument `dtype` got invalid value"):
        tf.random.stateless_categorical(logits, 1, [1, 2], tf.float32)
    with pytest.raises(ValueError, match=r"seed must have shape \[2\], not \[3\]"):
        tf.random.stateless_categorical(logits, 1, [1, 2, 3])


@pytest.mark.parametrize("out", ["int32", "int64"])
@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda t: t.name)
def test_multinomial_follows_the_probabilities(dtype, out):
    logits = np.array([[0, 1, 2]] * 2).astype(dtype.as_numpy_dtype)
    op = tf.raw_ops.Multinomial

    def build():
        return op(logits=logits, num_samples=4000, seed=1, seed2=2, output_dtype=out)

    values, _ = run_twice(build)
    expected = np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum()
    for row in values:
        counts = np.bincount(row, minlength=3)
        assert stats.chisquare(counts, expected * 4000).pvalue > 1e-4


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("level", LEVELS)
def test_gamma_is_tensorflows(dtype, level):
    alpha = np.array([[0.1, 0.5, 0.999], [1, 3, 100.0]], dtype)
    op = tf.raw_ops.RandomGamma
    first, second = run_twice(lambda: op(shape=[50], alpha=alpha, seed=4, seed2=5), level)
    assert first.shape == (50, 2, 3)
    expected = [0.004892611723, 0.420484362807, 0.14962326, 1.477461376, 2.567013358, 79.51118008]
    tolerance = 4 * float(np.finfo(dtype).eps)
    # float16 rounds alpha too, which changes the first column but little.
    np.testing.assert_allclose(first[0].ravel()[1:], expected[1:], rtol=max(tolerance, 1e-5))
    np.testing.assert_allclose(first[49, 1, 2], 107.07731, rtol=max(tolerance, 1e-5))
    np.testing.assert_allclose(second[0, 0, 1], 0.0372469295, rtol=max(tolerance, 1e-5))


POISSON = ["float16", "float32", "float64", "int32", "int64"]


@pytest.mark.parametrize("rate_type", POISSON)
@pytest.mark.parametrize("dtype", POISSON)
def test_poisson(rate_type, dtype):
    rate = np.array([[0, 1, 3], [8, 10, 1000.0]], rate_type)
    op = tf.raw_ops.RandomPoissonV2
    first, _ = run_twice(lambda: op(shape=[2000], rate=rate, seed=4, seed2=5, dtype=dtype))
    assert first.dtype == dtype
    assert first.shape == (2000, 2, 3)
    assert np.all(first[:, 0, 0] == 0)
    for mean, column in zip([1, 3, 8, 10, 1000], first.reshape(2000, 6).T[1:], strict=True):
        column = column.astype(np.float64)
        assert abs(column.mean() - mean) < 5 * (mean / 2000) ** 0.5
        assert 0.8 * mean < column.var() < 1.2 * mean


def test_poisson_is_tensorflows():
    rate = np.array([[0, 0.5, 0.999], [9.9, 10, 1000.0]])
    op = tf.raw_ops.RandomPoissonV2
    first, second = run_twice(lambda: op(shape=[50], rate=rate, seed=4, seed2=5, dtype=tf.int64))
    assert first[0].ravel().tolist() == [0, 1, 1, 11, 8, 1004]
    assert first[49, 1, 2] == 1042
    assert second[0, 0].tolist() == [0, 0, 2]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_poisson_of_the_first_version(dtype):
    rate = np.array([0, 5], dtype)
    values, _ = run_twice(lambda: tf.raw_ops.RandomPoisson(shape=[500], rate=rate, seed=1))
    assert values.dtype == dtype
    assert np.all(values[:, 0] == 0)
    assert abs(values[:, 1].astype(np.float64).mean() - 5) < 0.5


def test_rates_and_alphas_that_are_none():
    def build():
        rate = np.array([-1, np.nan, np.inf])
        return [
            tf.raw_ops.RandomPoissonV2(shape=[2], rate=rate, dtype=tf.float32),
            tf.raw_ops.RandomPoissonV2(shape=[2], rate=[1e30], dtype=tf.int32),
            tf.raw_ops.RandomGamma(shape=[2], alpha=np.array([0, -1, np.nan, np.inf])),
        ]

    (poisson, huge, gamma), _ = run_twice(build)
    assert np.isnan(poisson).all()
    assert np.isnan(gamma).all()
    assert np.all(huge == np.iinfo(np.int32).max)


def test_gamma_beta_scales():
    def build():
        return [tf.random_gamma([4000], [2.0, 5.0], seed=1), tf.random_gamma([9], 2.0, [1.0, 4.0])]

    (plain, scaled), _ = run_twice(build)
    np.testing.assert_allclose(plain.mean(0), [2, 5], rtol=0.06)
    assert scaled.shape == (9, 2)


def test_random_poisson_function():
    values, _ = run_twice(lambda: tf.random_poisson([1.0, 50.0], [3000], seed=9))
    assert values.dtype == np.float32
    np.testing.assert_allclose(values.mean(0), [1, 50], rtol=0.1)


# alpha, sample and the sample's derivative by alpha at a fixed probability, from 40-digit arithmetic; probabilities
# between 1e-6 and 1 - 1e-6.
GAMMA_SLOPES = [
    (0.001, 5.12003, 856.9062538544528),
    (0.03, 5.75282e-201, 8.831364773669261e-197),
    (0.03, 5.31554e-11, 4.098082951823641e-08),
    (0.03, 8.18421, 32.56212851081345),
    (0.5, 7.85398e-13, 4.38394645882971e-11),
    (0.5, 7.85439e-05, 0.0014905864334835168),
    (0.5, 0.227468, 0.8583669661133357),
    (0.5, 3.31745, 3.014831448568853),
    (0.5, 11.9641, 4.351305036889582),
    (1.0, 1e-06, 1.4238302262212699e-05),
    (1.0, 0.693147, 0.9680446936963877),
    (1.0, 13.8155, 3.2707792994046296),
    (1.5, 0.000120905, 0.0007837990411239778),
    (1.5, 1.18299, 0.9871949231393188),
    (1.5, 15.3324, 2.843858865081251),
    (4.0, 0.0709924, 0.07478781319868505),
    (4.0, 0.823249, 0.425378926016228),
    (4.0, 3.67206, 0.9985374464385708),
    (4.0, 10.0451, 1.5940515549414773),
    (4.0, 21.3505, 2.1424097183166646),
    (9.99, 1.27376, 0.305376684117908),
    (9.99, 9.65872, 0.9997876321199344),
    (9.99, 32.693, 1.7348662253230047),
    (10.0, 1.27682, 0.30565538944736437),
    (10.0, 9.66871, 0.9997876618436664),
    (10.0, 32.7103, 1.7345092116938652),
    (200.0, 139.818, 0.8323586441934726),
    (200.0, 199.667, 1.0000000914785216),
    (200.0, 274.558, 1.167744149023068),
    (10000.0, 9531.84, 0.9762341809260285),
    (10000.0, 9999.67, 1.0000001663768117),
    (10000.0, 10482.6, 1.0237679939500337),
    (1000000.0, 995254.0, 0.9976234032505363),
    (1000000.0, 997675.0, 0.9988367644864498),
    (1000000.0, 1000000.0, 1.0000001666666833),
    (1000000.0, 1002330.0, 1.0011642630966426),
    (1000000.0, 1004760.0, 1.0023763997578574),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gamma_slopes(dtype):
    alpha, sample, expected = np.array(GAMMA_SLOPES).T
    if dtype == np.float32:  # numbers that float32 does not hold are other samples
        exact = (alpha == alpha.astype(dtype)) & (sample == sample.astype(dtype))
        assert exact.sum() >= 3
        alpha, sample, expected = alpha[exact], sample[exact], expected[exact]
    with tf.Graph().as_default(), tf.Session() as session:
        actual = session.run(tf.raw_ops.RandomGammaGrad(alpha=alpha.astype(dtype), sample=sample.astype(dtype)))
    assert actual.dtype == dtype
    np.testing.assert_allclose(actual, expected, rtol=16 * np.finfo(dtype).eps)


def test_gamma_slopes_of_special_values():
    inf, nan = np.inf, np.nan
    cases = [
        (2.0, 0.0, 0.0),  # whatever alpha is, as in TensorFlow
        (-1.0, 0.0, 0.0),
        (0.0, 1.0, nan),
        (-1.0, 1.0, nan),
        (nan, 1.0, nan),
        (1.0, nan, nan),
        (1.0, -1.0, nan),
        (1.0, inf, inf),  # grows like log(sample)
        (inf, 1.0, 0.0),
        (inf, inf, nan),
        (1e-300, 1e-300, 690.1983122333121),
        (1e300, 1e300, 1.0),
        (1.0, 1.7e308, 710.3040525581298),
    ]
    alpha, sample, expected = np.array(cases).T
    with tf.Graph().as_default(), tf.Session() as session:
        actual = session.run(tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample))
    np.testing.assert_allclose(actual, expected, rtol=1e-14)


def test_gamma_gradient():
    """Against the derivative of the inverse distribution function at the sample's quantile."""
    alphas = np.array([0.7, 2.0, 9.0])
    with tf.Graph().as_default():
        alpha = tf.constant(alphas)
        sample = tf.raw_ops.RandomGamma(shape=[2], alpha=alpha, seed=1, seed2=1)
        (gradient,) = tf.gradients(sample, [alpha])
        assert "RandomGammaGrad" in {op.type for op in gradient.graph.get_operations()}
        with tf.Session() as session:
            samples, actual = session.run([sample, gradient])
    step = 1e-5
    quantile = stats.gamma.cdf(samples, alphas)
    above = stats.gamma.ppf(quantile, alphas + step)
    below = stats.gamma.ppf(quantile, alphas - step)
    expected = ((above - below) / (2 * step)).sum(0)
    np.testing.assert_allclose(actual, expected, rtol=1e-3)
