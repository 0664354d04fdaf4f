"""Choice between two tensors, element by element."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.broadcast import unbroadcast


def _select_shape(op):
    condition, t, e = (x.dims for x in op.inputs)
    result = shapes.merge(t, e)
    if condition is None or result is None or len(condition) == 0:
        return [result]
    if len(condition) == 1 and len(result) != 1:
        if not result:
            raise ValueError("Shapes must be equal rank, but are 0 and 1")
        shapes.merge_dim(condition[0], result[0])
        return [result]
    return [shapes.merge(condition, result)]


def _select_v2_shape(op):
    condition, t, e = (x.dims for x in op.inputs)
    return [shapes.broadcast_dims(condition, shapes.broadcast_dims(t, e))]


Select = define_op(
    "Select",
    inputs=["condition: bool", "t: T", "e: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_select_shape,
    doc="""t where condition, else e. condition has the shape of t, or is a scalar or a vector that chooses rows.""",
)
SelectV2 = define_op(
    "SelectV2",
    inputs=["condition: bool", "t: T", "e: T"],
    outputs=["output: T"],
    attrs=["T: type"],
    shape=_select_v2_shape,
    doc="""t where condition, else e; all three broadcast.""",
)


@gradient("Select")
def _select_grad(op, grad):
    condition = op.inputs[0]
    zeros = get_op_def("ZerosLike")(grad)
    return None, Select(condition, grad, zeros), Select(condition, zeros, grad)


@gradient("SelectV2")
def _select_v2_grad(op, grad):
    condition, t, e = op.inputs
    zeros = get_op_def("ZerosLike")(grad)
    by_t, by_e = SelectV2(condition, grad, zeros), SelectV2(condition, zeros, grad)
    # Compare each with the output, whose shape shows the axes that were broadcast.
    return None, unbroadcast(t, op.outputs[0], by_t, None)[0], unbroadcast(e, op.outputs[0], by_e, None)[0]


# ---- The public functions.


def where(condition, x=None, y=None, name=None):
    """Elements of `x` where the condition is true, else of `y`; without them the coordinates of the true elements.

    Args:
      condition: A `Tensor` of type bool: of the shape of `x`, a scalar, or a vector that chooses between rows.
      x: A `Tensor` of any type.
      y: A `Tensor` of the type and shape of `x`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `x`; without `x` and `y` int64 of shape [number of true elements, rank of
      condition].

    Raises:
      ValueError: Only one of `x` and `y` is given, or the static shapes don't fit.
      TypeError: The types of `x` and `y` differ.

    Example:

    >>> print(sess.run(tf.where([True, False, True], [1, 2, 3], [10, 20, 30])))
    [ 1 20  3]
    >>> print(sess.run(tf.where([[True, False], [True, True]])))
    [[0 0]
     [1 0]
     [1 1]]
    """
    return _where(Select, condition, x, y, name)


def where_v2(condition, x=None, y=None, name=None):
    """Like `where`, but `condition`, `x` and `y` broadcast.

    Args:
      condition: A `Tensor` of type bool.
      x: A `Tensor` of any type.
      y: A `Tensor` of the type of `x`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x`; without `x` and `y` int64 of shape [number of true elements, rank of condition].

    Raises:
      ValueError: Only one of `x` and `y` is given, or the static shapes don't broadcast.
      TypeError: The types of `x` and `y` differ.
    """
    return _where(SelectV2, condition, x, y, name)


def _where(select, condition, x, y, name):
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
            return get_op_def("Where")(condition, name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition, x, y, name=name)
