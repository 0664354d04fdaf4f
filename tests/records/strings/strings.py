"""Records of ops on strings."""

import base64

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_STRING = np.dtype(object)


def _map(function, *arrays):
    """An object array of function(elements...); the arrays broadcast."""
    arrays = np.broadcast_arrays(*arrays)
    out = np.empty(arrays[0].shape, object)
    out.reshape(-1)[:] = [function(*values) for values in zip(*(a.reshape(-1) for a in arrays))]
    return out


def _strings(draw, case):
    return [draw(case.array(draw(case.shapes()), dtype=_STRING))]


def _join_inputs(draw, case):
    shape = draw(case.shapes())
    several = range(draw(st.integers(1, 4)))
    parts = [draw(case.array(shape if draw(st.booleans()) else (), dtype=_STRING)) for _ in several]
    return [parts], {"separator": draw(st.sampled_from([b"", b"-", b"\xff and "]))}


def _join(parts, separator):
    return _map(lambda *s: separator.join(s), *parts)


def _substr_inputs(draw, case):
    x_shape, at_shape = draw(case.broadcastable_shapes(2, max_elements=300))
    x = draw(case.array(x_shape, dtype=_STRING))
    shortest = min((len(s) for s in x.reshape(-1)), default=0)
    pos = draw(case.array(at_shape, dtype=case.T, domain=(-shortest, shortest)))
    return [x, pos, draw(case.array(at_shape, dtype=case.T, domain=(-1, 9)))]


def _substr(x, pos, length):
    def piece(s, at, count):
        rest = s[at + len(s) if at < 0 else at :]
        return rest if count < 0 else rest[:count]

    return _map(piece, x, pos, length)


def _encode_inputs(draw, case):
    return _strings(draw, case), {"pad": draw(st.booleans())}


def _encode(x, pad):
    return _map(lambda s: base64.urlsafe_b64encode(s) if pad else base64.urlsafe_b64encode(s).rstrip(b"="), x)


def _encoded(draw, case):
    (x,) = _strings(draw, case)
    return [_encode(x, draw(st.booleans()))]


def _decode(x):
    return _map(lambda s: base64.urlsafe_b64decode(s + b"=" * (-len(s) % 4)), x)


def _numerals(draw, case):
    dtype = case.out_type
    x = draw(case.array(draw(case.shapes()), dtype=dtype, special=True))
    return [_map(lambda v: f" {v!r}".encode() if dtype.kind in "iu" else f"{float(v)!r} ".encode(), x.astype(object))]


def _number(x, out_type):
    out = np.empty(x.shape, out_type)
    out.reshape(-1)[:] = [out_type(s.decode()) for s in x.reshape(-1)]
    return out


RECORDS = [
    OpRecord("StringJoin", _join, _join_inputs),
    OpRecord("Substr", _substr, _substr_inputs),
    OpRecord("EncodeBase64", _encode, _encode_inputs),
    OpRecord("DecodeBase64", _decode, _encoded),
    OpRecord("StringToNumber", _number, _numerals),
]
