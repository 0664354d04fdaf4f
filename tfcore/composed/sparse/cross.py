"""All combinations of the values of several features of examples."""

from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.cwise.cast import cast
from tfcore.ops.sparse.cross import SparseCross, SparseCrossV2

_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def sparse_cross(inputs, name=None, separator=None):
    """All combinations of the values of several features, row by row, as text.

    Args:
      inputs: A list of `Tensor`s and `SparseTensor`s [batch, values], of strings or integers.
      name: Name of the operation (optional).
      separator: A string between the values; "_X_" by default.

    Returns:
      A `SparseTensor` of strings [batch, combinations]. The values of the last feature change first; sparse features
      come before dense ones.

    Raises:
      TypeError: The inputs are not a list of tensors.
      tf.errors.InvalidArgumentError: At run time, an input is not a matrix, or batch sizes differ.

    Example:

    >>> crossed = tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[1, 2]])])
    >>> print(sess.run(crossed).values)
    [b'a_X_1' b'a_X_2' b'b_X_1' b'b_X_2']
    """
    parts, _ = _parts(inputs, "All inputs must be Tensor or SparseTensor.")
    separator = convert_to_tensor("_X_" if separator is None else separator, dtypes.string)
    return SparseTensor(*SparseCrossV2(*parts, separator, name=name))


def sparse_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """The hash values of all combinations of the values of several features, row by row.

    Args:
      inputs: A list of `Tensor`s and `SparseTensor`s [batch, values], of strings or integers.
      num_buckets: The hash values are less than this number; 0: than 2**63 - 1.
      hash_key: A key of the hash function, an int (optional).
      name: Name of the operation (optional).

    Returns:
      A `SparseTensor` of type int64 [batch, combinations], in the order of `tf.sparse.cross`.

    Raises:
      TypeError: The inputs are not a list of tensors. ValueError: The number of buckets is negative.
      tf.errors.InvalidArgumentError: At run time, an input is not a matrix, or batch sizes differ.

    Example:

    >>> crossed = tf.sparse.cross_hashed([tf.constant([["a", "b"]]), tf.constant([[1, 2]])], num_buckets=100)
    >>> print(sess.run(crossed).values)
    [85 87 83 57]
    """
    parts, internal = _parts(inputs, "All inputs must be SparseTensors")
    outputs = SparseCross(
        *parts,
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY,
        out_type=dtypes.int64,
        internal_type=internal,
        name=name,
    )
    return SparseTensor(*outputs)


def _parts(inputs, wanted):
    """The inputs of the ops, integers as int64, and int64 if there are integers, else string."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(x, (SparseTensor, Tensor)) for x in inputs):
        raise TypeError(wanted)
    sparse = [x for x in inputs if isinstance(x, SparseTensor)]
    values = [_as_int64(x.values) for x in sparse]
    dense = [_as_int64(x) for x in inputs if not isinstance(x, SparseTensor)]
    is_text = all(x.dtype == dtypes.string for x in (*values, *dense))
    parts = [x.indices for x in sparse], values, [x.dense_shape for x in sparse], dense
    return parts, dtypes.string if is_text else dtypes.int64


def _as_int64(tensor):
    return tensor if tensor.dtype == dtypes.string else cast(tensor, dtypes.int64)
