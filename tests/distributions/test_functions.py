"""The functions of tf.contrib.distributions beside NumPy's."""

import numpy as np
import pytest

import tfcore as tf

ds = tf.contrib.distributions
f = np.float64


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def test_triangles(session):
    x = np.arange(1, 13).reshape(2, 6)
    lower, upper = ds.fill_triangular(x), ds.fill_triangular(x, upper=True)
    got = session.run([lower, upper, ds.fill_triangular_inverse(lower), ds.fill_triangular_inverse(upper, upper=True)])
    assert got[0][0].tolist() == [[4, 0, 0], [6, 5, 0], [3, 2, 1]] and lower.shape == (2, 3, 3)
    assert got[1][0].tolist() == [[1, 2, 3], [0, 5, 6], [0, 0, 4]]
    assert (got[2] == x).all() and (got[3] == x).all()
    unknown = tf.placeholder_with_default(x, None)
    made = ds.fill_triangular(unknown)
    assert (session.run([made, ds.fill_triangular_inverse(made)])[1] == x).all()
    with pytest.raises(ValueError, match=r"Input right-most shape \(5\) does not correspond to a triangular matrix"):
        ds.fill_triangular([1, 2, 3, 4, 5])


def test_diagonals(session):
    got = session.run(ds.tridiag([[1, 2]], [[3, 4, 5]], [[6, 7]]))
    assert got.tolist() == [[[3, 6, 0], [1, 4, 7], [0, 2, 5]]]
    assert session.run(ds.tridiag(above=[1])).tolist() == [[0, 1], [0, 0]]
    with pytest.raises(ValueError, match="Must specify at least one of"):
        ds.tridiag()
    assert session.run(ds.matrix_diag_transform([[1.0, 2], [3, 4]], tf.exp))[0, 1] == 2


def test_weighted_sums_of_exponentials(session):
    x, w = f([[1000, 1001, -np.inf], [0, 1, 2]]), f([[1, -2, 5], [1, 1, 1]])
    got, sign = session.run(ds.reduce_weighted_logsumexp(x, w, axis=1, return_sign=True))
    np.testing.assert_allclose(got, [1000 + np.log(2 * np.e - 1), np.log(1 + np.e + np.e**2)])
    assert sign.tolist() == [-1, 1]
    assert session.run(ds.reduce_weighted_logsumexp(x, keep_dims=True)).shape == (1, 1)


def test_softplus_inverse(session):
    x = f([1e-12, 0.1, 3, 800])
    np.testing.assert_allclose(session.run(ds.softplus_inverse(x)), [np.log(1e-12), *np.log(np.expm1(x[1:3])), 800])


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_auto_correlation(dtype, session):
    random = np.random.RandomState(0)
    x = (random.normal(size=(3, 9)) + 1j * random.normal(size=(3, 9))).astype(dtype)
    centered = x - x.mean(1, keepdims=True)
    n = 9
    expected = np.array([[(c[m:] * c[: n - m].conj()).sum() / (n - m) for m in range(5)] for c in centered])
    got = session.run([
        ds.auto_correlation(x, max_lags=4, normalize=False), ds.auto_correlation(x.T.copy(), axis=0, max_lags=4)
    ])  # fmt: skip
    np.testing.assert_allclose(got[0], expected, atol=1e-10)
    np.testing.assert_allclose(got[1].T, expected / expected[:, :1], atol=1e-10)


def test_percentile(session):
    x = np.random.RandomState(1).normal(size=(4, 5, 3))
    for q in (0, 30, 51, 83, 100):
        for how in ("lower", "higher", "nearest"):
            got = session.run(ds.percentile(x, q, axis=[0, -1], interpolation=how))
            np.testing.assert_array_equal(got, np.percentile(x, q, axis=(0, 2), method=how))
    assert session.run(ds.percentile(x, 51)) == np.percentile(x, 51, method="nearest")
    assert ds.percentile(x, 50, axis=1, keep_dims=True).shape == (4, 1, 3)
    assert session.run(ds.percentile(x, 50, keep_dims=True)).shape == (1, 1, 1)
    with pytest.raises(ValueError, match="Argument 'interpolation' must be in"):
        ds.percentile(x, 50, interpolation="linear")
    with pytest.raises(ValueError, match="^Expected argument 'q' to have ndims 0.  Found tensor Tensor"):
        ds.percentile(x, [50])
    with pytest.raises(ValueError, match="not in the interval"):
        ds.percentile(x, 50, axis=3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(ds.percentile(x, 101, validate_args=True))


def test_posteriors(session):
    prior = ds.Normal(f([0, 2]), f(3))
    observed, scale = f([1, 2, 4]), f(2)
    args = (prior, scale, tf.constant(observed.sum()), 3)
    after, following = (
        ds.normal_conjugates_known_scale_posterior(*args),
        ds.normal_conjugates_known_scale_predictive(*args),
    )
    variance = 1 / (1 / 9 + 3 / 4)
    mean = variance * (f([0, 2]) / 9 + 7 / 4)
    got = session.run([after.loc, after.scale, following.loc, following.scale])
    for one, expected in zip(got, [mean, variance**0.5, mean, (variance + 4) ** 0.5]):
        np.testing.assert_allclose(one, expected + 0 * one)
    with pytest.raises(TypeError, match="Expected prior to be an instance of type Normal"):
        ds.normal_conjugates_known_scale_posterior(ds.Laplace(f(0), f(1)), *args[1:])
    with pytest.raises(TypeError, match="does not match prior dtype"):
        ds.normal_conjugates_known_scale_posterior(prior, scale, tf.constant(1.0), 3)


def test_moving_averages(session):
    values, decay = np.random.RandomState(2).normal(size=(6, 3)), 0.9
    fed = tf.placeholder(tf.float64, [3])
    update = ds.moving_mean_variance(fed, decay)
    logs = tf.Variable(np.zeros(3))
    log_update = ds.assign_log_moving_mean_exp(logs, fed, decay)
    session.run(tf.global_variables_initializer())
    mean, variance, average = np.zeros(3), np.zeros(3), np.ones(3)
    for value in values:
        variance = decay * (variance + (1 - decay) * (value - mean) ** 2)
        mean = decay * mean + (1 - decay) * value
        average = decay * average + (1 - decay) * np.exp(value)
        got = session.run([*update, log_update], {fed: value})
    for one, expected in zip(got, (mean, variance, np.log(average))):
        np.testing.assert_allclose(one, expected)
    with pytest.raises(TypeError, match="is not a floating-type"):
        ds.moving_mean_variance(tf.constant(1), 0.5)


def test_seeds():
    one, two, other = ds.SeedStream(3, "a"), ds.SeedStream(3, "a"), ds.SeedStream(3, "b")
    seeds = [one() for _ in range(5)]
    assert seeds == [two() for _ in range(5)] and len({*seeds, other()}) == 6
    assert ds.SeedStream(one, "a")() == seeds[0] and ds.SeedStream(None, "a")() is None and one.salt == "a"
