"""Records of ops on shapes, and of ops that regroup elements."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _any(draw, case):
    return [draw(case.array(draw(case.shapes(max_rank=8))))], {}


def _same(name, **options):
    return OpRecord(name, lambda x, **_: x, _any, special=True, **options)


def _several(draw, case):
    kinds = draw(
        st.lists(st.sampled_from([np.float64, np.float32, np.int32, np.object_, bool]), min_size=1, max_size=4)
    )
    return [[draw(case.array(draw(case.shapes()), dtype=np.dtype(kind))) for kind in kinds]], {}


def _ensure(draw, case):
    shape = draw(case.shapes())
    return [draw(case.array(shape))], {"shape": [None if draw(st.booleans()) else d for d in shape]}


def _shape_list(draw, case):
    n = draw(st.integers(1, 4))
    return [[draw(case.array(draw(case.shapes()))) for _ in range(n)]], {}


# ---- Reshape, ExpandDims, Squeeze


def _reshape(draw, case):
    shape = draw(case.shapes())
    dims = []
    for d in shape:  # split some sizes, then join some neighbours
        factors = [f for f in range(1, d + 1) if d % f == 0] or [0]
        f = draw(st.sampled_from(factors))
        dims += [f, d // f] if f else [d]
    dims = list(draw(st.permutations(dims)))[:8] if len(dims) <= 8 else list(shape)
    if dims and 0 not in dims and draw(st.booleans()):
        dims[draw(st.integers(0, len(dims) - 1))] = -1
    return [draw(case.array(shape)), np.array(dims, case.Tshape)], {}


def _expand_dims(draw, case):
    shape = draw(case.shapes())
    axis = np.array(draw(st.integers(-len(shape) - 1, len(shape))), case.Tdim)
    return [draw(case.array(shape)), axis], {}


def _squeeze(draw, case):
    shape = [1 if draw(st.booleans()) else d for d in draw(case.shapes())]
    ones = [i for i, d in enumerate(shape) if d == 1]
    drop = [i for i in ones if draw(st.booleans())]
    drop = [i - len(shape) if draw(st.booleans()) else i for i in drop]
    return [draw(case.array(shape))], {"squeeze_dims": drop}


def _squeeze_reference(x, squeeze_dims):
    return np.squeeze(x, tuple(squeeze_dims) if squeeze_dims else None)


# ---- Transpose


def _transpose(draw, case):
    shape = draw(case.shapes(max_rank=6))
    perm = draw(st.permutations(range(len(shape)))) if shape else []
    perm = [p - len(shape) if draw(st.booleans()) else p for p in perm]
    return [draw(case.array(shape)), np.array(perm, case.Tperm)], {}


def _transpose_reference(x, perm):
    return np.transpose(x, perm)


def _conjugated(x, perm):
    return np.transpose(np.conj(x) if x.dtype.kind == "c" else x, perm)


def _permutation(draw, case):
    n = draw(st.integers(0, 40))
    return [np.array(draw(st.permutations(range(n))), case.T).reshape(n)], {}


# ---- Concat, Split, Pack, Unpack


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
    _same("Identity"),
    _same("Snapshot"),
    _same("DeepCopy"),
    _same("Copy"),
    _same("CopyHost"),
    _same("StopGradient"),
    _same("PreventGradient", gradient=0),
    OpRecord("IdentityN", lambda xs: xs, _several, gradient=0),
    OpRecord("EnsureShape", lambda x, shape: x, _ensure),
    OpRecord("Shape", lambda x, out_type: np.array(x.shape, out_type), _any, examples=3),
    OpRecord("ShapeN", lambda xs, out_type: [np.array(x.shape, out_type) for x in xs], _shape_list, examples=3),
    OpRecord("Size", lambda x, out_type: np.array(x.size, out_type), _any, examples=3),
    OpRecord("Rank", lambda x: np.array(x.ndim, np.int32), _any),
    _joined("Reshape", lambda x, shape: np.reshape(x, shape), _reshape),
    _joined("ExpandDims", lambda x, axis: np.expand_dims(x, int(axis)), _expand_dims),
    _joined("Squeeze", _squeeze_reference, _squeeze),
    _joined("Transpose", _transpose_reference, _transpose),
    _joined("ConjugateTranspose", _conjugated, _transpose),
    OpRecord("InvertPermutation", lambda x: np.argsort(x).astype(x.dtype), _permutation),
    _joined("Concat", lambda axis, parts: np.concatenate(parts, int(axis)), _concat),
    _joined("ConcatV2", lambda parts, axis: np.concatenate(parts, int(axis)), _concat_v2),
    OpRecord("ConcatOffset", _offsets, _concat_offset),
    _joined("Split", lambda axis, x, num_split: np.split(x, num_split, int(axis)), _split),
    _joined("SplitV", _split_v_reference, _split_v),
    _joined("Pack", lambda xs, axis: np.stack(xs, axis), _pack),
    _joined("Unpack", _unpack_reference, _unpack),
]

EXPLICIT_GRADIENTS = {
    "IdentityN": "tests/ops/test_array.py::test_gradient_of_several_identities",
    "PreventGradient": "tests/ops/test_array.py::test_prevent_gradient",
}
