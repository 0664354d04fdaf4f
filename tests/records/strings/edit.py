"""Records of changes of single strings, and of their lengths."""

import numpy as np
from hypothesis import strategies as st

from tests.records.strings.strings import _map, _strings
from tfcore.testing import OpRecord


def _spaced(draw, case):
    (x,) = _strings(draw, case)
    spaces = st.sampled_from([b"", b" ", b"\t\n", b"\v\f\r "])
    return [_map(lambda s: draw(spaces) + s + draw(spaces), x) if x.size < 30 else x]


def _lengths(draw, case):
    return _strings(draw, case), {"unit": draw(st.sampled_from([b"BYTE", b"UTF8_CHAR"]))}


def _length(x, unit):
    def count(s):
        return len(s) if unit == b"BYTE" else sum(byte & 0xC0 != 0x80 for byte in s)

    return _map(count, x).astype(np.int32)


_PLAIN = {"encoding": b""}

RECORDS = [
    OpRecord("StringStrip", lambda x: _map(lambda s: s.strip(b" \t\n\v\f\r"), x), _spaced),
    OpRecord("StringLower", lambda x, encoding: _map(bytes.lower, x), lambda d, c: (_strings(d, c), _PLAIN)),
    OpRecord("StringUpper", lambda x, encoding: _map(bytes.upper, x), lambda d, c: (_strings(d, c), _PLAIN)),
    OpRecord("StringLength", _length, _lengths),
]
