"""Ops on sparse tensors given as indices, values and dense shape."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, shape_of
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor


def _sparse_to_dense_shape(op):
    """Only the run compares the shapes, as in TensorFlow."""
    return [constant_value_as_shape(op.inputs[1])]


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
        indices = array_ops.reshape(indices, array_join.concat([[-1], array_ops.shape(shape)], 0))
    there = get_op_def("GatherNd")(grad, indices)
    elsewhere = reduce_ops.reduce_sum(grad) - reduce_ops.reduce_sum(there)
    shared = constants.range(array_ops.rank(values), 1)  # a scalar is the value at all indices
    return None, None, reduce_ops.reduce_sum(there, shared), elsewhere


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor from its elements.

    Args:
      sparse_indices: A `Tensor` of type int32 or int64 and shape [n, rank], or [n] or a scalar for a vector.
      output_shape: A `Tensor` of the type of `sparse_indices` and shape [rank].
      sparse_values: A `Tensor` of any type and shape [n], or a scalar for all indices.
      default_value: The other elements, a scalar of the type of `sparse_values`.
      validate_indices: Whether indices must be in lexicographic order without repetitions. If not, the last of equal
        ones counts.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `sparse_values` and shape `output_shape`.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is outside of `output_shape` or, with `validate_indices`,
        out of order.

    Example:

    >>> print(sess.run(tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6])))
    [[0 5]
     [6 0]]
    """
    return SparseToDense(
        sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices, name=name
    )


def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor whose value is fed to each run, as a `SparseTensorValue`.

    Args:
      dtype: The `DType` of the values.
      shape: What is known of its shape: sizes, None or -1 for those that are not known, or an int64 vector (a
        `Tensor`). It is the value of `dense_shape` where only indices and values are fed. None: nothing is known.
      name: Prefix of the names of the three placeholders (optional).

    Returns:
      A `SparseTensor` of placeholders.

    Raises:
      TypeError: `dtype` is not a type.

    Example:

    >>> x = tf.sparse_placeholder(tf.float32)
    >>> y = tf.sparse_to_dense(x.indices, x.dense_shape, x.values)
    >>> print(sess.run(y, {x: tf.SparseTensorValue([[1]], [5.0], [3])}))
    [0. 5. 0.]
    """

    def named(suffix):
        return f"{name}/{suffix}" if name else None

    if shape is None or isinstance(shape, TensorShape) and shape.rank is None:
        known, rank = TensorShape(None), None
        dense_shape = constants.placeholder(dtypes.int64, [None], name=named("shape"))
    else:
        if isinstance(shape, Tensor):
            known = shape_of(constant_value_as_shape(shape))
            default = shape
        else:
            known = TensorShape([None if size == -1 else size for size in shape])
            default = [-1 if size is None else size for size in known.as_list()]
        default = convert_to_tensor(default, dtypes.int64)
        rank = default.dims and default.dims[0]
        dense_shape = constants.placeholder_with_default(default, default.shape, name=named("shape"))
    values = constants.placeholder(dtype, [None], name=named("values"))
    indices = constants.placeholder(dtypes.int64, [None, rank], name=named("indices"))
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(known)
    return result
