"""Ops that make summaries of sounds. Wrapper: `tf.summary.audio` in `tfcore/summary`."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable

AudioSummary = define_op(
    "AudioSummary",
    inputs=["tag: string", "tensor: float"],
    outputs=["summary: string"],
    attrs=["sample_rate: float", "max_outputs: int >= 1 = 3"],
    shape=shapes.scalar,
    doc="A Summary with the first sounds of a batch, as WAV files, at a fixed rate.",
)
AudioSummaryV2 = define_op(
    "AudioSummaryV2",
    inputs=["tag: string", "tensor: float", "sample_rate: float"],
    outputs=["summary: string"],
    attrs=["max_outputs: int >= 1 = 3"],
    shape=shapes.scalar,
    doc="A Summary with the first sounds of a batch, as WAV files.",
)
not_differentiable("AudioSummary", "AudioSummaryV2")
