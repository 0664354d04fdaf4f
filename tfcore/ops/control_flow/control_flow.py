"""The primitives of control flow in a graph, which the executor runs with frames and dead tokens.

A value is live or dead. `Switch` forwards its input to one of two outputs and makes the other one dead. Every other op
with a dead input or control input does not run, and its outputs are dead; but `Merge` runs with its first live input.
`Enter` starts a frame (a loop), `NextIteration` passes a value to the next iteration, `Exit` out of the frame.
`tf.cond` and `tf.while_loop` are made of these.

Source: Abadi et al., "Dynamic control flow in large-scale machine learning", EuroSys 2018.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op


def _switch_shape(op):
    shapes.with_rank(op.inputs[1].dims, 0)
    return [op.inputs[0].dims] * 2


def _merge_shape(op):
    """The shape that fits all inputs, as any may be the live one."""
    dims = op.inputs[0].dims
    for t in op.inputs[1:]:
        if dims is None or t.dims is None or len(dims) != len(t.dims):
            return [None, ()]
        dims = tuple(a if a == b else None for a, b in zip(dims, t.dims))
    return [dims, ()]


def _enter_shape(op):
    """An unknown shape unless the value is constant: later iterations may have other shapes."""
    return [op.inputs[0].dims if op.get_attr("is_constant") else None]


def _loop_cond_shape(op):
    return [shapes.with_rank(op.inputs[0].dims, 0)]


for _prefix, _type in (("", "T"), ("Ref", "Ref(T)")):
    define_op(
        _prefix + "Switch",
        inputs=[f"data: {_type}", "pred: bool"],
        outputs=[f"output_false: {_type}", f"output_true: {_type}"],
        attrs=["T: type"],
        shape=_switch_shape,
        doc="Forwards `data` to output_true if `pred`, else to output_false; the other output is dead.",
    )
    define_op(
        _prefix + "Merge",
        inputs=[f"inputs: N * {_type}" if not _prefix else "inputs: Ref(N * T)"],
        outputs=[f"output: {_type}", "value_index: int32"],
        attrs=["T: type", "N: int >= 1"],
        shape=_merge_shape,
        doc="Forwards the first live input, and its index; dead only if all inputs are.",
    )
    define_op(
        _prefix + "Enter",
        inputs=[f"data: {_type}"],
        outputs=[f"output: {_type}"],
        attrs=["T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"],
        shape=_enter_shape,
        doc="Makes `data` a value of iteration 0 (if is_constant, of every iteration) of the child frame "
        "`frame_name`, where at most parallel_iterations iterations run at a time.",
    )
    define_op(
        _prefix + "Exit",
        inputs=[f"data: {_type}"],
        outputs=[f"output: {_type}"],
        attrs=["T: type"],
        shape=shapes.unchanged,
        doc="Passes `data` to the parent frame.",
    )
    define_op(
        _prefix + "NextIteration",
        inputs=[f"data: {_type}"],
        outputs=[f"output: {_type}"],
        attrs=["T: type"],
        shape=shapes.unchanged,
        doc="Passes `data` to the next iteration.",
    )

define_op(
    "LoopCond",
    inputs=["input: bool"],
    outputs=["output: bool"],
    shape=_loop_cond_shape,
    doc="Forwards the condition of a loop: marks the predicate of the `Switch` nodes of the loop's variables.",
)
define_op("ControlTrigger", doc="Does nothing, also when control inputs are dead: dead tokens end here.")
