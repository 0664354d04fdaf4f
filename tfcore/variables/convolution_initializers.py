"""Initializers of convolution kernels that keep the norm of their input.

Source: L. Xiao, Y. Bahri, J. Sohl-Dickstein, S. S. Schoenholz and J. Pennington, "Dynamical Isometry and a Mean Field
Theory of CNNs", ICML 2018.
"""

import numpy as np

from tfcore.framework.values.constant import constant_of_array
from tfcore.variables.initializers import Orthogonal, dims_of, float_dtype


class _ConvolutionInitializer(Orthogonal):
    """Base class. The kernel is computed when the graph is built, as the matrix of `Orthogonal`."""

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else float_dtype(dtype)
        dims = dims_of(shape)
        self._check(shape, dims)
        kernel = self._kernel(np.random.default_rng(self._seeds()), dims)
        return constant_of_array((self.gain * kernel).astype(dtype.as_numpy_dtype), "convolution_orthogonal")

    def _check(self, shape, dims):
        if dims[-2] > dims[-1]:
            raise ValueError(
                f"In_filters, specified by shape[-2]={dims[-2]} cannot be greater than out_filters, specified by "
                f"shape[-1]={dims[-1]}."
            )


class ConvolutionDeltaOrthogonal(_ConvolutionInitializer):
    """Initializes a convolution kernel with an orthogonal matrix in its centre, times `gain`, and zeros elsewhere.

    The kernel has three to five dimensions, and at least as many output as input channels.

    Args:
      gain: Factor of the matrix.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type; when called: the shape is not that of such a kernel.
    """

    def _check(self, shape, dims):
        if not 3 <= len(dims) <= 5:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least three-dimensional and at "
                f"most five-dimensional. Received shape={shape}"
            )
        super()._check(shape, dims)

    def _kernel(self, rng, dims):
        kernel = np.zeros(dims)
        kernel[tuple((size - 1) // 2 for size in dims[:-2])] = orthogonal_matrix(rng, dims[-1])[: dims[-2]]
        return kernel


class _ConvolutionOrthogonal(_ConvolutionInitializer):
    """Base class: the product of an orthogonal matrix and of size - 1 kernels of two taps, P and 1 - P, for each axis.

    P is a random projection. The convolution keeps norms where its input is padded periodically.
    """

    _rank = None
    _rank_name = None

    def _check(self, shape, dims):
        if len(dims) != self._rank + 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be {self._rank_name}. "
                f"Received shape={shape}"
            )
        super()._check(shape, dims)
        if len(set(dims[:-2])) > 1:
            sizes = " and ".join(f"shape[{i}]={size}" for i, size in enumerate(dims[:-2]))
            raise ValueError(f"Kernel sizes, specified by {sizes} must be equal.")

    def _kernel(self, rng, dims):
        size, n = dims[0], dims[-1]
        kernel = np.zeros(dims[:-2] + [n, n])
        kernel[(0,) * self._rank] = orthogonal_matrix(rng, n)
        for _ in range(size - 1):
            for axis in range(self._rank):
                projection = _projection(rng, n)
                # The last slice along the axis is still zero: rolling moves it to the front.
                kernel = kernel @ projection + np.roll(kernel, 1, axis) @ (np.eye(n) - projection)
        return kernel[..., : dims[-2], :]


def orthogonal_matrix(rng, n):
    """A random orthogonal matrix of size n, uniformly distributed."""
    q, r = np.linalg.qr(rng.standard_normal((n, n)))
    return q * np.sign(np.diag(r))


def _projection(rng, n):
    """A random symmetric projection of size n."""
    columns = orthogonal_matrix(rng, n) * (rng.standard_normal(n) > 0)
    return columns @ columns.T


class ConvolutionOrthogonal1D(_ConvolutionOrthogonal):
    """Initializes a kernel [size, in, out] of a 1-D convolution that keeps norms, times `gain`.

    Args:
      gain: Factor of the kernel.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type; when called: the shape is not that of such a kernel.
    """

    _rank, _rank_name = 1, "three-dimensional"


class ConvolutionOrthogonal2D(_ConvolutionOrthogonal):
    """Initializes a kernel [size, size, in, out] of a 2-D convolution that keeps norms, times `gain`.

    Args:
      gain: Factor of the kernel.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type; when called: the shape is not that of such a kernel.
    """

    _rank, _rank_name = 2, "four-dimensional"


class ConvolutionOrthogonal3D(_ConvolutionOrthogonal):
    """Initializes a kernel [size, size, size, in, out] of a 3-D convolution that keeps norms, times `gain`.

    Args:
      gain: Factor of the kernel.
      seed: An int for a reproducible sequence, see `tf.set_random_seed` (optional).
      dtype: The default `DType`, a floating-point type.

    Raises:
      ValueError: `dtype` is not a floating-point type; when called: the shape is not that of such a kernel.
    """

    _rank, _rank_name = 3, "five-dimensional"


convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal
convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D
