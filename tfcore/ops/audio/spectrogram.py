"""Spectrograms of sounds."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank


def _shape(op):
    samples, channels = with_rank(op.inputs[0].dims, 2)
    window, stride = op.attrs["window_size"], op.attrs["stride"]
    if window <= 1:
        raise ValueError(f"window size must be > 1, got {window}")
    if stride <= 0:
        raise ValueError(f"stride must be strictly positive, got {stride}")
    rows = None if samples is None else max(samples - window + stride, 0) // stride
    return [(channels, rows, 1 + (1 << (window - 1).bit_length()) // 2)]


AudioSpectrogram = define_op(
    "AudioSpectrogram",
    inputs=["input: float"],
    outputs=["spectrogram: float"],
    attrs=["window_size: int", "stride: int", "magnitude_squared: bool = false"],
    shape=_shape,
    doc="Magnitudes of the frequencies in windows of sounds [samples, channels]: [channels, windows, frequencies].",
)
undefined_gradient("AudioSpectrogram")
