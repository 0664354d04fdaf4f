"""Order: the k largest, the n-th smallest, sorting, binary search."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor

_REAL = "T: realnumbertype"


def _top_dims(dims, k):
    if dims is None:
        return [None, None]
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if k is not None and dims[-1] is not None and dims[-1] < k:
        raise ValueError(f"input must have last dimension >= k = {k} but is {dims[-1]}")
    return [(*dims[:-1], k)] * 2


TopK = define_op(
    "TopK",
    inputs=["input: T"],
    outputs=["values: T", "indices: int32"],
    attrs=["k: int >= 0", "sorted: bool = true", _REAL],
    shape=lambda op: _top_dims(op.inputs[0].dims, op.attrs["k"]),
    doc="The k largest elements of each row and their indices; of equal ones the first.",
)


def _top_k_v2_shape(op):
    if op.inputs[1].dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[1].dims)}")
    k = constant_value(op.inputs[1])
    if k is not None and k < 0:
        raise ValueError(f"Need k >= 0, got {k}")
    return _top_dims(op.inputs[0].dims, None if k is None else int(k))


TopKV2 = define_op(
    "TopKV2",
    inputs=["input: T", "k: Tk"],
    outputs=["values: T", "indices: index_type"],
    attrs=[
        "sorted: bool = true",
        _REAL,
        "Tk: {int16, int32, int64} = DT_INT32",
        "index_type: {int16, int32, int64} = DT_INT32",
    ],
    shape=_top_k_v2_shape,
    doc="The k largest elements of each row and their indices; of equal ones the first.",
)


def _nth_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    n = constant_value(op.inputs[1])
    if n is not None and n < 0:
        raise ValueError(f"Input n must be non-negative but is {n}")
    if n is not None and dims[-1] is not None and dims[-1] <= n:
        raise ValueError(f"Input must have last dimension > n = {n} but is {dims[-1]}")
    return [dims[:-1]]


NthElement = define_op(
    "NthElement",
    inputs=["input: T", "n: int32"],
    outputs=["values: T"],
    attrs=["reverse: bool = false", _REAL],
    shape=_nth_shape,
    doc="The n-th smallest (with `reverse`: largest) element of each row, counted from 0.",
)


def _bound_shape(op):
    with_rank(op.inputs[0].dims, 2)
    return [with_rank(op.inputs[1].dims, 2)]


def _define_bound(name, doc):
    return define_op(
        name,
        inputs=["sorted_inputs: T", "values: T"],
        outputs=["output: out_type"],
        attrs=["T: type", "out_type: {int32, int64} = DT_INT32"],
        shape=_bound_shape,
        doc=doc,
    )


LowerBound = _define_bound("LowerBound", "First place in the sorted row where each value could be inserted.")
UpperBound = _define_bound("UpperBound", "Last place in the sorted row where each value could be inserted.")
not_differentiable("LowerBound", "UpperBound")


@gradient("TopK", "TopKV2")
def _top_k_grad(op, grad, _):
    """Each gradient goes to the element its value came from."""
    import tfcore.ops.array.constants as constants
    import tfcore.ops.indexing.indexing as indexing
    import tfcore.ops.reduce.reduce as reduce_ops

    x, places = op.inputs[0], op.outputs[1]
    places = places if places.dtype is dtypes.int32 else get_op_def("Cast")(places, DstT=dtypes.int32)
    sizes, chosen = array_ops.shape(x), array_ops.shape(places)
    width, count = sizes[-1], chosen[-1]
    rows = reduce_ops.reduce_prod(sizes[:-1], 0)
    starts = array_ops.expand_dims(constants.range(0, rows) * width, 1)
    flat = array_ops.reshape(array_ops.reshape(places, array_join.stack([rows, count])) + starts, [-1, 1])
    total = array_ops.reshape(array_ops.size(x), [1])
    spread = indexing.ScatterNd(flat, array_ops.reshape(grad, [-1]), total)
    return [array_ops.reshape(spread, sizes)] + [None] * (len(op.inputs) - 1)


@gradient("NthElement")
def _nth_grad(op, grad):
    """All elements that equal the n-th share the gradient."""
    import tfcore.ops.reduce.reduce as reduce_ops

    same = get_op_def("Equal")(array_ops.expand_dims(op.outputs[0], -1), op.inputs[0])
    same = get_op_def("Cast")(same, DstT=grad.dtype)
    number = reduce_ops.reduce_sum(same, -1, keepdims=True)
    return same / number * array_ops.expand_dims(grad, -1), None


def top_k(input, k=1, sorted=True, index_type=dtypes.int32, name=None):
    """The k largest elements of each row, and their indices.

    Args:
      input: A `Tensor` of a real type and shape [..., n].
      k: Number of elements, a scalar of type int16, int32 or int64, at most n.
      sorted: Whether the elements are in descending order.
      index_type: Type of the indices: int16, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A named tuple of `Tensor`s of shape [..., k]: `values`, of the type of `input`, and `indices`, of `index_type`. Of
      equal elements the one with the lower index comes first.

    Raises:
      ValueError: n is less than `k`, or `input` is a scalar.
      tf.errors.InvalidArgumentError: The same, found at run time.

    Example:

    >>> values, indices = tf.nn.top_k([3, 9, 5], 2)
    >>> print(sess.run(values), sess.run(indices))
    [9 5] [1 2]
    """
    return TopKV2(input, k, sorted=sorted, index_type=index_type, name=name)


@described(
    NthElement,
    shapes={
        "input": "[..., size]",
        "n": "a scalar in [0, size)",
        "values": "[...]",
    },
)
def nth_element(input, n, reverse=False, name=None):
    """The n-th smallest element of each row, or with `reverse` the n-th largest, counted from 0."""
    return NthElement(input, n, reverse=reverse, name=name)


def _sorted(values, axis, direction, name, places):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"{direction} should be one of ASCENDING, DESCENDING")
    with name_scope(name):
        values = convert_to_tensor(values, name="values")
        axis = int(constant_value(convert_to_tensor(axis)))
        last = axis == -1 or values.dims is not None and axis == len(values.dims) - 1
        if not last:
            if values.dims is None:
                raise ValueError("The rank of values must be known to sort along another dimension than the last")
            n = len(values.dims)
            if not -n <= axis < n:
                raise ValueError(f"axis must be in the range [{-n}, {n}), got {axis}")
            perm = np.arange(n, dtype=np.int32)
            perm[axis], perm[-1] = perm[-1], perm[axis]
            values = array_ops.transpose(values, perm)
        ascending = direction == "ASCENDING"
        source = _reversed_order(values) if ascending else values
        result = top_k(source, array_ops.shape(values)[-1])
        result = result.indices if places else _reversed_order(result.values) if ascending else result.values
        return result if last else array_ops.transpose(result, perm)


def _reversed_order(values):
    """Maps values so that their order is reversed; its own inverse."""
    kind = values.dtype
    if kind.is_floating:
        return -values
    # -1 - v for signed and max - v for unsigned integers can't overflow.
    top = convert_to_tensor(np.asarray(kind.max if kind.is_unsigned else -1, kind.as_numpy_dtype))
    return get_op_def("Sub")(top, values)


def sort(values, axis=-1, direction="ASCENDING", name=None):
    """Sorts a tensor along a dimension.

    Args:
      values: A `Tensor` of a real type.
      axis: The dimension, an int in [-rank, rank).
      direction: "ASCENDING" or "DESCENDING".
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `values`.

    Raises:
      ValueError: `direction` is another, or `axis` is out of range.

    Example:

    >>> print(sess.run(tf.sort([3, 1, 2])))
    [1 2 3]
    """
    return _sorted(values, axis, direction, name or "sort", False)


def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """The indices that sort a tensor along a dimension.

    Args:
      values: A `Tensor` of a real type.
      axis: The dimension, an int in [-rank, rank).
      direction: "ASCENDING" or "DESCENDING".
      stable: Ignored: the order of equal elements always stays.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type int32 and the shape of `values`.

    Raises:
      ValueError: `direction` is another, or `axis` is out of range.

    Example:

    >>> print(sess.run(tf.argsort([3, 1, 2])))
    [1 2 0]
    """
    return _sorted(values, axis, direction, name or "argsort", True)


def searchsorted(sorted_sequence, values, side="left", out_type=dtypes.int32, name=None):
    """Where values would be inserted in sorted rows to keep them sorted.

    Args:
      sorted_sequence: A `Tensor` of shape [..., n], whose rows are sorted.
      values: A `Tensor` of the type of `sorted_sequence` and shape [..., m].
      side: "left" for the first possible place, before equal elements, or "right" for the last one.
      out_type: Type of the result, int32 or int64.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of type `out_type` and the shape of `values`.

    Raises:
      ValueError: `side` is neither "left" nor "right", or the types differ.
      TypeError: The type can't be sorted.

    Example:

    >>> print(sess.run(tf.searchsorted([1, 3, 5], [3, 4])))
    [1 2]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}")
    with name_scope(name, "searchsorted", [sorted_sequence, values]):
        rows = convert_to_tensor(sorted_sequence)
        values = convert_to_tensor(values)
        width = array_ops.shape(rows)[-1]
        flat_rows = array_ops.reshape(rows, array_join.stack([-1, width]))
        flat_values = array_ops.reshape(values, array_join.stack([-1, array_ops.shape(values)[-1]]))
        op_def = LowerBound if side == "left" else UpperBound
        found = op_def(flat_rows, flat_values, out_type=out_type)
        return array_ops.reshape(found, array_ops.shape(values))
