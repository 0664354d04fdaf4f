"""SparseTensor: a tensor given by the indices and values of its elements; all others are zero or missing."""

import collections
import functools
import inspect

from tfcore.framework.graph.default_session import eval_in_session
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, shape_of
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor

SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class SparseTensor:
    """A sparse tensor: the element at `indices[i]` is `values[i]`, all others are zero or missing.

    Sessions return it as a `SparseTensorValue` and accept one, or any triple, as its fed value.

    Args:
      indices: A `Tensor` of type int64, of shape [n, rank]; in row-major order where operations need it.
      values: A `Tensor` of any type, of shape [n].
      dense_shape: A `Tensor` of type int64, of shape [rank].

    Raises:
      ValueError: Ranks or sizes are incompatible.
    """

    def __init__(self, indices, values, dense_shape):
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, name="indices", dtype=dtypes.int64)
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, name="dense_shape", dtype=dtypes.int64)
        self._static_shape = TensorShape(None)  # what is known besides dense_shape
        places = self._indices.shape.with_rank(2)
        count, rank = self._values.shape.with_rank(1), self._dense_shape.shape.with_rank(1)
        TensorShape([places[0]]).assert_is_compatible_with(count)
        TensorShape([places[1]]).assert_is_compatible_with(rank)

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """Converts a `SparseTensorValue` to a `SparseTensor`.

        Args:
          sparse_tensor_value: A `SparseTensorValue` or `SparseTensor`.

        Returns:
          A `SparseTensor`.

        Raises:
          TypeError: The value is neither.
        """
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        if not isinstance(sparse_tensor_value, SparseTensorValue):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {sparse_tensor_value}.")
        return cls(*sparse_tensor_value)

    @property
    def indices(self):
        """The indices of the elements, a `Tensor` of shape [n, rank]."""
        return self._indices

    @property
    def values(self):
        """The elements, a `Tensor` of shape [n]."""
        return self._values

    @property
    def dense_shape(self):
        """The shape, a `Tensor` of shape [rank]."""
        return self._dense_shape

    @property
    def dtype(self):
        """The `DType` of the elements."""
        return self._values.dtype

    @property
    def op(self):
        """The `Operation` that computes `values`."""
        return self._values.op

    @property
    def graph(self):
        """The `Graph` it belongs to."""
        return self._indices.graph

    @property
    def shape(self):
        """The static shape, a `TensorShape`."""
        return self._static_shape.merge_with(shape_of(constant_value_as_shape(self._dense_shape)))

    def get_shape(self):
        """The static shape.

        Returns:
          A `TensorShape`.
        """
        return self.shape

    def set_shape(self, shape):
        """Merges what is known about the shape into the static shape.

        Args:
          shape: A `TensorShape` or what converts to one.

        Raises:
          ValueError: The two contradict each other.
        """
        self._static_shape = self._static_shape.merge_with(shape)

    def with_values(self, new_values):
        """A sparse tensor with the same indices and shape, and other values.

        Args:
          new_values: A `Tensor` of any type and of the shape of `values`.

        Returns:
          A `SparseTensor`.
        """
        result = SparseTensor(self._indices, new_values, self._dense_shape)
        result._static_shape = self._static_shape
        return result

    def components(self):
        """The tensors that it consists of.

        Returns:
          A tuple of `Tensor`s: indices, values and dense_shape.
        """
        return self._indices, self._values, self._dense_shape

    def with_components(self, tensors):
        """One of other tensors.

        Args:
          tensors: A list of `Tensor`s in the order of `components`.

        Returns:
          A `SparseTensor`.
        """
        return SparseTensor(*tensors)

    def consumers(self):
        """The operations that take one of the three tensors as an input.

        Returns:
          A list of `Operation`s.
        """
        return self._values.consumers() + self._indices.consumers() + self._dense_shape.consumers()

    def eval(self, feed_dict=None, session=None):
        """Computes the tensor in a session.

        Args:
          feed_dict: A dict from tensors to values, see `tf.Session.run`.
          session: The `Session`; the default session if None.

        Returns:
          A `SparseTensorValue`.

        Raises:
          ValueError: There is no session, or it belongs to another graph.
        """
        return eval_in_session("eval", self, feed_dict, session, self.graph)

    def __repr__(self):
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"


def maps_values(function):
    """Decorator for an element-wise function: it also takes a SparseTensor.

    The result then has the same indices, and the function's results for the values. Elements without an index stay
    zero, as in TensorFlow, also where the function of 0 is something else.
    """

    @functools.wraps(function)
    def mapped(x, *args, **kwargs):
        if isinstance(x, SparseTensor):
            return x.with_values(function(x.values, *args, **kwargs))
        return function(x, *args, **kwargs)

    if function.__doc__:  # python -OO has none
        summary, rest = inspect.cleandoc(function.__doc__).split("\n\n", 1)
        mapped.__doc__ = f"{summary}\n\nFor a `SparseTensor` it is computed for the values.\n\n{rest}"
    return mapped
