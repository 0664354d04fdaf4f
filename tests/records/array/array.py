"""Records of ops on shapes, and of ops that give elements another shape or order."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


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


def _joined(op, reference, inputs, **options):
    return OpRecord(op, reference, inputs, special=True, examples=3, **options)


RECORDS = [
    _same("Identity"),
    _same("GuaranteeConst"),
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
]

EXPLICIT = {"QuantizedReshape": "tests/ops/quantized/test_layers.py::test_reshape"}
EXPLICIT_GRADIENTS = {
    "IdentityN": "tests/ops/array/test_array.py::test_gradient_of_several_identities",
    "PreventGradient": "tests/ops/array/test_array.py::test_prevent_gradient",
}
