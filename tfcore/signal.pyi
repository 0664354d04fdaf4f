# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import fft as fft
from tfcore import fft2d as fft2d
from tfcore import fft3d as fft3d
from tfcore import ifft as ifft
from tfcore import ifft2d as ifft2d
from tfcore import ifft3d as ifft3d
from typing import Any as _Any

__all__ = [
'dct', 'fft', 'fft2d', 'fft3d', 'fftnd', 'fftshift', 'frame', 'hamming_window', 'hann_window', 'idct', 'ifft', 'ifft2d',
'ifft3d', 'ifftnd', 'ifftshift', 'inverse_mdct', 'inverse_stft', 'inverse_stft_window_fn', 'irfft', 'irfft2d',
'irfft3d', 'irfftnd', 'kaiser_bessel_derived_window', 'kaiser_window', 'linear_to_mel_weight_matrix', 'mdct',
'mfccs_from_log_mel_spectrograms', 'overlap_and_add', 'rfft', 'rfft2d', 'rfft3d', 'rfftnd', 'stft', 'vorbis_window'
]

def dct(input: _Any, type: _Any = 2, n: _Any = None, axis: _Any = -1, norm: _Any = None, name: str | None = None) -> Tensor:
    """The discrete cosine transform over the last dimension."""

def fftnd(input_tensor: _Any, fft_length: _Any = None, axes: _Any = None, norm: _Any = None, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over any dimensions."""

def fftshift(x: _Any, axes: _Any = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency to the middle."""

def frame(signal: _Any, frame_length: _Any, frame_step: _Any, pad_end: _Any = False, pad_value: _Any = 0, axis: _Any = -1, name: str | None = None) -> Tensor:
    """Cuts a dimension into frames, which overlap if `frame_step` is less than `frame_length`."""

def hamming_window(window_length: _Any, periodic: _Any = True, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The Hamming window: 0.54 - 0.46 * cos(2 * pi * k / n)."""

def hann_window(window_length: _Any, periodic: _Any = True, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The Hann window: 0.5 - 0.5 * cos(2 * pi * k / n)."""

def idct(input: _Any, type: _Any = 2, n: _Any = None, axis: _Any = -1, norm: _Any = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.dct`, for `norm=None` up to a factor: 2 * n, or 2 * (n - 1) for type 1."""

def ifftnd(input_tensor: _Any, fft_length: _Any = None, axes: _Any = None, norm: _Any = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fftnd`."""

def ifftshift(x: _Any, axes: _Any = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fftshift`."""

def inverse_mdct(mdcts: _Any, window_fn: _Any = ..., norm: _Any = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.mdct`, but for half a frame at both ends."""

def inverse_stft(stfts: _Any, frame_length: _Any, frame_step: _Any, fft_length: _Any = None, window_fn: _Any = ..., name: str | None = None) -> _Any:
    """The inverse of `tf.signal.stft`."""

def inverse_stft_window_fn(frame_step: _Any, forward_window_fn: _Any = ..., name: str | None = None) -> _Any:
    """The window function for `tf.signal.inverse_stft` that makes it the inverse of a `tf.signal.stft`."""

def irfft(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Any:
    """The inverse of `tf.signal.rfft`."""

def irfft2d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Any:
    """The inverse of `tf.signal.rfft2d`."""

def irfft3d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Any:
    """The inverse of `tf.signal.rfft3d`."""

def irfftnd(input_tensor: _Any, fft_length: _Any = None, axes: _Any = None, norm: _Any = None, name: str | None = None) -> _Any:
    """The inverse of `tf.signal.rfftnd`."""

def kaiser_bessel_derived_window(window_length: _Any, beta: _Any = 12.0, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The Kaiser-Bessel-derived window, whose squares overlap to 1."""

def kaiser_window(window_length: _Any, beta: _Any = 12.0, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The Kaiser window, which concentrates energy near frequency 0."""

def linear_to_mel_weight_matrix(num_mel_bins: _Any = 20, num_spectrogram_bins: _Any = 129, sample_rate: _Any = 8000, lower_edge_hertz: _Any = 125.0, upper_edge_hertz: _Any = 3800.0, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The matrix that turns spectra with linear frequencies into ones on the mel scale, by triangles."""

def mdct(signals: _Any, frame_length: _Any, window_fn: _Any = ..., pad_end: _Any = False, norm: _Any = None, name: str | None = None) -> Tensor:
    """The modified discrete cosine transform of frames that overlap by half."""

def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: _Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients, scaled as HTK's."""

def overlap_and_add(signal: _Any, frame_step: _Any, name: str | None = None) -> Tensor:
    """Adds frames that each start `frame_step` samples after the one before."""

def rfft(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Any:
    """The Fourier transform of real values over the last dimension: the frequencies that are not negative."""

def rfft2d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Any:
    """Like `tf.signal.rfft` over the last two dimensions."""

def rfft3d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Any:
    """Like `tf.signal.rfft` over the last three dimensions."""

def rfftnd(input_tensor: _Any, fft_length: _Any = None, axes: _Any = None, norm: _Any = None, name: str | None = None) -> _Any:
    """The Fourier transform of real values over any dimensions."""

def stft(signals: _Any, frame_length: _Any, frame_step: _Any, fft_length: _Any = None, window_fn: _Any = ..., pad_end: _Any = False, name: str | None = None) -> _Any:
    """The short-time Fourier transform: the spectra of frames."""

def vorbis_window(window_length: _Any, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The window of the Vorbis codec, whose squares overlap to 1."""
