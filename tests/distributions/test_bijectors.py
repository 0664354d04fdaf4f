"""Bijectors: values beside NumPy's, log determinants beside the determinant of the Jacobian that gradients give."""

import numpy as np
import pytest
from scipy import special, stats

import tfcore as tf

ds = tf.contrib.distributions
b = ds.bijectors
f = np.float64
POSITIVE, REAL, UNIT = f([0.5, 1.5, 2.5]), f([-1.5, 0.2, 3.0]), f([0.2, 0.5, 0.9])
TRIANGLE = f([[1.5, 0, 0], [0.3, 2, 0], [-1, 0.7, 0.5]])
LOWER = np.tril_indices(3)


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


# A bijector of numbers, arguments, its values by NumPy.
ELEMENTWISE = {
    "identity": (b.Identity, REAL, lambda x: x),
    "exp": (b.Exp, REAL, np.exp),
    "power": (lambda: b.PowerTransform(power=2.0), POSITIVE, lambda x: np.sqrt(1 + 2 * x)),
    "softplus": (b.Softplus, REAL, lambda x: np.log1p(np.exp(x))),
    "soft": (lambda: b.Softplus(hinge_softness=f(0.5)), REAL, lambda x: 0.5 * np.log1p(np.exp(2 * x))),
    "sigmoid": (b.Sigmoid, REAL, special.expit),
    "softsign": (b.Softsign, REAL, lambda x: x / (1 + abs(x))),
    "square": (b.Square, POSITIVE, np.square),
    "affine scalar": (lambda: b.AffineScalar(shift=f(1), scale=f(-3)), REAL, lambda x: 1 - 3 * x),
    "gumbel": (lambda: b.Gumbel(f(0.3), f(2)), REAL, stats.gumbel_r(0.3, 2).cdf),
    "weibull": (lambda: b.Weibull(f(2), f(1.5)), POSITIVE, stats.weibull_min(1.5, 0, 2).cdf),
    "kumaraswamy": (lambda: b.Kumaraswamy(f(2), f(3)), UNIT, lambda x: (1 - (1 - x) ** (1 / 3)) ** 0.5),
    "sinh arcsinh": (lambda: b.SinhArcsinh(f(0.3), f(0.8)), REAL, lambda x: np.sinh((np.arcsinh(x) + 0.3) * 0.8)),
    "invert": (lambda: b.Invert(b.Softplus()), POSITIVE, lambda x: np.log(np.expm1(x))),
    "chain": (
        lambda: b.Chain([b.Exp(), b.AffineScalar(scale=f(0.5)), b.Sigmoid()]),
        REAL,
        lambda x: np.exp(special.expit(x) / 2),
    ),
    "inline": (
        lambda: b.Inline(tf.exp, tf.log, lambda y: -tf.log(y), forward_min_event_ndims=0),
        REAL,
        np.exp,
    ),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_numbers(name, session):
    make, x, function = ELEMENTWISE[name]
    bijector, x = make(), tf.constant(x)
    y = bijector.forward(x)
    derivative = tf.log(tf.abs(tf.gradients(y, x)[0]))
    # copies of the tensors, for which nothing is known from before
    copies = [make() for _ in range(2)]
    forward = [copies[0].forward_log_det_jacobian(x, n) for n in range(2)]
    inverse = [copies[1].inverse_log_det_jacobian(tf.identity(y), n) for n in range(2)]
    got = session.run([y, bijector.inverse(tf.identity(y)), derivative, forward, inverse])
    np.testing.assert_allclose(got[0], function(session.run(x)), rtol=1e-12)
    np.testing.assert_allclose(got[1], session.run(x), rtol=1e-9)
    for n, expected in enumerate((got[2], got[2].sum())):
        np.testing.assert_allclose(got[3][n] + 0 * expected, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(got[4][n] + 0 * expected, -expected, rtol=1e-9, atol=1e-12)
    assert bijector.is_constant_jacobian is (name in ("identity", "affine scalar"))
    with pytest.raises(ValueError, match=r"event_ndims \(-1\) must be larger than min_event_ndims \(0\)"):
        bijector.forward_log_det_jacobian(x, -1)


def _shift_and_log_scale(y):
    """Of each element by those before it."""
    before = tf.cumsum(y, axis=-1, exclusive=True)
    return before, tf.tanh(before)


# A bijector of events, an argument, the free coordinates of both (all by default).
EVENTS = {
    "affine": (lambda: b.Affine(f([1, 2, 3]), f(0.5), f([1, 2, 3]), TRIANGLE), REAL, None, None),
    "affine of low rank": (
        lambda: b.Affine(
            scale_diag=f([1, 2, 3]), scale_perturb_factor=TRIANGLE[:, :2], scale_perturb_diag=f([1, -0.3])
        ),
        REAL,
        None,
        None,
    ),
    "affine multiple": (lambda: b.Affine(f([1, 2, 3]), scale_identity_multiplier=f(-2)), REAL, None, None),
    "operator": (
        lambda: b.AffineLinearOperator(f([1, 2, 3]), tf.linalg.LinearOperatorLowerTriangular(TRIANGLE, True)),
        REAL,
        None,
        None,
    ),
    "cholesky": (b.CholeskyOuterProduct, TRIANGLE, LOWER, LOWER),
    "inverse": (b.MatrixInverseTriL, TRIANGLE, LOWER, LOWER),
    "fill": (b.FillTriangular, np.arange(1.0, 7), None, LOWER),
    "fill upper": (lambda: b.FillTriangular(upper=True), np.arange(1.0, 7), None, np.triu_indices(3)),
    "diagonal": (lambda: b.TransformDiagonal(b.Exp()), TRIANGLE, LOWER, LOWER),
    "scale": (lambda: b.ScaleTriL(diag_shift=f(1e-5)), np.arange(1.0, 7), None, LOWER),
    "ordered": (b.Ordered, POSITIVE, None, None),
    "permute": (lambda: b.Permute([2, 0, 1]), REAL, None, None),
    "reshape": (lambda: b.Reshape([3, -1], [6]), np.arange(1.0, 7), None, None),
    "softmax": (b.SoftmaxCentered, REAL, None, (np.arange(3),)),
    "chain": (
        lambda: b.Chain([b.CholeskyOuterProduct(), b.ScaleTriL(diag_bijector=b.Exp(), diag_shift=None)]),
        np.arange(0.1, 0.7, 0.1),
        None,
        LOWER,
    ),
    "autoregressive": (lambda: b.MaskedAutoregressiveFlow(_shift_and_log_scale), REAL, None, None),
    "unrolled": (lambda: b.MaskedAutoregressiveFlow(_shift_and_log_scale, unroll_loop=True), REAL, None, None),
    "real nvp": (
        lambda: b.RealNVP(1, lambda x, n: (tf.sin(x) * [1.0, 2.0], tf.concat([tf.tanh(x)] * n, -1))),
        REAL,
        None,
        None,
    ),
}


def jacobian(y, x, rows, columns):
    """The derivatives of some elements of y by some elements of x."""
    pick = lambda value, index: value.ravel() if index is None else value[index]  # noqa: E731
    sizes = y.shape.as_list()
    picked = pick(np.arange(np.prod(sizes)).reshape(sizes), rows)
    flat = tf.reshape(y, [-1])
    with tf.Session(graph=y.graph) as sess:
        return np.array([pick(one, columns) for one in sess.run([tf.gradients(flat[i], x)[0] for i in picked])])


@pytest.mark.parametrize("name", EVENTS)
def test_events(name, session):
    make, value, columns, rows = EVENTS[name]
    bijector, x = make(), tf.constant(value)
    y = bijector.forward(x)
    assert y.shape == bijector.forward_event_shape(x.shape) and x.shape == bijector.inverse_event_shape(y.shape)
    there, back = bijector.forward_event_shape_tensor(x.shape), bijector.inverse_event_shape_tensor(y.shape)
    assert [tuple(sizes) for sizes in session.run([there, back])] == [y.shape, x.shape]
    _, expected = np.linalg.slogdet(jacobian(y, x, rows, columns))
    ndims = bijector.forward_min_event_ndims, bijector.inverse_min_event_ndims
    assert ndims == (x.shape.ndims, y.shape.ndims)
    copies = [make() for _ in range(3)]
    got = session.run([
        copies[0].inverse(tf.identity(y)),
        copies[1].forward_log_det_jacobian(x, ndims[0]),
        copies[2].inverse_log_det_jacobian(tf.identity(y), ndims[1]),
        make().forward_log_det_jacobian(tf.stack([x, x]), ndims[0] + 1),
    ])  # fmt: skip
    np.testing.assert_allclose(got[0], value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(got[1:3], [expected, -expected], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(got[3], 2 * expected, rtol=1e-8, atol=1e-10)


def test_what_was_computed_is_kept(session):
    bijector, x = b.Exp(), tf.constant(REAL)
    y = bijector.forward(x)
    assert bijector.forward(x) is y and bijector.inverse(y) is x
    assert bijector.inverse_log_det_jacobian(y, 1) is bijector.inverse_log_det_jacobian(y, 1)
    inside = tf.cond(tf.constant(True), lambda: bijector.inverse(y) + bijector.forward(x + 1), lambda: x)
    # what a branch computed is not there outside of it
    z = tf.identity(y)
    tf.cond(tf.constant(True), lambda: bijector.inverse(z), lambda: z)
    got = session.run([inside, bijector.inverse(z)])
    np.testing.assert_allclose(got[0], REAL + np.exp(REAL + 1))
    np.testing.assert_allclose(got[1], REAL)
    with tf.Graph().as_default():
        assert bijector.forward(tf.constant(REAL)).graph is tf.get_default_graph()


def test_the_absolute_value_has_two_inverses(session):
    bijector = b.AbsoluteValue(validate_args=True)
    minus, plus = bijector.inverse(f([1, 2]))
    assert session.run([minus, plus, *bijector.inverse_log_det_jacobian(f([1, 2]), 1)])[1].tolist() == [1, 2]
    assert session.run(minus).tolist() == [-1, -2] and session.run(bijector.forward(f([-3, 2]))).tolist() == [3, 2]
    with pytest.raises(NotImplementedError, match="non-injective"):
        bijector.forward_log_det_jacobian(f(1), 0)
    for cls in (b.Invert, lambda one: b.Chain([one])):
        with pytest.raises(NotImplementedError, match="not implemented for non-injective bijectors"):
            cls(bijector)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Argument y was negative"):
        session.run(bijector.inverse(f(-1))[1])
    folded = ds.TransformedDistribution(ds.Normal(f(0.5), f(1)), b.AbsoluteValue())
    expected = stats.norm(0.5).pdf(0.7) + stats.norm(0.5).pdf(-0.7)
    np.testing.assert_allclose(session.run(folded.prob(f(0.7))), expected)


def test_arguments_by_name(session):
    class Scaled(b.ConditionalBijector):
        def __init__(self):
            super().__init__(forward_min_event_ndims=0, name="scaled")

        def _forward(self, x, factor):
            return x * factor

        def _inverse(self, y, factor):
            return y / factor

        def _forward_log_det_jacobian(self, x, factor):
            return tf.log(factor) + 0 * x

    two, three, x = tf.constant(2.0), tf.constant(3.0), tf.constant(5.0)
    scaled = Scaled()
    assert session.run([scaled.forward(x, factor=two), scaled.forward(x, factor=three)]) == [10, 15]
    chain = b.Chain([scaled, b.AffineScalar(shift=1.0)])
    assert session.run(chain.forward(x, scaled={"factor": two})) == 12
    assert session.run(b.Invert(scaled).inverse(x, factor=three)) == 15
    d = ds.ConditionalTransformedDistribution(ds.Normal(0.0, 1.0), scaled)
    got = session.run(d.prob(2.0, bijector_kwargs={"factor": two}))
    np.testing.assert_allclose(got, stats.norm(0, 2).pdf(2), rtol=1e-6)
    assert session.run(d.sample(3, seed=1, bijector_kwargs={"factor": two})).shape == (3,)


def test_shapes_that_are_not_known(session):
    x = tf.placeholder_with_default(np.arange(1.0, 7).reshape(1, 6), None)
    rows = b.Reshape(tf.placeholder_with_default([2, -1], [2]), [6], validate_args=True)
    got = session.run([rows.forward(x), b.FillTriangular().forward(x), b.SoftmaxCentered().forward(x)])
    assert [one.shape for one in got] == [(1, 2, 3), (1, 3, 3), (1, 7)]
    ndims = tf.placeholder_with_default(2, [])
    assert session.run(b.Exp().forward_log_det_jacobian(x, ndims)) == 21
    assert session.run(b.AffineScalar(scale=f(np.e)).forward_log_det_jacobian(x, ndims)) == pytest.approx(6)


def test_flows_learn(session):
    """The networks' variables are made once, and element i depends on those before it only."""
    made = b.masked_autoregressive_default_template([16, 16])
    flow, x = b.MaskedAutoregressiveFlow(made), tf.constant(np.random.RandomState(0).normal(size=(4, 3)), tf.float32)
    y = flow.forward(x)
    back = flow.inverse(tf.identity(y))
    gradients = [tf.gradients(back[:, i], y)[0] for i in range(3)]
    nvp = b.RealNVP(2, b.real_nvp_default_template([8]))
    z = nvp.forward(x)
    assert len(tf.trainable_variables()) == 6 + 4
    session.run(tf.global_variables_initializer())
    values = session.run([x, back, gradients, nvp.inverse(tf.identity(z)), x[:, :2] - z[:, :2]])
    np.testing.assert_allclose(values[1], values[0], atol=1e-5)
    np.testing.assert_allclose(values[3], values[0], atol=1e-5)
    assert np.abs(values[4]).max() == 0
    for i, gradient in enumerate(values[2]):
        assert np.abs(gradient[:, i + 1 :]).max(initial=0) == 0 and np.abs(gradient[:, i]).min() > 0
    with pytest.raises(ValueError, match="num_masked must be a positive integer"):
        b.RealNVP(0, None)
    with pytest.raises(ValueError, match="Number of masked units must be smaller than the event size"):
        b.RealNVP(3, None).forward(x)


def test_batch_normalization(session):
    value = np.random.RandomState(1).normal(3, 2, size=(50, 4)).astype(np.float32)
    training, later = b.BatchNormalization(), b.BatchNormalization(training=False)
    y = tf.constant(value)
    normal = training.inverse(y)
    log_det = training.inverse_log_det_jacobian(tf.identity(y), 1)
    same = later.inverse(later.forward(y) + 0)
    dets = later.forward_log_det_jacobian(y, 1) + later.inverse_log_det_jacobian(tf.identity(y), 1)
    session.run(tf.global_variables_initializer())
    got = session.run([normal, log_det, same, dets])
    np.testing.assert_allclose(got[0], (value - value.mean(0)) / np.sqrt(value.var(0) + 1e-3), atol=1e-4)
    np.testing.assert_allclose(got[1], -0.5 * np.log(value.var(0) + 1e-3).sum(), rtol=1e-4)
    np.testing.assert_allclose(got[2], value, rtol=1e-4)
    assert abs(got[3]) < 1e-6
    with pytest.raises(ValueError, match="batchnorm_layer must be an instance of BatchNormalization layer"):
        b.BatchNormalization(batchnorm_layer=tf.layers.Dense(1))


BROKEN = {
    "Must specify at least one of": lambda: b.Bijector(),
    "forward_min_event_ndims must be a non-negative integer": lambda: b.Bijector(forward_min_event_ndims=-1),
    "is not a Tensor": lambda: b.Bijector(graph_parents=[1], forward_min_event_ndims=0),
    "must contain exactly one of each": lambda: b.Permute([0, 2]),
    "at most one unknown": lambda: b.Reshape([-1, -1]),
    "sizes do not match": lambda: b.Reshape([2, 2], [5]),
    "does not correspond to a triangular matrix": lambda: b.FillTriangular().forward(REAL[:2]),
    "`power` must be a non-negative": lambda: b.PowerTransform(-1.0),
    "Scale matrix must be non-singular": lambda: b.AffineLinearOperator(
        scale=tf.linalg.LinearOperatorFullMatrix(TRIANGLE, is_non_singular=None)
    ),
    "Cannot specify scale_perturb_diag": lambda: b.Affine(scale_perturb_diag=REAL),
    "Rank|square": lambda: b.MatrixInverseTriL().forward(np.ones([2, 3])),
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken_arguments(message):
    with pytest.raises(ValueError, match=message):
        BROKEN[message]()


def checked_kumaraswamy():
    return b.Kumaraswamy(2.0, 3.0, validate_args=True)


CHECKED = {
    "greater than 0": lambda: b.Exp(validate_args=True).inverse(f(-1)),
    "Inverse transformation input must be at least 0": lambda: b.Weibull(validate_args=True).inverse(f(-1)),
    "Inverse transformation input must be less than or equal to 1": lambda: b.Gumbel(validate_args=True).inverse(f(2)),
    "Forward transformation input must be at least 0": lambda: checked_kumaraswamy().forward(f(-1)),
    "Forward transformation input must be less than or equal to 1": lambda: checked_kumaraswamy().forward(f(2)),
    "less than 1": lambda: b.Softsign(validate_args=True).inverse(f(2)),
    "non-negative": lambda: b.Square(validate_args=True).forward(f(-1)),
    "hinge_softness must be non-zero": lambda: b.Softplus(f(0), validate_args=True).forward(f(1)),
    "scale was not positive": lambda: b.Gumbel(f(0), f(-1), validate_args=True).forward(f(1)),
    "concentration was not positive": lambda: b.Weibull(f(1), f(-1), validate_args=True).forward(f(1)),
    "tailweight was not positive": lambda: b.SinhArcsinh(f(0), f(-1), validate_args=True).forward(f(1)),
    "Concentration parameter must be positive": lambda: b.Kumaraswamy(f(0), f(1), validate_args=True).forward(f(0.5)),
    "strictly increasing": lambda: b.Ordered(validate_args=True).forward(REAL[::-1].copy()),
    "must be lower triangular": lambda: b.MatrixInverseTriL(validate_args=True).forward(TRIANGLE.T.copy()),
    "must be nonsingular": lambda: b.MatrixInverseTriL(validate_args=True).forward(np.tril(np.ones([2, 2]), -1)),
    "x > 0 did not hold": lambda: b.CholeskyOuterProduct(validate_args=True).forward(-TRIANGLE),
}


@pytest.mark.parametrize("message", CHECKED)
def test_checked_arguments(message, session):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(CHECKED[message]())


def test_event_ndims_of_constructors(session):
    """Before TensorFlow 1.6 they said what log determinants are summed over, and methods took no `event_ndims`."""
    got = session.run([
        b.Exp(event_ndims=1).forward_log_det_jacobian(REAL),
        b.Exp(event_ndims=1).forward_log_det_jacobian(REAL, event_ndims=0),
        b.Affine(scale_diag=f([1, np.e]), event_ndims=1).inverse_log_det_jacobian(f([1, 2])),
    ])  # fmt: skip
    np.testing.assert_allclose(got[0], REAL.sum())
    np.testing.assert_allclose(got[1], REAL)
    assert got[2] == pytest.approx(-1)


def test_names_and_types():
    assert b.MaskedAutoregressiveFlow(None).name == "masked_autoregressive_flow"
    assert b.Chain([b.Exp(), b.Softplus()]).name == "chain_of_exp_of_softplus" and b.Chain().name == "identity"
    assert b.Exp().forward(1.0).name.startswith("exp") and "forward" in b.Exp().forward(1.0).name
    with pytest.raises(TypeError, match="^Input had dtype float32 but expected float64.$"):
        b.AffineLinearOperator(shift=f([1, 2])).forward(np.float32([1, 2]))
    assert isinstance(b.Exp(), b.Bijector) and b.Exp().validate_args is False and b.Exp().graph_parents == []
