"""Sparse tensors as three arrays: draws them, and converts them to and from dense arrays."""

import numpy as np
from hypothesis import strategies as st


def draw_indices(draw, shape, ordered=True):
    """Different indices of elements in an array of `shape`, [n, rank], in row-major order or in any."""
    total = int(np.prod(shape))
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    flat = rng.permutation(total)[: draw(st.integers(0, min(total, 300)))]
    flat = np.sort(flat) if ordered else flat
    if not shape:
        return np.zeros((len(flat), 0), np.int64)
    return np.stack(np.unravel_index(flat, shape), -1).astype(np.int64).reshape(-1, len(shape))


def draw_shape(draw, case, min_rank=1, max_rank=4):
    most = 24 if case.smooth else 400
    return draw(case.shapes(min_rank=min_rank, max_rank=max_rank, max_elements=min(most, case.max_elements)))


def draw_sparse(draw, case, shape=None, ordered=None):
    """[indices, values, shape]."""
    shape = draw_shape(draw, case) if shape is None else shape
    ordered = draw(st.booleans()) if ordered is None else ordered
    indices = draw_indices(draw, shape, ordered)
    return [indices, draw(case.array((len(indices),))), np.array(shape, np.int64)]


def dense(indices, values, shape):
    """The dense array; elements that are not given are 0."""
    out = np.zeros(tuple(shape), values.dtype)
    for index, value in zip(indices.tolist(), values):
        out[tuple(index)] = value
    return out


def in_order(indices, *more):
    """Indices in row-major order, and other arrays of the same length in the same order."""
    order = sorted(range(len(indices)), key=lambda i: indices[i].tolist())
    return [np.asarray(x)[order] for x in (indices, *more)]
