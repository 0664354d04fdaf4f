"""Updates of slices of variables."""

from tfcore.framework import shapes
from tfcore.framework.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.op_wrappers import described

__all__ = [
    "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd_add", "scatter_nd_sub",
    "scatter_nd_update", "scatter_sub", "scatter_update",
]  # fmt: skip


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
    "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub",
)  # fmt: skip
undefined_gradient("ScatterUpdate", "ScatterMin", "ScatterMax", "ScatterNdMin", "ScatterNdMax")


@described(ScatterUpdate)
def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """ref[indices] = updates, where updates.shape = indices.shape + ref.shape[1:] (or a scalar)."""
    return ScatterUpdate(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterAdd)
def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] += updates; duplicate indices add up."""
    return ScatterAdd(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterSub)
def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] -= updates; duplicate indices add up."""
    return ScatterSub(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterMul)
def scatter_mul(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] *= updates."""
    return ScatterMul(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterDiv)
def scatter_div(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] /= updates."""
    return ScatterDiv(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterMin)
def scatter_min(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] = min(ref[indices], updates)."""
    return ScatterMin(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterMax)
def scatter_max(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] = max(ref[indices], updates)."""
    return ScatterMax(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterNdUpdate)
def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """Sets the slices of ref that the rows of `indices` point at to `updates`."""
    return ScatterNdUpdate(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterNdAdd)
def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """Adds `updates` to the slices of ref that the rows of `indices` point at."""
    return ScatterNdAdd(ref, indices, updates, use_locking=use_locking, name=name)


@described(ScatterNdSub)
def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts `updates` from the slices of ref that the rows of `indices` point at."""
    return ScatterNdSub(ref, indices, updates, use_locking=use_locking, name=name)
