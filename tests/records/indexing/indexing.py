"""Records of gather and scatter."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _places(draw, limit, shape, dtype):
    """Random indices below `limit`; no place for them in an empty dimension."""
    seed = draw(st.integers(0, 2**31 - 1))
    if limit == 0:
        shape = (*shape[:-1], 0) if shape else (0,)
    return np.random.default_rng(seed).integers(0, max(limit, 1), shape).astype(dtype)


def _few(draw, case, **options):
    return draw(case.shapes(max_rank=4, max_elements=min(600, case.max_elements), **options))


def _gather(draw, case):
    shape = _few(draw, case, min_rank=1)
    indices = _places(draw, shape[0], draw(strategies.shapes(max_rank=3, max_elements=20)), case.Tindices)
    return [draw(case.array(shape, dtype=case.Tparams)), indices], {}


def _gather_v2(draw, case):
    shape = _few(draw, case, min_rank=1)
    axis = draw(st.integers(0, len(shape) - 1))
    batch = draw(st.integers(0, axis))
    lead = shape[:batch]
    tail = draw(strategies.shapes(max_rank=2, max_elements=12))
    if shape[axis] == 0:
        tail = (*tail, 0)
    indices = _places(draw, max(shape[axis], 1), (*lead, *tail), case.Tindices)
    given = axis - len(shape) if draw(st.booleans()) else axis
    x = draw(case.array(shape, dtype=case.Tparams))
    return [x, indices, np.array(given, case.Taxis)], {"batch_dims": batch}


def _gather_v2_reference(x, indices, axis, batch_dims):
    axis = int(axis) % x.ndim
    if batch_dims == 0:
        return np.take(x, indices, axis)
    lead = x.shape[:batch_dims]
    n = int(np.prod(lead))
    rows, places = x.reshape(n, *x.shape[batch_dims:]), indices.reshape(n, *indices.shape[batch_dims:])
    parts = [np.take(r, p, axis - batch_dims) for r, p in zip(rows, places)]
    shape = lead + x.shape[batch_dims:axis] + indices.shape[batch_dims:] + x.shape[axis + 1 :]
    return (np.stack(parts) if parts else np.empty(0, x.dtype)).reshape(shape)


def _nd_indices(draw, shape, dtype, unique=False):
    """Indices into the first dimensions of a tensor of that shape, with distinct ones if asked for."""
    depth = draw(st.integers(1, len(shape)))
    limits = shape[:depth]
    total = int(np.prod(limits))
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    lead = draw(strategies.shapes(max_rank=2, max_elements=12))
    count = int(np.prod(lead))
    if total == 0 or unique and count > total:
        lead = (0,) if total == 0 else (total,)
        count = int(np.prod(lead))
    flat = rng.permutation(total)[:count] if unique else rng.integers(0, max(total, 1), count)
    indices = np.stack(np.unravel_index(flat, limits), -1) if total else np.zeros((0, depth))
    return indices.reshape(*lead, depth).astype(dtype)


def _gather_nd(draw, case):
    shape = _few(draw, case, min_rank=1)
    indices = _nd_indices(draw, shape, case.Tindices)
    return [draw(case.array(shape, dtype=case.Tparams)), indices], {}


def _key(indices):
    return tuple(np.moveaxis(indices, -1, 0))


def _gather_nd_reference(x, indices):
    return x[_key(indices)]


def _updates_shape(shape, indices):
    return indices.shape[:-1] + tuple(shape[indices.shape[-1] :])


def _unordered(case):
    """Whether the result depends on which of several updates for one place is the last."""
    return case.T.kind in "Ob" or case.smooth


def _scatter_nd(draw, case):
    shape = _few(draw, case, min_rank=1)
    indices = _nd_indices(draw, shape, case.Tindices, unique=_unordered(case))
    updates = draw(case.array(_updates_shape(shape, indices)))
    return [indices, updates, np.array(shape, case.Tindices)], {}


def _scatter_nd_reference(indices, updates, shape):
    out = np.empty(tuple(shape), updates.dtype)
    out[...] = b"" if updates.dtype.kind == "O" else 0
    if updates.dtype.kind in "Ob":
        out[_key(indices)] = updates
    else:
        np.add.at(out, _key(indices), updates)
    return out


def _tensor_scatter(unique):
    def inputs(draw, case):
        shape = _few(draw, case, min_rank=1)
        indices = _nd_indices(draw, shape, case.Tindices, unique=unique or case.smooth)
        x, updates = draw(case.array(shape)), draw(case.array(_updates_shape(shape, indices)))
        if case.smooth:
            updates = 0.77 * updates + 0.31  # no ties with x
        return [x, indices, updates], {}

    return inputs


def _applied(ufunc):
    def reference(x, indices, updates):
        out = x.copy()
        if ufunc is None:
            out[_key(indices)] = updates
        else:
            ufunc.at(out, _key(indices), updates)
        return out

    return reference


# Half types are rounded after each addition.
_SUMS = {"scale": "abs", "ulps": 24}

RECORDS = [
    OpRecord("Gather", lambda x, indices: np.take(x, indices, 0), _gather, special=True, examples=3),
    OpRecord("GatherV2", _gather_v2_reference, _gather_v2, special=True, examples=3),
    OpRecord("GatherNd", _gather_nd_reference, _gather_nd, special=True, examples=3),
    OpRecord("ScatterNd", _scatter_nd_reference, _scatter_nd, examples=3, **_SUMS),
    OpRecord("TensorScatterUpdate", _applied(None), _tensor_scatter(True), special=True, examples=3),
    OpRecord("TensorScatterAdd", _applied(np.add), _tensor_scatter(False), examples=3, **_SUMS),
    OpRecord(
        "TensorScatterSub",
        _applied(np.subtract),
        _tensor_scatter(False),
        scale=lambda x, i, u: _applied(np.add)(np.abs(x), i, np.abs(u)),
        ulps=24,
        examples=3,
    ),
    OpRecord("TensorScatterMax", _applied(np.maximum), _tensor_scatter(False), special=True, examples=3),
    OpRecord("TensorScatterMin", _applied(np.minimum), _tensor_scatter(False), special=True, examples=3),
]
