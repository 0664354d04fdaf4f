"""Broadcasting of shapes, and its inverse for gradients."""

from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.values.constant import constant


def _args_shape(op):
    for t in op.inputs:
        if t.dims is not None and len(t.dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(t.dims)}")
    return [(None,)] * len(op.outputs)


def _broadcast_args_shape(op):
    _args_shape(op)
    sizes = [t.dims[0] if t.dims else None for t in op.inputs]
    return [(None if None in sizes else max(sizes),)]


BroadcastGradientArgs = define_op(
    "BroadcastGradientArgs",
    inputs=["s0: T", "s1: T"],
    outputs=["r0: T", "r1: T"],
    attrs=["T: {int32, int64} = DT_INT32"],
    shape=_args_shape,
    doc="""The axes over which gradients of a broadcast result are summed for operands of shapes s0 and s1.""",
)

BroadcastArgs = define_op(
    "BroadcastArgs",
    inputs=["s0: T", "s1: T"],
    outputs=["r0: T"],
    attrs=["T: {int32, int64} = DT_INT32"],
    shape=_broadcast_args_shape,
    doc="""The shape that shapes s0 and s1 broadcast to.""",
)

not_differentiable("BroadcastGradientArgs", "BroadcastArgs")


def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that tensors of two shapes broadcast to, computed at run time.

    Args:
      shape_x: A vector of type int32 or int64.
      shape_y: A vector of the same type.

    Returns:
      A `Tensor` of their type, a vector.

    Raises:
      TypeError: The types differ or aren't integers.
      tf.errors.InvalidArgumentError: The shapes are incompatible at run time.

    Example:

    >>> print(sess.run(tf.broadcast_dynamic_shape([2, 1], [3])))
    [2 3]
    """
    return BroadcastArgs(shape_x, shape_y)


def broadcast_static_shape(shape_x, shape_y):
    """The shape that tensors of two static shapes broadcast to.

    Args:
      shape_x: A `TensorShape`.
      shape_y: A `TensorShape`.

    Returns:
      A `TensorShape`.

    Raises:
      ValueError: The shapes are incompatible.
      AttributeError: An argument is not a `TensorShape`.

    Example:

    >>> print(tf.broadcast_static_shape(tf.TensorShape([2, None]), tf.TensorShape([3])))
    (2, 3)
    """
    from tfcore.framework.definitions.shapes import broadcast_dims
    from tfcore.framework.types.tensor_shape import as_dims, shape_of, unknown_shape

    if shape_x.ndims is None or shape_y.ndims is None:
        return unknown_shape()
    try:
        return shape_of(broadcast_dims(as_dims(shape_x), as_dims(shape_y)))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}") from None


def unbroadcast(x, y, grad_x, grad_y):
    """Gradients in the shape that x and y broadcast to, summed to the shapes of x and y.

    Either gradient may be None. Nothing is added to the graph if the static shapes show that an operand was not
    broadcast; if they show how it was broadcast, the sums have constant axes.
    """
    axes = _static_axes(x.dims, y.dims)
    if axes is None:
        shape = get_op_def("Shape")
        shape_x, shape_y = shape(x), shape(y)
        axes_x, axes_y = BroadcastGradientArgs(shape_x, shape_y)
        return (
            None if grad_x is None else _sum_to(grad_x, axes_x, shape_x),
            None if grad_y is None else _sum_to(grad_y, axes_y, shape_y),
        )
    return _static_sum(grad_x, x, axes[0]), _static_sum(grad_y, y, axes[1])


def _static_axes(a, b):
    """The axes of the result to sum over for each operand; None if the static shapes don't determine them."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    axes_a, axes_b = [], []
    for axis in range(rank):
        i, j = axis - rank + len(a), axis - rank + len(b)
        if i < 0:
            axes_a.append(axis)
        elif j < 0:
            axes_b.append(axis)
        elif a[i] == b[j] and a[i] is not None:
            continue
        elif a[i] == 1:
            axes_a.append(axis)
        elif b[j] == 1:
            axes_b.append(axis)
        elif a[i] is None or b[j] is None:  # an unknown size may turn out to be 1
            return None
    return axes_a, axes_b


def _static_sum(grad, operand, axes):
    if grad is None or not axes:
        return grad
    dims = operand.dims
    missing = len(grad.dims) - len(dims) if grad.dims is not None else None
    if missing == 0:
        return get_op_def("Sum")(grad, constant(axes), keep_dims=True)
    total = get_op_def("Sum")(grad, constant(axes))
    if missing is not None and len(axes) == missing:
        return total
    if None in dims:
        return get_op_def("Reshape")(total, get_op_def("Shape")(operand))
    return get_op_def("Reshape")(total, constant(dims, dtype="int32"))


def _sum_to(grad, axes, shape):
    return get_op_def("Reshape")(get_op_def("Sum")(grad, axes), shape)
