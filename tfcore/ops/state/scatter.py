"""Updates of slices of variables."""

import functools

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array, constants
from tfcore.ops.array import join as array_join
from tfcore.ops.array import move as array_move
from tfcore.ops.state.state import is_ref


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
    shapes.with_rank_at_least(indices, 1)
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


def _update(op_def, ref, indices, updates, use_locking, name):
    """The variable after an update, by reference or by handle."""
    apply = functools.partial(op_def, ref) if is_ref(ref) else functools.partial(ref._updated, op_def)
    return apply(indices, updates, use_locking=use_locking, name=name)


@described(
    ScatterUpdate,
    example="""
>>> v = tf.Variable([1, 2, 3])
>>> sess.run(v.initializer)
>>> print(sess.run(tf.scatter_update(v, [0, 2], [10, 30])))
[10  2 30]
""",
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns rows of a variable: ref[indices] = updates.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterUpdate, ref, indices, updates, use_locking, name)


@described(
    ScatterAdd,
    example="""
>>> v = tf.Variable([1, 2, 3])
>>> sess.run(v.initializer)
>>> print(sess.run(tf.scatter_add(v, [0, 2], [10, 30])))
[11  2 33]
""",
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """Adds to rows of a variable: ref[indices] += updates; duplicate indices add up.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterAdd, ref, indices, updates, use_locking, name)


@described(
    ScatterSub,
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts from rows of a variable: ref[indices] -= updates; duplicate indices add up.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterSub, ref, indices, updates, use_locking, name)


@described(
    ScatterMul,
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_mul(ref, indices, updates, use_locking=False, name=None):
    """Multiplies rows of a variable: ref[indices] *= updates; duplicate indices multiply.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterMul, ref, indices, updates, use_locking, name)


@described(
    ScatterDiv,
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_div(ref, indices, updates, use_locking=False, name=None):
    """Divides rows of a variable: ref[indices] /= updates; duplicate indices divide again.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterDiv, ref, indices, updates, use_locking, name)


@described(
    ScatterMin,
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_min(ref, indices, updates, use_locking=False, name=None):
    """Takes the minimum of rows of a variable and updates.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterMin, ref, indices, updates, use_locking, name)


@described(
    ScatterMax,
    shapes={
        "ref": "a variable",
        "indices": "indices of rows",
        "updates": "indices.shape + ref.shape[1:], or a scalar",
    },
)
def scatter_max(ref, indices, updates, use_locking=False, name=None):
    """Takes the maximum of rows of a variable and updates.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterMax, ref, indices, updates, use_locking, name)


@described(
    ScatterNdUpdate,
    shapes={
        "ref": "a variable",
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
    },
)
def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns elements or slices of a variable.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterNdUpdate, ref, indices, updates, use_locking, name)


@described(
    ScatterNdAdd,
    shapes={
        "ref": "a variable",
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
    },
)
def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """Adds to elements or slices of a variable; duplicate indices add up.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterNdAdd, ref, indices, updates, use_locking, name)


@described(
    ScatterNdSub,
    shapes={
        "ref": "a variable",
        "indices": "[..., k]; each vector of k indices names an element, or a slice",
        "updates": "indices.shape[:-1] + the shape of a slice",
    },
)
def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts from elements or slices of a variable; duplicate indices add up.

    Raises:
      tf.errors.InvalidArgumentError: At run time, an index is out of range.
    """
    return _update(ScatterNdSub, ref, indices, updates, use_locking, name)


def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns elements of a variable for each batch: ref[b, indices[b, i]] = updates[b, i].

    Args:
      ref: A `Variable` of shape [batch..., n, ...].
      indices: A `Tensor` of type int32 or int64, of shape [batch..., k].
      updates: A `Tensor` of the type of `ref`, of shape [batch..., k, ...].
      use_locking: As for `tf.scatter_nd_update`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A mutable `Tensor`: `ref` after the update.

    Raises:
      ValueError: The rank of `indices` is unknown, or shapes are incompatible.
      tf.errors.InvalidArgumentError: At run time, an index is out of range.

    Example:

    >>> v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    >>> sess.run(v.initializer)
    >>> print(sess.run(tf.batch_scatter_update(v, [[0], [2]], [[10], [60]])))
    [[10  2  3]
     [ 4  5 60]]
    """
    with name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        sizes = array.shape(indices, out_type=indices.dtype)
        last = array.expand_dims(indices, -1)
        parts = []
        for axis in range(rank - 1):
            places = array.reshape(constants.range(sizes[axis]), [-1 if i == axis else 1 for i in range(rank + 1)])
            parts.append(array_move.broadcast_to(places, array.shape(last)))
        return scatter_nd_update(ref, array_join.concat([*parts, last], -1), updates, use_locking=use_locking)
