"""The operations of random programs: on tensors, and on arrays with derivatives.

Arrays may be complex, with imaginary parts so small that they carry another derivative, exactly: for derivatives of
second order (J. N. Lyness and C. B. Moler, "Numerical differentiation of analytic functions", 1967). What decides or
counts takes real parts.

All map numbers in [-1, 1] to [-1, 1] (whole numbers to small ones), so that no loop makes anything overflow.
"""

import numpy as np


class Dual:
    """An array and its derivatives: `tangent[k]` is along direction k; None for an array independent of the inputs."""

    __slots__ = ("value", "tangent")

    def __init__(self, value, tangent=None):
        self.value = value
        self.tangent = tangent

    def scaled(self, value, slope):
        """The result `value` of an elementwise function with derivative `slope`."""
        return Dual(value, None if self.tangent is None else self.tangent * slope)


def _sum(*tangents):
    known = [t for t in tangents if t is not None]
    return sum(known[1:], known[0]) if known else None


def _unary(function, slope):
    def apply(x):
        return x.scaled(function(x.value), slope(x.value))

    return apply


def _aligned(tangent, value):
    """A scalar's tangent beside those of arrays."""
    missing = value.ndim + 1 - tangent.ndim
    return tangent.reshape(tangent.shape + (1,) * missing)


def _linear(x, y, a, b):
    """0.5 * (a * x + b * y)"""
    value = ((x.value * a + y.value * b) * x.value.dtype.type(0.5)).astype(x.value.dtype)
    parts = [_aligned(0.5 * s * d.tangent, value) for s, d in ((a, x), (b, y)) if d.tangent is not None]
    return Dual(value, None if not parts else np.broadcast_to(sum(parts), (len(parts[0]), *value.shape)))


def _product(x, y):
    value = x.value * y.value
    parts = [_aligned(d.tangent, value) * o.value for d, o in ((x, y), (y, x)) if d.tangent is not None]
    return Dual(value, _sum(*parts))


def _matmul(x, y):
    half = x.value.dtype.type(0.5)
    parts = []
    if x.tangent is not None:
        parts.append(x.tangent @ y.value * half)
    if y.tangent is not None:
        parts.append(x.value @ y.tangent * half)
    return Dual(x.value @ y.value * half, _sum(*parts))


def _mapped(function, along):
    """A linear function of the array; `along` is the same for an array with the directions as first dimension."""

    def apply(x):
        return Dual(function(x.value), None if x.tangent is None else along(x.tangent))

    return apply


def _mean(values, first):
    axes = tuple(range(first, values.ndim))
    return np.asarray(values.mean(axes) if axes else values, values.dtype)


def _gather(x, i):
    k = int(i.value) % len(x.value)
    return Dual(x.value[k], None if x.tangent is None else x.tangent[:, k])


def _fill(x):
    return Dual(np.stack([x.value, x.value]), None if x.tangent is None else np.stack([x.tangent, x.tangent], 1))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _whole(function):
    def apply(*args):
        value = function(*[a.value for a in args])
        return Dual(np.asarray(value, args[0].value.dtype))

    return apply


# Name -> (kinds of the arguments and of the result, on tensors, on arrays). Kinds: "x" any float, "y" one of the same
# type as the first or a scalar of it, "s" its scalar, "v" a vector or matrix, "r" a row of it, "m" a square matrix,
# "i" an int scalar, "j" one of the same type, "b" a bool.
OPERATIONS = {
    "tanh": ("x>x", lambda tf, x: tf.tanh(x), _unary(np.tanh, lambda x: 1 - np.tanh(x) ** 2)),
    "sin": ("x>x", lambda tf, x: tf.sin(x), _unary(np.sin, np.cos)),
    "sigmoid": ("x>x", lambda tf, x: tf.sigmoid(x), _unary(_sigmoid, lambda x: _sigmoid(x) * _sigmoid(-x))),
    "negate": ("x>x", lambda tf, x: -x, _unary(np.negative, lambda x: -np.ones_like(x))),
    "square": ("x>x", lambda tf, x: tf.square(x), _unary(np.square, lambda x: 2 * x)),
    "identity": ("x>x", lambda tf, x: tf.identity(x), lambda x: x),
    "stop": ("x>x", lambda tf, x: tf.stop_gradient(x), lambda x: Dual(x.value.real.astype(x.value.dtype))),
    "constant": ("x>x", lambda tf, x: tf.zeros_like(x) + 0.25, lambda x: Dual(np.full_like(x.value, 0.25))),
    "average": ("xy>x", lambda tf, x, y: (x + y) * 0.5, lambda x, y: _linear(x, y, 1, 1)),
    "difference": ("xy>x", lambda tf, x, y: (x - y) * 0.5, lambda x, y: _linear(x, y, 1, -1)),
    "product": ("xy>x", lambda tf, x, y: x * y, _product),
    "matmul": ("mm>m", lambda tf, x, y: tf.matmul(x, y) * 0.5, _matmul),
    "mean": ("x>s", lambda tf, x: tf.reduce_mean(x), _mapped(lambda x: _mean(x, 0), lambda t: _mean(t, 1))),
    "row": ("vi>r", lambda tf, x, i: tf.gather(x, i % x_length(tf, x, i)), _gather),
    "transpose": ("m>m", lambda tf, x: tf.transpose(x), _mapped(np.transpose, lambda t: t.transpose(0, 2, 1))),
    "increment": ("i>i", lambda tf, i: (i + 1) % 5, _whole(lambda i: (i + 1) % 5)),
    "combine": ("ij>i", lambda tf, i, j: (i * 3 + j) % 7, _whole(lambda i, j: (i * 3 + j) % 7)),
    "even": ("i>b", lambda tf, i: tf.equal(i % 2, 0), lambda i: Dual(i.value % 2 == 0)),
    "less": ("ij>b", lambda tf, i, j: tf.less(i, j), lambda i, j: Dual(i.value < j.value)),
    "both": ("bb>b", lambda tf, a, b: tf.logical_and(a, b), lambda a, b: Dual(a.value & b.value)),
    "not": ("b>b", lambda tf, a: tf.logical_not(a), lambda a: Dual(~a.value)),
}


def x_length(tf, x, like):
    """The number of rows of a tensor, in the type of the scalar `like`."""
    return tf.cast(tf.shape(x)[0], like.dtype)


def cast(x, dtype):
    """A Dual in another type; whole numbers have no derivatives."""
    if not dtype.startswith("float"):
        return Dual(np.asarray(np.trunc(x.value.real * 3), dtype))
    if np.iscomplexobj(x.value):
        dtype = _COMPLEX[dtype]
    return Dual(np.asarray(x.value, dtype), None if x.tangent is None else x.tangent.astype(dtype))


_COMPLEX = {"float64": "complex128", "float32": "complex64"}
