"""Records of joins of the strings of one tensor."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_STRING = np.dtype(object)
_SEPARATORS = st.sampled_from([b"", b"-", b"\xff and "])


def _reduce_inputs(draw, case):
    x = draw(case.array(draw(case.shapes(max_elements=300)), dtype=_STRING))
    axes = draw(st.permutations(range(x.ndim)))[: draw(st.integers(0, x.ndim))]
    axes = [axis - x.ndim if draw(st.booleans()) else axis for axis in axes]
    return [x, np.array(axes, np.int32)], {"keep_dims": draw(st.booleans()), "separator": draw(_SEPARATORS)}


def _reduce(x, axes, keep_dims, separator):
    axes = [axis % x.ndim for axis in axes.tolist()]
    kept = [d for d in range(x.ndim) if d not in axes]
    rows = x.transpose([*kept, *axes[::-1]]).reshape([*(x.shape[d] for d in kept), -1] if x.size else [0])
    shape = [1 if d in axes else size for d, size in enumerate(x.shape) if keep_dims or d not in axes]
    out = np.full(shape, b"", object)
    if x.size:
        out.reshape(-1)[:] = [separator.join(row) for row in rows.reshape(-1, rows.shape[-1]).tolist()]
    return out


def _segment_inputs(draw, case):
    shape = draw(case.shapes(min_rank=1, max_elements=300))
    x = draw(case.array(shape, dtype=_STRING))
    number = draw(st.integers(1, 5))
    ids_shape = shape[: draw(st.integers(1, len(shape)))]
    ids = np.random.default_rng(draw(st.integers(0, 2**31 - 1))).integers(0, number, ids_shape)
    return [x, ids.astype(case.Tindices), np.array(number, case.Tnumsegments)], {"separator": draw(_SEPARATORS)}


def _segments(x, ids, number, separator):
    inner = x.shape[ids.ndim :]
    rows = x.reshape((ids.size, *inner))
    out = np.empty((int(number), *inner), object)
    for at in np.ndindex(out.shape):
        row = rows[(np.flatnonzero(ids.reshape(-1) == at[0]), *at[1:])].tolist()
        # Empty strings at the beginning count as missing, as in TensorFlow.
        out[at] = separator.join(itertools.dropwhile(lambda text: not text, row))
    return out


RECORDS = [
    OpRecord("ReduceJoin", _reduce, _reduce_inputs),
    OpRecord("UnsortedSegmentJoin", _segments, _segment_inputs),
]
