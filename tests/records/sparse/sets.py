"""Records of sets in the rows of tensors."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_KEEP = {"a-b": lambda a, b: a - b, "b-a": lambda a, b: b - a, "intersection": set.intersection, "union": set.union}


def _groups(draw):
    return tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)))


def _few(draw, case, count):
    """`count` values; most occur several times."""
    pool = draw(case.array((draw(st.integers(1, 12)),)))
    return pool[np.random.default_rng(draw(st.integers(0, 2**31 - 1))).integers(0, len(pool), count)]


def _dense(draw, case, groups):
    shape = (*groups, draw(st.integers(0, 9)))
    return [_few(draw, case, int(np.prod(shape))).reshape(shape)]


def _sparse(draw, case, groups):
    shape = (*groups, draw(st.integers(0, 9)))
    total = int(np.prod(shape))
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    flat = np.sort(rng.permutation(total)[: draw(st.integers(0, total))])
    indices = np.stack(np.unravel_index(flat, shape), -1).astype(np.int64)
    return [indices, _few(draw, case, len(flat)), np.array(shape, np.int64)]


def _inputs(*parts):
    def draw_inputs(draw, case):
        groups = _groups(draw)
        inputs = [x for part in parts for x in part(draw, case, groups)]
        attrs = {"set_operation": draw(st.sampled_from(sorted(_KEEP)))} if len(inputs) != 3 else {}
        return inputs, {**attrs, "validate_indices": draw(st.booleans())}

    return draw_inputs


def _rows(*tensor):
    """The sets of a dense (one array) or sparse tensor (three) by the index of the row, and the shape of the rows."""
    if len(tensor) == 1:
        groups = tensor[0].shape[:-1]
        return {at: set(tensor[0][at].tolist()) for at in np.ndindex(groups)}, groups
    indices, values, shape = tensor
    groups = tuple(shape[:-1])
    found = {at: set() for at in np.ndindex(groups)}
    for index, value in zip(indices, values.tolist()):
        found[tuple(index[:-1])].add(value)
    return found, groups


def _reference(first):
    """The reference for inputs whose first `first` arrays are one tensor."""

    def reference(*inputs, set_operation, validate_indices):
        a, groups = _rows(*inputs[:first])
        b, _ = _rows(*inputs[first:])
        sets = {at: sorted(_KEEP[set_operation](a[at], b[at])) for at in sorted(a)}
        indices = [(*at, i) for at, found in sets.items() for i in range(len(found))]
        values = np.empty(len(indices), inputs[first - 1 if first == 1 else 1].dtype)
        values[:] = [value for found in sets.values() for value in found]
        longest = max(map(len, sets.values()), default=0)
        return [
            np.array(indices, np.int64).reshape(-1, len(groups) + 1),
            values,
            np.array([*groups, longest], np.int64),
        ]

    return reference


def _size(indices, values, shape, validate_indices):
    rows, groups = _rows(indices, values, shape)
    return np.array([len(rows[at]) for at in np.ndindex(groups)], np.int32).reshape(groups)


RECORDS = [
    OpRecord("SetSize", _size, _inputs(_sparse), examples=10),
    OpRecord("DenseToDenseSetOperation", _reference(1), _inputs(_dense, _dense), examples=10),
    OpRecord("DenseToSparseSetOperation", _reference(1), _inputs(_dense, _sparse), examples=10),
    OpRecord("SparseToSparseSetOperation", _reference(3), _inputs(_sparse, _sparse), examples=10),
]
