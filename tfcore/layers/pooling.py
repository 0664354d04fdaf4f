"""Pooling of images."""

from tfcore.layers.base import Layer, data_layout, padding_name, pair
from tfcore.ops.pooling import avg_pool, max_pool

__all__ = ["AveragePooling2D", "MaxPooling2D", "average_pooling2d", "max_pooling2d"]


class _Pooling2D(Layer):
    _ndim = 4

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.pool_size = pair(pool_size, "pool_size")
        self.strides = self.pool_size if strides is None else pair(strides, "strides")
        self.padding = padding_name(padding)
        self.data_format = data_format
        self._layout = data_layout(data_format)

    def call(self, inputs):
        def window(size):
            return [1, *size, 1] if self._layout == "NHWC" else [1, 1, *size]

        return self._pool(inputs, window(self.pool_size), window(self.strides), self.padding, data_format=self._layout)


class MaxPooling2D(_Pooling2D):
    """Computes the maximum of each window of a batch of images.

    Args:
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window; `pool_size` if None.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      name: Name of the layer and of its variable scope; made from the class if None.
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """

    def _pool(self, *args, **kwargs):
        return max_pool(*args, name="MaxPool", **kwargs)


class AveragePooling2D(_Pooling2D):
    """Computes the mean of each window of a batch of images.

    Args:
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window; `pool_size` if None.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      name: Name of the layer and of its variable scope; made from the class if None.
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """

    def _pool(self, *args, **kwargs):
        return avg_pool(*args, name="AvgPool", **kwargs)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """Computes the maximum of each window of a batch of images.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      pool_size: An int or a pair of ints: height and width of the window.
      strides: An int or a pair of ints: the stride of the window; `pool_size` if None.
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
      strides: An int or a pair of ints: the stride of the window; `pool_size` if None.
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
