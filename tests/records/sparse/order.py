"""Records of the order and the indices of sparse tensors' elements."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_indices, draw_shape, draw_sparse, in_order
from tfcore.testing import OpRecord


def _reorder_inputs(draw, case):
    return draw_sparse(draw, case, draw_shape(draw, case, min_rank=0)), {}


def _reorder(indices, values, shape):
    return in_order(indices, values)


def _reshape_inputs(draw, case):
    sizes = draw(st.lists(st.sampled_from([0, 1, 2, 2, 3, 5]), max_size=6))
    split = sorted(draw(st.lists(st.integers(0, len(sizes)), max_size=3)))
    groups = [sizes[a:b] for a, b in zip([0, *split], [*split, len(sizes)])]
    new = [int(np.prod(group)) for group in groups]
    if new and int(np.prod(new)) and draw(st.booleans()):
        new[draw(st.integers(0, len(new) - 1))] = -1
    return [draw_indices(draw, sizes, ordered=False), np.array(sizes, np.int64), np.array(new, np.int64)], {}


def _reshape(indices, shape, new_shape):
    like = np.empty(tuple(shape), np.int8).reshape(tuple(new_shape)).shape
    flat = np.ravel_multi_index(tuple(indices.T), tuple(shape)) if len(shape) else np.zeros(len(indices), np.int64)
    new = np.stack(np.unravel_index(flat, like), -1) if like else np.zeros((len(indices), 0))
    return [new.astype(np.int64).reshape(-1, len(like)), np.array(like, np.int64)]


RECORDS = [
    OpRecord("SparseReorder", _reorder, _reorder_inputs, special=True, examples=4),
    OpRecord("SparseReshape", _reshape, _reshape_inputs, examples=40),
]
