"""Fourier transforms of real values and over any dimensions, cosine transforms, shifts, over complex transforms."""

import math
import operator

from tfcore.composed.sizes import at_least_0
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, rank, shape, transpose
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import pad, roll
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.complex import complex as complex_of
from tfcore.ops.cwise.complex import real
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import exp, rsqrt, sqrt
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.linalg import fft as transforms

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
        return transforms.rfft_of(_fit(x, lengths), axes, _vector(lengths))


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
        return transforms.irfft_of(x, axes, _vector(lengths))


def _vector(lengths):
    return stack(lengths) if any(isinstance(n, Tensor) for n in lengths) else constant(lengths, dtypes.int32)


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


# ---- Transforms over any dimensions


def _any_axes(axes, lengths, x):
    """The dimensions, counted from 0; by default the last ones that `lengths` covers, or all."""
    if x.dims is None:
        raise ValueError("The rank must be known.")
    n = len(x.dims)
    if axes is None:
        return list(range(n) if lengths is None else range(n - len(lengths), n))
    known = constant_value(convert_to_tensor(axes, dtypes.int32))
    if known is None or known.ndim != 1:
        raise ValueError(f"`axes` must be a vector that is known when the graph is built. Received: axes={axes}")
    found = [int(a) for a in known]
    if any(a < -n or a >= n for a in found) or len({a % n for a in found}) != len(found):
        raise ValueError(f"`axes` must be different dimensions of {n}. Received: axes={found}")
    return [a % n for a in found]


def _any_lengths(fft_length, x):
    """The lengths that an argument gives, as ints where they are known; None for None."""
    if fft_length is None:
        return None
    count = convert_to_tensor(fft_length, dtypes.int32).shape.with_rank(1).as_list()[0]
    if count is None:
        raise ValueError("The number of elements of `fft_length` must be known.")
    lengths = _given(fft_length, count)
    wrong = [n for n in lengths if not isinstance(n, Tensor) and n < 1]
    if wrong or (x.dims is not None and count > len(x.dims)):
        raise ValueError(f"`fft_length` must have at most one positive length for each dimension, got: {fft_length}")
    return lengths


def _last(x, axes, function):
    """A function of the last dimensions, applied to these ones."""
    n = len(x.dims)
    order = [d for d in range(n) if d not in axes] + list(axes)
    if order == list(range(n)):
        return function(x)
    return transpose(function(transpose(x, order)), [order.index(d) for d in range(n)])


def _complex_any(x, lengths, axes, table):
    """The complex transform, over three dimensions at a time."""
    for first in range(0, len(axes), 3):
        some, sizes = axes[first : first + 3], lengths[first : first + 3]
        x = _last(x, some, lambda y, sizes=sizes: table[len(sizes)](_fit(y, sizes)))
    return x


def _scaled(x, lengths, norm, forward):
    """Divides by n for norm "forward" instead of "backward", by its root for "ortho"; the inverse multiplies."""
    if norm in (None, "backward"):
        return x
    if norm not in ("forward", "ortho"):
        raise ValueError(f"Unknown normalization. Expected 'backward', 'forward' or 'ortho', got: {norm}")
    n = convert_to_tensor(1.0, dtypes.float64)
    for length in lengths:
        n *= cast(length, dtypes.float64)
    n = n if norm == "forward" else sqrt(n)
    return x * cast(1 / n if forward else n, x.dtype)


def _any_transform(label, inputs, norm, name):
    """The four transforms: "fftnd", "ifftnd", "rfftnd" and "irfftnd"."""
    x, fft_length, axes = inputs
    real_input, real_output = label == "rfftnd", label == "irfftnd"
    with name_scope(name, label, [x, fft_length]):
        x = convert_to_tensor(x, preferred_dtype=dtypes.float32 if real_input else dtypes.complex64)
        if real_input and x.dtype not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
        if not real_input and not x.dtype.is_complex:
            what = "IRFFT" if real_output else "FFT"
            raise ValueError(f"{what} requires tf.complex64 or tf.complex128 inputs, got: {x}")
        lengths = _any_lengths(fft_length, x)
        axes = _any_axes(axes, lengths, x)
        if lengths is None:
            sizes = _sizes(x)
            lengths = [sizes[a] for a in axes]
            if real_output and axes:
                lengths[-1] = at_least_0(2 * (lengths[-1] - 1))
        if len(lengths) != len(axes):
            raise ValueError(f"`fft_length` and `axes` must have as many elements. Got: {fft_length} and {axes}")
        x = _scaled(x, lengths, norm, forward=label in ("fftnd", "rfftnd"))
        if label == "fftnd":
            return _complex_any(x, lengths, axes, _FORWARD)
        if label == "ifftnd":
            return _complex_any(x, lengths, axes, _BACKWARD)
        if not axes:
            raise ValueError("At least one dimension must be transformed.")
        if real_input:
            x = _last(x, axes[-1:], lambda y: rfft(y, lengths[-1:]))
            return _complex_any(x, lengths[:-1], axes[:-1], _FORWARD)
        x = _complex_any(x, lengths[:-1], axes[:-1], _BACKWARD)
        return _last(x, axes[-1:], lambda y: irfft(y, lengths[-1:]))


def fftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The discrete Fourier transform over any dimensions.

    Args:
      input_tensor: A `Tensor` of type complex64 or complex128.
      fft_length: The lengths to which the dimensions are cut or padded with zeros, a list of ints or an int32 vector
        (optional).
      axes: The dimensions, a list of ints; all by default, or the last ones if there are fewer lengths.
      norm: "backward" (the default: the inverse divides by the number of elements n), "forward" (this transform does)
        or "ortho" (both divide by its square root).
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input_tensor`.

    Raises:
      ValueError: `input_tensor` is not complex or its rank is unknown, or another argument is not valid.

    Example:

    >>> print(sess.run(tf.signal.fftnd(tf.ones([2, 3], tf.complex64), axes=[0])).real)
    [[2. 2. 2.]
     [0. 0. 0.]]
    """
    return _any_transform("fftnd", (input_tensor, fft_length, axes), norm, name)


def ifftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of `tf.signal.fftnd`.

    Args:
      input_tensor: A `Tensor` of type complex64 or complex128.
      fft_length: As for `tf.signal.fftnd`.
      axes: As for `tf.signal.fftnd`.
      norm: As for `tf.signal.fftnd`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `input_tensor`.

    Raises:
      ValueError: `input_tensor` is not complex or its rank is unknown, or another argument is not valid.
    """
    return _any_transform("ifftnd", (input_tensor, fft_length, axes), norm, name)


def rfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The Fourier transform of real values over any dimensions.

    Args:
      input_tensor: A `Tensor` of type float32 or float64.
      fft_length: As for `tf.signal.fftnd`.
      axes: As for `tf.signal.fftnd`. Along the last one there are the frequencies that are not negative.
      norm: As for `tf.signal.fftnd`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A complex `Tensor` with n // 2 + 1 elements in the last one of `axes`, for its length n.

    Raises:
      ValueError: `input_tensor` has another type or an unknown rank, or another argument is not valid.
    """
    return _any_transform("rfftnd", (input_tensor, fft_length, axes), norm, name)


def irfftnd(input_tensor, fft_length=None, axes=None, norm=None, name=None):
    """The inverse of `tf.signal.rfftnd`.

    Args:
      input_tensor: A complex `Tensor`.
      fft_length: The lengths of the result, a list of ints or an int32 vector; by default the last one is even.
      axes: As for `tf.signal.rfftnd`.
      norm: As for `tf.signal.fftnd`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A real `Tensor`.

    Raises:
      ValueError: `input_tensor` is not complex or its rank is unknown, or another argument is not valid.
    """
    return _any_transform("irfftnd", (input_tensor, fft_length, axes), norm, name)


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

    Raises:
      ValueError: There is no such dimension.
      TypeError: `axes` are not integers.

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

    Raises:
      ValueError: There is no such dimension.
      TypeError: `axes` are not integers.
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
      TypeError: `input` has another type, or `n` is not an integer.
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
      TypeError: `input` has another type, or `n` is not an integer.
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
        if not x.dtype.is_floating:
            raise TypeError(f"input must have a floating-point type. Got: {x.dtype}")
        x = x if n is None else _fit(x, [operator.index(n)])
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
