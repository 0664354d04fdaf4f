"""Comparisons and logic, element by element."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.definitions.op_wrappers import wrapper
from tfcore.framework.graph.operation import Tensor
from tfcore.ops.cwise.binary import install_binary_operator

_REALS = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"


def _equality_shape(op):
    try:
        return shapes.broadcast(op)
    except ValueError:
        if op.get_attr("incompatible_shape_error"):
            raise
        return [()]


def _define_comparison(name, doc):
    return define_op(
        name,
        inputs=["x: T", "y: T"],
        outputs=["z: bool"],
        attrs=[f"T: {{{_REALS}}}"],
        shape=shapes.broadcast,
        doc=doc,
    )


def _define_equality(name, doc):
    return define_op(
        name,
        inputs=["x: T", "y: T"],
        outputs=["z: bool"],
        attrs=["T: type", "incompatible_shape_error: bool = true"],
        shape=_equality_shape,
        commutative=True,
        doc=doc,
    )


def _define_logical(name, doc):
    return define_op(
        name,
        inputs=["x: bool", "y: bool"],
        outputs=["z: bool"],
        shape=shapes.broadcast,
        commutative=True,
        doc=doc,
    )


Less = _define_comparison("Less", "Where x < y.")
LessEqual = _define_comparison("LessEqual", "Where x <= y.")
Greater = _define_comparison("Greater", "Where x > y.")
GreaterEqual = _define_comparison("GreaterEqual", "Where x >= y.")
Equal = _define_equality("Equal", "Where x == y.")
NotEqual = _define_equality("NotEqual", "Where x != y.")
LogicalAnd = _define_logical("LogicalAnd", "Where both are true.")
LogicalOr = _define_logical("LogicalOr", "Where either is true.")
ApproximateEqual = define_op(
    "ApproximateEqual",
    inputs=["x: T", "y: T"],
    outputs=["z: bool"],
    attrs=["T: numbertype", "tolerance: float = 1e-05"],
    shape=lambda op: [shapes.merge(op.inputs[0].dims, op.inputs[1].dims)],
    commutative=True,
    doc="""Where |x - y| <= tolerance; x and y have the same shape.""",
)


not_differentiable("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "ApproximateEqual")
not_differentiable("LogicalAnd", "LogicalOr")


# ---- The public functions.


less = wrapper(
    Less,
    "less",
    """
>>> print(sess.run(tf.less([1, 2, 3], 2)))
[ True False False]
""",
)
less_equal = wrapper(LessEqual, "less_equal")
greater = wrapper(
    Greater,
    "greater",
    """
>>> print(sess.run(tf.greater([1, 2, 3], 2)))
[False False  True]
""",
)
greater_equal = wrapper(GreaterEqual, "greater_equal")
equal = wrapper(
    Equal,
    "equal",
    """
>>> print(sess.run(tf.equal([1, 2], [1, 3])))
[ True False]
""",
)
not_equal = wrapper(
    NotEqual,
    "not_equal",
    """
>>> print(sess.run(tf.not_equal([1, 2], [1, 3])))
[False  True]
""",
)
logical_and = wrapper(
    LogicalAnd,
    "logical_and",
    """
>>> print(sess.run(tf.logical_and([True, True], [True, False])))
[ True False]
""",
)
logical_or = wrapper(
    LogicalOr,
    "logical_or",
    """
>>> print(sess.run(tf.logical_or([False, True], [False, False])))
[False  True]
""",
)


def logical_xor(x, y, name="LogicalXor"):
    """Where exactly one of x and y is true.

    Args:
      x: A `Tensor` of type bool.
      y: A `Tensor` of type bool.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type bool.

    Raises:
      TypeError: An argument is not of type bool.
      ValueError: Their static shapes don't broadcast.

    Example:

    >>> print(sess.run(tf.logical_xor([True, True], [True, False])))
    [False  True]
    """
    return LogicalAnd(LogicalOr(x, y), get_op_def("LogicalNot")(LogicalAnd(x, y)), name=name)


def approximate_equal(x, y, tolerance=1e-05, name=None):
    """Where |x - y| <= tolerance.

    Args:
      x: A `Tensor` of a numeric type.
      y: A `Tensor` of the type and shape of `x`.
      tolerance: The greatest difference that counts as equal, a float.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type bool.

    Raises:
      TypeError: The types differ.
      ValueError: The static shapes differ.

    Example:

    >>> print(sess.run(tf.approximate_equal([1.0, 2.0], [1.05, 2.5], tolerance=0.1)))
    [ True False]
    """
    return ApproximateEqual(x, y, tolerance=tolerance, name=name)


# ---- Operators. Not ==: tensors compare by identity, so that they can be keys of a dict.


def _install_operators():
    for symbol, op_def in (("lt", Less), ("le", LessEqual), ("gt", Greater), ("ge", GreaterEqual)):
        Tensor._override_operator(f"__{symbol}__", lambda x, y, op_def=op_def: op_def(x, y))
    install_binary_operator("and", "and", lambda x, y, name: LogicalAnd(x, y, name=name))
    install_binary_operator("or", "or", lambda x, y, name: LogicalOr(x, y, name=name))
    install_binary_operator("xor", "xor", lambda x, y, name: logical_xor(x, y, name=name))
    Tensor._override_operator("__invert__", lambda x: get_op_def("LogicalNot")(x))


_install_operators()
