"""Records of split strings."""

import re

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_WORDS = st.lists(st.sampled_from([b"a", b"bc", b" ", b"  ", b",", b"<>", b"<", b"\t", b"\xff\x00"]), max_size=9)


def _inputs(separators, attr, values):
    def draw_inputs(draw, case):
        texts = [b"".join(words) for words in draw(st.lists(_WORDS, max_size=6))]
        x = np.empty(len(texts), object)
        x[:] = texts
        separator = np.empty((), object)
        separator[()] = draw(st.sampled_from(separators))
        return [x, separator], {attr: draw(values)}

    return draw_inputs


def _sparse(pieces):
    indices = [(i, k) for i, row in enumerate(pieces) for k in range(len(row))]
    values = np.empty(len(indices), object)
    values[:] = [piece for row in pieces for piece in row]
    longest = max(map(len, pieces), default=0)
    return [np.array(indices, np.int64).reshape(-1, 2), values, np.array([len(pieces), longest], np.int64)]


def _split(x, delimiter, skip_empty):
    delimiter = delimiter.item()

    def pieces(s):
        if not delimiter or not s:
            return [s[k : k + 1] for k in range(len(s))]
        found = re.split(b"[" + re.escape(delimiter) + b"]", s)
        return [piece for piece in found if piece or not skip_empty]

    return _sparse([pieces(s) for s in x.tolist()])


def _split_v2(x, sep, maxsplit):
    sep = sep.item()

    def pieces(s):
        if maxsplit == 0:
            return [s]
        if sep:
            return s.split(sep, maxsplit)
        found = re.findall(rb"[^ \t-\r]+", s)
        if not 0 < maxsplit <= len(found):
            return found
        rest = s.lstrip(b" \t\n\v\f\r")
        for piece in found[:maxsplit]:
            rest = rest[len(piece) :].lstrip(b" \t\n\v\f\r")
        return [*found[:maxsplit], rest]  # also if nothing is left

    return _sparse([pieces(s) for s in x.tolist()])


RECORDS = [
    OpRecord("StringSplit", _split, _inputs([b"", b" ", b", ", b"<>"], "skip_empty", st.booleans())),
    OpRecord("StringSplitV2", _split_v2, _inputs([b"", b" ", b"  ", b"<>"], "maxsplit", st.integers(-1, 4))),
]
