"""Operations on bits: what no record says."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8])
def test_shift_distances_are_clamped(dtype):
    bits = 8 * np.dtype(dtype).itemsize
    x = np.full(5, 5, dtype)
    y = np.array([0, 3, bits - 1, bits, 100], dtype)
    low, high = np.array(5 << (bits - 1)).astype(np.int64), np.dtype(dtype)
    top = low.astype(high)
    assert evaluate("LeftShift", x, y).tolist() == [5, 40, top, top, top]
    assert evaluate("RightShift", x, y).tolist() == [5, 0, 0, 0, 0]
    if dtype is np.int32:
        assert evaluate("RightShift", np.array([-50], dtype), np.array([99], dtype)).tolist() == [-1]
        assert evaluate("LeftShift", np.array([5], dtype), np.array([-1], dtype)).tolist() == [5]
