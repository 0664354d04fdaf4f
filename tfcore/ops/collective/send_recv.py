"""The two ends of an edge between devices, and the op that runs another task's partition: added by the compiler."""

import tfcore.core.rendezvous.rendezvous  # noqa: F401  its kernels
from tfcore.framework.definitions.op_def import define_op, not_differentiable

_EDGE = [
    "tensor_name: string",
    "send_device: string",
    "send_device_incarnation: int",
    "recv_device: string",
    "client_terminated: bool = false",
    "_edge: int",  # its number, the same in all tasks of a run signature
    "_peer: int",  # rank of the task at the other end; -1: this process; -2: the master of the step
    "_may_be_dead: bool = false",  # whether it may get dead tokens: in conditionals and loops
]

define_op(
    "_Send",
    inputs=["tensor: T"],
    attrs=["T: type", *_EDGE],
    stateful=True,
    doc="Passes a value to the `_Recv` of the same edge and step.",
)
define_op(
    "_Recv",
    outputs=["tensor: tensor_type"],
    attrs=["tensor_type: type", *_EDGE],
    stateful=True,
    doc="Waits for the value of the `_Send` of the same edge in this step.",
)
define_op(
    "_RunPartition",
    attrs=["peer: int", "handle: int"],
    stateful=True,
    doc="Runs the partition `handle` of the task with rank `peer`, and waits for its end.",
)
not_differentiable("_Send", "_Recv", "_RunPartition")
