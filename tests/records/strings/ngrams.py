"""Records of sequences of words."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(draw, case):
    lengths = draw(st.lists(st.integers(0, 5), max_size=4))
    splits = np.cumsum([0, *lengths]).astype(case.Tsplits)
    words = draw(
        st.lists(st.sampled_from([b"a", b"bc", b"", b"\xc3\xa9"]), min_size=sum(lengths), max_size=sum(lengths))
    )
    widths, keep_short = draw(st.lists(st.integers(1, 6), max_size=3)), draw(st.booleans())
    attrs = {
        "separator": draw(st.sampled_from([b" ", b"", b"--"])),
        "ngram_widths": widths,
        "left_pad": draw(st.sampled_from([b"", b"L"])),
        "right_pad": draw(st.sampled_from([b"", b"R"])),
        "pad_width": draw(st.integers(-1 if widths or not keep_short else 0, 3)),
        "preserve_short_sequences": keep_short,
    }
    return [np.array(words, object), splits], attrs


def _reference(data, splits, separator, ngram_widths, left_pad, right_pad, pad_width, preserve_short_sequences):
    pieces, counts = [], [0]
    for begin, end in zip(splits[:-1], splits[1:]):
        row, start = list(data[begin:end]), len(pieces)
        for width in ngram_widths:
            pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            padded = [left_pad] * pad + row + [right_pad] * pad
            pieces += [padded[i : i + width] for i in range(len(padded) - width + 1)]
        if preserve_short_sequences and row and len(pieces) == start:
            pieces.append([left_pad] * pad_width + row + [right_pad] * pad_width)
        counts.append(len(pieces))
    return [np.array([separator.join(p) for p in pieces], object), np.array(counts, splits.dtype)]


RECORDS = [OpRecord("StringNGrams", _reference, _inputs)]
