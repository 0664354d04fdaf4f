"""Samples that are functions of a seed: TensorFlow's values, distributions, gradients, errors."""

import numpy as np
import pytest
from scipy import stats

import tfcore as tf
from tests.ops.random.test_sample import run_twice
from tfcore.testing import cpu_levels

random = tf.random
GAMMAS = [
    [0.06695361383821083, 2.2487352006448047, 3.40351477562984],
    [0.62823544551181, 1.89350913788573, 2.447971215673901],
]
PLAIN = [
    [0.544110119342804, 0.20738030970096588, 0.0735643208026886, 0.04643455147743225, -1.301589846611023],
    [-0.9538565278053284, 0.8417285680770874, 1.9396867752075195, 0.6512577533721924, 1.1048866510391235],
]
VARIED = [
    [0.544110119342804, -0.30158984661102295, 2.070096254348755, 2.2695095539093018, 4.20318078994751],
    [0.20738030970096588, 0.04614347219467163, 1.535672664642334, 2.2792463302612305, 3.097676992416382],
]
TAILS = [
    [0.9599790573120117, 0.9991068840026855],
    [0.6926422119140625, 0.47228288650512695],
    [0.8058443069458008, 0.6212029457092285],
]
COUNTS, PROBS = [10.0, 100.0, 50.0, 20.0], [0.3, 0.4, 0.9, 0.99]
SEED = [1, 2]


@pytest.mark.parametrize("level", cpu_levels())
def test_values_are_tensorflows(level):
    ops = tf.raw_ops
    alpha = np.array([0.5, 1.0, 3.0])
    rates = [0.5, 5.0, 30.0]
    truncated = random.stateless_parameterized_truncated_normal
    cases = [
        (lambda: random.stateless_gamma([2, 3], SEED, alpha, dtype=tf.float64), GAMMAS),
        (lambda: ops.StatelessRandomGammaV2(shape=[2, 3], seed=SEED, alpha=alpha), GAMMAS),
        (lambda: random.stateless_gamma([2, 3], SEED, alpha, beta=2.0), np.array(GAMMAS) / 2),
        (lambda: random.stateless_poisson([2, 3], SEED, rates), [[3, 8, 25], [2, 8, 35]]),
        (lambda: random.stateless_poisson([2, 3], SEED, rates, dtype=tf.float32), [[3, 8, 25], [2, 8, 35]]),
        (lambda: random.stateless_binomial([2, 4], SEED, COUNTS, PROBS), [[5, 47, 43, 19], [5, 53, 44, 20]]),
        (lambda: random.stateless_binomial([2, 2], SEED, [[10.0], [100.0]], [0.3, 0.4]), [[5, 6], [37, 53]]),
        (
            lambda: random.stateless_binomial([2, 4], SEED, [10, -1, 50, 20.0], [0.3, 0.4, 0, 1], tf.float64),
            [[5, 0, 0, 20], [5, 0, 0, 20]],
        ),
        (lambda: truncated([2, 5], SEED, 0.0, 1.0, -2.0, 2.0), PLAIN),
        (lambda: truncated([2, 5], SEED, [0.0, 1, 2, 3, 4], 1.0, -2.0, [2.0, 2.5, 2.1, 4, 5]), VARIED),
        (lambda: truncated([3, 2], SEED, 5.0, 1.0, 0.0, 1.0), TAILS),
    ]
    first, second = run_twice(lambda: [make() for make, _ in cases], level)
    for a, b, (_, want) in zip(first, second, cases):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, want, rtol=2e-6, atol=3e-7)


def test_distributions():
    n = 4000

    def build():
        return [
            random.stateless_gamma([n, 2], SEED, [0.7, 4.0], dtype=tf.float64),
            random.stateless_poisson([n, 2], SEED, [2.0, 40.0], dtype=tf.float64),
            random.stateless_binomial([n, 3], SEED, np.array([8.0, 90.0, 60.0]), [0.3, 0.4, 0.8], tf.float64),
            random.stateless_parameterized_truncated_normal(
                [n, 3], SEED, *(np.float64(x) for x in (0, 1)), np.array([-1.0, 0.5, 2.0]), np.array([3.0, 0.9, 9.0])
            ),
        ]

    (gammas, poissons, binomials, normals), _ = run_twice(build)
    for i, alpha in enumerate((0.7, 4.0)):
        assert stats.kstest(gammas[:, i], stats.gamma(alpha).cdf).pvalue > 1e-3
    for i, d in enumerate((stats.poisson(2), stats.poisson(40))):
        check_moments(poissons[:, i], d)
    for i, d in enumerate((stats.binom(8, 0.3), stats.binom(90, 0.4), stats.binom(60, 0.8))):
        check_moments(binomials[:, i], d)
    for i, (low, high) in enumerate(((-1, 3), (0.5, 0.9), (2, 9))):
        assert stats.kstest(normals[:, i], stats.truncnorm(low, high).cdf).pvalue > 1e-3


def check_moments(x, d):
    assert abs(x.mean() - d.mean()) < 4 * d.std() / np.sqrt(len(x))
    assert abs(x.var() / d.var() - 1) < 0.15


def test_samples_do_not_depend_on_threads():
    def build():
        return [
            random.stateless_binomial([3000], SEED, 50.0, 0.3),
            random.stateless_parameterized_truncated_normal([3000], SEED),
        ]

    one, _ = run_twice(build, intra_op_parallelism_threads=1)
    two, _ = run_twice(build, intra_op_parallelism_threads=2)
    for a, b in zip(one, two):
        np.testing.assert_array_equal(a, b)


def test_gradients_of_gamma():
    with tf.Graph().as_default(), tf.Session() as sess:
        alpha = tf.constant([[0.7], [3.0]], tf.float64)
        beta = tf.constant([2.0, 3.0], tf.float64)
        for op in ("V2", "V3"):
            if op == "V2":
                samples = tf.raw_ops.StatelessRandomGammaV2(shape=[5, 2, 1], seed=SEED, alpha=alpha)
                partial = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=samples)
                want = tf.reduce_sum(partial, 0)
            else:
                samples = random.stateless_gamma([5, 2, 2], SEED, alpha, beta, tf.float64)
                partial = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=samples * beta) / beta
                want = tf.reduce_sum(partial, [0, 2])[:, None]
            found, right = sess.run([tf.gradients(samples, alpha)[0], want])
            np.testing.assert_allclose(found, right, rtol=1e-12)
        found, right = sess.run([tf.gradients(samples, beta)[0], -tf.reduce_sum(samples / beta, [0, 1])])
        np.testing.assert_allclose(found, right, rtol=1e-12)


def test_gradients_of_bounds():
    """The number at a place between bounds, and how it moves with them. That of the mean is 1, as in TensorFlow."""
    with tf.Graph().as_default(), tf.Session() as sess:
        given = [tf.constant(x, tf.float64) for x in (0.5, 1.5, [-1.0, 0.0], 2.0)]
        samples = random.stateless_parameterized_truncated_normal([3, 2], SEED, *given)
        grads = sess.run(tf.gradients(samples, given))
        x = sess.run(samples)
    z, low, high = ((v - 0.5) / 1.5 for v in (x, np.array([-1.0, 0.0]), 2.0))
    place = (stats.norm.cdf(z) - stats.norm.cdf(low)) / (stats.norm.cdf(high) - stats.norm.cdf(low))
    of_high, of_low = (stats.norm.pdf(b) / stats.norm.pdf(z) for b in (high, low))
    for found, want in zip(grads, (6, z.sum(), (of_low * (1 - place)).sum(0), (of_high * place).sum())):
        np.testing.assert_allclose(found, want, rtol=1e-9)


def test_wrong_arguments():
    ends = "Shape passed in must end with broadcasted shape"
    truncated = random.stateless_parameterized_truncated_normal
    for make, words in (
        (lambda: random.stateless_gamma([2, 3], SEED, [1.0, 2.0]), ends),
        (lambda: random.stateless_poisson([2, 3], SEED, [1.0, 2.0]), ends),
        (lambda: random.stateless_binomial([2, 3], SEED, [1.0, 2.0], 0.5), ends),
        (lambda: random.stateless_binomial([], SEED, [1.0], 0.5), ends),
        (
            lambda: random.stateless_binomial([2, 3], SEED, [1.0, 2.0], [0.5] * 3),
            r"counts and probs must have compatible batch dimensions: \[2\] vs. \[3\]",
        ),
        (lambda: truncated([2, 5], SEED, [0.0, 1.0, 2.0]), ends),
        (lambda: truncated([2], SEED, [0.0, 1.0], 1.0, [0.0] * 3), "must have compatible batch dimensions"),
        (lambda: truncated([2, 5], SEED, 0.0, 1.0, 2.0, -2.0), "Invalid parameters"),
        (lambda: truncated([2, 5], SEED, 0.0, -1.0), "Invalid parameters"),
    ):
        with tf.Graph().as_default(), tf.Session() as sess:
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                sess.run(make())
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(ValueError, match=r"seed must have shape \[2\]|Dimension must be 2|must be"):
            random.stateless_binomial([2], [1, 2, 3], [1.0], 0.5)
        bad = random.stateless_binomial([2, 3], SEED, [10.0, np.inf, 1.0], [np.nan, 0.5, 0.2], tf.float32)
        assert np.isnan(sess.run(bad)[:, :2]).all()
        assert sess.run(random.stateless_gamma([2, 0], SEED, np.zeros([0]))).shape == (2, 0)
        assert sess.run(random.stateless_binomial([0, 2], SEED, [5.0, 6.0], 0.5)).shape == (0, 2)
