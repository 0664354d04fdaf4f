"""IndexedSlices: the sparse gradient of a gather."""

from tfcore.framework.conversion import register_tensor_conversion_function
from tfcore.framework.op_def import get_op_def


class IndexedSlices:
    """Rows of a larger dense tensor: row `indices[i]` of it is `values[i]`; rows given twice add up, others are zero.

    values: [n, ...]; indices: [n] int32 or int64; dense_shape: optional vector, the shape of the dense tensor.
    """

    def __init__(self, values, indices, dense_shape=None):
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self):
        return self._values

    @property
    def indices(self):
        return self._indices

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
    def name(self):
        return self._values.name

    @property
    def device(self):
        return self._values.device

    @property
    def graph(self):
        return self._values.graph

    @property
    def shape(self):
        from tfcore.framework.constant import constant_value_as_shape
        from tfcore.framework.tensor_shape import TensorShape

        return TensorShape._from_dims(None if self._dense_shape is None else constant_value_as_shape(self._dense_shape))

    def __neg__(self):
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self):
        dense = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{dense})"

    __repr__ = __str__

    def _as_graph_element(self):
        return self._values

    def _components(self):
        parts = self._values, self._indices, self._dense_shape
        return parts if self._dense_shape is not None else parts[:2]

    def _with_components(self, tensors):
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
