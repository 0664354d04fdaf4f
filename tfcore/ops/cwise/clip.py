"""Clipping of values and of norms."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices

ClipByValue = define_op(
    "ClipByValue",
    inputs=["t: T", "clip_value_min: T", "clip_value_max: T"],
    outputs=["output: T"],
    attrs=["T: numbertype"],
    shape=shapes.unchanged,
    doc="""max(min(t, clip_value_max), clip_value_min); each limit is a scalar or has the shape of t.""",
)


@gradient("ClipByValue")
def _clip_by_value_grad(op, grad):
    t, low, high = op.inputs
    zeros = get_op_def("ZerosLike")(grad)
    select = get_op_def("Select")
    below, above = t < low, t > high
    inside = get_op_def("LogicalNot")(get_op_def("LogicalOr")(below, above))
    return (
        select(inside, grad, zeros),
        _limit_grad(low, select(below, grad, zeros)),
        _limit_grad(high, select(above, grad, zeros)),
    )


def _limit_grad(limit, grad):
    """Summed if the limit is a scalar."""
    from tfcore.ops.array.broadcast import unbroadcast

    return unbroadcast(limit, grad, grad, None)[0]


def _slices_or_tensor(t):
    return t.values if isinstance(t, IndexedSlices) else convert_to_tensor(t, name="t")


def _like(original, values):
    if isinstance(original, IndexedSlices):
        return IndexedSlices(values, original.indices, original.dense_shape)
    return values


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """Clamps elements to a range.

    Args:
      t: A `Tensor` or `IndexedSlices` of a numeric type.
      clip_value_min: The least value, a scalar or a `Tensor` that broadcasts to `t`.
      clip_value_max: The greatest value, a scalar or a `Tensor` that broadcasts to `t`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` (or `IndexedSlices`) of the type and shape of `t`.

    Raises:
      ValueError: A bound would make the result larger than `t`.

    Example:

    >>> print(sess.run(tf.clip_by_value([-2.0, 0.5, 3.0], -1.0, 1.0)))
    [-1.   0.5  1. ]
    """
    with name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = _slices_or_tensor(t)
        lower = get_op_def("Minimum")(values, clip_value_max)
        values.shape.assert_is_compatible_with(lower.shape)
        result = get_op_def("Maximum")(lower, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(result.shape)
        return _like(t, result)


def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scales a tensor so that its L2 norm is at most `clip_norm`.

    Args:
      t: A `Tensor` or `IndexedSlices` of a floating-point type.
      clip_norm: The largest norm, a scalar > 0.
      axes: Dimensions to compute norms over; None: all.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` (or `IndexedSlices`) of the type and shape of `t`.

    Raises:
      TypeError: `t` is not of a floating-point type.

    Example:

    >>> print(sess.run(tf.clip_by_norm([3.0, 4.0], 1.0)).round(2))
    [0.6 0.8]
    """
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values = _slices_or_tensor(t)
        result = values * _factor(_root(_sum(values * values, axes)), clip_norm)
        values.shape.assert_is_compatible_with(result.shape)
        return _like(t, get_op_def("Identity")(result, name=scope))


def _root(total):
    """The square root, taken only of positive sums: its gradient at 0 would be infinite."""
    positive = total > 0
    select, ones = get_op_def("Select"), get_op_def("OnesLike")(total)
    return select(positive, get_op_def("Sqrt")(select(positive, total, ones)), total)


def _factor(norm, clip_norm):
    """What makes a norm at most `clip_norm`: exactly 1 where it is already, also if the limit is infinite."""
    limit = convert_to_tensor(clip_norm, dtype=norm.dtype, name="clip_norm")
    finite = get_op_def("Minimum")(limit, convert_to_tensor(norm.dtype.max, dtype=norm.dtype))
    return get_op_def("RealDiv")(finite, get_op_def("Maximum")(norm, finite))


def _sum(x, axes):
    if axes is None:
        rank = None if x.dims is None else len(x.dims)
        axes = list(range(rank)) if rank is not None else get_op_def("Range")(0, get_op_def("Rank")(x), 1)
        if rank == 0:
            return x
    return get_op_def("Sum")(x, axes, keep_dims=True)


def clip_by_average_norm(t, clip_norm, name=None):
    """Scales a tensor so that its L2 norm divided by its number of elements is at most `clip_norm`.

    Args:
      t: A `Tensor` of a floating-point type.
      clip_norm: The largest average norm, a scalar > 0.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `t`.

    Raises:
      TypeError: `t` is not of a floating-point type.
    """
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = get_op_def("Cast")(get_op_def("Size")(t), t.dtype)
        average = get_op_def("RealDiv")(_root(_sum_all(t * t)), count)
        return get_op_def("Identity")(t * _factor(average, clip_norm), name=scope)


def _sum_all(x):
    rank = None if x.dims is None else len(x.dims)
    axes = list(range(rank)) if rank else get_op_def("Range")(0, get_op_def("Rank")(x), 1)
    return x if rank == 0 else get_op_def("Sum")(x, axes)


def _checked_list(t_list):
    if isinstance(t_list, dict) or isinstance(t_list, (str, bytes)) or not hasattr(t_list, "__iter__"):
        raise TypeError("t_list should be a sequence")
    return list(t_list)


def global_norm(t_list, name=None):
    """The L2 norm of all tensors taken together: sqrt(sum of squares).

    Args:
      t_list: A list of `Tensor`s and `IndexedSlices` of floating-point types; None entries are left out.
      name: Name of the operation (optional).

    Returns:
      A `Tensor`, a scalar; None if there is nothing to sum.

    Raises:
      TypeError: `t_list` is not a list.

    Example:

    >>> print(sess.run(tf.global_norm([tf.constant([3.0]), None, tf.constant([4.0])])))
    5.0
    """
    t_list = _checked_list(t_list)
    with name_scope(name, "global_norm", t_list):
        from tfcore.ops.cwise.nary import add_n

        halves = []
        for values in [_slices_or_tensor(t) for t in t_list if t is not None]:
            with get_default_graph().colocate_with(values.op):  # avoids sending a large tensor
                halves.append(get_op_def("L2Loss")(values))
        if not halves:
            raise ValueError("t_list must hold at least one tensor")
        half = add_n(halves)
        return get_op_def("Sqrt")(half * convert_to_tensor(2.0, dtype=half.dtype), name="global_norm")


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scales tensors together so that their global norm is at most `clip_norm`.

    Source: R. Pascanu et al., "On the difficulty of training recurrent neural networks", ICML 2013.

    Args:
      t_list: A list of `Tensor`s and `IndexedSlices` of floating-point types; None entries stay.
      clip_norm: The largest global norm, a scalar > 0.
      use_norm: The global norm, if it has been computed already.
      name: Name of the operation (optional).

    Returns:
      A pair: the list of scaled tensors, and the global norm before scaling, a scalar `Tensor`. If the norm is infinite
      or NaN, all elements become NaN.

    Raises:
      TypeError: `t_list` is not a list.

    Example:

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> print(sess.run(norm), sess.run(clipped[0]).round(2), sess.run(clipped[1]).round(2))
    5.0 [0.6] [0.8]
    """
    t_list = _checked_list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]) as scope:
        # NaN if the norm is not finite, so that the mistake shows.
        scale = _factor(use_norm, clip_norm) + (use_norm - use_norm)
        scaled = []
        for i, t in enumerate(t_list):
            if t is None:
                scaled.append(None)
                continue
            values = _slices_or_tensor(t)
            with get_default_graph().colocate_with(values.op):
                scaled.append(_like(t, get_op_def("Identity")(values * scale, name=f"{scope}_{i}")))
        return scaled, use_norm
