"""Gather and scatter: rows and elements chosen by indices."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.array.move as array_move
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge, normalize_axis, num_elements, with_rank_at_least
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_of_array, constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices

# ---- Gather


def _gather_shape(op):
    params, indices = op.inputs
    if params.dims == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if params.dims is None or indices.dims is None:
        return [None]
    return [indices.dims + params.dims[1:]]


Gather = define_op(
    "Gather",
    inputs=["params: Tparams", "indices: Tindices"],
    outputs=["output: Tparams"],
    attrs=["validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}"],
    shape=_gather_shape,
    doc="Rows of `params`: output[i..., :] = params[indices[i...], :].",
)


def _gather_v2_shape(op):
    params, indices, axis = op.inputs[0].dims, op.inputs[1].dims, constant_value(op.inputs[2])
    batch = op.attrs["batch_dims"]
    if params == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if params is None or indices is None:
        return [None]
    if batch < 0:
        batch += len(indices)
    if not 0 <= batch <= len(indices):
        raise ValueError(f"Expected batch_dims in the range [{-len(indices)}, {len(indices)}]")
    if axis is None:
        return [(None,) * (len(params) + len(indices) - 1 - batch)]
    axis = normalize_axis(int(axis.item()), len(params))
    if batch > axis:
        raise ValueError(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
    front = merge(params[:batch], indices[:batch]) if batch else ()
    return [(*front, *params[batch:axis], *indices[batch:], *params[axis + 1 :])]


GatherV2 = define_op(
    "GatherV2",
    inputs=["params: Tparams", "indices: Tindices", "axis: Taxis"],
    outputs=["output: Tparams"],
    attrs=["batch_dims: int = 0", "Tparams: type", "Tindices: {int32, int64}", "Taxis: {int32, int64}"],
    shape=_gather_v2_shape,
    doc="Slices of `params` along `axis`, chosen by `indices`; the leading batch_dims dimensions are shared.",
)


def _sparse_rows(params, indices, grad):
    """The gradient of gathered rows: `IndexedSlices` of `params`."""
    with get_default_graph().colocate_with(params.op):  # `params` may be a large table on another task
        shape = array_ops.shape(params)
    if indices.dims is not None and len(indices.dims) == 1:
        return IndexedSlices(convert_to_tensor(grad), indices, shape)  # don't send the ids a second time
    count = array_ops.size(indices)
    values_shape = array_join.concat([array_ops.expand_dims(count, 0), shape[1:]], 0)
    if params.dims is not None and None not in params.dims[1:]:
        values_shape = np.array([-1, *params.dims[1:]], np.int32)
        if 0 in params.dims[1:]:
            values_shape = array_join.concat([array_ops.expand_dims(count, 0), shape[1:]], 0)
    values = array_ops.reshape(grad, values_shape)
    return IndexedSlices(values, array_ops.reshape(indices, [-1]), shape)


@gradient("Gather")
def _gather_grad(op, grad):
    return _sparse_rows(op.inputs[0], op.inputs[1], grad), None


def _product(sizes):
    """The product of some sizes: an int where they are known."""
    known = constant_value(sizes)
    if known is not None:
        return int(np.prod(known, dtype=np.int64))
    return reduce_ops.reduce_prod(sizes, 0)


@gradient("GatherV2")
def _gather_v2_grad(op, grad):
    import tfcore.ops.reduce.segment as segment

    params, indices, axis = op.inputs
    batch, known = op.attrs["batch_dims"], constant_value(axis)
    if known is not None and int(known.item()) == 0 and batch == 0:
        return _sparse_rows(params, indices, grad), None, None
    if batch < 0:
        batch += len(indices.dims)
    if known is None:
        at = axis if axis.dtype is dtypes.int32 else get_op_def("Cast")(axis, DstT=dtypes.int32)
        at = get_op_def("FloorMod")(at, array_ops.rank(params))
    else:
        at = int(known.item())
        at = at if at >= 0 else at + (len(params.dims) if params.dims is not None else array_ops.rank(params))
    sizes, index_sizes = array_ops.shape(params), array_ops.shape(indices)
    # Viewed as [batches, before, axis, after] and [batches, before, indices, after].
    batches, before = _product(sizes[:batch]), _product(sizes[batch:at])
    limit, behind = sizes[at], _product(sizes[at + 1 :])
    count = _product(index_sizes[batch:])
    stack = array_join.stack
    rows = array_ops.reshape(grad, stack([batches, before, count, behind]))
    rows = array_ops.reshape(array_ops.transpose(rows, [0, 2, 1, 3]), stack([batches * count, before, behind]))
    places = array_ops.reshape(indices, stack([batches, count]))
    kind = indices.dtype
    if batch:
        cast = get_op_def("Cast")
        starts = constants.range(0, batches) * limit
        starts = starts if kind is dtypes.int32 else cast(starts, DstT=kind)
        places = places + array_ops.expand_dims(starts, 1)
    total = segment.unsorted_segment_sum(rows, array_ops.reshape(places, [-1]), batches * limit)
    total = array_ops.reshape(total, stack([batches, limit, before, behind]))
    total = array_ops.reshape(array_ops.transpose(total, [0, 2, 1, 3]), sizes)
    return total, None, None


def _is_zero(axis):
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    return known is not None and np.ndim(known) == 0 and known == 0


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Slices of a tensor along a dimension, chosen by index.

    Args:
      params: A `Tensor` or variable of any type.
      indices: A `Tensor` of type int32 or int64, in [0, params.shape[axis]).
      validate_indices: Ignored: indices are always checked.
      name: Name of the operation (optional).
      axis: The dimension of `params` to gather along, a scalar; `batch_dims` by default.
      batch_dims: Number of leading dimensions that `params` and `indices` share.

    Returns:
      A `Tensor` of the type of `params` and shape params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis
      + 1:].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is out of range.

    Example:

    >>> print(sess.run(tf.gather([10, 20, 30], [2, 0])))
    [30 10]
    >>> print(sess.run(tf.gather([[1, 2], [3, 4]], [1], axis=1)))
    [[2]
     [4]]
    """
    if axis is None:
        axis = batch_dims
    if hasattr(params, "sparse_read") and not batch_dims and _is_zero(axis):
        return params.sparse_read(indices, name=name)
    return GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)


def batch_gather(params, indices, name=None):
    """Gathers along the last dimension of `indices`, within each batch.

    Args:
      params: A `Tensor` of any type.
      indices: A `Tensor` of type int32 or int64 and known rank, whose leading dimensions are those of `params`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `params` and shape indices.shape + params.shape[rank of indices:].

    Raises:
      ValueError: The rank of `indices` is unknown, or the static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is out of range.

    Example:

    >>> print(sess.run(tf.batch_gather([[1, 2], [3, 4]], [[1], [0]])))
    [[2]
     [3]]
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.dims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return gather(params, indices, axis=len(indices.dims) - 1, batch_dims=len(indices.dims) - 1)


# ---- Indices of several dimensions

# What becomes of an index that is out of range: an error by default, or the element is left out.
_POLICY = "bad_indices_policy: string = ''"


def _gather_nd_shape(op):
    params, indices = op.inputs[0].dims, op.inputs[1].dims
    if indices == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if params is None or indices is None or indices[-1] is None:
        return [None]
    if indices[-1] > len(params):
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: {list(indices)} and "
            f"params shape: {list(params)}"
        )
    return [indices[:-1] + params[indices[-1] :]]


GatherNd = define_op(
    "GatherNd",
    inputs=["params: Tparams", "indices: Tindices"],
    outputs=["output: Tparams"],
    attrs=["Tparams: type", "Tindices: {int32, int64}", _POLICY],
    shape=_gather_nd_shape,
    doc="output[i..., :] = params[indices[i..., 0], indices[i..., 1], ..., :].",
)


def _check_updates(indices, updates, dims):
    """Raises ValueError unless updates may be slices, at these indices, of a tensor with these dims."""
    with_rank_at_least(indices, 1)
    if dims is not None and 0 in dims and any(num_elements(s) for s in (indices, updates)):
        raise ValueError("Indices and updates specified for empty input")
    if indices is None or not updates or dims is None or indices[-1] is None:  # the run refuses scalar updates
        return
    wanted = indices[:-1] + dims[indices[-1] :]
    try:
        merge(wanted, updates)
    except ValueError:
        raise ValueError(
            f"The inner dimensions of updates{list(updates)} must match indices{list(indices)} and "
            f"the output shape {list(dims)}"
        ) from None


def _scatter_nd_shape(op):
    dims = constant_value_as_shape(op.inputs[2])
    _check_updates(op.inputs[0].dims, op.inputs[1].dims, dims)
    if op.inputs[0].dims is not None and op.inputs[1].dims == ():
        merge(op.inputs[0].dims[:-1], ())
    return [dims]


ScatterNd = define_op(
    "ScatterNd",
    inputs=["indices: Tindices", "updates: T", "shape: Tindices"],
    outputs=["output: T"],
    attrs=["T: type", "Tindices: {int32, int64}", _POLICY],
    shape=_scatter_nd_shape,
    doc="Zeros of `shape` with updates added at indices.",
)


def _tensor_scatter_shape(op):
    _check_updates(op.inputs[1].dims, op.inputs[2].dims, op.inputs[0].dims)
    return [op.inputs[0].dims]


def _define_tensor_scatter(name, doc):
    return define_op(
        name,
        inputs=["tensor: T", "indices: Tindices", "updates: T"],
        outputs=["output: T"],
        attrs=["T: type", "Tindices: {int32, int64}", _POLICY],
        shape=_tensor_scatter_shape,
        doc=doc,
    )


TensorScatterUpdate = _define_tensor_scatter("TensorScatterUpdate", "A copy of `tensor` with updates put at indices.")
TensorScatterAdd = _define_tensor_scatter("TensorScatterAdd", "A copy of `tensor` with updates added at indices.")
TensorScatterSub = _define_tensor_scatter("TensorScatterSub", "A copy of `tensor` with updates subtracted at indices.")
TensorScatterMax = _define_tensor_scatter("TensorScatterMax", "A copy of `tensor` with the maximum taken at indices.")
TensorScatterMin = _define_tensor_scatter("TensorScatterMin", "A copy of `tensor` with the minimum taken at indices.")


def _policy(op):
    return {"bad_indices_policy": op.attrs["bad_indices_policy"]}


@gradient("GatherNd")
def _gather_nd_grad(op, grad):
    params, indices = op.inputs
    with get_default_graph().colocate_with(params.op):
        shape = array_ops.shape(params, out_type=indices.dtype)
    rows = indices.dims is not None and len(indices.dims) == 2 and indices.dims[-1] == 1
    if rows and op.attrs["bad_indices_policy"] != b"IGNORE":  # slices may not have bad indices
        return IndexedSlices(grad, array_ops.squeeze(indices, axis=[-1]), shape), None
    return ScatterNd(indices, grad, shape, **_policy(op)), None


@gradient("ScatterNd")
def _scatter_nd_grad(op, grad):
    return None, GatherNd(grad, op.inputs[0], **_policy(op)), None


@gradient("TensorScatterUpdate")
def _tensor_scatter_update_grad(op, grad):
    _, indices, updates = op.inputs
    kept = TensorScatterUpdate(grad, indices, constants.zeros_like(updates), **_policy(op))
    return kept, None, GatherNd(grad, indices, **_policy(op))


@gradient("TensorScatterAdd")
def _tensor_scatter_add_grad(op, grad):
    return grad, None, GatherNd(grad, op.inputs[1], **_policy(op))


@gradient("TensorScatterSub")
def _tensor_scatter_sub_grad(op, grad):
    return grad, None, -GatherNd(grad, op.inputs[1], **_policy(op))


@gradient("TensorScatterMax", "TensorScatterMin")
def _tensor_scatter_extreme_grad(op, grad):
    """All elements that equal the extreme share the gradient."""
    tensor, indices, updates = op.inputs
    y, raw, policy = op.outputs[0], get_op_def, _policy(op)
    kept = raw("Cast")(raw("Equal")(y, tensor), DstT=grad.dtype)
    chosen = raw("Cast")(raw("Equal")(GatherNd(y, indices, **policy), updates), DstT=grad.dtype)
    number = TensorScatterAdd(kept, indices, chosen, **policy)
    return grad * kept / number, None, GatherNd(grad / number, indices, **policy) * chosen


def gather_nd(params, indices, name=None, batch_dims=0, bad_indices_policy=""):
    """Elements or slices of a tensor, each chosen by a vector of indices.

    Args:
      params: A `Tensor` of any type.
      indices: A `Tensor` of type int32 or int64 and shape [..., k], k at most the rank of `params`.
      name: Name of the operation (optional).
      batch_dims: Number of leading dimensions that `params` and `indices` share.
      bad_indices_policy: For an index out of range, "IGNORE" gives zeros (empty strings); "", "DEFAULT" and "ERROR"
        make it an error.

    Returns:
      A `Tensor` of the type of `params` and shape indices.shape[:-1] + params.shape[batch_dims + k:].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, an index is out of range.

    Example:

    >>> print(sess.run(tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]])))
    [2 3]
    >>> print(sess.run(tf.gather_nd([[1, 2], [3, 4]], [[1]])))
    [[3 4]]
    """
    if batch_dims == 0 and hasattr(params, "sparse_read") and bad_indices_policy != "IGNORE":
        return params.gather_nd(indices, name=name)
    if batch_dims == 0:
        return GatherNd(params, indices, bad_indices_policy=bad_indices_policy, name=name)
    with name_scope(name, "BatchGatherND", [params, indices]):
        params = convert_to_tensor(params)
        indices = convert_to_tensor(indices)
        if indices.dims is None or None in indices.dims[:batch_dims]:
            raise ValueError("gather_nd with batch_dims needs indices whose batch dimensions are known")
        n = len(indices.dims)
        grid = np.meshgrid(*(np.arange(d) for d in indices.dims[:batch_dims]), indexing="ij")
        grid = np.stack(grid, -1).reshape(*indices.dims[:batch_dims], *[1] * (n - 1 - batch_dims), batch_dims)
        sizes = array_join.concat([array_ops.shape(indices)[:-1], [batch_dims]], 0)
        lead = array_move.BroadcastTo(constant_of_array(grid.astype(indices.dtype.as_numpy_dtype)), sizes)
        return GatherNd(params, array_join.concat([lead, indices], -1), bad_indices_policy=bad_indices_policy)


@described(
    ScatterNd,
    example="""
>>> print(sess.run(tf.scatter_nd([[1], [3], [1]], [5, 6, 7], [4])))
[ 0 12  0  6]
""",
    shapes={
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
        "shape": "a vector",
        "output": "of shape `shape`",
    },
)
def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None):
    """Adds updates at indices of a tensor of zeros.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range, and `bad_indices_policy` is not
        "IGNORE", which leaves it out.
    """
    return ScatterNd(indices, updates, shape, bad_indices_policy=bad_indices_policy, name=name)


@described(
    TensorScatterUpdate,
    shapes={
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
        "output": "of the shape of `tensor`",
    },
)
def tensor_scatter_update(tensor, indices, updates, name=None):
    """A copy of a tensor with updates at indices; of several for one place the last counts.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return TensorScatterUpdate(tensor, indices, updates, name=name)


@described(
    TensorScatterAdd,
    shapes={
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
        "output": "of the shape of `tensor`",
    },
)
def tensor_scatter_add(tensor, indices, updates, bad_indices_policy="", name=None):
    """A copy of a tensor with updates added at indices.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range, and `bad_indices_policy` is not
        "IGNORE", which leaves it out.
    """
    return TensorScatterAdd(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


@described(
    TensorScatterSub,
    shapes={
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
        "output": "of the shape of `tensor`",
    },
)
def tensor_scatter_sub(tensor, indices, updates, bad_indices_policy="", name=None):
    """A copy of a tensor with updates subtracted at indices.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range, and `bad_indices_policy` is not
        "IGNORE", which leaves it out.
    """
    return TensorScatterSub(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


@described(
    TensorScatterMax,
    shapes={
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
        "output": "of the shape of `tensor`",
    },
)
def tensor_scatter_max(tensor, indices, updates, bad_indices_policy="", name=None):
    """A copy of a tensor with the maximum of the old value and the updates at indices.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range, and `bad_indices_policy` is not
        "IGNORE", which leaves it out.
    """
    return TensorScatterMax(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


@described(
    TensorScatterMin,
    shapes={
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
        "output": "of the shape of `tensor`",
    },
)
def tensor_scatter_min(tensor, indices, updates, bad_indices_policy="", name=None):
    """A copy of a tensor with the minimum of the old value and the updates at indices.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range, and `bad_indices_policy` is not
        "IGNORE", which leaves it out.
    """
    return TensorScatterMin(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


tensor_scatter_nd_update = tensor_scatter_update
tensor_scatter_nd_add = tensor_scatter_add
tensor_scatter_nd_sub = tensor_scatter_sub
tensor_scatter_nd_max = tensor_scatter_max
tensor_scatter_nd_min = tensor_scatter_min
