"""Sparse tensors to strings and back."""

from tfcore.composed.sparse.arrange import as_sparse
from tfcore.framework.types import dtypes
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.parsing.sparse import DeserializeManySparse, SerializeManySparse, SerializeSparse


def serialize_sparse(sp_input, name=None, out_type=dtypes.string):
    """A sparse tensor as three serialized messages TensorProto: its indices, values and shape.

    Args:
      sp_input: A `SparseTensor`.
      name: Name of the operation (optional).
      out_type: Type of the result; string.

    Returns:
      A `Tensor` of type string and shape [3].

    Raises:
      TypeError: `sp_input` is not sparse.
    """
    sp_input = as_sparse(sp_input)
    return SerializeSparse(sp_input.indices, sp_input.values, sp_input.dense_shape, out_type=out_type, name=name)


def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
    """The rows of a sparse tensor, each as three serialized messages TensorProto, to be put into a queue for example.

    Args:
      sp_input: A `SparseTensor` of at least two dimensions, in row-major order.
      name: Name of the operation (optional).
      out_type: Type of the result; string.

    Returns:
      A `Tensor` of type string and shape [rows, 3].

    Raises:
      TypeError: `sp_input` is not sparse.
      tf.errors.InvalidArgumentError: At run time, the indices are out of bounds, repeated or not in row-major order.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    >>> rows = tf.io.serialize_many_sparse(x)
    >>> print(sess.run(tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows[::-1], tf.int32, rank=2))))
    [[6 0]
     [0 5]]
    """
    sp_input = as_sparse(sp_input)
    return SerializeManySparse(sp_input.indices, sp_input.values, sp_input.dense_shape, out_type=out_type, name=name)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """A sparse tensor whose rows are those that `serialize_many_sparse` or `serialize_sparse` wrote.

    Args:
      serialized_sparse: A `Tensor` of type string and shape [rows, 3].
      dtype: Type of the sparse tensors.
      rank: Number of dimensions of the result, if it is known (optional).
      name: Prefix of the names of the operations (optional).

    Returns:
      A `SparseTensor` with one dimension more than the rows, each of its sizes the largest of the rows.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a string is not a message, or the rows have other types or ranks.
    """
    indices, values, shape = DeserializeManySparse(serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
