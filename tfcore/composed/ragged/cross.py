"""Crosses of ragged features; empty rows filled."""

import collections

from tfcore.composed.ragged.tensor import RaggedTensor
from tfcore.composed.sparse import cross
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.join import stack

RaggedFillEmptyRows = collections.namedtuple(
    "RaggedFillEmptyRows", "output_value_rowids output_values empty_row_indicator reverse_index_map"
)
RaggedFillEmptyRowsGrad = collections.namedtuple("RaggedFillEmptyRowsGrad", "d_values d_default_value")


def ragged_cross(inputs, name=None):
    """All combinations of the values of several features, row by row, as text.

    Args:
      inputs: A list of `RaggedTensor`s, `SparseTensor`s and `Tensor`s [batch, values], of strings or integers.
      name: Name of the operations (optional).

    Returns:
      A `RaggedTensor` of strings [batch, combinations]. The values of the last feature change first.

    Raises:
      TypeError: The inputs are not a list.
      ValueError: An input is of another type, or does not have two dimensions.
      tf.errors.InvalidArgumentError: At run time, batch sizes differ.
    """
    with name_scope(name, "RaggedCross"):
        return RaggedTensor.from_sparse(cross.sparse_cross(_as_sparse(inputs)))


def ragged_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """The hash values of all combinations of the values of several features, row by row.

    Args:
      inputs: A list of `RaggedTensor`s, `SparseTensor`s and `Tensor`s [batch, values], of strings or integers.
      num_buckets: The hash values are smaller than this, if it is positive.
      hash_key: An int that changes the hash values (optional).
      name: Name of the operations (optional).

    Returns:
      A `RaggedTensor` of type int64 [batch, combinations]. The values of the last feature change first.

    Raises:
      TypeError: The inputs are not a list.
      ValueError: An input is of another type, or does not have two dimensions.
      tf.errors.InvalidArgumentError: At run time, batch sizes differ.
    """
    with name_scope(name, "RaggedCross"):
        return RaggedTensor.from_sparse(cross.sparse_cross_hashed(_as_sparse(inputs), num_buckets, hash_key))


def _as_sparse(inputs):
    """All inputs as sparse tensors, in their order: features of other kinds would come after sparse ones."""
    if not isinstance(inputs, list | tuple):
        raise TypeError("Inputs must be a list")
    found = []
    for i, value in enumerate(inputs):
        if not isinstance(value, RaggedTensor | SparseTensor):
            value = convert_to_tensor(value)
        if value.shape.ndims not in (None, 2):
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
        if not (value.dtype.is_integer or value.dtype.base_dtype == dtypes.string):
            raise ValueError(f"Unexpected dtype for inputs[{i}]: {value.dtype}")
        if not isinstance(value, SparseTensor):
            value = value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value)
            value = value.to_sparse()
        found.append(value)
    return found


def ragged_fill_empty_rows(value_rowids, values, nrows, default_value, name=None):
    """Gives each row without a value a default one.

    Args:
      value_rowids: A vector of type int64: the row of each value.
      values: A vector of values.
      nrows: The number of rows, a scalar of type int64.
      default_value: The value for empty rows, a scalar.
      name: Name of the operations (optional).

    Returns:
      A named tuple of `Tensor`s: the rows and the values, row by row (`output_value_rowids`, `output_values`); whether
      each row was empty (`empty_row_indicator`); the place of each value among the new ones (`reverse_index_map`).

    Raises:
      tf.errors.InvalidArgumentError: At run time, a row does not exist.
    """
    with name_scope(name, "RaggedFillEmptyRows", [value_rowids, values, nrows, default_value]):
        rows = convert_to_tensor(value_rowids, dtypes.int64, name="value_rowids")
        indices = stack([rows, zeros_like(rows)], axis=1)
        shape = stack([convert_to_tensor(nrows, dtypes.int64), 1])
        filled = get_op_def("SparseFillEmptyRows")(indices, values, shape, default_value)
        return RaggedFillEmptyRows(filled[0][:, 0], *filled[1:])


def ragged_fill_empty_rows_grad(reverse_index_map, grad_values, name=None):
    """The gradient of `ragged_fill_empty_rows`.

    Args:
      reverse_index_map: The place of each value among the new ones.
      grad_values: The gradient of the new values.
      name: Name of the operation (optional).

    Returns:
      A pair of `Tensor`s: the gradients of the values and of the default value.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a place does not exist.
    """
    return RaggedFillEmptyRowsGrad(*get_op_def("SparseFillEmptyRowsGrad")(reverse_index_map, grad_values, name=name))
