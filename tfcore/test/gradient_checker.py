"""Numeric gradients by central differences, to check symbolic ones."""

import numpy as np

from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.default_session import get_default_session
from tfcore.framework.indexed_slices import IndexedSlices
from tfcore.ops.constants import placeholder
from tfcore.ops.gradients import gradients


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The symbolic and the numerical Jacobian of `y` with respect to `x`, in the default session.

    Args:
      x: A `Tensor`, or a list of `Tensor`s.
      x_shape: The shape of `x`, a list of ints; a list of shapes for several.
      y: A `Tensor`.
      y_shape: The shape of `y`, a list of ints.
      x_init_value: The point at which to differentiate: an array; a list of arrays for several; random by default.
      delta: Step of the central difference.
      init_targets: `Operation`s to run first (optional).
      extra_feed_dict: Further values to feed (optional).

    Returns:
      A pair of arrays [size of x, size of y], in which complex elements count twice; a list of such pairs for several
      `x`.

    Raises:
      AttributeError: There is no default session.
      tf.errors.OpError: An operation fails.
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
    """The largest absolute difference between the symbolic and the numerical Jacobian.

    Args:
      x: A `Tensor`, or a list of `Tensor`s.
      x_shape: The shape of `x`, a list of ints; a list of shapes for several.
      y: A `Tensor`.
      y_shape: The shape of `y`, a list of ints.
      x_init_value: The point at which to differentiate: an array; a list of arrays for several; random by default.
      delta: Step of the central difference.
      init_targets: `Operation`s to run first (optional).
      extra_feed_dict: Further values to feed (optional).

    Returns:
      A float.

    Raises:
      AttributeError: There is no default session.
      tf.errors.OpError: An operation fails.
    """
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
    """A copy as a flat real vector, with real and imaginary parts interleaved."""
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
