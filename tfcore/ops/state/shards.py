"""The shards of an input that the tasks of a cluster take one after another."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable


def _take_shard_shape(op):
    table, asker, numbers, finished, num_epochs = (x.dims for x in op.inputs)
    shapes.merge(table, [None, 4])
    shapes.merge(asker, [3])
    shapes.with_rank(numbers, 1)
    shapes.merge(finished, [2])
    shapes.with_rank(num_epochs, 0)
    return [[2]]


TakeShard = define_op(
    "_TakeShard",
    inputs=["table: Ref(int64)", "asker: int64", "numbers: int64", "finished: int64", "num_epochs: int64"],
    outputs=["shard: int64"],
    shape=_take_shard_shape,
    doc="""A shard for a task, and the epoch for which it gets it; shard -1: none now, -2: no more.

    A row of `table` has how often a shard was finished, and the job, rank and number of its holder (rank -1: none).
    `asker` has the job, rank and number of the task that asks, `numbers` the numbers of all tasks: those of a later
    process, or of the end of a process, are greater. `finished` is the shard and epoch that the task has finished;
    shard -1: none. A shard that the asker's place holds is given again.""",
)
not_differentiable("_TakeShard")
