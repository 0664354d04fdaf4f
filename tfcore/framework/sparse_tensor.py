"""SparseTensor: a tensor given by the places and values of its elements; the others are zero or missing."""

import collections

from tfcore.framework import dtypes
from tfcore.framework.constant import constant_value_as_shape
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.default_session import eval_in_session
from tfcore.framework.graph import name_scope
from tfcore.framework.tensor_shape import TensorShape

__all__ = ["SparseTensor", "SparseTensorValue"]

SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class SparseTensor:
    """Three tensors: element `indices[i]` is `values[i]`.

    Sessions fetch it as a SparseTensorValue and take one, or any triple, as its feed.

    Args:
      indices: int64 [n, rank], in row-major order where operations need that.
      values: [n], of any type.
      dense_shape: int64 [rank].

    Raises:
      ValueError: ranks or sizes that do not fit.
    """

    def __init__(self, indices, values, dense_shape):
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, name="indices", dtype=dtypes.int64)
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, name="dense_shape", dtype=dtypes.int64)
        self._static_shape = TensorShape(None)  # what is known beside dense_shape
        places = self._indices.shape.with_rank(2)
        count, rank = self._values.shape.with_rank(1), self._dense_shape.shape.with_rank(1)
        TensorShape([places[0]]).assert_is_compatible_with(count)
        TensorShape([places[1]]).assert_is_compatible_with(rank)

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """The SparseTensor for a SparseTensorValue; TypeError for anything else."""
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        if not isinstance(sparse_tensor_value, SparseTensorValue):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {sparse_tensor_value}.")
        return cls(*sparse_tensor_value)

    @property
    def indices(self):
        return self._indices

    @property
    def values(self):
        return self._values

    @property
    def dense_shape(self):
        return self._dense_shape

    @property
    def dtype(self):
        return self._values.dtype

    @property
    def op(self):
        return self._values.op

    @property
    def graph(self):
        return self._indices.graph

    @property
    def shape(self):
        return self._static_shape.merge_with(TensorShape._from_dims(constant_value_as_shape(self._dense_shape)))

    def get_shape(self):
        """The static shape."""
        return self.shape

    def _components(self):
        return self._indices, self._values, self._dense_shape

    def _with_components(self, tensors):
        return SparseTensor(*tensors)

    def consumers(self):
        """Operations that use one of the three tensors."""
        return self._values.consumers() + self._indices.consumers() + self._dense_shape.consumers()

    def eval(self, feed_dict=None, session=None):
        """The SparseTensorValue, computed in `session` or the default session."""
        return eval_in_session("eval", self, feed_dict, session, self.graph)

    def __repr__(self):
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"
