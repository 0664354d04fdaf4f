"""Variables: references, assignments, updates of slices, counters."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described


def _variable_shape(op):
    return [op.attrs["shape"]]


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

ResourceVariable = define_op(
    "_ResourceVariable",
    outputs=["ref: Ref(dtype)"],
    attrs=_VARIABLE_ATTRS,
    shape=_variable_shape,
    stateful=True,
    doc="What the compiler makes of a VarHandleOp: a reference to a variable of those that handles name.",
)

DestroyVariable = define_op(
    "_DestroyVariable",
    inputs=["ref: Ref(dtype)"],
    attrs=["dtype: type", "ignore_lookup_error: bool = true"],
    stateful=True,
    doc="What the compiler makes of a DestroyResourceOp.",
)

IsVariableInitialized = define_op(
    "IsVariableInitialized",
    inputs=["ref: Ref(dtype)"],
    outputs=["is_initialized: bool"],
    attrs=["dtype: type"],
    shape=shapes.scalar,
    doc="Whether the variable has a value.",
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


def _select_shape(op):
    """The shape of all inputs; unknown if they differ."""
    index, first, *others = (t.dims for t in op.inputs)
    shapes.with_rank(index, 0)
    return [first if all(dims == first for dims in others) else None]


RefSelect = define_op(
    "RefSelect",
    inputs=["index: int32", "inputs: Ref(N * T)"],
    outputs=["output: Ref(T)"],
    attrs=["T: type", "N: int >= 1"],
    shape=_select_shape,
    doc="The reference inputs[index].",
)
undefined_gradient("RefSelect")


def _assign_shape(op):
    ref, value = op.inputs
    return [shapes.merge(ref.dims, value.dims) if op.attrs["validate_shape"] else value.dims]


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
    shape=shapes.scalar_of_scalars,
    doc="The scalar variable's value before it is incremented; OutOfRangeError once it is `limit`.",
)


# ---- Updates of slices


not_differentiable(
    "VariableV2", "Variable", "_ResourceVariable", "_DestroyVariable", "IsVariableInitialized", "Assign", "AssignAdd",
    "AssignSub", "CountUpTo",
)  # fmt: skip


# ---- Public wrappers


def is_ref(ref):
    """Whether ops take it as a reference: all but resource variables, which have methods for their updates."""
    dtype = getattr(ref, "dtype", None)
    return dtype is not None and getattr(dtype, "_is_ref_dtype", True)


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Sets the value of a variable.

    Args:
      ref: A variable: a `Variable` or its reference.
      value: A `Tensor` of the type of `ref`.
      validate_shape: If False, the variable takes on the shape of `value`, whatever it had; True by default.
      use_locking: Whether to hold the variable's lock; True by default.
      name: Name of the operation (optional).

    Returns:
      The variable after the change, a mutable `Tensor` (or what the method of the variable's class returns).

    Raises:
      AttributeError: `ref` is not a variable.
      TypeError: The types differ.
      ValueError: The static shapes differ and `validate_shape` is not False.

    Example:

    >>> v = tf.Variable([1, 2])
    >>> sess.run(v.initializer)
    >>> print(sess.run(tf.assign(v, [10, 20])))
    [10 20]
    """
    if not is_ref(ref):
        return ref.assign(value, name=name)
    return Assign(
        ref,
        value,
        validate_shape=True if validate_shape is None else validate_shape,
        use_locking=True if use_locking is None else use_locking,
        name=name,
    )


def assign_add(ref, value, use_locking=None, name=None):
    """Adds to the value of a variable.

    Args:
      ref: A variable: a `Variable` or its reference.
      value: A `Tensor` of the type and shape of `ref`.
      use_locking: Whether to hold the variable's lock; False by default.
      name: Name of the operation (optional).

    Returns:
      The variable after the change, a mutable `Tensor` (or what the method of the variable's class returns).

    Raises:
      AttributeError: `ref` is not a variable.
      TypeError: The types differ.
      ValueError: The static shapes differ.
      tf.errors.FailedPreconditionError: At run time, the variable is not initialized.

    Example:

    >>> v = tf.Variable([1, 2])
    >>> sess.run(v.initializer)
    >>> print(sess.run(tf.assign_add(v, [10, 20])))
    [11 22]
    """
    if not is_ref(ref):
        return ref.assign_add(value)
    return AssignAdd(ref, value, use_locking=False if use_locking is None else use_locking, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts from the value of a variable.

    Args:
      ref: A variable: a `Variable` or its reference.
      value: A `Tensor` of the type and shape of `ref`.
      use_locking: Whether to hold the variable's lock; False by default.
      name: Name of the operation (optional).

    Returns:
      The variable after the change, a mutable `Tensor` (or what the method of the variable's class returns).

    Raises:
      AttributeError: `ref` is not a variable.
      TypeError: The types differ.
      ValueError: The static shapes differ.
      tf.errors.FailedPreconditionError: At run time, the variable is not initialized.

    Example:

    >>> v = tf.Variable([1, 2])
    >>> sess.run(v.initializer)
    >>> print(sess.run(tf.assign_sub(v, [10, 20])))
    [ -9 -18]
    """
    if not is_ref(ref):
        return ref.assign_sub(value)
    return AssignSub(ref, value, use_locking=False if use_locking is None else use_locking, name=name)


@described(
    CountUpTo,
    shapes={
        "ref": "a scalar variable",
        "output": "a scalar",
    },
)
def count_up_to(ref, limit, name=None):
    """Increments a scalar integer variable and returns its value before.

    Raises:
      ValueError: The variable is known not to be a scalar.
      tf.errors.OutOfRangeError: At run time, the variable has reached `limit`.
      tf.errors.InvalidArgumentError: At run time, the variable is not a scalar, or `limit` does not fit its type.
    """
    if not is_ref(ref):
        return ref.count_up_to(limit)
    return CountUpTo(ref, limit=limit, name=name)


def is_variable_initialized(variable):
    """Whether a variable has a value.

    Args:
      variable: A variable or a reference to one.

    Returns:
      A `Tensor` of type bool, a scalar.

    Raises:
      TypeError: It is not a variable.
    """
    if not is_ref(variable) and hasattr(variable, "is_initialized"):
        return variable.is_initialized()
    return IsVariableInitialized(variable)
