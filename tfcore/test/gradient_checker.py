"""Numeric gradients by central differences, to check symbolic ones."""

import numpy as np

from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.constants import placeholder
from tfcore.ops.gradients.gradients import gradients
from tfcore.variables.resource_variable import is_resource_variable


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The symbolic and the numerical Jacobian of `y` with respect to `x`, in the default session.

    Args:
      x: A `Tensor` or `Variable`, or a list of them. Resource variables are assigned values, and then their old value.
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
    variables = [t for t in (x if isinstance(x, list) else [x]) if is_resource_variable(t)]
    before = session.run(variables)
    try:
        if not isinstance(x, list):
            return _one(session, x, list(x_shape), y, list(y_shape), x_init_value, delta, feeds)
        values = x_init_value or [None] * len(x)
        values = [_initial(t, s) if v is None else np.asarray(v) for t, s, v in zip(x, x_shape, values)]
        for t, value in zip(x, values):
            _set(session, t, value, feeds)
        return [_one(session, t, list(s), y, list(y_shape), v, delta, feeds) for t, s, v in zip(x, x_shape, values)]
    finally:
        for variable, value in zip(variables, before):
            variable.load(value, session)


def compute_gradient_error(
    x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None
):
    """The largest absolute difference between the symbolic and the numerical Jacobian.

    Args:
      x: A `Tensor` or `Variable`, or a list of them. Resource variables are assigned values, and then their old value.
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
    return value.astype(x.dtype.base_dtype.as_numpy_dtype)


def _real(array):
    """A copy as a flat real vector, with real and imaginary parts interleaved."""
    array = np.ascontiguousarray(array)
    return array.view(array.real.dtype).reshape(-1) if array.dtype.kind == "c" else array.reshape(-1)


def _one(session, x, x_shape, y, y_shape, value, delta, feeds):
    y = convert_to_tensor(y)
    if not is_resource_variable(x):
        x = convert_to_tensor(x)
    value = _initial(x, x_shape) if value is None else np.array(value, dtype=x.dtype.base_dtype.as_numpy_dtype)
    feeds = dict(feeds)
    _set(session, x, value, feeds)
    theoretical = _theoretical(session, x, y, y_shape, value, feeds)
    numeric = _numeric(session, x, y, value, delta, feeds)
    _set(session, x, value, feeds)
    return theoretical, numeric


def _set(session, x, value, feeds):
    """Makes steps with `feeds` use a value for x. A feed would replace only one of a resource variable's reads."""
    if is_resource_variable(x):
        x.load(value, session)
    else:
        feeds[x] = value


def _theoretical(session, x, y, y_shape, value, feeds):
    seed_in = placeholder(y.dtype.base_dtype, y_shape)
    (grad,) = gradients(y, x, seed_in)
    seed = np.zeros(y_shape, y.dtype.base_dtype.as_numpy_dtype)
    columns = _real(seed)
    rows = _real(value).size
    jacobian = np.zeros((rows, columns.size), np.float64)
    if grad is None:
        return jacobian
    if isinstance(grad, IndexedSlices):
        grad = convert_to_tensor(grad)
    for j in range(columns.size):
        seed = np.zeros(y_shape, y.dtype.base_dtype.as_numpy_dtype)
        _view(seed)[j] = 1
        jacobian[:, j] = _real(session.run(grad, {**feeds, seed_in: seed}))
    return jacobian


def _view(array):
    return array.reshape(-1).view(array.real.dtype)


def _numeric(session, x, y, value, delta, feeds):
    size = _real(value).size
    columns = []
    for i in range(size):
        results = []
        for step in (delta, -delta):
            moved = value.copy()
            _view(moved)[i] += step
            _set(session, x, moved, feeds)
            results.append(_real(session.run(y, feeds)).astype(np.float64))
        columns.append((results[0] - results[1]) / (2 * delta))
    return np.array(columns) if columns else np.zeros((0, 0))
