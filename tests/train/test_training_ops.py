"""What records of the Apply ops can't say: large variables on several threads, errors, special values."""

import numpy as np
import pytest

import tfcore as tf
from tests.train import reference
from tfcore.testing import cpu_level, cpu_levels


@pytest.fixture
def sess():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


def _variables(sess, *values):
    variables = [tf.Variable(v) for v in values]
    sess.run([v.initializer for v in variables])
    return variables


ADAM = {"beta1_power": 0.5, "beta2_power": 0.75, "lr": 0.25, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.125}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("n", [2047, 2048, 300_001])
def test_large_dense(n, dtype):
    rng = np.random.default_rng(0)
    values = [rng.uniform(0.5, 1, n).astype(dtype) for _ in range(4)]
    expected = reference.adam([v.astype(np.float64) for v in values[:3]], values[3].astype(np.float64), ADAM, {})
    for level in cpu_levels():
        with cpu_level(level), tf.Graph().as_default(), tf.Session() as sess:
            refs = _variables(sess, *values[:3])
            out = tf.raw_ops.ApplyAdam(var=refs[0], m=refs[1], v=refs[2], **ADAM, grad=values[3])
            sess.run(out.op)
            for ref, wanted in zip(refs, expected, strict=True):
                eps = np.finfo(dtype).eps
                np.testing.assert_allclose(sess.run(ref).astype(np.float64), wanted, rtol=4 * eps, atol=4 * eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_sparse_with_duplicates(sess, dtype):
    """Rows that come several times are updated in order, whatever the number of threads."""
    rng = np.random.default_rng(0)
    var, accum = rng.normal(size=(2, 200, 96)).astype(dtype)
    indices = rng.integers(0, 200, 3000)
    grad = rng.normal(size=(3000, 96)).astype(dtype)
    refs = _variables(sess, var, accum)
    out = tf.raw_ops.SparseApplyMomentum(
        var=refs[0], accum=refs[1], lr=0.25, grad=grad, indices=indices, momentum=0.5, use_nesterov=True
    )
    wide = [v.astype(np.float64) for v in (var, accum)]
    scalars = {"lr": 0.25, "momentum": 0.5}
    expected = reference.apply_rows(
        reference.momentum, wide, grad.astype(np.float64), indices, scalars, {"use_nesterov": True}
    )
    sess.run(out.op)
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    for ref, wanted in zip(refs, expected, strict=True):
        np.testing.assert_allclose(sess.run(ref), wanted, rtol=tolerance, atol=tolerance)


def test_concurrent_steps_lose_no_update(sess):
    import threading

    (var,) = _variables(sess, np.zeros(10000, np.float32))
    step = tf.raw_ops.ApplyGradientDescent(var=var, alpha=-1.0, delta=np.ones(10000, np.float32)).op
    threads = [threading.Thread(target=lambda: [sess.run(step) for _ in range(50)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sess.run(var) == 300).all()


def test_the_same_variable_for_two_arguments_is_safe(sess):
    (var,) = _variables(sess, np.ones(5000, np.float32))
    out = tf.raw_ops.ApplyMomentum(var=var, accum=var, lr=0.5, grad=np.ones(5000, np.float32), momentum=0.5)
    assert np.isfinite(sess.run(out)).all()


class TestErrors:
    def test_static_shapes(self, sess):
        var, accum = tf.Variable([1.0, 2.0]), tf.Variable([1.0])
        with pytest.raises(ValueError, match="must be equal"):
            tf.raw_ops.ApplyMomentum(var=var, accum=accum, lr=0.1, grad=[1.0, 1.0], momentum=0.1)
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            tf.raw_ops.ApplyGradientDescent(var=var, alpha=[0.1], delta=[1.0, 1.0])

    def test_shapes_when_run(self, sess):
        (var,) = _variables(sess, [1.0, 2.0])
        x = tf.placeholder(tf.float32)
        out = tf.raw_ops.ApplyGradientDescent(var=var, alpha=0.5, delta=x)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"var and delta do not have the same shape\[2\] \[3\]"
        ):
            sess.run(out, {x: [1.0, 2.0, 3.0]})
        out = tf.raw_ops.ApplyGradientDescent(var=var, alpha=x, delta=[1.0, 1.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"alpha is not a scalar: \[1\]"):
            sess.run(out, {x: [1.0]})
        assert sess.run(var).tolist() == [1.0, 2.0]

    def test_slot_of_other_shape(self, sess):
        x = tf.placeholder(tf.float32)
        (var,) = _variables(sess, [1.0, 2.0])
        slot = tf.Variable(x, validate_shape=False)
        sess.run(slot.initializer, {x: [1.0]})
        out = tf.raw_ops.ApplyAdagrad(var=var, accum=slot, lr=0.5, grad=[1.0, 1.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="var and accum do not have the same shape"):
            sess.run(out)

    def test_uninitialized(self, sess):
        out = tf.raw_ops.ApplyGradientDescent(var=tf.Variable(1.0, name="W"), alpha=0.5, delta=1.0)
        with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value W"):
            sess.run(out)

    @pytest.mark.parametrize(
        "grad, indices, message",
        [
            (np.ones((2, 3)), [0, 4], "Index 4 at offset 1 in indices is out of range"),
            (np.ones((2, 3)), [-1, 0], "Index -1 at offset 0 in indices is out of range"),
            (np.ones((3, 3)), [0, 1], "grad must be the same size as indices in the first dimension"),
            (np.ones((2, 2)), [0, 1], "var and grad must match in dimension 1"),
            (np.ones(2), [0, 1], "same rank"),
            (np.ones((2, 3)), [[0, 1]], "indices must be one-dimensional"),
        ],
    )
    def test_sparse(self, sess, grad, indices, message):
        var, accum = _variables(sess, np.ones((4, 3), np.float32), np.ones((4, 3), np.float32))
        g, i = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        out = tf.raw_ops.SparseApplyAdagrad(var=var, accum=accum, lr=0.5, grad=g, indices=i)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            sess.run(out, {g: grad, i: indices})
        assert (sess.run(var) == 1).all(), "a failed update must not be applied in part"

    def test_types(self, sess):
        with pytest.raises(TypeError):
            tf.raw_ops.ApplyGradientDescent(var=tf.Variable(1.0), alpha=0.5, delta=tf.constant(1.0, tf.float64))
        with pytest.raises(TypeError, match="mutable tensor"):
            tf.raw_ops.ApplyGradientDescent(var=tf.constant(1.0), alpha=0.5, delta=1.0)


class TestSpecialValues:
    @pytest.mark.parametrize("op", ["ApplyProximalGradientDescent", "ApplyGradientDescent"])
    def test_nan_shows(self, sess, op):
        (var,) = _variables(sess, [1.0, 2.0])
        more = {"l1": 0.5, "l2": 0.5} if "Proximal" in op else {}
        value = sess.run(getattr(tf.raw_ops, op)(var=var, alpha=0.5, delta=[np.nan, 0.0], **more))
        assert np.isnan(value[0]) and not np.isnan(value[1])

    def test_proximal_step_gives_exact_zeros(self, sess):
        (var,) = _variables(sess, [0.25, -0.25, 2.0, -2.0])
        out = tf.raw_ops.ApplyProximalGradientDescent(var=var, alpha=1.0, l1=0.5, l2=1.0, delta=np.zeros(4, np.float32))
        assert sess.run(out).tolist() == [0.0, 0.0, 0.75, -0.75]

    def test_ftrl_keeps_small_weights_at_zero(self, sess):
        var, accum, linear = _variables(sess, *np.float32([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
        out = tf.raw_ops.ApplyFtrl(
            var=var, accum=accum, linear=linear, grad=[0.25, 1.0], lr=1.0, l1=0.5, l2=0.0, lr_power=-0.5
        )
        value = sess.run(out)
        assert value[0] == 0 and value[1] == pytest.approx(-0.5 / np.sqrt(2))

    @pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
    def test_empty_and_scalar(self, sess, shape):
        var, m, v = _variables(sess, *np.ones((3, *shape), np.float32))
        out = tf.raw_ops.ApplyAdam(var=var, m=m, v=v, **ADAM, grad=np.ones(shape, np.float32))
        assert sess.run(out).shape == shape

    @pytest.mark.parametrize("shape, n", [((4, 0), 2), ((4, 3), 0), ((0, 3), 0)])
    def test_empty_sparse(self, sess, shape, n):
        var, accum = _variables(sess, *np.ones((2, *shape), np.float32))
        grad = np.ones((n, *shape[1:]), np.float32)
        out = tf.raw_ops.SparseApplyAdagrad(var=var, accum=accum, lr=0.5, grad=grad, indices=np.zeros(n, np.int64))
        value = sess.run(out)
        assert value.shape == shape and (value == 1).all()
