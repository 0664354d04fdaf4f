"""Records of one-hot, where, dynamic partition and stitch."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _one_hot(draw, case):
    shape = draw(strategies.shapes(max_rank=3, max_elements=60))
    depth = draw(st.integers(0, 6))
    low = 0 if case.TI.kind == "u" else -2
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    indices = rng.integers(low, depth + 2, shape).astype(case.TI)
    axis = draw(st.integers(-1, len(shape)))
    return [indices, np.array(depth, np.int32), draw(case.array(())), draw(case.array(()))], {"axis": axis}


def _one_hot_reference(indices, depth, on, off, axis):
    at = indices.ndim if axis == -1 else axis
    hit = np.expand_dims(indices.astype(np.int64), at)
    places = np.arange(int(depth)).reshape([-1 if i == at else 1 for i in range(indices.ndim + 1)])
    out = np.empty(np.broadcast_shapes(hit.shape, places.shape), on.dtype)
    out[...] = off[()]
    out[hit == places] = on[()]
    return out


def _where(draw, case):
    return [draw(case.array(draw(case.shapes(max_rank=6))))], {}


def _partition(draw, case):
    shape = draw(case.shapes(max_rank=4, max_elements=400))
    n = draw(st.integers(1, 4))
    lead = shape[: draw(st.integers(0, len(shape)))]
    partitions = draw(case.array(lead, dtype=np.dtype(np.int32), domain=(0, n - 1)))
    return [draw(case.array(shape)), partitions], {"num_partitions": n}


def _partition_reference(x, partitions, num_partitions):
    lead = partitions.ndim
    rows = x.reshape(partitions.size, *x.shape[lead:])
    return [rows[partitions.reshape(-1) == k] for k in range(num_partitions)]


def _stitch(draw, case):
    inner = draw(strategies.shapes(max_rank=2, max_elements=12))
    counts = [draw(strategies.shapes(max_rank=2, max_elements=8)) for _ in range(draw(st.integers(1, 3)))]
    total = sum(int(np.prod(c)) for c in counts)
    order = np.array(draw(st.permutations(range(total))), np.int32).reshape(total)
    indices, data, at = [], [], 0
    for shape in counts:
        size = int(np.prod(shape))
        indices.append(order[at : at + size].reshape(shape))
        data.append(draw(case.array((*shape, *inner))))
        at += size
    return [indices, data], {}


def _stitch_reference(indices, data):
    total = sum(i.size for i in indices)
    out = np.empty((total, *data[0].shape[indices[0].ndim :]), data[0].dtype)
    for i, x in zip(indices, data):
        out[i] = x
    return out


RECORDS = [
    OpRecord("OneHot", _one_hot_reference, _one_hot, special=True, examples=3),
    OpRecord("Where", lambda x: np.argwhere(x).astype(np.int64), _where, special=True),
    OpRecord("DynamicPartition", _partition_reference, _partition, special=True),
    OpRecord("DynamicStitch", _stitch_reference, _stitch, special=True),
    OpRecord("ParallelDynamicStitch", _stitch_reference, _stitch, special=True),
]
