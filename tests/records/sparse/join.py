"""Records of sparse tensors joined and split along a dimension."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_shape, draw_sparse, in_order
from tfcore.testing import OpRecord


def _concat_inputs(draw, case):
    shape = list(draw_shape(draw, case))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    tensors = []
    for _ in range(draw(st.integers(2, 4))):
        shape[axis] = draw(st.integers(0, 5))
        tensors.append(draw_sparse(draw, case, tuple(shape)))
    return [list(parts) for parts in zip(*tensors)], {"concat_dim": axis}


def _concat(indices, values, shapes, concat_dim):
    indices = [part.copy() for part in indices]
    shape = np.array(shapes[0])
    for part, size in zip(indices[1:], shapes[1:]):
        part[:, concat_dim] += shape[concat_dim]
        shape[concat_dim] += size[concat_dim]
    return [*in_order(np.concatenate(indices), np.concatenate(values)), shape]


def _split_inputs(draw, case):
    shape = list(draw_shape(draw, case))
    axis = draw(st.integers(0, len(shape) - 1))
    shape[axis] = max(shape[axis], 1)
    parts = draw_sparse(draw, case, tuple(shape))
    given = np.array(axis - draw(st.sampled_from([0, len(shape)])), np.int64)
    return [given, *parts], {"num_split": draw(st.integers(1, min(shape[axis], 5)))}


def _split(axis, indices, values, shape, num_split):
    bounds = [0, *np.cumsum([len(x) for x in np.array_split(np.arange(shape[axis]), num_split)])]
    results = [[], [], []]
    for low, high in zip(bounds, bounds[1:]):
        here = (indices[:, axis] >= low) & (indices[:, axis] < high)
        at, size = indices[here].copy(), np.array(shape)
        at[:, axis] -= low
        size[axis] = high - low
        for result, part in zip(results, (at, values[here], size)):
            result.append(part)
    return results


RECORDS = [
    OpRecord("SparseConcat", _concat, _concat_inputs, special=True, examples=5),
    OpRecord("SparseSplit", _split, _split_inputs, special=True, examples=5),
]
