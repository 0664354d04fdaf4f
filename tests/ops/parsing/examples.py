"""Random examples, and what becomes of them."""

import numpy as np
from hypothesis import strategies as st

import tfcore as tf

TYPES = {tf.int64: np.int64, tf.float32: np.float32, tf.string: object}
KEYS = ["", "a", "key", "a rather long key of a feature", "é"]

values = {
    tf.int64: st.integers(-(2**63), 2**63 - 1),
    tf.float32: st.floats(width=32, allow_nan=False),
    tf.string: st.binary(max_size=20),
}


def fill(feature, dtype, given):
    """Sets the values of a message Feature; None leaves it empty."""
    if given is not None:
        kind = {tf.int64: feature.int64_list, tf.float32: feature.float_list, tf.string: feature.bytes_list}[dtype]
        kind.SetInParent()
        kind.value.extend(given)


def padded(rows, dtype, inner=(), padding=None):
    """An array of lists that are padded to the longest."""
    longest = max(map(len, rows), default=0)
    if padding is None:
        padding = b"" if dtype == tf.string else 0
    out = np.full((len(rows), longest), padding, TYPES[dtype])
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out.reshape((len(rows), -1, *inner)) if longest else out.reshape((len(rows), 0, *inner))


def sparse(rows, dtype):
    """Lists as the parts of a sparse tensor."""
    indices = [(i, k) for i, row in enumerate(rows) for k in range(len(row))]
    flat = np.array([v for row in rows for v in row], TYPES[dtype])
    shape = [len(rows), max(map(len, rows), default=0)]
    return tf.SparseTensorValue(np.array(indices, np.int64).reshape(-1, 2), flat, np.array(shape, np.int64))


def assert_equal(actual, expected):
    """Compares nested dicts, tuples and arrays, types too."""
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for key in expected:
            assert_equal(actual[key], expected[key])
    elif isinstance(expected, tuple):
        for a, e in zip(actual, expected, strict=True):
            assert_equal(a, e)
    else:
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(actual, expected)
