"""IndexedSlices: the sparse gradient of a gather."""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types.tensor_shape import shape_of
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import register_tensor_conversion_function


class IndexedSlices:
    """Slices of a larger dense tensor: slice `indices[i]` of it is `values[i]`.

    Slices of equal index are summed, all others are zero. The gradient of `tf.gather` is of this kind.

    Args:
      values: A `Tensor` of shape [n, ...].
      indices: A `Tensor` of type int32 or int64, of shape [n].
      dense_shape: A `Tensor`: the shape of the dense tensor (optional).
    """

    def __init__(self, values, indices, dense_shape=None):
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self):
        """The slices, a `Tensor` of shape [n, ...]."""
        return self._values

    @property
    def indices(self):
        """The indices of the slices, a `Tensor` of shape [n]."""
        return self._indices

    @property
    def dense_shape(self):
        """The shape of the dense tensor, a `Tensor` or None."""
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
    def name(self):
        """The name of `values`."""
        return self._values.name

    @property
    def device(self):
        """The device of `values`."""
        return self._values.device

    @property
    def graph(self):
        """The `Graph` it belongs to."""
        return self._values.graph

    @property
    def shape(self):
        """The static shape of the dense tensor, a `TensorShape`."""
        return shape_of(None if self._dense_shape is None else constant_value_as_shape(self._dense_shape))

    def consumers(self):
        """The operations that take the values as an input.

        Returns:
          A list of `Operation`s.
        """
        return self._values.consumers()

    def __neg__(self):
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self):
        dense = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{dense})"

    __repr__ = __str__

    def _as_graph_element(self):
        return self._values

    def components(self):
        """The tensors that it consists of.

        Returns:
          A tuple of `Tensor`s: values, indices and, if known, dense_shape.
        """
        parts = self._values, self._indices, self._dense_shape
        return parts if self._dense_shape is not None else parts[:2]

    def with_components(self, tensors):
        """One of other tensors.

        Args:
          tensors: A list of `Tensor`s in the order of `components`.

        Returns:
          An `IndexedSlices`.
        """
        return IndexedSlices(*tensors)


def _to_dense(value, dtype=None, name=None, as_ref=False):
    """Sums the slices into the dense tensor."""
    if dtype is not None and dtype is not value.dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype {value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(f"Tensor conversion requested for IndexedSlices without dense_shape: {value}")
    return get_op_def("UnsortedSegmentSum")(value.values, value.indices, value.dense_shape[0], name=name)


register_tensor_conversion_function(IndexedSlices, _to_dense, 10)
