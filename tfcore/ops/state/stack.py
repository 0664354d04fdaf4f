"""Stacks of tensors, on which a loop saves values for its gradient."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable


def _stack_shape(op):
    if op.inputs and op.inputs[0].dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[0].dims)}")
    return [(2,)]  # the handle has TensorFlow's shape, which is in GraphDefs


def _push_shape(op):
    return [op.inputs[1].dims]


for _suffix, _handle, _inputs in (
    ("V2", "handle: resource", ["max_size: int32"]),
    ("", "handle: Ref(string)", []),  # TensorFlow 1.0's
):
    define_op(
        "Stack" + _suffix,
        inputs=_inputs,
        outputs=[_handle],
        attrs=["elem_type: type", "stack_name: string = ''"],
        shape=_stack_shape,
        stateful=True,
        doc="A new stack for tensors of one type, of at most `max_size` of them if that is not negative.",
    )
    define_op(
        "StackPush" + _suffix,
        inputs=[_handle, "elem: T"],
        outputs=["output: T"],
        attrs=["T: type", "swap_memory: bool = false"],
        shape=_push_shape,
        stateful=bool(_suffix),
        doc="Pushes `elem` on a stack and returns it. With swap_memory it may wait outside of memory for its pop.",
    )
    define_op(
        "StackPop" + _suffix,
        inputs=[_handle],
        outputs=["elem: elem_type"],
        attrs=["elem_type: type"],
        shape=shapes.unknown,
        stateful=bool(_suffix),
        doc="Removes and returns the last pushed value.",
    )
    define_op(
        "StackClose" + _suffix,
        inputs=[_handle],
        stateful=bool(_suffix),
        doc="Drops the values of a stack; using it afterwards is an error.",
    )
    not_differentiable("Stack" + _suffix, "StackPop" + _suffix, "StackClose" + _suffix)
not_differentiable("StackPush")  # of StackPushV2: in control_flow/grad.py
