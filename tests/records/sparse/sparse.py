"""Records of sparse tensors in parts."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(draw, case):
    # The gradient gathers by indices, which needs dimensions.
    shape = draw(case.shapes(min_rank=int(case.smooth), max_rank=4, max_elements=min(600, case.max_elements)))
    total = int(np.prod(shape))
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    flat = np.sort(rng.permutation(total)[: draw(st.integers(0, total))])
    strict = draw(st.booleans())
    if not strict:
        rng.shuffle(flat)
    indices = np.stack(np.unravel_index(flat, shape), -1) if shape else np.zeros((len(flat), 0))
    if len(shape) == 1 and draw(st.booleans()):
        indices = indices[0, 0] if len(flat) == 1 else indices[:, 0]  # a scalar for one index, a vector for several
    values = draw(case.array(() if draw(st.booleans()) else (len(flat),)))
    default = draw(case.array(()))
    kind = case.Tindices
    return [indices.astype(kind), np.array(shape, kind), values, default], {"validate_indices": strict}


def _dense(indices, shape, values, default, validate_indices):
    out = np.full(tuple(shape), default, values.dtype)
    indices = indices.reshape(-1, 1) if indices.ndim < 2 else indices
    if len(indices):
        out[tuple(indices.T)] = values
    return out


RECORDS = [OpRecord("SparseToDense", _dense, _inputs, special=True, differentiable=[2, 3], examples=3)]
