"""Gradients of the primitives of control flow.

In the backward direction, a conditional's Merge becomes a Switch and its Switches become Merges. A loop's Exit becomes
Enter and Enter becomes Exit; the Switch of a loop variable is visited twice: from its Exit, where the Merge of the
backward loop is made, and from the body, where that Merge gets its input for all iterations but the first.
"""

from tfcore.framework.definitions.op_def import get_op_def, gradient, not_differentiable
from tfcore.framework.graph.control_flow_util import is_loop_enter, is_loop_switch, output_context
from tfcore.framework.graph.graph import control_dependencies, get_default_graph
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.gradient_state import grad_state, zeros_like
from tfcore.ops.control_flow.while_gradient import close_loop, components, like

not_differentiable("LoopCond")


def _context():
    return get_default_graph()._get_control_flow_context()


# ---- Switch and Merge


@gradient("Switch", "RefSwitch")
def _switch_grad(op, if_false, if_true):
    context = op._control_flow_context
    if is_loop_switch(op):
        return _loop_switch_grad(op, if_false, if_true), None
    grads = [if_false, if_true]
    if context is None:  # a graph that was imported without contexts
        grads = [zeros_like(op, i) if g is None else g for i, g in enumerate(grads)]
        grads = [_dense(g, op.outputs[i]) for i, g in enumerate(grads)]
        grads = [get_op_def("Switch")(g, op.inputs[1])[i] for i, g in enumerate(grads)]
        return get_op_def("Merge")(grads).output, None
    if context.IsWhileContext():
        _refuse(op)
    other = 1 - context.branch
    if grads[context.branch] is None:
        return None, None
    if grads[other] is None:
        slices = _no_slices(op, grads[context.branch])
        grads[other] = zeros_like(op, other) if slices is None else slices
    return _merge(grads, op.outputs, "cond_grad"), None


def _merge(grads, of, name):
    if not all(isinstance(g, IndexedSlices) for g in grads):
        grads = [_dense(g, t) for g, t in zip(grads, of)]
    parts = zip(*map(components, grads))
    return like(grads[0], [get_op_def("Merge")(list(p), name=name).output for p in parts])


def _no_slices(op, slices):
    """IndexedSlices without slices, for the case that the conditional does not take the branch of `slices`."""
    if not isinstance(slices, IndexedSlices) or slices.values.dims is None or None in slices.values.dims[1:]:
        return None
    from tfcore.ops.array.constants import zeros
    from tfcore.ops.state.resource_variable import gradient_shape

    context, state = op._control_flow_context, grad_state()
    in_loop = state is not None and state.forward_context is context.GetWhileContext()
    pred = state.saved_predicate(context) if in_loop else context.pred
    identity = get_op_def("Identity")
    alive = identity(get_op_def("Switch")(pred, pred)[1 - context.branch])
    with control_dependencies([alive]):
        values = zeros([0, *slices.values.dims[1:]], slices.values.dtype)
        indices = zeros([0], slices.indices.dtype)
        if slices.dense_shape is None:
            return IndexedSlices(values, indices)
        return IndexedSlices(values, indices, identity(gradient_shape(op.inputs[0], slices.dense_shape.dtype)))


def _dense(grad, value):
    """A gradient for `value` as a tensor."""
    from tfcore.ops.state.resource_variable import gradient_shape

    if isinstance(grad, IndexedSlices) and grad.dense_shape is None:
        grad = IndexedSlices(grad.values, grad.indices, gradient_shape(value))
    return convert_to_tensor(grad)


def _loop_switch_grad(op, from_exit, from_body):
    switches = _context().grad_state.switch_map
    merge, made = switches.get(op), None
    if merge is None and from_exit is not None:
        switches[op] = merge = made = get_op_def("Merge")([from_exit, from_exit], name="b_switch").output
    if merge is not None and from_body is not None:
        close_loop(merge, _dense(from_body, op.inputs[0]))
    return made


@gradient("Merge", "RefMerge")
def _merge_grad(op, grad, _):
    context, here = output_context(op.inputs[0].op), _context()
    if context is None:  # a graph that was imported without contexts
        taken = [get_op_def("Equal")(op.outputs[1], i) for i in range(len(op.inputs))]
        return [_switch(grad, t)[1] for t in taken]
    if context.IsWhileContext():
        if not is_loop_enter(op.inputs[0].op):
            _refuse(op)
        return _switch(grad, here.pivot)
    state = grad_state()
    in_loop = state is not None and state.forward_context is context.GetWhileContext()
    return _switch(grad, state.GetRealValue(context.pred) if in_loop else context.pred, "cond_grad")


def _refuse(op):
    """Raises for a conditional in a backward loop: no context says when its values are live."""
    raise TypeError(
        "Second-order gradient for while loops not supported where the loop has a conditional inside: it would go back "
        f"through {op.name}"
    )


def _switch(grad, pred, name=None):
    """A gradient as the two outputs of a Switch."""
    with get_default_graph().colocate_with(grad.op, ignore_existing=True):
        sides = zip(*[get_op_def("Switch")(t, pred, name=name) for t in components(grad)])
    return [like(grad, side) for side in sides]


# ---- Enter, Exit and NextIteration


@gradient("Exit", "RefExit")
def _exit_grad(op, grad):
    context = _context()
    if not context.back_prop:
        return None
    context.Exit()
    grad = get_op_def("Identity")(_dense(grad, op.outputs[0])) if _needs_copy(grad) else grad
    context.Enter()
    context.AddName(grad.name)
    return context.first_value(grad, "b_exit")


def _needs_copy(grad):
    """Whether `grad` can't be the initial value of a loop variable: slices, or an invariant of an enclosing loop."""
    return isinstance(grad, IndexedSlices) or grad.op.type in ("Enter", "RefEnter")


@gradient("StackPushV2")
def _stack_push_grad(op, grad):
    return None, grad  # the gradient of the popped values


@gradient("NextIteration", "RefNextIteration")
def _next_iteration_grad(op, grad):
    return grad  # the backward loop is closed where the Switch is visited


@gradient("Enter", "RefEnter")
def _enter_grad(op, grad):
    context = _context()
    if context is None or not context.back_prop or context.grad_state is None:
        return grad
    if op.get_attr("is_constant"):
        if isinstance(grad, Tensor):
            return context.AddBackpropAccumulator(op, grad)
        return context.AddBackpropIndexedSlicesAccumulator(op, grad)
    return like(grad, [context.leave(t) for t in components(grad)])
