"""Predicates and lookups for operations and the conditionals and loops (contexts) around them.

Contexts are created by `tfcore/ops/control_flow/context.py` and `while_loop.py`.
"""

_SWITCHES = frozenset(["Switch", "RefSwitch"])
_MERGES = frozenset(["Merge", "RefMerge"])
_ENTERS = frozenset(["Enter", "RefEnter"])
_EXITS = frozenset(["Exit", "RefExit"])
_PASS_ON = _SWITCHES | {"Identity", "RefIdentity"}
# The types of operations that hand on a handle as it is. Those of references have the same names behind "Ref".
HANDS_ON = frozenset(["Enter", "Exit", "Identity", "Merge", "NextIteration", "Switch"])


def is_switch(op):
    return op.type in _SWITCHES


def is_merge(op):
    return op.type in _MERGES


def is_loop_enter(op):
    return op.type in _ENTERS


def is_loop_exit(op):
    return op.type in _EXITS


def is_loop_constant_enter(op):
    """Whether `op` passes a loop invariant into a loop."""
    return op.type in _ENTERS and op.get_attr("is_constant")


def is_loop_switch(op):
    """Whether `op` is the Switch of a loop variable."""
    context = op._control_flow_context
    return op.type in _SWITCHES and context is not None and context.IsWhileContext() and op.inputs[1] is context.pivot


def output_context(op):
    """The context of the outputs of `op`: for an Exit the one around the loop."""
    context = op._control_flow_context
    if context is not None and op.type in _EXITS:
        return context.outer_context
    return context


def while_context(op):
    """The innermost loop around `op`, or None."""
    context = op._control_flow_context
    return None if context is None else context.GetWhileContext()


def enclosing_while_context(context):
    """The innermost loop around a context, excluding the context itself."""
    outer = context.outer_context
    return None if outer is None else outer.GetWhileContext()


def constant_enter_of(tensor):
    """The Enter of the loop invariant that `tensor` is, perhaps through conditionals; None if it is not invariant."""
    op = tensor.op
    while op.type in _PASS_ON:
        op = op.inputs[0].op
    return op if is_loop_constant_enter(op) else None


def containing_while_context(context):
    """The innermost loop that is or contains `context`, None outside of loops."""
    return None if context is None else context.GetWhileContext()


def is_containing_context(context, maybe_containing):
    """Whether `maybe_containing` is `context` or a context around it (None is around everything)."""
    while context is not maybe_containing:
        if context is None:
            return False
        context = context.outer_context
    return True


def check_input_from_valid_context(op, input_op):
    """Checks that outputs of `input_op` may be inputs of `op`: values in a loop are only for operations in that loop.

    Raises:
      ValueError: `input_op` is in a loop that `op` is not in.
    """
    input_context = output_context(input_op)
    if input_context is None or input_context is op._control_flow_context:
        return
    loop = containing_while_context(op._control_flow_context)
    input_loop = containing_while_context(input_context)
    if loop is None:
        # The value may come out of a conditional's branch: that fails only when the branch is not taken. The Enter of a
        # loop and the Switch of a conditional join their contexts after they are created.
        valid = input_loop is None or is_loop_enter(op) or is_switch(op)
    else:
        valid = is_containing_context(loop, input_loop) or _is_for_gradients(loop, input_loop)
    if not valid:
        raise ValueError(_explain_invalid(op, input_op, loop))


def _is_for_gradients(loop, input_loop):
    """Whether one of two loops is the gradient of the other, or of a loop directly inside or around it."""
    forward = loop.grad_state and loop.grad_state.forward_context
    if forward and (is_containing_context(forward, input_loop) or forward is input_loop.outer_context):
        return True
    input_forward = input_loop.grad_state and input_loop.grad_state.forward_context
    if not input_forward:
        return False
    return input_forward is loop or input_forward.grad_state and input_forward.grad_state.forward_context is loop


def _explain_invalid(op, input_op, loop):
    where = "they are in different while loops." if loop is not None else f"'{input_op.name}' is in a while loop."
    lines = "".join(f"\n  '{o.name}' defined at {o.creation_line}" for o in (input_op, op) if o.frames)
    return f"Cannot use '{input_op.name}' as input to '{op.name}' because {where}{lines}"
