"""The interface of distributions: samples and their gradients, shapes, names, copies, checks, divergences."""

import numpy as np
import pytest
from scipy import stats

import tfcore as tf

d = tf.distributions


def frozen(name, *args):
    return {
        "Normal": lambda loc, scale: stats.norm(loc, scale),
        "Laplace": lambda loc, scale: stats.laplace(loc, scale),
        "Uniform": lambda low, high: stats.uniform(low, high - low),
        "Gamma": lambda a, rate: stats.gamma(a, scale=1 / rate),
        "Exponential": lambda rate: stats.expon(scale=1 / rate),
        "Beta": stats.beta,
        "StudentT": lambda df, loc, scale: stats.t(df, loc, scale),
    }[name](*args)


CONTINUOUS = [
    ("Normal", 1.0, 2.0), ("Laplace", -1.0, 0.5), ("Uniform", -1.0, 3.0), ("Gamma", 0.6, 2.0), ("Gamma", 4.0, 0.5),
    ("Exponential", 3.0), ("Beta", 0.7, 2.0), ("StudentT", 3.0, 1.0, 2.0),
]  # fmt: skip


@pytest.mark.parametrize("row", CONTINUOUS, ids=str)
def test_samples_have_the_distribution(row):
    name, *args = row
    with tf.Session() as sess:
        samples = sess.run(getattr(d, name)(*np.float64(args)).sample(20_000, seed=5))
    assert stats.kstest(samples, frozen(name, *args).cdf).pvalue > 1e-3


@pytest.mark.parametrize("shape", [(), 4, [2, 3], [0, 2]], ids=str)
@pytest.mark.parametrize("batch", [(), (2,)], ids=str)
def test_shapes_of_samples(shape, batch):
    ones = np.ones(batch, np.float32)
    rows = np.ones([*batch, 3], np.float32)
    made = [d.Normal(ones, ones), d.Gamma(ones, ones), d.Beta(ones, ones), d.StudentT(ones, ones, ones)]
    made += [d.Laplace(ones, ones), d.Uniform(ones - 1, ones), d.Exponential(ones), d.Bernoulli(ones)]
    made += [d.Categorical(rows), d.Dirichlet(rows), d.Multinomial(ones * 4, rows), d.DirichletMultinomial(4.0, rows)]
    lead = [shape] if isinstance(shape, int) else list(shape)
    with tf.Session() as sess:
        for distribution in made:
            static = distribution.sample(shape)
            dynamic = distribution.sample(tf.placeholder_with_default(np.array(shape, np.int32), None))
            want = [*lead, *batch, *distribution.event_shape.as_list()]
            assert static.shape == want and static.dtype == distribution.dtype
            assert [x.shape for x in sess.run([static, dynamic])] == [tuple(want)] * 2


def test_shapes_that_are_known_when_run():
    x = tf.placeholder(tf.float32)
    normal, dirichlet = d.Normal(x, 1.0), d.Dirichlet(tf.placeholder_with_default(np.ones([2, 3], np.float32), None))
    assert normal.batch_shape.ndims is None and "batch_shape" not in str(normal)
    with tf.Session() as sess:
        assert sess.run(normal.sample([2]), {x: np.zeros([3])}).shape == (2, 3)
        assert sess.run(normal.is_scalar_batch(), {x: 1.0}) and not sess.run(normal.is_scalar_batch(), {x: [1.0]})
        assert sess.run([dirichlet.batch_shape_tensor(), dirichlet.event_shape_tensor()])[1].tolist() == [3]
        assert sess.run(dirichlet.sample(4)).shape == (4, 2, 3)
    with pytest.raises(ValueError, match="neither scalar nor vector"):
        normal.sample([[1]])


def test_counts_have_the_right_mean():
    with tf.Session() as sess:
        for distribution in (
            d.Multinomial([5.0, 8.0], probs=[[0.2, 0.8], [0.5, 0.5]]),
            d.DirichletMultinomial(6.0, [[1.0, 2.0], [3.0, 1.0]]),
        ):
            samples, mean, stddev = sess.run(
                [distribution.sample(4000, seed=2), distribution.mean(), distribution.stddev()]
            )
            np.testing.assert_array_equal(samples.sum(-1), np.broadcast_to(mean.sum(-1).round(), samples.shape[:2]))
            assert (abs(samples.mean(0) - mean) < 5 * stddev / 63).all()


def test_seeds():
    with tf.Session() as sess:
        for distribution in (
            d.Normal(0.0, 1.0),
            d.Beta(2.0, 2.0),
            d.StudentT(3.0, 0.0, 1.0),
            d.Categorical([0.0, 0.0]),
        ):
            first, second = distribution.sample(20, seed=1), distribution.sample(20, seed=2)
            a, b = sess.run([first, second])
            assert not (a == b).all() and not (a == sess.run(first)).all()


@pytest.mark.parametrize("row", CONTINUOUS, ids=str)
def test_gradients_flow_through_samples(row):
    """The derivative of the mean of x by a parameter, by samples and from the formula."""
    name, *args = row
    cls = getattr(d, name)
    assert cls(*args).reparameterization_type is d.FULLY_REPARAMETERIZED
    parameters = [tf.constant(a, tf.float64) for a in args]
    made = cls(*parameters)
    samples = made.sample(20_000, seed=7)
    by_samples = tf.gradients(tf.reduce_mean(samples), parameters, unconnected_gradients="zero")
    exact = tf.gradients(made.mean(), parameters, unconnected_gradients="zero")
    with tf.Session() as sess:
        got, want = sess.run([by_samples, exact])
    np.testing.assert_allclose(got, want, atol=0.15)


def test_what_is_not_reparameterized():
    for distribution in (d.Bernoulli(0.0), d.Categorical([0.0, 1.0]), d.Multinomial(2.0, [0.0, 1.0])):
        assert distribution.reparameterization_type is d.NOT_REPARAMETERIZED
        assert repr(distribution.reparameterization_type) == "<Reparameterization Type: NOT_REPARAMETERIZED>"
    assert d.ReparameterizationType("x") != d.ReparameterizationType("x")


def test_gradients_of_log_probabilities():
    loc, scale = tf.constant(0.5, tf.float64), tf.constant(2.0, tf.float64)
    with tf.Session() as sess:
        slopes = sess.run(tf.gradients(d.Normal(loc, scale).log_prob(np.float64(1.5)), [loc, scale]))
        np.testing.assert_allclose(slopes, [0.25, -0.5 + 1 / 8])
        far = tf.constant([-30.0, 0.0, 30.0], tf.float64)
        for call in ("log_cdf", "log_survival_function"):
            for cls in (d.Normal, d.Laplace):
                slope = sess.run(tf.gradients(getattr(cls(np.float64(0), np.float64(1)), call)(far), far))[0]
                assert np.isfinite(slope).all()


def test_names_and_texts():
    with tf.Graph().as_default():
        normal = d.Normal([0.0, 1.0], 1.0)
        assert normal.name == "Normal/" and d.Normal(0.0, 1.0).name == "Normal_1/"
        assert normal.log_prob(0.0).name.startswith("Normal/log_prob/")
        assert normal.sample().name.startswith("Normal/sample/")
        assert str(normal) == 'tf.distributions.Normal("Normal/", batch_shape=(2,), event_shape=(), dtype=float32)'
        assert repr(normal) == "<tf.distributions.Normal 'Normal/' batch_shape=(2,) event_shape=() dtype=float32>"
        assert d.Gamma(1.0, 1.0, name="mine").name == "mine/"


def test_parameters_and_copies():
    loc = tf.constant(1.0)
    normal = d.Normal(loc, 2.0, validate_args=True)
    assert normal.parameters == {
        "loc": loc, "scale": 2.0, "validate_args": True, "allow_nan_stats": True, "name": "Normal"
    }  # fmt: skip
    other = normal.copy(scale=3.0)
    assert other.validate_args and other.allow_nan_stats and other.parameters["loc"] is loc
    with tf.Session() as sess:
        assert sess.run([other.stddev(), normal.stddev()]) == [3, 2]
        assert sess.run(d.Exponential(2.0).copy().mean()) == 0.5
        assert sess.run(d.Normal.param_shapes([2, 3])["scale"]).tolist() == [2, 3]
    assert d.Beta.param_static_shapes(tf.TensorShape([2])) == {"concentration1": [2], "concentration0": [2]}
    assert d.Exponential.param_static_shapes([4]) == {"rate": [4]}
    with pytest.raises(ValueError, match="must be fully defined"):
        d.Normal.param_static_shapes(tf.TensorShape([None]))
    with pytest.raises(NotImplementedError, match="_param_shapes not implemented"):
        d.Categorical.param_shapes([2])


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: d.Normal(0.0, [-1.0], validate_args=True).mean(), "Condition x > 0 did not hold"),
        (lambda: d.Gamma([-1.0], 1.0, validate_args=True).mean(), "Condition x > 0 did not hold"),
        (lambda: d.Gamma(1.0, 1.0, validate_args=True).prob([-1.0]), "Condition x > 0 did not hold"),
        (lambda: d.Beta([-1.0], 1.0, validate_args=True).mean(), "Concentration parameter must be positive"),
        (lambda: d.Beta(1.0, 1.0, validate_args=True).prob([2.0]), "sample must be less than `1`"),
        (lambda: d.StudentT([-1.0], 0.0, 1.0, validate_args=True).sample(), "Condition x > 0 did not hold"),
        (lambda: d.Uniform([2.0], 1.0, validate_args=True).mean(), "uniform not defined when low >= high"),
        (lambda: d.Dirichlet([[1.0, -1.0]], validate_args=True).mean(), "Concentration parameter must be positive"),
        (lambda: d.Dirichlet([1.0, 1.0], validate_args=True).prob([0.3, 0.3]), "sample last-dimension must sum to"),
        (lambda: d.Bernoulli(probs=[1.5], validate_args=True).mean(), "probs has components greater than 1"),
        (lambda: d.Bernoulli(probs=[0.5], validate_args=True).prob([0.5]), "value must be whole numbers"),
        (lambda: d.Categorical(probs=[0.5, 0.6], validate_args=True).entropy(), "probs does not sum to 1"),
        (lambda: d.Multinomial(3.0, [0.0, 1.0], validate_args=True).prob([1.0, 1.0]), "counts must sum to"),
        (lambda: d.Multinomial(3.0, [0.0, 1.0], validate_args=True).prob([1.5, 1.5]), "cannot contain fractional"),
        (lambda: d.Multinomial([-3.0], [0.0, 1.0], validate_args=True).mean(), "must be non-negative"),
        (lambda: d.DirichletMultinomial(2.0, [1.0, -1.0], validate_args=True).mean(), "must be positive"),
    ],
)
def test_arguments_are_checked_when_run(make, text):
    """Statically known values are refused at once, others when run; both with this text."""
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(make())


def test_arguments_that_are_refused_at_once():
    for cls in (d.Bernoulli, d.Categorical):
        with pytest.raises(ValueError, match="Must pass probs or logits, but not both"):
            cls()
        with pytest.raises(ValueError, match="Must pass probs or logits, but not both"):
            cls(logits=[0.0, 1.0], probs=[0.0, 1.0])
        with pytest.raises(TypeError, match="logits must having floating type"):
            cls(logits=[1, 2])
    with pytest.raises(ValueError, match="at least rank 1|must have rank at least 1"):
        d.Categorical(0.0)
    with pytest.raises(ValueError):
        d.Normal(0.0, np.float64(1.0))
    with pytest.raises(ValueError, match="at least 2 events"):
        d.Categorical([0.0], validate_args=True)
    with pytest.raises(TypeError, match="`value` should have integer"):
        d.Categorical([0.0, 1.0]).prob(tf.constant([True]))


class Point(d.Distribution):
    """A distribution that has only logarithms."""

    def __init__(self, **more):
        super().__init__(tf.float32, d.NOT_REPARAMETERIZED, False, True, **more)

    def _log_prob(self, x):
        return -tf.abs(x)

    def _log_cdf(self, x):
        return tf.minimum(x, 0.0)

    def _variance(self):
        return tf.constant(4.0)

    def _event_shape(self):
        return tf.TensorShape([])


def test_a_class_of_ones_own():
    point = Point()
    with tf.Session() as sess:
        got = sess.run([point.prob(0.0), point.cdf(-1.0), point.survival_function(0.0), point.stddev()])
    np.testing.assert_allclose(got, [1, np.exp(-1), 0, 2], rtol=1e-6)
    for call in (point.mean, point.mode, point.entropy, point.covariance, point.sample, point.batch_shape_tensor):
        with pytest.raises(NotImplementedError, match="is not implemented: Point"):
            call()
    with pytest.raises(NotImplementedError, match="quantile is not implemented: Point"):
        point.quantile(0.5)
    with pytest.raises(ValueError, match="Graph parent item 0 is not a Tensor"):
        Point(graph_parents=[3])
    assert point.batch_shape.ndims is None and point.name == "Point/"


def test_divergences_are_found_by_base_class():
    class Child(Point):
        pass

    with pytest.raises(NotImplementedError, match=r"No KL\(distribution_a \|\| distribution_b\) registered"):
        d.kl_divergence(Point(), Child())

    @d.RegisterKL(Point, Point)
    def of_points(a, b, name=None):
        return tf.constant(1.0, name=name)

    @d.RegisterKL(Child, Point)
    def of_children(a, b, name=None):
        return tf.constant(np.nan, name=name)

    with tf.Session() as sess:
        assert sess.run(d.kl_divergence(Point(), Child())) == 1
        assert np.isnan(sess.run(d.kl_divergence(Child(), Child())))
        with pytest.raises(tf.errors.InvalidArgumentError, match="KL calculation between Child.*returned NaN"):
            sess.run(d.kl_divergence(Child(), Point(), allow_nan_stats=False))
    with pytest.raises(ValueError, match=r"KL\(Point \|\| Point\) has already been registered to"):
        d.RegisterKL(Point, Point)(of_points)
    with pytest.raises(TypeError, match="kl_fn must be callable"):
        d.RegisterKL(Point, Child)(3)
