"""Pooling of sequences, images and volumes."""

from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.layers import settings
from tfcore.layers.base import Layer
from tfcore.layers.docs import documented
from tfcore.layers.input_spec import InputSpec
from tfcore.ops.array.array import transpose
from tfcore.ops.pooling.pooling import avg_pool, avg_pool1d, max_pool, max_pool1d
from tfcore.ops.pooling.pooling_3d import avg_pool3d, max_pool3d


class _Pooling(Layer):
    def __init__(self, rank, pool_size, strides, padding, data_format, name, **kwargs):
        super().__init__(name=name, **kwargs)
        self.pool_size = settings.sizes(pool_size, rank, "pool_size")
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        self.strides = settings.sizes(strides, rank, "strides")
        self.padding = settings.padding(padding)
        self.data_format = data_format
        self._layout = settings.layout(data_format, rank)
        self.input_spec = InputSpec(ndim=rank + 2)

    def compute_output_shape(self, input_shape):
        dims = TensorShape(input_shape).as_list()
        first = 1 if self._layout.endswith("C") else 2
        for i, (window, stride) in enumerate(zip(self.pool_size, self.strides), first):
            if dims[i] is not None:
                dims[i] = -(-(dims[i] - (window - 1 if self.padding == "VALID" else 0)) // stride)
        return TensorShape(dims)

    def call(self, inputs):
        window, strides = (settings.in_layout(sizes, self._layout) for sizes in (self.pool_size, self.strides))
        return self._pool(inputs, window, strides, self.padding, self._layout)


class _Pooling3D(_Pooling):
    def call(self, inputs):
        if self._layout == "NDHWC":
            return super().call(inputs)
        # As TensorFlow's layers: faster than windows over channels that come first, and programs know the names.
        window, strides = (settings.in_layout(sizes, "NDHWC") for sizes in (self.pool_size, self.strides))
        outputs = self._pool(transpose(inputs, [0, 2, 3, 4, 1]), window, strides, self.padding, "NDHWC")
        return transpose(outputs, [0, 4, 1, 2, 3])


@documented
class MaxPooling1D(_Pooling):
    """Computes the maximum of each window of a batch of sequences.

    Args:
      pool_size: An int: the width of the window.
      strides: An int: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      name: Name of the layer; made from the class if None.
      {kwargs}
    """

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(1, pool_size, strides, padding, data_format, name, **kwargs)

    def _pool(self, *args):
        return max_pool1d(*args)


@documented
class AveragePooling1D(_Pooling):
    """Computes the mean of each window of a batch of sequences.

    Args:
      pool_size: An int: the width of the window.
      strides: An int: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      name: Name of the layer; made from the class if None.
      {kwargs}
    """

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(1, pool_size, strides, padding, data_format, name, **kwargs)

    def _pool(self, *args):
        return avg_pool1d(*args)


@documented
class MaxPooling2D(_Pooling):
    """Computes the maximum of each window of a batch of images.

    Args:
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      name: Name of the layer; made from the class if None.
      {kwargs}
    """

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(2, pool_size, strides, padding, data_format, name, **kwargs)

    def _pool(self, *args):
        return max_pool(*args, name="MaxPool")


@documented
class AveragePooling2D(_Pooling):
    """Computes the mean of each window of a batch of images.

    Args:
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      name: Name of the layer; made from the class if None.
      {kwargs}
    """

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(2, pool_size, strides, padding, data_format, name, **kwargs)

    def _pool(self, *args):
        return avg_pool(*args, name="AvgPool")


@documented
class MaxPooling3D(_Pooling3D):
    """Computes the maximum of each window of a batch of volumes.

    Args:
      pool_size: An int or three ints: depth, height and width of the window.
      strides: An int or three ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      name: Name of the layer; made from the class if None.
      {kwargs}
    """

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(3, pool_size, strides, padding, data_format, name, **kwargs)

    def _pool(self, *args):
        return max_pool3d(*args, name="MaxPool3D")


@documented
class AveragePooling3D(_Pooling3D):
    """Computes the mean of each window of a batch of volumes.

    Args:
      pool_size: An int or three ints: depth, height and width of the window.
      strides: An int or three ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      name: Name of the layer; made from the class if None.
      {kwargs}
    """

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(3, pool_size, strides, padding, data_format, name, **kwargs)

    def _pool(self, *args):
        return avg_pool3d(*args, name="AvgPool3D")


def max_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the maximum of each window of a batch of sequences.

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], or as `data_format` says, of a floating-point type.
      pool_size: An int: the width of the window.
      strides: An int: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      name: Name of the layer; made from the class if None.

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 3.
      TypeError: `inputs` has a type that the layer does not take.
    """
    return MaxPooling1D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the mean of each window of a batch of sequences.

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], or as `data_format` says, of a floating-point type.
      pool_size: An int: the width of the window.
      strides: An int: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      name: Name of the layer; made from the class if None.

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 3.
      TypeError: `inputs` has a type that the layer does not take.
    """
    return AveragePooling1D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the maximum of each window of a batch of images.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      name: Name of the layer and of its variable scope; made from the class if None.

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 4.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> print(sess.run(tf.layers.max_pooling2d(image, pool_size=2, strides=2))[0, :, :, 0])
    [[ 5.  7.]
     [13. 15.]]
    """
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the mean of each window of a batch of images.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      name: Name of the layer and of its variable scope; made from the class if None.

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 4.
      TypeError: `inputs` has a type that the layer does not take.
    """
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling3d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the maximum of each window of a batch of volumes.

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      pool_size: An int or three ints: depth, height and width of the window.
      strides: An int or three ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      name: Name of the layer and of its variable scope; made from the class if None.

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as depth, height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 5.
      TypeError: `inputs` has a type that the layer does not take.
    """
    return MaxPooling3D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling3d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the mean of each window of a batch of volumes.

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      pool_size: An int or three ints: depth, height and width of the window.
      strides: An int or three ints: the stride of the window.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      name: Name of the layer and of its variable scope; made from the class if None.

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as depth, height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 5.
      TypeError: `inputs` has a type that the layer does not take.
    """
    return AveragePooling3D(pool_size, strides, padding, data_format, name)(inputs)
