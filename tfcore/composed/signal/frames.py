"""Signals cut into frames that overlap, their spectra, and back."""

import math

from tfcore.composed.signal.fourier import dct, irfft, rfft
from tfcore.composed.signal.windows import hann_window, vorbis_window
from tfcore.composed.sizes import at_least_0, size_of
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, reshape, transpose
from tfcore.ops.array.array import rank as rank_of
from tfcore.ops.array.constants import linspace, zeros_like
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat, split, stack
from tfcore.ops.array.move import pad, roll, tile
from tfcore.ops.cwise.binary import div_no_nan, maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import ceil, log, rsqrt, square
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.ops.reduce.segment import unsorted_segment_sum


def _int(value, name, error=ValueError):
    """An int32 scalar: an int if it is known."""
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    if not tensor.dtype.is_integer:
        raise error(f"{name} must be an integer. Got {tensor.dtype}")
    known = constant_value(tensor)
    return cast(tensor, dtypes.int32) if known is None else int(known)


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Cuts a dimension into frames, which overlap if `frame_step` is less than `frame_length`.

    Args:
      signal: A `Tensor` of any type, with a dimension of samples.
      frame_length: Number of samples in a frame, an integer scalar.
      frame_step: Number of samples from frame to frame, an integer scalar.
      pad_end: Whether there are frames for the last samples too, filled up with `pad_value`; otherwise samples that
        don't fill a frame are left out.
      pad_value: A scalar of the type of `signal`.
      axis: The dimension of samples, an integer scalar.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `signal`, with two dimensions [frames, frame_length] instead of `axis`.

    Raises:
      ValueError: An argument is not a scalar.
      IndexError: `axis` is out of range.
      TypeError: A number of samples or `axis` is not an integer.

    Example:

    >>> print(sess.run(tf.signal.frame([1, 2, 3, 4, 5], 3, 2)))
    [[1 2 3]
     [3 4 5]]
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        length, step, axis = (
            _int(value, name, TypeError)
            for name, value in (("frame_length", frame_length), ("frame_step", frame_step), ("axis", axis))
        )
        rank = signal.shape.with_rank_at_least(1).ndims
        if rank is not None and not isinstance(axis, Tensor):
            axis = range(rank)[axis]
        samples = size_of(signal, axis)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, signal.dtype)
            pad_value.shape.assert_has_rank(0)
            count = -(-samples // step)
            missing = at_least_0(length + step * (count - 1) - samples)
            signal = pad(signal, _after(signal, axis, missing), constant_values=pad_value)
        else:
            count = at_least_0(1 + (samples - length) // step)
        places = expand_dims(range_of(count) * step, 1) + expand_dims(range_of(length), 0)
        return gather(signal, places, axis=axis)


def _after(signal, axis, count):
    """The paddings that add elements at the end of a dimension."""
    if signal.dims is not None and not isinstance(axis, Tensor):
        return [[0, count] if i == axis else [0, 0] for i in range(len(signal.dims))]
    after = one_hot(axis % rank_of(signal), rank_of(signal), on_value=count, off_value=0, dtype=dtypes.int32)
    return stack([zeros_like(after), after], 1)


def overlap_and_add(signal, frame_step, name=None):
    """Adds frames that each start `frame_step` samples after the one before.

    Args:
      signal: A `Tensor` of shape [..., frames, frame_length].
      frame_step: Number of samples from frame to frame, an integer scalar.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `signal` and shape [..., (frames - 1) * frame_step + frame_length].

    Raises:
      ValueError: `signal` has a rank below 2, or `frame_step` is not a positive integer scalar.

    Example:

    >>> print(sess.run(tf.signal.overlap_and_add([[1, 1, 1], [1, 1, 1]], 2)))
    [1 1 2 1 1]
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step, count, length = _int(frame_step, "frame_step"), size_of(signal, -2), size_of(signal, -1)
        if not isinstance(step, Tensor) and step <= 0:
            raise ValueError(f"frame_step must be positive. Got: {step}")
        places = expand_dims(range_of(count) * step, 1) + expand_dims(range_of(length), 0)
        # samples first, as segments are sums of rows
        sums = unsorted_segment_sum(transpose(signal, _rolled(signal, 2)), places, (count - 1) * step + length)
        return transpose(sums, _rolled(sums, -1))


def _rolled(x, shift):
    """The permutation that moves all dimensions by `shift` places."""
    if x.dims is None:
        return roll(range_of(rank_of(x)), shift, 0)
    rank = len(x.dims)
    return [(i - shift) % rank for i in range(rank)]


# ---- Spectra of frames


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """The short-time Fourier transform: the spectra of frames.

    Args:
      signals: A `Tensor` of type float32 or float64 and shape [..., samples].
      frame_length: Number of samples in a frame, an integer scalar.
      frame_step: Number of samples from frame to frame, an integer scalar.
      fft_length: The length of transforms; by default the least power of two that is not below `frame_length`.
      window_fn: A function of (window_length, dtype) that returns a window, or None.
      pad_end: Whether the last samples are filled up with zeros to a frame; otherwise they are left out.
      name: Prefix of the names of the operations (optional).

    Returns:
      A complex `Tensor` of shape [..., frames, fft_length // 2 + 1].

    Raises:
      ValueError: An argument is not a scalar, or `signals` has another type.
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        length = _int(frame_length, "frame_length")
        fft_length = _power_of_two(length) if fft_length is None else _int(fft_length, "fft_length")
        frames = frame(signals, length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return rfft(frames, [fft_length])


def _power_of_two(length):
    if not isinstance(length, Tensor):
        return 1 << max(length - 1, 0).bit_length()
    bits = ceil(log(cast(length, dtypes.float64)) / math.log(2.0) - 1e-9)
    return cast(2.0**bits, dtypes.int32)


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """The inverse of `tf.signal.stft`.

    It is exact with the window function that `tf.signal.inverse_stft_window_fn` makes of the one used for `stft`.

    Args:
      stfts: A complex `Tensor` of shape [..., frames, fft_length // 2 + 1].
      frame_length: Number of samples in a frame, an integer scalar.
      frame_step: Number of samples from frame to frame, an integer scalar.
      fft_length: The length of transforms; by default the least power of two that is not below `frame_length`.
      window_fn: A function of (window_length, dtype) that returns a window, or None.
      name: Prefix of the names of the operations (optional).

    Returns:
      A real `Tensor` of shape [..., samples].

    Raises:
      ValueError: An argument is not a scalar, or `stfts` is not complex.
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        length = _int(frame_length, "frame_length")
        fft_length = _power_of_two(length) if fft_length is None else _int(fft_length, "fft_length")
        frames = irfft(stfts, [fft_length])[..., :length]
        missing = at_least_0(length - fft_length)
        frames = pad(frames, [[0, 0]] * (len(frames.dims) - 1) + [[0, missing]])
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """The window function for `tf.signal.inverse_stft` that makes it the inverse of a `tf.signal.stft`.

    Source: D. Griffin and J. Lim, "Signal estimation from modified short-time Fourier transform", IEEE Trans. ASSP 32,
    1984.

    Args:
      frame_step: Number of samples from frame to frame, an integer scalar.
      forward_window_fn: The window function of the `stft`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A function of (window_length, dtype) that returns a window.

    Raises:
      ValueError: From the function that it returns: `frame_step` is not an integer scalar.
    """

    def window(frame_length, dtype):
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            step, length = _int(frame_step, "frame_step"), _int(frame_length, "frame_length")
            forward = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            squares = pad(square(forward), [[0, overlaps * step - length]])
            total = reduce_sum(reshape(squares, [overlaps, step]), 0, keepdims=True)
            return div_no_nan(forward, reshape(tile(total, [overlaps, 1]), [overlaps * step])[:length])

    return window


def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """The modified discrete cosine transform of frames that overlap by half.

    Args:
      signals: A `Tensor` of type float32 or float64 and shape [..., samples].
      frame_length: Number of samples in a frame, an integer divisible by 4.
      window_fn: A function of (window_length, dtype) that returns a window; None for 1 / sqrt(2) everywhere.
      pad_end: Whether the last samples are filled up with zeros to a frame; otherwise they are left out.
      norm: None or "ortho", as for `tf.signal.dct`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `signals` and shape [..., frames, frame_length // 2].

    Raises:
      ValueError: `frame_length` is not divisible by 4, or not known statically.
    """
    with name_scope(name, "mdct", [signals, frame_length]):
        signals = convert_to_tensor(signals, name="signals")
        length = _int(frame_length, "frame_length")
        if isinstance(length, Tensor) or length % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        frames = frame(signals, length, length // 2, pad_end=pad_end)
        frames = frames * (math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=frames.dtype))
        a, b, c, d = split(frames, 4, -1)
        folded = concat([-c[..., ::-1] - d, a - b[..., ::-1]], -1)
        return dct(folded, type=4, norm=norm)


def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """The inverse of `tf.signal.mdct`, but for half a frame at both ends.

    Args:
      mdcts: A `Tensor` of type float32 or float64 and shape [..., frames, half the frame length].
      window_fn: The window function that was used for `mdct`.
      norm: None or "ortho", as for `mdct`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `mdcts` and shape [..., samples].

    Raises:
      ValueError: The size of the last dimension is not known statically.
    """
    with name_scope(name, "inverse_mdct", [mdcts]):
        mdcts = convert_to_tensor(mdcts, name="mdcts")
        mdcts.shape.with_rank_at_least(1)
        half = size_of(mdcts, -1)
        if isinstance(half, Tensor):
            raise ValueError("The last dimension of mdcts must be known.")
        first, second = split(dct(mdcts, type=4, norm=norm), 2, -1)
        frames = concat([second, -second[..., ::-1], -first[..., ::-1], -first], -1)
        frames = frames * (math.sqrt(0.5) if window_fn is None else window_fn(2 * half, dtype=frames.dtype))
        return overlap_and_add(frames if norm == "ortho" else frames * (0.5 / half), half)


# ---- Features of speech


def linear_to_mel_weight_matrix(
    num_mel_bins=20,
    num_spectrogram_bins=129,
    sample_rate=8000,
    lower_edge_hertz=125.0,
    upper_edge_hertz=3800.0,
    dtype=dtypes.float32,
    name=None,
):
    """The matrix that turns spectra with linear frequencies into ones on the mel scale, by triangles.

    Args:
      num_mel_bins: Number of bands on the mel scale.
      num_spectrogram_bins: Number of frequencies of the spectrum, such as fft_length // 2 + 1.
      sample_rate: Samples per second, a number or a `Tensor`.
      lower_edge_hertz: Lower edge of the lowest band, in Hz.
      upper_edge_hertz: Upper edge of the highest band, in Hz.
      dtype: The `DType` of the result.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` and shape [num_spectrogram_bins, num_mel_bins].

    Raises:
      ValueError: An argument is out of range.
    """
    with name_scope(name, "linear_to_mel_weight_matrix") as scope:
        if isinstance(sample_rate, Tensor):
            known = constant_value(sample_rate)
            sample_rate = sample_rate if known is None else known
        _check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        rate = cast(sample_rate, dtype, name="sample_rate")
        low, high = (_mel(convert_to_tensor(edge, dtype)) for edge in (lower_edge_hertz, upper_edge_hertz))
        zero = convert_to_tensor(0.0, dtype)
        # The constant part of the signal, bin 0, counts for no band.
        bins = expand_dims(_mel(linspace(zero, rate / 2.0, num_spectrogram_bins)[1:]), 1)
        edges = frame(linspace(low, high, num_mel_bins + 2), frame_length=3, frame_step=1)
        lower, center, upper = (reshape(t, [1, num_mel_bins]) for t in split(edges, 3, axis=1))
        rising, falling = (bins - lower) / (center - lower), (upper - bins) / (upper - center)
        return pad(maximum(zero, minimum(rising, falling)), [[1, 0], [0, 0]], name=scope)


def _check_mel(num_mel_bins, sample_rate, low, high, dtype):
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if not isinstance(sample_rate, Tensor):
        if sample_rate <= 0.0:
            raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
        if high > sample_rate / 2:
            raise ValueError(
                "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
                f"Got {high} for sample_rate: {sample_rate}"
            )
    if not dtypes.as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


def _mel(hertz):
    """Source: S. Young et al., "The HTK Book", 5.4: 2595 * log10(1 + f / 700)."""
    return 1127.0 * log(1.0 + hertz / 700.0)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Mel-frequency cepstral coefficients, scaled as HTK's.

    Args:
      log_mel_spectrograms: Logarithms of spectra on the mel scale, a `Tensor` of type float32 or float64 and shape
        [..., bands].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the same type and shape.

    Raises:
      ValueError: There are no bands.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = convert_to_tensor(log_mel_spectrograms)
        bands = size_of(spectra, -1)
        if not isinstance(bands, Tensor) and bands == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {spectra}")
        return dct(spectra, type=2) * rsqrt(cast(bands, spectra.dtype) * 2.0)
