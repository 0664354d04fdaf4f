"""The time of day."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described

Timestamp = define_op(
    "Timestamp",
    outputs=["ts: double"],
    shape=shapes.scalar,
    stateful=True,
    doc="Seconds since the epoch, when the op runs.",
)
undefined_gradient("Timestamp")


@described(Timestamp)
def timestamp(name=None):
    """Seconds since the start of 1970 (UTC) when the operation runs, with microseconds."""
    return Timestamp(name=name)
