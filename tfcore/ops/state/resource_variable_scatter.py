"""Updates of slices of resource variables: the ops of scatter.py, by handle."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.ops.state.resource_variable import handle_data


def _scatter_shape(op):
    """updates.shape = indices.shape + the variable's shape[1:], or a scalar."""
    _, indices, updates = (t.dims for t in op.inputs)
    dims = _checked(op, "dtype")
    shapes.with_rank_at_least(dims, 1)
    if dims is not None and indices is not None and updates is not None and updates != ():
        shapes.merge(updates, (*indices, *dims[1:]))
    return []


def _scatter_nd_shape(op):
    """updates.shape = indices.shape[:-1] + the variable's shape[indices.shape[-1]:]."""
    _, indices, updates = (t.dims for t in op.inputs)
    dims = _checked(op, "T")
    shapes.with_rank_at_least(indices, 1)
    if dims is not None and indices and indices[-1] is not None and updates is not None:
        depth = indices[-1] if len(indices) > 1 else 1
        outer = indices[:-1] if len(indices) > 1 else indices
        if depth > len(dims):
            raise ValueError(
                f"The last dimension of indices ({depth}) must be at most the rank of the variable ({len(dims)})"
            )
        shapes.merge((*outer, *dims[depth:]), updates)
    return []


def _checked(op, attr):
    dtype, dims = handle_data(op.inputs[0])
    if dtype is not None and dtype is not op.attrs[attr]:
        raise ValueError(f"Trying to update a variable of type {dtype.name} with values of type {op.attrs[attr].name}")
    return dims


def _define(action, types, doc):
    """The op on rows."""
    name = f"ResourceScatter{action}"
    undefined_gradient(name)
    return define_op(
        name,
        inputs=["resource: resource", "indices: Tindices", "updates: dtype"],
        attrs=[f"dtype: {types}", "Tindices: {int32, int64}"],
        shape=_scatter_shape,
        stateful=True,
        doc=f"""{doc}

    updates.shape = indices.shape + variable.shape[1:], or a scalar for all. Indices are applied in order.
    Nothing is changed if one is out of range (InvalidArgumentError).""",
    )


def _define_nd(action, doc):
    """The op on slices of any depth."""
    name = f"ResourceScatterNd{action}"
    undefined_gradient(name)
    return define_op(
        name,
        inputs=["ref: resource", "indices: Tindices", "updates: T"],
        attrs=["T: type", "Tindices: {int32, int64}", "use_locking: bool = true", 'bad_indices_policy: string = ""'],
        shape=_scatter_nd_shape,
        stateful=True,
        doc=f"""{doc}

    The last dimension of indices is a position in the variable, the others are the batch:
    updates.shape = indices.shape[:-1] + variable.shape[indices.shape[-1]:].""",
    )


ResourceScatterUpdate = _define("Update", "type", "Sets rows; the last of duplicates stays.")
ResourceScatterAdd = _define("Add", "numbertype", "Adds to rows; duplicates add up.")
ResourceScatterSub = _define("Sub", "numbertype", "Subtracts from rows; duplicates add up.")
ResourceScatterMul = _define("Mul", "numbertype", "Multiplies rows; duplicates multiply.")
ResourceScatterDiv = _define("Div", "numbertype", "Divides rows; duplicates divide again.")
ResourceScatterMin = _define("Min", "numbertype", "The minimum of rows and updates.")
ResourceScatterMax = _define("Max", "numbertype", "The maximum of rows and updates.")
ResourceScatterNdUpdate = _define_nd("Update", "Sets slices at the positions in indices.")
ResourceScatterNdAdd = _define_nd("Add", "Adds updates to slices; duplicates add up.")
ResourceScatterNdSub = _define_nd("Sub", "Subtracts updates from slices.")
ResourceScatterNdMin = _define_nd("Min", "The minimum of slices and updates.")
ResourceScatterNdMax = _define_nd("Max", "The maximum of slices and updates.")
