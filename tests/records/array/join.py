"""Records of ops that join tensors and take them apart."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _parts(draw, case):
    shape = list(draw(case.shapes(min_rank=1, max_rank=4, max_elements=600)))
    axis = draw(st.integers(0, len(shape) - 1))
    parts = []
    for _ in range(draw(st.integers(2, 4))):
        shape[axis] = draw(strategies.sizes(maximum=20))
        parts.append(draw(case.array(tuple(shape))))
    return parts, axis - len(shape) if draw(st.booleans()) else axis


def _concat(draw, case):
    parts, axis = _parts(draw, case)
    return [np.array(axis, np.int32), parts], {}


def _concat_v2(draw, case):
    parts, axis = _parts(draw, case)
    return [parts, np.array(axis, case.Tidx)], {}


def _concat_offset(draw, case):
    shape = list(draw(case.shapes(min_rank=1)))
    axis = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 9), min_size=2, max_size=4))
    shapes = [np.array([*shape[:axis], size, *shape[axis + 1 :]], case.shape_type) for size in sizes]
    return [np.array(axis, np.int32), shapes], {}


def _offsets(axis, shapes):
    starts = np.cumsum([0, *[s[axis] for s in shapes[:-1]]])
    return [np.where(np.arange(len(s)) == axis, at, 0).astype(s.dtype) for s, at in zip(shapes, starts, strict=True)]


def _split(draw, case):
    shape = list(draw(case.shapes(min_rank=1, max_rank=4, max_elements=600)))
    axis = draw(st.integers(0, len(shape) - 1))
    n = draw(st.integers(1, 4))
    shape[axis] = n * draw(st.integers(0, 9))
    given = axis - len(shape) if draw(st.booleans()) else axis
    return [np.array(given, np.int32), draw(case.array(tuple(shape)))], {"num_split": n}


def _split_v(draw, case):
    shape = list(draw(case.shapes(min_rank=1, max_rank=4, max_elements=600)))
    axis = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 9), min_size=1, max_size=4))
    shape[axis] = sum(sizes)
    x = draw(case.array(tuple(shape)))
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = -1
    return [x, np.array(sizes, case.Tlen), np.array(axis, np.int32)], {"num_split": len(sizes)}


def _split_v_reference(x, sizes, axis, num_split):
    sizes = [int(s) for s in sizes]
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] - sum(s for s in sizes if s != -1)
    return np.split(x, np.cumsum(sizes)[:-1], int(axis))


def _pack(draw, case):
    shape = draw(case.shapes(max_elements=600))
    n = draw(st.integers(1, 4))
    axis = draw(st.integers(-len(shape) - 1, len(shape)))
    return [[draw(case.array(shape)) for _ in range(n)]], {"axis": axis}


def _unpack(draw, case):
    shape = list(draw(case.shapes(min_rank=1, max_elements=600)))
    axis = draw(strategies.axis(len(shape)))
    shape[axis] = draw(st.integers(int(case.smooth), 5))
    return [draw(case.array(tuple(shape)))], {"axis": axis, "num": shape[axis]}


def _unpack_reference(x, axis, num):
    return list(np.moveaxis(x, axis, 0))


def _joined(op, reference, inputs, **options):
    return OpRecord(op, reference, inputs, special=True, examples=3, **options)


RECORDS = [
    _joined("Concat", lambda axis, parts: np.concatenate(parts, int(axis)), _concat),
    _joined("ConcatV2", lambda parts, axis: np.concatenate(parts, int(axis)), _concat_v2),
    OpRecord("ConcatOffset", _offsets, _concat_offset),
    _joined("Split", lambda axis, x, num_split: np.split(x, num_split, int(axis)), _split),
    _joined("SplitV", _split_v_reference, _split_v),
    _joined("Pack", lambda xs, axis: np.stack(xs, axis), _pack),
    _joined("Unpack", _unpack_reference, _unpack),
]

EXPLICIT = {"ParallelConcat": "tests/ops/array/test_join.py::test_parallel_concat"}  # it wants known shapes
