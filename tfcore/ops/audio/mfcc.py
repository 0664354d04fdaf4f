"""Mel-frequency cepstral coefficients of spectrograms, for the recognition of speech."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank


def _shape(op):
    channels, rows, _ = with_rank(op.inputs[0].dims, 3)
    with_rank(op.inputs[1].dims, 0)
    size = op.attrs["dct_coefficient_count"]
    if size < -1:
        raise ValueError(f"Dimension {size} must be >= 0")
    return [(channels, rows, None if size == -1 else size)]


Mfcc = define_op(
    "Mfcc",
    inputs=["spectrogram: float", "sample_rate: int32"],
    outputs=["output: float"],
    attrs=[
        "upper_frequency_limit: float = 4000",
        "lower_frequency_limit: float = 20",
        "filterbank_channel_count: int = 40",
        "dct_coefficient_count: int = 13",
    ],
    shape=_shape,
    doc="Cosine transforms of the logarithms of spectrograms on the mel scale, from squared magnitudes.",
)
undefined_gradient("Mfcc")
