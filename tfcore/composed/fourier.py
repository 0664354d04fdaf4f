"""Fourier transforms of real values, cosine transforms and shifts of spectra, by means of the complex transforms."""

import math

from tfcore.composed.sizes import at_least_0
from tfcore.framework import dtypes
from tfcore.framework.constant import constant, constant_value
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.operation import Tensor
from tfcore.ops import fft as transforms
from tfcore.ops.array import expand_dims, rank, shape
from tfcore.ops.array_join import concat
from tfcore.ops.array_move import pad, reverse_v2, roll
from tfcore.ops.cast import cast
from tfcore.ops.constants import range as range_of
from tfcore.ops.cwise_complex import complex as complex_of
from tfcore.ops.cwise_complex import conj, real
from tfcore.ops.cwise_select import where
from tfcore.ops.cwise_unary import exp, rsqrt, sqrt
from tfcore.ops.indexing import gather

_FORWARD = {1: transforms.fft, 2: transforms.fft2d, 3: transforms.fft3d}
_BACKWARD = {1: transforms.ifft, 2: transforms.ifft2d, 3: transforms.ifft3d}


# ---- Transforms of real values


def _real_transform(axes, input_tensor, fft_length, name):
    default_name = "rfft" if axes == 1 else f"rfft{axes}d"
    with name_scope(name, default_name, [input_tensor, fft_length]):
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32)
        if x.dtype not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
        x.shape.with_rank_at_least(axes)
        lengths = _given(fft_length, axes) or _sizes(x)[-axes:]
        kind = dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128
        spectrum = _FORWARD[axes](cast(_fit(x, lengths), kind))
        return spectrum[..., : lengths[-1] // 2 + 1]


def _inverse_real_transform(axes, input_tensor, fft_length, name):
    default_name = "irfft" if axes == 1 else f"irfft{axes}d"
    with name_scope(name, default_name, [input_tensor, fft_length]):
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
        if not x.dtype.is_complex:
            raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
        x.shape.with_rank_at_least(axes)
        lengths = _given(fft_length, axes)
        if lengths is None:
            sizes = _sizes(x)[-axes:]
            lengths = [*sizes[:-1], at_least_0(2 * (sizes[-1] - 1))]
        x = _fit(x, [*lengths[:-1], lengths[-1] // 2 + 1])
        # The rest of the spectrum of a real signal: the conjugate at the negative frequency.
        rest = reverse_v2(conj(x[..., 1 : (lengths[-1] + 1) // 2]), range(-axes, 0))
        for axis in range(-axes, -1):
            rest = roll(rest, 1, axis)
        return real(_BACKWARD[axes](concat([x, rest], -1)))


def _given(fft_length, axes):
    """The lengths that an argument gives, as ints where they are known; None for None."""
    if fft_length is None:
        return None
    tensor = convert_to_tensor(fft_length, dtypes.int32)
    tensor.shape.assert_is_compatible_with([axes])
    known = constant_value(tensor)
    return [tensor[i] for i in range(axes)] if known is None else [int(v) for v in known]


def _sizes(x):
    """The sizes of the dimensions: ints where they are known."""
    if x.dims is None:
        raise ValueError("The rank must be known.")
    dynamic = shape(x) if None in x.dims else None
    return [dynamic[i] if size is None else size for i, size in enumerate(x.dims)]


def _fit(x, lengths):
    """Cuts the last dimensions, or pads them with zeros, to these lengths."""
    sizes, first = _sizes(x), len(x.dims) - len(lengths)
    if all(not isinstance(n, Tensor) and n == sizes[first + i] for i, n in enumerate(lengths)):
        return x
    cut = x[(..., *(slice(0, n) for n in lengths))]
    missing = [at_least_0(n - sizes[first + i]) for i, n in enumerate(lengths)]
    result = pad(cut, [[0, 0]] * first + [[0, m] for m in missing])
    known = [None if isinstance(n, Tensor) else n for n in lengths]
    result.set_shape([*x.dims[:first], *known])
    return result


def rfft(input_tensor, fft_length=None, name=None):
    """The Fourier transform of real values over the last dimension: the frequencies that are not negative.

    Args:
      input_tensor: A `Tensor` of type float32 or float64.
      fft_length: The length n to which the dimension is cut or padded with zeros, a list of one int or an int32 vector
        (optional).
      name: Prefix of the names of the operations (optional).

    Returns:
      A complex `Tensor` with n // 2 + 1 elements in the last dimension.

    Raises:
      ValueError: `input_tensor` has another type, or too low or unknown a rank.

    Example:

    >>> print(sess.run(tf.signal.rfft([1.0, 0.0, 0.0, 0.0])).real)
    [1. 1. 1.]
    """
    return _real_transform(1, input_tensor, fft_length, name)


def rfft2d(input_tensor, fft_length=None, name=None):
    """Like `tf.signal.rfft` over the last two dimensions.

    Args:
      input_tensor: A `Tensor` of type float32 or float64.
      fft_length: The lengths of the dimensions, two ints or an int32 vector (optional).
      name: Prefix of the names of the operations (optional).

    Returns:
      A complex `Tensor` with n // 2 + 1 elements in the last dimension, for its length n.

    Raises:
      ValueError: `input_tensor` has another type, or too low or unknown a rank.
    """
    return _real_transform(2, input_tensor, fft_length, name)


def rfft3d(input_tensor, fft_length=None, name=None):
    """Like `tf.signal.rfft` over the last three dimensions.

    Args:
      input_tensor: A `Tensor` of type float32 or float64.
      fft_length: The lengths of the dimensions, three ints or an int32 vector (optional).
      name: Prefix of the names of the operations (optional).

    Returns:
      A complex `Tensor` with n // 2 + 1 elements in the last dimension, for its length n.

    Raises:
      ValueError: `input_tensor` has another type, or too low or unknown a rank.
    """
    return _real_transform(3, input_tensor, fft_length, name)


def irfft(input_tensor, fft_length=None, name=None):
    """The inverse of `tf.signal.rfft`.

    Args:
      input_tensor: A complex `Tensor`: the frequencies that are not negative.
      fft_length: The length n of the result, a list of one int or an int32 vector; by default it is even.
      name: Prefix of the names of the operations (optional).

    Returns:
      A real `Tensor` with n elements in the last dimension.

    Raises:
      ValueError: `input_tensor` is not complex, or has too low or unknown a rank.
    """
    return _inverse_real_transform(1, input_tensor, fft_length, name)


def irfft2d(input_tensor, fft_length=None, name=None):
    """The inverse of `tf.signal.rfft2d`.

    Args:
      input_tensor: A complex `Tensor`.
      fft_length: The lengths of the result, two ints or an int32 vector; by default the last one is even.
      name: Prefix of the names of the operations (optional).

    Returns:
      A real `Tensor`.

    Raises:
      ValueError: `input_tensor` is not complex, or has too low or unknown a rank.
    """
    return _inverse_real_transform(2, input_tensor, fft_length, name)


def irfft3d(input_tensor, fft_length=None, name=None):
    """The inverse of `tf.signal.rfft3d`.

    Args:
      input_tensor: A complex `Tensor`.
      fft_length: The lengths of the result, three ints or an int32 vector; by default the last one is even.
      name: Prefix of the names of the operations (optional).

    Returns:
      A real `Tensor`.

    Raises:
      ValueError: `input_tensor` is not complex, or has too low or unknown a rank.
    """
    return _inverse_real_transform(3, input_tensor, fft_length, name)


# ---- Shifts


def _shift(x, axes, name, sign):
    x = convert_to_tensor(x)
    if axes is None:
        axes = list(range(x.shape.ndims))
    sizes = shape(x)
    if isinstance(axes, int):
        return roll(x, sign * (sizes[axes] // 2), axes, name)
    axes = convert_to_tensor(axes, dtypes.int32)
    axes = where(axes < 0, axes + rank(x), axes)
    return roll(x, sign * (gather(sizes, axes) // 2), axes, name)


def fftshift(x, axes=None, name=None):
    """Moves the zero frequency to the middle.

    Args:
      x: A `Tensor` of any type.
      axes: The dimensions, an int or a list of ints; all by default.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.

    Example:

    >>> print(sess.run(tf.signal.fftshift([0, 1, 2, -2, -1])))
    [-2 -1  0  1  2]
    """
    with name_scope(name, "fftshift") as scope:
        return _shift(x, axes, scope, 1)


def ifftshift(x, axes=None, name=None):
    """The inverse of `tf.signal.fftshift`.

    Args:
      x: A `Tensor` of any type.
      axes: The dimensions, an int or a list of ints; all by default.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.
    """
    with name_scope(name, "ifftshift") as scope:
        return _shift(x, axes, scope, -1)


# ---- Cosine transforms


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):  # noqa: A002  named as in TensorFlow
    """The discrete cosine transform over the last dimension.

    Args:
      input: A `Tensor` of type float32 or float64.
      type: The kind of transform: 1, 2, 3 or 4.
      n: The length to which the dimension is cut or padded with zeros (optional).
      axis: Must be -1.
      norm: None, or "ortho" for an orthonormal transform (not with type 1).
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input`.

    Raises:
      NotImplementedError: `axis` is not -1.
      ValueError: Another argument is not valid.

    Example:

    >>> print(sess.run(tf.signal.dct([1.0, 1.0], norm="ortho")).round(3))
    [1.414 0.   ]
    """
    _check_dct(input, type, n, axis, norm)
    return _dct(input, type, n, norm, name)


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):  # noqa: A002  named as in TensorFlow
    """The inverse of `tf.signal.dct`, for `norm=None` up to a factor: 2 * n, or 2 * (n - 1) for type 1.

    Args:
      input: A `Tensor` of type float32 or float64.
      type: The kind of transform that is inverted: 1, 2, 3 or 4.
      n: The length to which the dimension is cut or padded with zeros (optional).
      axis: Must be -1.
      norm: None, or "ortho" for an orthonormal transform (not with type 1).
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input`.

    Raises:
      NotImplementedError: `axis` is not -1.
      ValueError: Another argument is not valid.
    """
    _check_dct(input, type, n, axis, norm)
    return _dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm, name)


def _check_dct(x, kind, n, axis, norm):
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if kind == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        size = convert_to_tensor(x).dims
        if n is None and size and size[-1] is not None and size[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")


def _dct(x, kind, n, norm, name):
    """Source: J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28, 1980."""
    with name_scope(name, "dct", [x]):
        x = convert_to_tensor(x)
        x = x if n is None else _fit(x, [n])
        size = _sizes(x)[-1]
        if kind == 1:
            return real(rfft(concat([x, x[..., -2:0:-1]], -1)))
        length = cast(convert_to_tensor(size), x.dtype)
        if kind == 4:
            found = _dct(x, 2, 2 * size, None, None)[..., 1::2]
            return found * (math.sqrt(0.5) * rsqrt(length)) if norm else found
        zero = constant(0.0, x.dtype)
        angles = cast(range_of(size), x.dtype) * (0.5 * math.pi) / length
        if kind == 2:
            turned = rfft(x, fft_length=[2 * size])[..., :size] * (2 * exp(complex_of(zero, -angles)))
            return real(turned) * _weights(0.5 * rsqrt(length), math.sqrt(2.0), size) if norm else real(turned)
        x = x * (_weights(sqrt(length), math.sqrt(0.5), size) if norm else length)
        turned = complex_of(x, zero) * (2 * exp(complex_of(zero, angles)))
        return irfft(turned, fft_length=[2 * size])[..., :size]


def _weights(first, factor, size):
    """`first`, then `first * factor` for the rest of a vector."""
    return concat([expand_dims(first, 0), (first * factor) + cast(range_of(size - 1) * 0, first.dtype)], 0)
