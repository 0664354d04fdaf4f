"""Window functions for signals."""

import math

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import ones
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.special import bessel_i0e
from tfcore.ops.cwise.unary import cos, exp, sin, sqrt, square
from tfcore.ops.nn.activations import relu
from tfcore.ops.reduce.scan import cumsum


def _length(window_length, dtype):
    if not dtypes.as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = convert_to_tensor(window_length, dtype=dtypes.int32, name="window_length")
    length.shape.assert_has_rank(0)
    return length


def _raised_cosine(name, default_name, window_length, periodic, dtype, a, b):
    with name_scope(name, default_name, [window_length, periodic]):
        length = _length(window_length, dtype)
        if constant_value(length) == 1:
            return ones([1], dtype=dtype)
        periodic = cast(convert_to_tensor(periodic, dtype=dtypes.bool, name="periodic"), dtypes.int32)
        even = 1 - length % 2
        # If only the run tells that the length is 1, the angle is 0 / 1, not 0 / 0, and the window is set to 1 below.
        n = cast(maximum(length + periodic * even - 1, 1), dtype)
        angles = constant(2 * math.pi, dtype) * cast(range_of(length), dtype) / n
        window = a - b * cos(angles)
        if constant_value(length) is not None:
            return window
        return maximum(window, cast(length < 2, dtype))


def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """The Hann window: 0.5 - 0.5 * cos(2 * pi * k / n).

    Args:
      window_length: The length, an int32 scalar.
      periodic: Whether it is one period of a longer sequence, as spectra need; else it is symmetric.
      dtype: The `DType` of the result.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [window_length].

    Raises:
      ValueError: `dtype` is not a floating-point type, or the length not a scalar.

    Example:

    >>> print(sess.run(tf.signal.hann_window(4)))
    [0.  0.5 1.  0.5]
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """The Hamming window: 0.54 - 0.46 * cos(2 * pi * k / n).

    Args:
      window_length: The length, an int32 scalar.
      periodic: Whether it is one period of a longer sequence, as spectra need; else it is symmetric.
      dtype: The `DType` of the result.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [window_length].

    Raises:
      ValueError: `dtype` is not a floating-point type, or the length not a scalar.
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(window_length, beta=12.0, dtype=dtypes.float32, name=None):
    """The Kaiser window, which concentrates energy near frequency 0.

    Args:
      window_length: The length, an int32 scalar.
      beta: The parameter of the shape, a number.
      dtype: The `DType` of the result.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [window_length].

    Raises:
      ValueError: `dtype` is not a floating-point type, or the length not a scalar.
    """
    with name_scope(name, "kaiser_window"):
        length = _length(window_length, dtype)
        if constant_value(length) == 1:
            return ones([1], dtype=dtype)
        half = (cast(length, dtype) - 1.0) / 2.0
        beta = cast(beta, dtype) if isinstance(beta, Tensor) else constant(beta, dtype)
        at = cast(range_of(length), dtype) - half
        root = beta * sqrt(relu(1.0 - square(at / half)))
        return exp(root - beta) * (bessel_i0e(root) / bessel_i0e(beta))


def kaiser_bessel_derived_window(window_length, beta=12.0, dtype=dtypes.float32, name=None):
    """The Kaiser-Bessel-derived window, whose squares overlap to 1.

    Args:
      window_length: The length, an even int32 scalar.
      beta: The parameter of the shape, a number.
      dtype: The `DType` of the result.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [window_length].

    Raises:
      ValueError: `dtype` is not a floating-point type, or the length not a scalar.
    """
    with name_scope(name, "kaiser_bessel_derived_window"):
        length = _length(window_length, dtype)
        known = constant_value(length)
        half_length = length // 2 if known is None else int(known) // 2
        total = cumsum(kaiser_window(half_length + 1, beta, dtype=dtype))
        half = sqrt(total[:-1] / total[-1])
        return concat([half, half[::-1]], 0)


def vorbis_window(window_length, dtype=dtypes.float32, name=None):
    """The window of the Vorbis codec, whose squares overlap to 1.

    Args:
      window_length: The length, an even int32 scalar.
      dtype: The `DType` of the result.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [window_length].

    Raises:
      ValueError: `dtype` is not a floating-point type, or the length not a scalar.
    """
    with name_scope(name, "vorbis_window"):
        length = _length(window_length, dtype)
        at = cast(range_of(length), dtype) + 0.5
        return sin(math.pi / 2.0 * square(sin(math.pi / cast(length, dtype) * at)))
