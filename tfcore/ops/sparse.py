"""Ops on sparse tensors in parts: indices, values, dense shape."""

import tfcore.ops.array as array_ops
import tfcore.ops.constants as constants
import tfcore.ops.reductions as reductions
from tfcore.framework import dtypes, shapes
from tfcore.framework.constant import constant_value_as_shape
from tfcore.framework.op_def import define_op, get_op_def, gradient
from tfcore.framework.sparse_tensor import SparseTensor
from tfcore.framework.tensor_shape import TensorShape

__all__ = ["sparse_placeholder", "sparse_to_dense"]


def _sparse_to_dense_shape(op):
    indices, shape, values, _ = op.inputs
    if indices.dims is not None:
        if len(indices.dims) > 2:
            raise ValueError(f"Shape must be at most rank 2 but is rank {len(indices.dims)}")
        rank = indices.dims[1] if len(indices.dims) == 2 else 1
        shapes.merge(shapes.with_rank(shape.dims, 1), (rank,))
        count = indices.dims[0] if indices.dims else 1
        if shapes.with_rank_at_most(values.dims, 1):
            shapes.merge_dim(values.dims[0], count)
    shapes.with_rank(op.inputs[3].dims, 0)
    return [constant_value_as_shape(shape)]


SparseToDense = define_op(
    "SparseToDense",
    inputs=["sparse_indices: Tindices", "output_shape: Tindices", "sparse_values: T", "default_value: T"],
    outputs=["dense: T"],
    attrs=["validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"],
    shape=_sparse_to_dense_shape,
    doc="`default_value` everywhere but at the indices, where `sparse_values` are.",
)


@gradient("SparseToDense")
def _sparse_to_dense_grad(op, grad):
    indices, shape, values, _ = op.inputs
    if indices.dims is None or len(indices.dims) < 2:
        indices = array_ops.reshape(indices, array_ops.concat([[-1], array_ops.shape(shape)], 0))
    there = get_op_def("GatherNd")(grad, indices)
    elsewhere = reductions.reduce_sum(grad) - reductions.reduce_sum(there)
    shared = constants.range(array_ops.rank(values), 1)  # a scalar is the value at all indices
    return None, None, reductions.reduce_sum(there, shared), elsewhere


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor from its elements.

    Args:
      sparse_indices: int32 or int64 [n, rank], or [n] or a scalar for a vector.
      output_shape: [rank], of the same type.
      sparse_values: [n], or a scalar for all indices.
      default_value: the elements elsewhere.
      validate_indices: whether indices must be in lexicographic order without repetitions. If not, the last of equal
        ones counts.

    Raises:
      ValueError, or InvalidArgumentError where shapes are not known before: shapes that do not fit.
      InvalidArgumentError (when run): an index outside of `output_shape`; with `validate_indices` the wrong order.
    """
    return SparseToDense(
        sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices, name=name
    )


def sparse_placeholder(dtype, shape=None, name=None):
    """A SparseTensor that has to be fed, with a SparseTensorValue; `shape`: what is known of its shape, None: nothing."""

    def part(kind, dims, suffix):
        return constants.placeholder(kind, dims, name=f"{name}/{suffix}" if name else None)

    shape = TensorShape(shape)
    values, indices = part(dtype, [None], "values"), part(dtypes.int64, [None, shape.rank], "indices")
    result = SparseTensor(indices, values, part(dtypes.int64, [shape.rank], "shape"))
    result._static_shape = shape
    return result
