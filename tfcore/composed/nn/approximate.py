"""The greatest or least elements, for which TensorFlow allows approximations: exact here, as on its CPU."""

import collections
import operator

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import transpose
from tfcore.ops.reduce.sort import top_k

ApproxTopK = collections.namedtuple("ApproxTopK", "values indices")
_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)


def approx_top_k(
    input,  # noqa: A002  named as in TensorFlow
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    is_max_k=True,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k greatest or least elements along a dimension, and their indices, in order.

    Args:
      input: A `Tensor` of type float16, bfloat16 or float32.
      k: An int: how many elements.
      reduction_dimension: The dimension, an int.
      recall_target: A float above 0, at most 1; the result is exact for any.
      is_max_k: Whether the greatest elements are wanted rather than the least.
      reduction_input_size_override: Ignored, an int.
      aggregate_to_topk: Ignored; the result always has k elements.
      name: Prefix of the names of the operations (optional).

    Returns:
      A named tuple `(values, indices)`: a `Tensor` of the type of `input` and an int32 one, of the shape of `input` but
      with k elements in the dimension. Of equal elements the one with the lower index comes first.

    Raises:
      TypeError: `input` has another type, or another argument has.
      ValueError: Another argument is not valid.
    """
    for what, value in (("is_max_k", is_max_k), ("aggregate_to_topk", aggregate_to_topk)):
        if not isinstance(value, bool):
            raise TypeError(f"Expected bool for argument '{what}' not {value!r}.")
    k, axis = operator.index(k), operator.index(reduction_dimension)
    with name_scope(name, "ApproxTopK", [input]):
        x = convert_to_tensor(input, name="input")
        if x.dtype not in _TYPES:
            names = ", ".join(t.name for t in _TYPES)
            raise TypeError(
                f"Value passed to parameter 'input' has DataType {x.dtype.name} not in list of allowed values: {names}"
            )
        if k < 0:
            raise ValueError(f"Attr 'k' of 'ApproxTopK' Op passed {k} less than minimum 0.")
        if x.dims is None:
            raise ValueError("The rank of `input` must be known.")
        n = len(x.dims)
        if n == 0:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        if not -n <= axis < n:
            raise ValueError(f"Invalid reduction dimension: {axis}. Must be within the range of [{-n}, {n - 1}]")
        if not 0 < recall_target <= 1:
            raise ValueError(f"Invalid recall target: {recall_target:g}. Valid value range in : [0, 1.0].")
        size = x.dims[axis]
        if size is not None and k > size:
            raise ValueError(f"input must have last dimension >= k = {k} but was {size}")
        order = list(range(n))
        order[axis], order[-1] = order[-1], order[axis]
        swapped = (lambda y: y) if order[-1] == n - 1 else (lambda y: transpose(y, order))
        x = swapped(x)
        values, indices = top_k(x if is_max_k else -x, k)
        return ApproxTopK(swapped(values if is_max_k else -values), swapped(indices))


def approx_max_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k greatest elements along a dimension, and their indices, in descending order.

    Args:
      operand: A `Tensor` of type float16, bfloat16 or float32.
      k: An int: how many elements.
      reduction_dimension: The dimension, an int.
      recall_target: A float above 0, at most 1; the result is exact for any.
      reduction_input_size_override: Ignored, an int.
      aggregate_to_topk: Ignored; the result always has k elements.
      name: Prefix of the names of the operations (optional).

    Returns:
      A named tuple `(values, indices)`, as of `tf.approx_top_k`.

    Raises:
      TypeError: `operand` has another type, or `k` is not an int.
      ValueError: Another argument is not valid.

    Example:

    >>> print(sess.run(tf.nn.approx_max_k([3.0, 1.0, 4.0, 1.5], 2).indices))
    [2 0]
    """
    options = recall_target, True, reduction_input_size_override, aggregate_to_topk, name
    return approx_top_k(operand, k, reduction_dimension, *options)


def approx_min_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The k least elements along a dimension, and their indices, in ascending order.

    Args:
      operand: A `Tensor` of type float16, bfloat16 or float32.
      k: An int: how many elements.
      reduction_dimension: The dimension, an int.
      recall_target: A float above 0, at most 1; the result is exact for any.
      reduction_input_size_override: Ignored, an int.
      aggregate_to_topk: Ignored; the result always has k elements.
      name: Prefix of the names of the operations (optional).

    Returns:
      A named tuple `(values, indices)`, as of `tf.approx_top_k`.

    Raises:
      TypeError: `operand` has another type, or `k` is not an int.
      ValueError: Another argument is not valid.
    """
    options = recall_target, False, reduction_input_size_override, aggregate_to_topk, name
    return approx_top_k(operand, k, reduction_dimension, *options)
