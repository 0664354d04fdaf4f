"""Variables: references, assignments, updates of slices, counters."""

from tfcore.framework import shapes
from tfcore.framework.op_def import define_op, gradient, not_differentiable, undefined_gradient

__all__ = [
    "assign",
    "assign_add",
    "assign_sub",
    "count_up_to",
    "is_variable_initialized",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
]


def _variable_shape(op):
    return [op._attrs["shape"]]


_VARIABLE_ATTRS = ["shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''"]

VariableV2 = define_op(
    "VariableV2",
    outputs=["ref: Ref(dtype)"],
    attrs=_VARIABLE_ATTRS,
    shape=_variable_shape,
    stateful=True,
    doc="""A reference to a variable, which keeps its value between steps.

    The variable is that of name `shared_name` (default: the operation's name) in `container`. Its
    first value comes from an Assign.""",
)

Variable = define_op(
    "Variable",
    outputs=["ref: Ref(dtype)"],
    attrs=_VARIABLE_ATTRS,
    shape=_variable_shape,
    stateful=True,
    doc="VariableV2 as old graphs write it.",
)

IsVariableInitialized = define_op(
    "IsVariableInitialized",
    inputs=["ref: Ref(dtype)"],
    outputs=["is_initialized: bool"],
    attrs=["dtype: type"],
    shape=shapes.scalar,
    doc="Whether the variable was assigned a value.",
)

RefIdentity = define_op(
    "RefIdentity",
    inputs=["input: Ref(T)"],
    outputs=["output: Ref(T)"],
    attrs=["T: type"],
    shape=shapes.unchanged,
    doc="The same reference.",
)


@gradient("RefIdentity")
def _ref_identity_grad(op, grad):
    return grad


def _assign_shape(op):
    ref, value = op.inputs
    return [shapes.merge(ref.dims, value.dims) if op._attrs["validate_shape"] else value.dims]


Assign = define_op(
    "Assign",
    inputs=["ref: Ref(T)", "value: T"],
    outputs=["output_ref: Ref(T)"],
    attrs=["T: type", "validate_shape: bool = true", "use_locking: bool = true"],
    shape=_assign_shape,
    doc="Makes `value` the variable's value. With validate_shape the shape may not change.",
)


def _update_shape(op):
    return [shapes.merge(op.inputs[0].dims, op.inputs[1].dims)]


def _define_update(name, doc):
    return define_op(
        name,
        inputs=["ref: Ref(T)", "value: T"],
        outputs=["output_ref: Ref(T)"],
        attrs=["T: numbertype", "use_locking: bool = false"],
        shape=_update_shape,
        doc=doc,
    )


AssignAdd = _define_update("AssignAdd", "Adds `value` to the variable; exact under concurrent steps.")
AssignSub = _define_update("AssignSub", "Subtracts `value` from the variable; exact under concurrent steps.")

CountUpTo = define_op(
    "CountUpTo",
    inputs=["ref: Ref(T)"],
    outputs=["output: T"],
    attrs=["limit: int", "T: {int32, int64}"],
    shape=shapes.scalar,
    doc="The scalar variable's value before it is incremented; OutOfRangeError once it is `limit`.",
)


# ---- Updates of slices


def _scatter_shape(op):
    """updates.shape = indices.shape + ref.shape[1:], or a scalar."""
    ref, indices, updates = (t.dims for t in op.inputs)
    shapes.with_rank_at_least(ref, 1)
    if ref is not None and indices is not None and updates is not None and updates != ():
        shapes.merge(updates, (*indices, *ref[1:]))
    return [ref]


_NUMBERS = "T: numbertype"
_ORDERED = "T: {half, bfloat16, float, double, int32, int64}"


def _define_scatter(name, types, doc, locking="false"):
    return define_op(
        name,
        inputs=["ref: Ref(T)", "indices: Tindices", "updates: T"],
        outputs=["output_ref: Ref(T)"],
        attrs=[types, "Tindices: {int32, int64}", f"use_locking: bool = {locking}"],
        shape=_scatter_shape,
        doc=f"""{doc}

    updates.shape = indices.shape + ref.shape[1:], or a scalar for all. Indices are applied in order.
    Nothing is changed if one is out of range (InvalidArgumentError).""",
    )


ScatterUpdate = _define_scatter(
    "ScatterUpdate", "T: type", "ref[indices] = updates; the last of duplicates stays.", "true"
)
ScatterAdd = _define_scatter("ScatterAdd", _NUMBERS, "ref[indices] += updates; duplicates add up.")
ScatterSub = _define_scatter("ScatterSub", _NUMBERS, "ref[indices] -= updates; duplicates add up.")
ScatterMul = _define_scatter("ScatterMul", _NUMBERS, "ref[indices] *= updates; duplicates multiply.")
ScatterDiv = _define_scatter("ScatterDiv", _NUMBERS, "ref[indices] /= updates; duplicates divide again.")
ScatterMin = _define_scatter("ScatterMin", _ORDERED, "ref[indices] = min(ref[indices], updates).")
ScatterMax = _define_scatter("ScatterMax", _ORDERED, "ref[indices] = max(ref[indices], updates).")


def _scatter_nd_shape(op):
    """updates.shape = indices.shape[:-1] + ref.shape[indices.shape[-1]:]."""
    ref, indices, updates = (t.dims for t in op.inputs)
    if ref is not None and indices and indices[-1] is not None and updates is not None:
        depth = indices[-1] if len(indices) > 1 else 1
        outer = indices[:-1] if len(indices) > 1 else indices
        if depth > len(ref):
            raise ValueError(
                f"The last dimension of indices ({depth}) must be at most the rank of the variable ({len(ref)})"
            )
        shapes.merge((*outer, *ref[depth:]), updates)
    return [ref]


def _define_scatter_nd(name, types, doc, locking="false"):
    return define_op(
        name,
        inputs=["ref: Ref(T)", "indices: Tindices", "updates: T"],
        outputs=["output_ref: Ref(T)"],
        attrs=[types, "Tindices: {int32, int64}", f"use_locking: bool = {locking}"],
        shape=_scatter_nd_shape,
        doc=f"""{doc}

    The last dimension of indices is a position in ref, the others are the batch:
    updates.shape = indices.shape[:-1] + ref.shape[indices.shape[-1]:].""",
    )


ScatterNdUpdate = _define_scatter_nd(
    "ScatterNdUpdate", "T: type", "Sets slices of ref at the positions in indices.", "true"
)
ScatterNdAdd = _define_scatter_nd("ScatterNdAdd", _NUMBERS, "Adds updates to slices of ref; duplicates add up.")
ScatterNdSub = _define_scatter_nd("ScatterNdSub", _NUMBERS, "Subtracts updates from slices of ref.")
ScatterNdMin = _define_scatter_nd("ScatterNdMin", _NUMBERS, "Minimum of slices of ref and updates.")
ScatterNdMax = _define_scatter_nd("ScatterNdMax", _NUMBERS, "Maximum of slices of ref and updates.")

not_differentiable(
    "VariableV2", "Variable", "IsVariableInitialized", "Assign", "AssignAdd", "AssignSub", "CountUpTo",
    "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub",
)  # fmt: skip
undefined_gradient("ScatterUpdate", "ScatterMin", "ScatterMax", "ScatterNdMin", "ScatterNdMax")


# ---- Public wrappers


def _is_ref(ref):
    dtype = getattr(ref, "dtype", None)
    return dtype is not None and getattr(dtype, "_is_ref_dtype", True)


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Makes `value` the value of the variable `ref`; returns the variable's new value (a reference).

    Args:
      validate_shape: if False the variable takes on the shape of `value`, whatever it had.
    """
    if not _is_ref(ref) and hasattr(ref, "assign"):
        return ref.assign(value, name=name)
    return Assign(
        ref,
        value,
        validate_shape=True if validate_shape is None else validate_shape,
        use_locking=True if use_locking is None else use_locking,
        name=name,
    )


def assign_add(ref, value, use_locking=None, name=None):
    """Adds `value` to the variable `ref`; returns the variable after that."""
    if not _is_ref(ref) and hasattr(ref, "assign_add"):
        return ref.assign_add(value)
    return AssignAdd(ref, value, use_locking=bool(use_locking), name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts `value` from the variable `ref`; returns the variable after that."""
    if not _is_ref(ref) and hasattr(ref, "assign_sub"):
        return ref.assign_sub(value)
    return AssignSub(ref, value, use_locking=bool(use_locking), name=name)


def count_up_to(ref, limit, name=None):
    """Increments a scalar integer variable and returns its value before; OutOfRangeError at `limit`."""
    return CountUpTo(ref, limit=limit, name=name)


def is_variable_initialized(ref, name=None):
    """A bool scalar: whether the variable has a value."""
    if not _is_ref(ref) and hasattr(ref, "is_initialized"):
        return ref.is_initialized(name=name)
    return IsVariableInitialized(ref, name=name)


def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """ref[indices] = updates, where updates.shape = indices.shape + ref.shape[1:] (or a scalar)."""
    return ScatterUpdate(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] += updates; duplicate indices add up."""
    return ScatterAdd(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] -= updates; duplicate indices add up."""
    return ScatterSub(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_mul(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] *= updates."""
    return ScatterMul(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_div(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] /= updates."""
    return ScatterDiv(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_min(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] = min(ref[indices], updates)."""
    return ScatterMin(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_max(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] = max(ref[indices], updates)."""
    return ScatterMax(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """Sets the slices of ref that the rows of `indices` point at to `updates`."""
    return ScatterNdUpdate(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """Adds `updates` to the slices of ref that the rows of `indices` point at."""
    return ScatterNdAdd(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts `updates` from the slices of ref that the rows of `indices` point at."""
    return ScatterNdSub(ref, indices, updates, use_locking=use_locking, name=name)
