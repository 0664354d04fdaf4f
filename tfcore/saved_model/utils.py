"""TensorInfo: how a SavedModel names tensors of its graph. `tf.saved_model.utils`."""

from tfcore.framework import errors, protos
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor

__all__ = ["build_tensor_info", "get_tensor_from_tensor_info"]


def build_tensor_info(tensor):
    """Describes a tensor by its name, type and static shape.

    Args:
      tensor: A `Tensor`, `SparseTensor` or `Variable`.

    Returns:
      A TensorInfo.

    Raises:
      TypeError: `tensor` is an `IndexedSlices`.
      AttributeError: `tensor` is nothing like a tensor.

    Example:

    >>> x = tf.placeholder(tf.float32, [None, 2], name="x")
    >>> tf.saved_model.build_tensor_info(x).name
    'x:0'
    """
    if isinstance(tensor, IndexedSlices):
        raise TypeError(f"A TensorInfo describes a Tensor or SparseTensor, not IndexedSlices: {tensor}")
    info = protos.TensorInfo(
        dtype=dtypes.as_dtype(tensor.dtype).as_datatype_enum, tensor_shape=tensor.get_shape().as_proto()
    )
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def build_tensor_info_from_op(op):
    """A TensorInfo that has only the name of an operation (or tensor), without a type."""
    info = protos.TensorInfo(name=op.name)
    info.tensor_shape.unknown_rank = True
    return info


def in_scope(name, import_scope):
    """The name that something has after its graph was imported into a name scope."""
    return f"{import_scope.rstrip('/')}/{name}" if import_scope else name


def get_element_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The operation or tensor that a TensorInfo names. KeyError: there is none."""
    return (graph or get_default_graph()).as_graph_element(in_scope(tensor_info.name, import_scope))


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The tensor that a TensorInfo describes.

    Args:
      tensor_info: A TensorInfo.
      graph: The `Graph`; the default graph if it is None.
      import_scope: The name scope that the graph of the SavedModel was loaded into (optional).

    Returns:
      A `Tensor` or `SparseTensor`.

    Raises:
      KeyError: The graph has no such tensor.
      ValueError: `tensor_info` names no tensor.
      tf.errors.UnimplementedError: It describes another composite tensor, such as a ragged one.
    """
    graph = graph or get_default_graph()

    def find(name):
        return graph.get_tensor_by_name(in_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return find(tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        return SparseTensor(
            find(parts.indices_tensor_name), find(parts.values_tensor_name), find(parts.dense_shape_tensor_name)
        )
    if encoding == "composite_tensor":
        kind = tensor_info.composite_tensor.type_spec.type_spec_class_name
        raise errors.UnimplementedError(None, None, f"There are no composite tensors of type {kind} yet.")
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")
