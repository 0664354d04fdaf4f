"""Records of distances between sequences."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _sparse(draw, case, groups, pool):
    """Sequences of a few values in the rows of a sparse tensor, some rows without any."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    lengths = rng.integers(0, 6, groups)
    indices = [(*at, k) for at in np.ndindex(groups) for k in range(lengths[at])]
    values = pool[rng.integers(0, len(pool), len(indices))]
    return [np.array(indices, np.int64).reshape(-1, len(groups) + 1), values, np.array([*groups, 7], np.int64)]


def _inputs(draw, case):
    groups = [tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))) for _ in range(2)]
    groups[1] = tuple(np.resize(groups[1], len(groups[0])).tolist())
    pool = draw(case.array((draw(st.integers(1, 3)),)))
    parts = [part for sizes in groups for part in _sparse(draw, case, sizes, pool)]
    return parts, {"normalize": draw(st.booleans())}


def _levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        previous, row = row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(previous[j] + (x != y), previous[j + 1] + 1, row[j] + 1))
    return row[-1]


def _distances(hi, hv, hs, ti, tv, ts, normalize):
    out = np.zeros(np.maximum(hs, ts)[:-1], np.float32)
    for at in np.ndindex(out.shape):
        first, second = (
            [v for i, v in zip(ix[:, :-1].tolist(), vs) if tuple(i) == at] for ix, vs in ((hi, hv), (ti, tv))
        )
        out[at] = _levenshtein(first, second)
        if normalize and out[at]:
            out[at] = out[at] / np.float32(len(second)) if second else np.inf
    return out


RECORDS = [OpRecord("EditDistance", _distances, _inputs, ulps=0, examples=10)]
