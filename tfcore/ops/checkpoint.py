"""Checkpoints in TensorFlow's second format: tensors to and from files, and the names of parts."""

from tfcore.framework import shapes
from tfcore.framework.constant import constant_value
from tfcore.framework.op_def import define_op, not_differentiable

__all__ = []

SaveV2 = define_op(
    "SaveV2",
    inputs=["prefix: string", "tensor_names: string", "shape_and_slices: string", "tensors: dtypes"],
    attrs=["dtypes: list(type)"],
    stateful=True,
    doc="""Saves tensors as the checkpoint `prefix`: it is complete once the operation ends, absent before.

    An entry of `shape_and_slices` is empty, or says which slice of a larger tensor the value is: "4 5 0,2:-"
    are the first two rows of a 4 x 5 matrix.""",
)


def restored_shapes(slices, count):
    """The shapes of restored tensors, as far as the specifications tell: a list of dims."""
    specs = None if slices is None else constant_value(slices)
    if specs is None or specs.size != count:
        return [None] * count
    return [sliced_dims(spec) for spec in specs.reshape(-1)]


def sliced_dims(spec):
    """The dims of the slice that a specification such as b"4 5 0,2:-" describes; None if it is empty or malformed."""
    *dims, extents = spec.split(b" ")
    extents = extents.split(b":")
    try:
        if len(extents) != len(dims):
            return None
        return tuple(int(d if e == b"-" else e.partition(b",")[2]) for d, e in zip(dims, extents))
    except ValueError:
        return None


RestoreV2 = define_op(
    "RestoreV2",
    inputs=["prefix: string", "tensor_names: string", "shape_and_slices: string"],
    outputs=["tensors: dtypes"],
    attrs=["dtypes: list(type)"],
    shape=lambda op: restored_shapes(op.inputs[2], len(op.outputs)),
    stateful=True,
    doc="""Reads tensors of the checkpoint `prefix`, which may also be one of the first format.

    An entry of `shape_and_slices` is empty, or says which slice of the tensor to read, as for SaveV2.""",
)

MergeV2Checkpoints = define_op(
    "MergeV2Checkpoints",
    inputs=["checkpoint_prefixes: string", "destination_prefix: string"],
    attrs=["delete_old_dirs: bool = true", "allow_missing_files: bool = false"],
    stateful=True,
    doc="Makes one checkpoint of several, which are removed.",
)

ShardedFilename = define_op(
    "ShardedFilename",
    inputs=["basename: string", "shard: int32", "num_shards: int32"],
    outputs=["filename: string"],
    shape=shapes.scalar,
    doc="The name of one part of several, such as basename-00000-of-00002.",
)

ShardedFilespec = define_op(
    "ShardedFilespec",
    inputs=["basename: string", "num_shards: int32"],
    outputs=["filename: string"],
    shape=shapes.scalar,
    doc="A pattern that matches the names of all parts, such as basename-?????-of-00002.",
)

not_differentiable("SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename", "ShardedFilespec")
