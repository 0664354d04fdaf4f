"""The generators of a session's random operations, for checkpoints."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable

_ATTRS = ["names: list(string)", "seeds: list(int)"]

GetRandomState = define_op(
    "_GetRandomState",
    outputs=["states: int64"],
    attrs=_ATTRS,
    shape=lambda op: [(len(op.get_attr("names")), 3)],
    stateful=True,
    doc="Of each operation of these names and seeds (two for each): the two halves of its key, and how far it is.",
)
SetRandomState = define_op(
    "_SetRandomState",
    inputs=["states: int64"],
    attrs=_ATTRS,
    stateful=True,
    doc="Sets what _GetRandomState returns; where it says a negative number for how far, nothing changes.",
)
not_differentiable("_GetRandomState", "_SetRandomState")
