"""Ops on sparse tensors in parts: indices, values, dense shape."""

import tfcore.ops.array as array_ops
import tfcore.ops.array_join as array_join
from tfcore.framework import shapes
from tfcore.framework.constant import constant_value_as_shape
from tfcore.framework.op_def import define_op, get_op_def, gradient

__all__ = ["sparse_to_dense"]


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
    import tfcore.ops.constants as constants
    import tfcore.ops.reduce as reduce_ops

    indices, shape, values, _ = op.inputs
    if indices.dims is None or len(indices.dims) < 2:
        indices = array_ops.reshape(indices, array_join.concat([[-1], array_ops.shape(shape)], 0))
    there = get_op_def("GatherNd")(grad, indices)
    elsewhere = reduce_ops.reduce_sum(grad) - reduce_ops.reduce_sum(there)
    shared = constants.range(array_ops.rank(values), 1)  # a scalar is the value at all indices
    return None, None, reduce_ops.reduce_sum(there, shared), elsewhere


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
