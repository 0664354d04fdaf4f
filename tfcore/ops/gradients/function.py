"""Gradients of calls: calls of a function made by differentiating the body of the called function.

The gradient of a body is built in a graph that contains the body, so that it can use values that the body computes. If
a session runs both calls, their common operations run once (compiler/inline.py), so a random number is the same in
both.

TensorFlow 1 writes an operation SymbolicGradient instead, whose function its runtime makes, from the gradients of few
op types. tfcore reads such operations; the functions that it writes run in TensorFlow with any op type, and to any
order.
"""

from tfcore.framework import errors
from tfcore.framework.definitions.random_ops import draws_random_numbers
from tfcore.framework.functions.func_graph import Body, needed, trainable
from tfcore.framework.functions.function import CallOpDef, GraphFunction, call_operation, signature_of
from tfcore.framework.functions.function_call import callee, find_function
from tfcore.framework.graph.control_flow_util import while_context
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor


def call_gradient(op, *grads):
    """The gradient function of operations that call a function.

    Raises:
      LookupError: the function is not defined in the graph.
    """
    attr = callee(op)
    function = find_function(op, attr.name)
    if function is None:
        raise LookupError(f"No gradient defined for operation '{op.name}': function {attr.name} is not defined")
    if function.python_grad_func is not None:
        return function.python_grad_func(op, *grads)
    return _call_gradient_of(op, function, attr.attrs, grads)


def gradient_of_gradient(op, *grads):
    """The gradient function of SymbolicGradient operations: the gradient of the function that they call."""
    return _call_gradient_of(op, gradient_of_attr(op), None, grads)


def gradient_of_attr(op):
    """The function that a SymbolicGradient operation calls.

    Raises:
      LookupError: the function to differentiate is not defined in the graph.
    """
    attr = op.attrs["f"]
    function = find_function(op, attr.name)
    if function is None:
        raise LookupError(f"Function {attr.name} is not defined.")
    return gradient_of(function, attr.attrs)


def gradient_of(function, attrs=None):
    """The function `(*inputs, *output_grads) -> input_grads` of a function."""
    if function.grad_func is not None:
        return function.grad_func
    body = function.body(attrs)
    if body.gradient is None:
        with body.graph._lock:
            if body.gradient is None:
                body.gradient = _differentiate(f"SymbolicGradient_{function.variant(attrs)}", body)
    return body.gradient


def _call_gradient_of(op, function, attrs, grads):
    values = [_dense(grad, tensor) for grad, tensor in zip(grads, op.outputs, strict=True)]
    gradient = gradient_of(function, attrs)
    if gradient is not function.grad_func and while_context(op) is not None and _draws(gradient.body()):
        raise errors.UnimplementedError(
            None,
            op,
            f"The gradient of '{op.name}', a call of function {function.name} in a while loop, would draw other "
            "random numbers than "
            "the call: draw them in the loop, and pass them to the function.",
        )
    get_default_graph()._add_function(gradient)
    result = call_operation(gradient, [*op.inputs, *values], name="SymbolicGradient")
    result.attrs["_forward_call"] = op.name.encode()
    return list(result.outputs)


def _draws(body, seen=()):
    """Whether a body, or a function that it calls, has random numbers."""
    for op in body.ops:
        seeded = op.op_def.stateful and "seed2" in op.op_def.attrs
        if seeded or draws_random_numbers(op.type) or op.type == "RngReadAndSkip":  # the state of a generator
            return True
        attr = callee(op)
        function = attr and find_function(op, attr.name)
        inner = function.body(attr.attrs) if function else None
        if inner is not None and inner not in (body, *seen) and _draws(inner, (body, *seen)):
            return True
    return False


def _dense(grad, tensor):
    from tfcore.ops.array.constants import zeros_like

    return zeros_like(tensor) if grad is None else convert_to_tensor(grad)


def _zeros_for(argument):
    """The gradient of an argument that no output depends on; of a handle, in the shape of its variable."""
    from tfcore.ops.array.constants import zeros, zeros_like
    from tfcore.ops.state.resource_variable import gradient_dtype, gradient_shape

    if argument.dtype is dtypes.resource:
        return zeros(gradient_shape(argument), gradient_dtype(argument) or dtypes.float32)
    return zeros_like(argument)


def _differentiate(name, body):
    from tfcore.ops.gradients.gradients import gradients

    graph = body.graph
    captured = len(graph.inputs)
    with graph.as_default(), graph.control_dependencies(None), graph.name_scope(None), graph.name_scope("gradient"):
        output_grads = [graph.add_argument(_grad_name(t), t.dtype.base_dtype, t.dims) for t in body.outputs]
        pairs = [(y, dy) for y, dy in zip(body.outputs, output_grads) if trainable(y.dtype)]
        xs = [x for x in body.inputs if trainable(x.dtype)]
        found = {}
        if pairs and xs:
            ys, dys = zip(*pairs)
            found = dict(zip(xs, gradients(list(ys), xs, list(dys), name="backward")))
        outputs = []
        for x in body.inputs:
            grad = found.get(x)
            outputs.append(_zeros_for(x) if grad is None else convert_to_tensor(grad))
    extra = graph.inputs[captured:]
    del graph.inputs[captured:]
    inputs = [*body.inputs, *output_grads, *extra]
    result = Body(graph, inputs, outputs, needed(outputs, inputs))
    result.effects = NoEffects(len(outputs))
    op_def = CallOpDef(name, *signature_of(result), any(op.op_def.stateful for op in result.ops))
    outer = graph.extra_inputs[len(graph.extra_inputs) - len(extra) :] if extra else ()
    return GraphFunction(name, op_def, result, outer)


class NoEffects:
    """Effects of a gradient: none, so only what the requested outputs need is run."""

    __slots__ = ("ops", "missed")

    def __init__(self, count):
        self.ops = ()
        self.missed = [()] * count


def _grad_name(tensor):
    return f"{tensor.op.name.rpartition('/')[2]}_grad"
