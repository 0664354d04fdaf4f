"""Records of counts of values in rows, and of buckets."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_ULPS = 70


def _values(draw, case, shape, attr="Tidx"):
    return draw(case.array(shape, dtype=np.dtype(case[attr]), domain=(0, 9)))


def _weights(draw, case, shape, attr="T"):
    dtype = np.dtype(case[attr])
    return draw(case.array(shape, dtype=dtype, domain=(-50, 50))) if draw(st.booleans()) else np.zeros(0, dtype)


def _size(draw, case):
    return np.array(draw(st.integers(0, 12)), case.Tidx)


def _counts(rows, weights, size, binary):
    """Counts of each row, a vector of values; weights are one after the other."""
    out = np.zeros((len(rows), size), weights.dtype)
    at = 0
    for row, values in enumerate(rows):
        for value in np.ravel(values):
            if value < size:
                out[row, value] = 1 if binary else out[row, value] + (weights.reshape(-1)[at] if weights.size else 1)
            at += 1
    return out


def _dense(draw, case):
    shape = draw(case.shapes(max_rank=2))
    values = _values(draw, case, shape)
    return [values, _size(draw, case), _weights(draw, case, shape)], {"binary_output": draw(st.booleans())}


def _dense_reference(values, size, weights, binary_output):
    if values.ndim < 2:
        return _counts([values], weights, int(size), binary_output)[0]
    return _counts(values, weights, int(size), binary_output)


def _elements(draw, rank):
    """Sorted indices of some elements of a tensor, and its shape."""
    shape = [draw(st.integers(1, 4)) for _ in range(rank)]
    places = sorted(draw(st.sets(st.tuples(*(st.integers(0, d - 1) for d in shape)), max_size=6)))
    return np.array(places, np.int64).reshape(-1, rank), np.array(shape, np.int64)


def _rows_of(indices, values, shape):
    rows = 1 if len(shape) == 1 else int(shape[0])
    return [values[indices[:, 0] == row] if len(shape) > 1 else values for row in range(rows)]


def _sparse(draw, case):
    indices, shape = _elements(draw, draw(st.integers(1, 3)))
    values = _values(draw, case, (len(indices),))
    inputs = [indices, values, shape, _size(draw, case), _weights(draw, case, values.shape)]
    return inputs, {"binary_output": draw(st.booleans())}


def _sparse_reference(indices, values, shape, size, weights, binary_output):
    counts = _counts(_rows_of(indices, values, shape), weights, int(size), binary_output)
    return counts[0] if len(shape) == 1 else counts


def _splits(draw, case, attr="Tidx"):
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    splits = np.cumsum([0, *lengths], dtype=np.int64)
    return splits, _values(draw, case, (int(splits[-1]),), attr)


def _ragged(draw, case):
    splits, values = _splits(draw, case)
    inputs = [splits, values, _size(draw, case), _weights(draw, case, values.shape)]
    return inputs, {"binary_output": draw(st.booleans())}


def _pieces(splits, values):
    return np.split(values, splits[1:-1])


def _ragged_reference(splits, values, size, weights, binary_output):
    return _counts(_pieces(splits, values), weights, int(size), binary_output)


def _limits(draw):
    lengths = {name: draw(st.sampled_from([-1, 0, 3, 8])) for name in ("minlength", "maxlength")}
    return {**lengths, "binary_output": draw(st.booleans())}


def _sparse_counts(rows, weights, vector, minlength, maxlength, binary_output):
    most = maxlength if maxlength >= 0 else 100
    counts = _counts(rows, weights, most, binary_output)
    there = _counts(rows, np.zeros(0, np.int32), most, True)
    indices = np.argwhere(there).astype(np.int64).reshape(-1, 2)
    greatest = max([0, *indices[:, 1]])
    length = maxlength if maxlength >= 0 else max(greatest + 1, minlength)
    if vector:
        return [indices[:, 1:], counts[there > 0], np.int64([length])]
    return [indices, counts[there > 0], np.int64([len(rows), length])]


def _dense_count(draw, case):
    shape = draw(case.shapes(min_rank=1, max_rank=2))
    values = _values(draw, case, shape, "T")
    return [values, _weights(draw, case, shape, "output_type")], _limits(draw)


def _dense_count_reference(values, weights, **attrs):
    return _sparse_counts([values] if values.ndim == 1 else values, weights, values.ndim == 1, **attrs)


def _sparse_count(draw, case):
    indices, shape = _elements(draw, draw(st.integers(1, 3)))
    values = _values(draw, case, (len(indices),), "T")
    return [indices, values, shape, _weights(draw, case, values.shape, "output_type")], _limits(draw)


def _sparse_count_reference(indices, values, shape, weights, **attrs):
    return _sparse_counts(_rows_of(indices, values, shape), weights, len(shape) == 1, **attrs)


def _ragged_count(draw, case):
    splits, values = _splits(draw, case, "T")
    return [splits, values, _weights(draw, case, values.shape, "output_type")], _limits(draw)


def _ragged_count_reference(splits, values, weights, **attrs):
    return _sparse_counts(_pieces(splits, values), weights, False, **attrs)


def _scaled(reference):
    """The same of the magnitudes of the weights, which come last."""

    def scale(*inputs, **attrs):
        return reference(*inputs[:-1], np.abs(inputs[-1]), **attrs)

    return scale


def _record(op, reference, inputs):
    return OpRecord(op, reference, inputs, scale=_scaled(reference), ulps=_ULPS)


def _bucketize(draw, case):
    boundaries = sorted(draw(st.lists(st.integers(-8, 8).map(float), max_size=6)))
    return [draw(case.array(draw(case.shapes()), domain=(-10, 10)))], {"boundaries": boundaries}


RECORDS = [
    _record("DenseBincount", _dense_reference, _dense),
    _record("SparseBincount", _sparse_reference, _sparse),
    _record("RaggedBincount", _ragged_reference, _ragged),
    _record("DenseCountSparseOutput", _dense_count_reference, _dense_count),
    _record("SparseCountSparseOutput", _sparse_count_reference, _sparse_count),
    _record("RaggedCountSparseOutput", _ragged_count_reference, _ragged_count),
    OpRecord(
        "Bucketize",
        lambda x, boundaries: np.searchsorted(np.array(boundaries), x, side="right").astype(np.int32),
        _bucketize,
        special=False,
    ),
]
