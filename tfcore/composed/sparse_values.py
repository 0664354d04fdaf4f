"""Dense tensors from sparse ones."""

from tfcore.composed.sparse_arrange import _sparse
from tfcore.ops.constants import zeros
from tfcore.ops.sparse import sparse_to_dense


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """A dense tensor with the elements of a sparse one.

    Args:
      sp_input: A `SparseTensor` of any type.
      default_value: The other elements, a scalar of the type of `sp_input`; 0, False or "" by default.
      validate_indices: Whether indices must be in row-major order without repetitions. If not, the last of equal ones
        counts.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `sp_input`.

    Raises:
      TypeError: `sp_input` is not sparse.
      tf.errors.InvalidArgumentError: At run time, an index is out of bounds or, with `validate_indices`, out of order.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    >>> print(sess.run(tf.sparse_tensor_to_dense(x, -1)))
    [[-1  5]
     [ 6 -1]]
    """
    sp_input = _sparse(sp_input)
    if default_value is None:
        default_value = zeros([], sp_input.dtype)
    return sparse_to_dense(
        sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name
    )
