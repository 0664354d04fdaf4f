"""The base class of distributions of single numbers."""

import functools

from tfcore.distributions.distribution import Distribution
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import ones


class ScalarDistribution(Distribution):
    """A distribution of numbers; its batch has the broadcast shape of the parameters that `_names` lists."""

    _names = ()

    @classmethod
    def _param_shapes(cls, sample_shape):
        sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return dict.fromkeys(cls._names, sizes)

    def _batch_shape_tensor(self):
        return functools.reduce(broadcast_dynamic_shape, [shape(getattr(self, name)) for name in self._names])

    def _batch_shape(self):
        return functools.reduce(broadcast_static_shape, [getattr(self, name).shape for name in self._names])

    def _event_shape_tensor(self):
        return convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return TensorShape([])

    def _ones(self):
        """Ones of the batch shape, with which a parameter is multiplied to broadcast it."""
        return ones(self.batch_shape_tensor(), dtype=self.dtype)
