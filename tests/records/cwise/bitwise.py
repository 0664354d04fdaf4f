"""Records of operations on the bits of integers."""

import numpy as np

from tfcore.testing import binary, unary


def _distance(x, y):
    return np.minimum(np.maximum(y, 0), 8 * x.dtype.itemsize - 1)


def _popcount(x):
    bits = np.unpackbits(np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, x.dtype.itemsize), axis=-1)
    return bits.sum(axis=-1).astype(np.uint8)


RECORDS = [
    binary("BitwiseAnd", np.bitwise_and),
    binary("BitwiseOr", np.bitwise_or),
    binary("BitwiseXor", np.bitwise_xor),
    binary("LeftShift", lambda x, y: np.left_shift(x, _distance(x, y))),
    binary("RightShift", lambda x, y: np.right_shift(x, _distance(x, y))),
    unary("Invert", np.invert),
    unary("PopulationCount", _popcount),
]
