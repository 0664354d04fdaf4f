"""Pieces of a few words."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank


def _shape(op):
    with_rank(op.inputs[0].dims, 1)
    return [(None,), with_rank(op.inputs[1].dims, 1)]


StringNGrams = define_op(
    "StringNGrams",
    inputs=["data: string", "data_splits: Tsplits"],
    outputs=["ngrams: string", "ngrams_splits: Tsplits"],
    attrs=[
        "separator: string",
        "ngram_widths: list(int) >= 0",
        "left_pad: string",
        "right_pad: string",
        "pad_width: int",
        "preserve_short_sequences: bool",
        "Tsplits: {int32, int64} = DT_INT64",
    ],
    shape=_shape,
    doc="""All sequences of some numbers of words in the rows of a ragged tensor, joined by `separator`.

    pad_width: how many times left_pad and right_pad are added to a row, at most one less than the number of words;
    that many if it is -1. preserve_short_sequences: a row that is too short for all of ngram_widths gives all its
    words.""",
)
undefined_gradient("StringNGrams")
