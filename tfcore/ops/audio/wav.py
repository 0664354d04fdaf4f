"""WAV files."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank


def _decoded_shape(op):
    with_rank(op.inputs[0].dims, 0)
    dims = []
    for what in ("samples", "channels"):
        size = op.attrs[f"desired_{what}"]
        if size < -1:
            raise ValueError(f"{what} must be non-negative, got {size}")
        dims.append(None if size == -1 else size)
    return [tuple(dims), ()]


def _encoded_shape(op):
    with_rank(op.inputs[0].dims, 2)
    with_rank(op.inputs[1].dims, 0)
    return [()]


DecodeWav = define_op(
    "DecodeWav",
    inputs=["contents: string"],
    outputs=["audio: float", "sample_rate: int32"],
    attrs=["desired_channels: int = -1", "desired_samples: int = -1"],
    shape=_decoded_shape,
    doc="The samples of a WAV file of 16 bits a sample, in [-1, 1): [samples, channels]; and samples per second.",
)
EncodeWav = define_op(
    "EncodeWav",
    inputs=["audio: float", "sample_rate: int32"],
    outputs=["contents: string"],
    shape=_encoded_shape,
    doc="Samples in [-1, 1), [samples, channels], as a WAV file of 16 bits a sample.",
)
undefined_gradient("DecodeWav", "EncodeWav")


@described(DecodeWav)
def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None):
    """Decodes a 16-bit WAV file. Samples and channels beyond the desired number are cut off; missing samples are 0, and
    missing channels repeat the last one."""
    return DecodeWav(contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name)


@described(EncodeWav)
def encode_wav(audio, sample_rate, name=None):
    """Encodes samples as a 16-bit WAV file; values outside of [-1, 1) are clipped."""
    return EncodeWav(audio, sample_rate, name=name)
