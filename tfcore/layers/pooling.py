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
    """The maximum of each window."""

    def _pool(self, *args, **kwargs):
        return max_pool(*args, name="MaxPool", **kwargs)


class AveragePooling2D(_Pooling2D):
    """The mean of each window."""

    def _pool(self, *args, **kwargs):
        return avg_pool(*args, name="AvgPool", **kwargs)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """The maximum of each window of `pool_size`, windows `strides` apart."""
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """The mean of each window of `pool_size`, windows `strides` apart."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)
