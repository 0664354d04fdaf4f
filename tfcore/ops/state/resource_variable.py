"""Resource variables: handles, reads and assignments.

A handle is a tensor of type resource that stands for a variable. Unlike a reference it is never read by accident: a
value comes from a ReadVariableOp, at the time that its control dependencies give. The compiler turns handles into
references (`tfcore/compiler/resource_variables.py`), so that both kinds of variables have the same kernels.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable, undefined_gradient
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array import array, constants
from tfcore.ops.indexing import indexing

# ---- What a handle stands for


def handle_data(handle):
    """(dtype, dims) of the variable behind a handle; (None, None) where the graph does not tell."""
    found = {_data_of_maker(maker) for maker in _makers(handle)}
    types = {dtype for dtype, _ in found}
    if len(types) != 1:
        return None, None
    dims = {dims for _, dims in found}
    return types.pop(), dims.pop() if len(dims) == 1 else None


def _makers(handle):
    """The operations that may have made a handle."""
    seen, todo, found = {handle}, [handle], []
    while todo:
        handle = todo.pop()
        op, sources = handle.op, ()
        if op.type == "Merge":
            sources = op.inputs
        elif op.type in HANDS_ON:
            sources = op.inputs[:1]
        elif op.graph.building_function:
            sources = [t for t, inner in op.graph.captures if inner is handle]
        if not sources:
            found.append(op)
        todo += [t for t in sources if t not in seen]
        seen.update(sources)
    return found


def _data_of_maker(op):
    return (op.attrs["dtype"], op.attrs["shape"]) if op.type == "VarHandleOp" else (None, None)


def _checked_dims(op, verb="read"):
    """The static shape of the variable behind input 0, whose type the attribute `dtype` gives."""
    shapes.with_rank(op.inputs[0].dims, 0)
    dtype, dims = handle_data(op.inputs[0])
    wanted = op.attrs["dtype"]
    if dtype is not None and dtype is not wanted:
        raise ValueError(f"Trying to {verb} variable with wrong dtype. Expected {_name(dtype)} got {_name(wanted)}")
    return dims


def _name(dtype):
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


# ---- Definitions

VarHandleOp = define_op(
    "VarHandleOp",
    outputs=["resource: resource"],
    attrs=[
        "container: string = ''",
        "shared_name: string = ''",
        "debug_name: string = ''",
        "dtype: type",
        "shape: shape",
        "allowed_devices: list(string) = []",
    ],
    shape=shapes.scalar,
    stateful=True,
    doc="""A handle of a variable, which keeps its value between steps.

    The variable is that of name `shared_name` (default: the operation's name) in `container`. Its first value comes
    from an AssignVariableOp.""",
)

ReadVariableOp = define_op(
    "ReadVariableOp",
    inputs=["resource: resource"],
    outputs=["value: dtype"],
    attrs=["dtype: type"],
    shape=lambda op: [_checked_dims(op)],
    stateful=True,
    doc="""The variable's value when the operation runs. Later assignments do not change it.""",
)

DisableCopyOnRead = define_op(
    "DisableCopyOnRead",
    inputs=["resource: resource"],
    stateful=True,
    doc="Does nothing: reads never copy.",
)


def _assign_shape(op):
    shapes.merge(_checked_dims(op), op.inputs[1].dims)
    return []


AssignVariableOp = define_op(
    "AssignVariableOp",
    inputs=["resource: resource", "value: dtype"],
    attrs=["dtype: type", "validate_shape: bool = false"],
    shape=_assign_shape,
    stateful=True,
    doc="Makes `value` the variable's value. With validate_shape the shape may not change.",
)


def _define_update(name, doc):
    return define_op(
        name,
        inputs=["resource: resource", "value: dtype"],
        attrs=["dtype: type"],
        shape=_assign_shape,
        stateful=True,
        doc=doc,
    )


AssignAddVariableOp = _define_update(
    "AssignAddVariableOp", "Adds `value` to the variable; exact under concurrent steps."
)
AssignSubVariableOp = _define_update(
    "AssignSubVariableOp", "Subtracts `value` from the variable; exact under concurrent steps."
)

VarIsInitializedOp = define_op(
    "VarIsInitializedOp",
    inputs=["resource: resource"],
    outputs=["is_initialized: bool"],
    shape=shapes.scalar,
    stateful=True,
    doc="Whether the variable has a value.",
)

DestroyResourceOp = define_op(
    "DestroyResourceOp",
    inputs=["resource: resource"],
    attrs=["ignore_lookup_error: bool = true"],
    stateful=True,
    doc="""Makes the variable uninitialized and frees its memory.

    NotFoundError if it has no value and `ignore_lookup_error` is false.""",
)


def _shape_of_shape(op):
    dims = handle_data(op.inputs[0])[1]
    return [(None if dims is None else len(dims),)]


VariableShape = define_op(
    "VariableShape",
    inputs=["input: resource"],
    outputs=["output: out_type"],
    attrs=["out_type: {int32, int64} = DT_INT32"],
    shape=_shape_of_shape,
    stateful=True,
    doc="The shape of the variable's value.",
)


def _gather_shape(op):
    dims, indices, batch = _checked_dims(op), op.inputs[1].dims, op.attrs["batch_dims"]
    if dims is not None:
        shapes.with_rank_at_least(dims, 1)
    if dims is None or indices is None:
        return [None]
    if not 0 <= batch <= min(len(indices), len(dims) - 1):
        raise ValueError(f"batch_dims ({batch}) must be less than or equal to the ranks of indices and of the variable")
    front = shapes.merge(dims[:batch], indices[:batch]) if batch else ()
    return [(*front, *indices[batch:], *dims[batch + 1 :])]


ResourceGather = define_op(
    "ResourceGather",
    inputs=["resource: resource", "indices: Tindices"],
    outputs=["output: dtype"],
    attrs=["batch_dims: int = 0", "validate_indices: bool = true", "dtype: type", "Tindices: {int32, int64}"],
    shape=_gather_shape,
    stateful=True,
    doc="Rows of the variable: output[i..., :] = variable[indices[i...], :].",
)


def _gather_nd_shape(op):
    dims, indices = _checked_dims(op), shapes.with_rank_at_least(op.inputs[1].dims, 1)
    if dims is None or indices is None or indices[-1] is None:
        return [None]
    if indices[-1] > len(dims):
        raise ValueError(f"indices.shape[-1] must be <= params.rank, but saw indices.shape[-1] = {indices[-1]}")
    return [(*indices[:-1], *dims[indices[-1] :])]


ResourceGatherNd = define_op(
    "ResourceGatherNd",
    inputs=["resource: resource", "indices: Tindices"],
    outputs=["output: dtype"],
    attrs=["dtype: type", "Tindices: {int32, int64}"],
    shape=_gather_nd_shape,
    stateful=True,
    doc="output[i..., :] = variable[indices[i..., 0], indices[i..., 1], ..., :].",
)


def _count_up_to_shape(op):
    shapes.with_rank(handle_data(op.inputs[0])[1], 0)
    return [()]


ResourceCountUpTo = define_op(
    "ResourceCountUpTo",
    inputs=["resource: resource"],
    outputs=["output: T"],
    attrs=["limit: int", "T: {int32, int64}"],
    shape=_count_up_to_shape,
    stateful=True,
    doc="The scalar variable's value before it is incremented; OutOfRangeError once it is `limit`.",
)

ResourceStridedSliceAssign = define_op(
    "ResourceStridedSliceAssign",
    inputs=["ref: resource", "begin: Index", "end: Index", "strides: Index", "value: T"],
    attrs=[
        "T: type",
        "Index: {int32, int64}",
        *(f"{m}_mask: int = 0" for m in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")),
    ],
    stateful=True,
    doc="Assigns `value` to the strided slice of a variable.",
)

not_differentiable(
    "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "VarIsInitializedOp", "VariableShape",
)  # fmt: skip
undefined_gradient(
    "VarHandleOp", "DestroyResourceOp", "DisableCopyOnRead", "ResourceCountUpTo", "ResourceStridedSliceAssign",
)  # fmt: skip


# ---- Gradients: with respect to the handle


@gradient("ReadVariableOp")
def _read_grad(op, grad):
    return grad


def _variable_shape(handle, out_type):
    """The shape of the variable: a constant if it is known."""
    dims = handle_data(handle)[1]
    if dims is not None and None not in dims:
        return constants.constant(list(dims), out_type)
    return VariableShape(handle, out_type=out_type)


def gradient_dims(tensor):
    """The static shape of the gradient of a tensor: for a handle, that of the variable."""
    return handle_data(tensor)[1] if tensor.dtype is dtypes.resource else tensor.dims


def gradient_shape(tensor, out_type=dtypes.int32):
    """The shape of the gradient of a tensor at run time: for a handle, that of the variable."""
    if tensor.dtype is dtypes.resource:
        return _variable_shape(tensor, out_type)
    return array.shape(tensor, out_type=out_type)


def gradient_dtype(tensor):
    """The type of the gradient of a tensor; None for the handle of an unknown variable."""
    return handle_data(tensor)[0] if tensor.dtype is dtypes.resource else tensor.dtype.base_dtype


@gradient("ResourceGather")
def _gather_grad(op, grad):
    handle, indices = op.inputs
    dtype, dims = handle_data(handle)
    if op.attrs["batch_dims"]:
        shape = _variable_shape(handle, dtypes.int32)
        like = constants.fill(shape, constants.constant(0, op.attrs["dtype"]))
        made = indexing.gather(like, indices, batch_dims=op.attrs["batch_dims"])
        return get_op_def("GatherV2").gradient_fn(made.op, grad)[0], None
    with get_default_graph().colocate_with(handle.op):
        shape = _variable_shape(handle, dtypes.int32)
    if indices.dims is not None and len(indices.dims) == 1:
        return IndexedSlices(grad, indices, shape), None
    count = array.expand_dims(array.size(indices), 0)
    values = array.reshape(grad, get_op_def("ConcatV2")([count, shape[1:]], 0))
    if dims is not None:
        values.set_shape([None, *dims[1:]])
    return IndexedSlices(values, array.reshape(indices, [-1]), shape), None


@gradient("ResourceGatherNd")
def _gather_nd_grad(op, grad):
    handle, indices = op.inputs
    shape = _variable_shape(handle, indices.dtype)
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[-1] == 1:
        return IndexedSlices(grad, array.squeeze(indices, axis=[-1]), shape), None
    return indexing.scatter_nd(indices, grad, shape), None
