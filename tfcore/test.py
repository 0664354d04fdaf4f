"""The namespace tf.test: helpers for tests of TensorFlow programs.

`compute_gradient` finds gradients numerically, by central differences, to check symbolic ones.
"""

import contextlib
import tempfile
import unittest

import numpy as np

from tfcore.client.session import Session
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.default_session import get_default_session
from tfcore.framework.errors import OpError
from tfcore.framework.graph import Graph, reset_default_graph
from tfcore.framework.indexed_slices import IndexedSlices
from tfcore.ops.constants import placeholder
from tfcore.ops.gradients import gradients

__all__ = [
    "TestCase",
    "compute_gradient",
    "compute_gradient_error",
    "get_temp_dir",
    "is_built_with_cuda",
    "is_gpu_available",
    "main",
]


def main(argv=None):
    """Runs the tests of the main module."""
    unittest.main(argv=argv)


def get_temp_dir():
    """A new directory for files of one test."""
    return tempfile.mkdtemp(prefix="tfcore_test_")


def is_built_with_cuda():
    return False


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    return False


class TestCase(unittest.TestCase):
    """unittest.TestCase with a fresh default graph for each test and assertions for arrays."""

    def setUp(self):  # noqa: N802
        super().setUp()
        reset_default_graph()

    def get_temp_dir(self):
        return get_temp_dir()

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A session that is the default session and whose graph is the default graph."""
        graph = graph or Graph()
        with graph.as_default(), Session(graph=graph, config=config) as session:
            yield session

    def assertAllEqual(self, a, b, msg=None):  # noqa: N802
        np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):  # noqa: N802
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=msg or "")

    def assertNear(self, a, b, err, msg=None):  # noqa: N802
        self.assertTrue(abs(a - b) <= err, msg or f"{a} is not within {err} of {b}")

    def assertShapeEqual(self, array, tensor):  # noqa: N802
        self.assertEqual(list(array.shape), tensor.get_shape().as_list())

    @contextlib.contextmanager
    def assertRaisesOpError(self, text):  # noqa: N802
        with self.assertRaisesRegex(OpError, text):
            yield


# ---- Numeric gradients


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The theoretical and numerical Jacobian of `y` with respect to `x`.

    Args:
      x: a Tensor or a list of them; x_shape, x_init_value: likewise. y: a Tensor of shape y_shape.
      delta: step of the central difference. init_targets: operations to run first.

    Returns: for one x a pair of arrays [size of x, size of y] (complex counts twice), else a list of such pairs.
    """
    session = get_default_session()
    feeds = dict(extra_feed_dict or {})
    if init_targets is not None:
        session.run(init_targets)
    if not isinstance(x, list):
        return _one(session, x, list(x_shape), y, list(y_shape), x_init_value, delta, feeds)
    values = x_init_value or [None] * len(x)
    values = [_initial(t, s) if v is None else np.asarray(v) for t, s, v in zip(x, x_shape, values)]
    feeds.update(zip(x, values))
    return [_one(session, t, list(s), y, list(y_shape), v, delta, feeds) for t, s, v in zip(x, x_shape, values)]


def compute_gradient_error(
    x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None
):
    """The largest absolute difference between the two Jacobians of `compute_gradient`."""
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = [pairs] if isinstance(pairs, tuple) else pairs
    return max((float(np.abs(a - b).max()) for a, b in pairs if a.size), default=0.0)


def _initial(x, shape):
    rng = np.random.default_rng(0)
    value = rng.random(shape)
    if x.dtype.is_complex:
        value = value + 1j * rng.random(shape)
    return value.astype(x.dtype._base._np)


def _real(array):
    """A copy as a flat vector of real numbers, real and imaginary parts in turn."""
    array = np.ascontiguousarray(array)
    return array.view(array.real.dtype).reshape(-1) if array.dtype.kind == "c" else array.reshape(-1)


def _one(session, x, x_shape, y, y_shape, value, delta, feeds):
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    value = _initial(x, x_shape) if value is None else np.array(value, dtype=x.dtype._base._np)
    return (
        _theoretical(session, x, y, y_shape, value, feeds),
        _numeric(session, x, y, value, delta, feeds),
    )


def _theoretical(session, x, y, y_shape, value, feeds):
    seed_in = placeholder(y.dtype._base, y_shape)
    (grad,) = gradients(y, x, seed_in)
    seed = np.zeros(y_shape, y.dtype._base._np)
    columns = _real(seed)
    rows = _real(value).size
    jacobian = np.zeros((rows, columns.size), np.float64)
    if grad is None:
        return jacobian
    if isinstance(grad, IndexedSlices):
        grad = convert_to_tensor(grad)
    for j in range(columns.size):
        seed = np.zeros(y_shape, y.dtype._base._np)
        _view(seed)[j] = 1
        jacobian[:, j] = _real(session.run(grad, {**feeds, x: value, seed_in: seed}))
    return jacobian


def _view(array):
    return array.reshape(-1).view(array.real.dtype)


def _numeric(session, x, y, value, delta, feeds):
    size = _real(value).size
    columns = []
    for i in range(size):
        plus, minus = value.copy(), value.copy()
        _view(plus)[i] += delta
        _view(minus)[i] -= delta
        high = _real(session.run(y, {**feeds, x: plus})).astype(np.float64)
        low = _real(session.run(y, {**feeds, x: minus})).astype(np.float64)
        columns.append((high - low) / (2 * delta))
    return np.array(columns) if columns else np.zeros((0, 0))
