"""Ops that run functions of the graph's library: calls, gradients of calls, functional conditionals and loops.

They have no kernels: the compiler inlines the functions (`compiler/inline.py`). TensorFlow 2 writes all of these ops;
programs of TensorFlow 1 only write calls (`tf.Defun`) and the gradients of calls.
"""

from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient

_CALL = [
    "Tin: list(type) >= 0",
    "Tout: list(type) >= 0",
    "f: func",
    "config: string = ''",
    "config_proto: string = ''",
    "executor_type: string = ''",
]
_BRANCHES = ["Tin: list(type) >= 0", "Tout: list(type) >= 0"]
_SHAPES = "output_shapes: list(shape) = []"


def _gradient_shapes(op):
    """Shapes of the inputs that the gradients belong to, or those of a registered gradient function."""
    from tfcore.framework.functions.function_call import body_shapes
    from tfcore.ops.gradients.function import gradient_of_attr

    count = len(op.outputs)
    try:
        function = gradient_of_attr(op)
    except LookupError:
        return [t.dims for t in op.inputs[:count]]
    found = body_shapes(function.body(), op.inputs, op)
    return [t.dims if dims is None else dims for t, dims in zip(op.inputs, found)]


def _stated(op):
    """The attribute `output_shapes`, None if it is not given."""
    shapes = op.attrs["output_shapes"]
    return list(shapes) if len(shapes) == len(op.outputs) and shapes else None


def _common(op, attrs, args):
    """The shapes that fit the outputs of all branches."""
    from tfcore.framework.functions.function_call import body_shapes, common_dims, find_function

    found = []
    for attr in attrs:
        function = find_function(op, attr.name)
        if function is None:
            return [None] * len(op.outputs)
        found.append(body_shapes(function.body(attr.attrs), args, op))
    return [common_dims(list(shapes)) for shapes in zip(*found)]


def _if_shapes(op):
    attrs = [op.attrs["then_branch"], op.attrs["else_branch"]]
    return _stated(op) or _common(op, attrs, op.inputs[1:])


def _case_shapes(op):
    return _stated(op) or _common(op, op.attrs["branches"], op.inputs[1:])


def _call_shapes(op):
    from tfcore.framework.functions.function_call import call_shapes

    return call_shapes(op)


def _while_shapes(op):
    return _stated(op) or [None] * len(op.outputs)


SymbolicGradient = define_op(
    "SymbolicGradient",
    inputs=["input: Tin"],
    outputs=["output: Tout"],
    attrs=["Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"],
    shape=_gradient_shapes,
    doc="The gradients of the inputs of function `f`, given its inputs and the gradients of its outputs.",
)

for _prefix, _stateful in (("", True), ("Stateless", False)):
    define_op(
        _prefix + "If",
        inputs=["cond: Tcond", "input: Tin"],
        outputs=["output: Tout"],
        attrs=["Tcond: type", *_BRANCHES, "then_branch: func", "else_branch: func", _SHAPES],
        shape=_if_shapes,
        stateful=_stateful,
        doc="The result of then_branch, or of else_branch if `cond` is false, for `input`.",
    )
    define_op(
        _prefix + "Case",
        inputs=["branch_index: int32", "input: Tin"],
        outputs=["output: Tout"],
        attrs=[*_BRANCHES, "branches: list(func) >= 1", _SHAPES],
        shape=_case_shapes,
        stateful=_stateful,
        doc="The result of branch number branch_index for `input`; of the last one if there is no such branch.",
    )
    define_op(
        _prefix + "While",
        inputs=["input: T"],
        outputs=["output: T"],
        attrs=["T: list(type) >= 0", "cond: func", "body: func", _SHAPES, "parallel_iterations: int = 10"],
        shape=_while_shapes,
        stateful=_stateful,
        doc="Replaces its values by the results of `body` for them while `cond` of them is true.",
    )
    undefined_gradient(_prefix + "If", _prefix + "Case", _prefix + "While")

for _name, _stateful in (("PartitionedCall", False), ("StatefulPartitionedCall", True)):
    define_op(
        _name,
        inputs=["args: Tin"],
        outputs=["output: Tout"],
        attrs=_CALL,
        shape=_call_shapes,
        stateful=_stateful,
        doc="Calls function `f`. Its operations are placed individually, as in all calls.",
    )


@gradient("PartitionedCall", "StatefulPartitionedCall")
def _call_gradient(op, *grads):
    from tfcore.ops.gradients.function import call_gradient

    return call_gradient(op, *grads)


@gradient("SymbolicGradient")
def _gradient_of_gradient(op, *grads):
    from tfcore.ops.gradients.function import gradient_of_gradient

    return gradient_of_gradient(op, *grads)


_RefArgument = define_op(
    "_RefArgument",
    outputs=["output: Ref(dtype)"],
    attrs=["dtype: type", "shape: shape = {unknown_rank: true}"],
    shape=lambda op: [op.attrs["shape"]],
    stateful=True,
    doc="In the body of a function: a reference to a variable that calls pass.",
)
