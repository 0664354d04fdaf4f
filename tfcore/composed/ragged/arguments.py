"""Arguments of functions of ragged tensors: matching splits, and functions of their flat values."""

from tfcore.composed.ragged.tensor import RaggedTensor, convert, is_ragged
from tfcore.framework.types import dtypes
from tfcore.ops.debugging.check import assert_equal


def match_splits(*tensors):
    """Checks that the row splits of all ragged tensors are of one type.

    Returns:
      The type; int64 if no tensor is ragged.

    Raises:
      ValueError: They are not.
    """
    found = {tensor.partition.dtype for tensor in tensors if isinstance(tensor, RaggedTensor)}
    if len(found) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    return found.pop() if found else dtypes.int64


def assert_same_splits(nested_splits):
    """Operations that assert that ragged tensors have the same rows.

    Args:
      nested_splits: For each of them a sequence of row splits.

    Returns:
      A list of `Operation`s; none for splits that are the same tensor.

    Raises:
      ValueError: The numbers of ragged dimensions or static shapes differ.
    """
    message = "Inputs must have identical ragged splits"
    first, checks = nested_splits[0], []
    for splits in nested_splits[1:]:
        if len(splits) != len(first):
            raise ValueError(message)
        checks += [assert_equal(a, b, message=message) for a, b in zip(first, splits) if a is not b]
    return checks


def map_flat_values(op, *args, **kwargs):
    """Calls a function for the flat values of ragged tensors.

    Args:
      op: A function, which is called with the arguments; the flat values take the place of each `RaggedTensor`, also in
        lists, tuples and dicts. It returns a `Tensor` with as many values.
      *args: Arguments of `op`. All ragged tensors must have the same rows; this is not checked at run time.
      **kwargs: Arguments of `op`.

    Returns:
      A `RaggedTensor` of what `op` returns; this itself if no argument is ragged.

    Raises:
      ValueError: The ragged tensors differ in their static number of values, number of ragged dimensions or type of
        row splits, or the result has another number of values.

    Example:

    >>> x = tf.ragged.constant([[1, 2], [3]])
    >>> sess.run(tf.ragged.map_flat_values(tf.add, x, 10)).to_list()
    [[11, 12], [13]]
    """
    found = []
    flat_args, flat_kwargs = _flat(args, found), _flat(kwargs, found)
    if not found:
        return op(*args, **kwargs)
    counts = {x.flat_values.dims[0] for x in found if x.flat_values.dims and x.flat_values.dims[0] is not None}
    if len(counts) > 1:
        raise ValueError(
            f"Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: {counts}"
        )
    if len({x.partition.dtype for x in found}) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row partition dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    result = op(*flat_args, **flat_kwargs)
    if counts and not result.shape[:1].is_compatible_with([*counts]):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
            f"flat_values of any ragged inputs. (output shape: {result.shape}; expected outer dimension size: "
            f"{counts.pop()})"
        )
    if len({x.ragged_rank for x in found}) > 1:
        raise ValueError("All ragged inputs must have the same ragged_rank.")
    return max(found, key=_known_sizes).with_flat_values(result)


def _flat(value, found):
    """The value with flat values in the place of ragged tensors, which are added to `found`."""
    if is_ragged(value):
        found.append(convert(value))
        return found[-1].flat_values
    if type(value) in (list, tuple):
        return type(value)(_flat(item, found) for item in value)
    return {key: _flat(item, found) for key, item in value.items()} if type(value) is dict else value


def _known_sizes(ragged):
    """How many dimensions have a known size."""
    return sum(size is not None for size in ragged.shape.as_list()) if ragged.shape.ndims is not None else 0
