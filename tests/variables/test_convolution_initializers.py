"""Initializers of convolution kernels that keep the norm of their input."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.contrib import framework

ORTHOGONAL = {
    1: framework.convolutional_orthogonal_1d,
    2: framework.convolutional_orthogonal_2d,
    3: framework.convolutional_orthogonal_3d,
}


def run(initializer, shape, **kwargs):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(initializer(shape, **kwargs))


def periodic(x, kernel):
    """The convolution of x, shape [size..., in], with a kernel, with periodic padding."""
    rank = kernel.ndim - 2
    result = 0
    for place in itertools.product(*[range(size) for size in kernel.shape[:rank]]):
        result = result + np.roll(x, place, tuple(range(rank))) @ kernel[place]
    return result


@pytest.mark.parametrize("rank", [1, 2, 3])
@given(data=st.data())
def test_norms_are_kept(rank, data):
    size, channels = data.draw(st.integers(1, 4 if rank < 3 else 3)), data.draw(st.integers(1, 5))
    outputs = data.draw(st.integers(channels, 6))
    kernel = run(ORTHOGONAL[rank](2.0, seed=3, dtype=tf.float64), [size] * rank + [channels, outputs])
    x = np.random.default_rng(0).standard_normal([5] * rank + [channels])
    np.testing.assert_allclose(np.linalg.norm(periodic(x, kernel)), 2 * np.linalg.norm(x), rtol=1e-10)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 3))
def test_delta_kernels(sizes, channels, more):
    kernel = run(framework.convolutional_delta_orthogonal(3.0), [*sizes, channels, channels + more], dtype=tf.float64)
    centre = tuple((size - 1) // 2 for size in sizes)
    np.testing.assert_allclose(kernel[centre] @ kernel[centre].T, 9 * np.eye(channels), atol=1e-12)
    kernel[centre] = 0
    assert not kernel.any()


def test_seeds_types_and_copies():
    initializer = framework.convolutional_orthogonal_2d(seed=1)
    first, second = (run(initializer, [2, 2, 3, 4]) for _ in range(2))
    assert first.dtype == np.float32
    np.testing.assert_array_equal(first, second)
    assert np.any(first != run(framework.convolutional_orthogonal_2d(seed=2), [2, 2, 3, 4]))
    again = type(initializer).from_config(initializer.get_config())
    np.testing.assert_array_equal(first, run(again, [2, 2, 3, 4]))
    assert run(initializer, [2, 2, 3, 4], dtype=tf.float16).dtype == np.float16


@pytest.mark.parametrize(
    "make, shape, text",
    [
        (framework.convolutional_delta_orthogonal, [2, 2], "at least three-dimensional and at most five-dimensional"),
        (framework.convolutional_delta_orthogonal, [1] * 6, "at least three-dimensional and at most five-dimensional"),
        (framework.convolutional_delta_orthogonal, [2, 3, 2], "cannot be greater than out_filters"),
        (framework.convolutional_orthogonal_1d, [2, 2, 3, 3], "must be three-dimensional"),
        (framework.convolutional_orthogonal_2d, [2, 2, 4, 3], "cannot be greater than out_filters"),
        (framework.convolutional_orthogonal_2d, [2, 3, 3, 3], r"shape\[0\]=2 and shape\[1\]=3 must be equal"),
        (framework.convolutional_orthogonal_3d, [2, 2, 3, 3], "must be five-dimensional"),
    ],
)
def test_wrong_shapes(make, shape, text):
    with pytest.raises(ValueError, match=text):
        make()(shape)


def test_wrong_types():
    with pytest.raises(ValueError, match="expected to be floating point"):
        framework.convolutional_orthogonal_2d(dtype=tf.int32)
