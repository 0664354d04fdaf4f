"""Checkpoints in TensorFlow's second format: tensors to and from files, and the names of parts."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.values.constant import constant_value


def saving_shape_fn(first):
    """The shape function of operations that save: a prefix, vectors of strings, and tensors, from input `first` on.

    Each vector has a string for each tensor; else the function raises ValueError.
    """

    def check(op):
        shapes.with_rank(op.inputs[0].dims, 0)
        for strings in op.inputs[1:first]:
            (size,) = shapes.with_rank(strings.dims, 1)
            if size not in (None, len(op.inputs) - first):
                raise ValueError(f"Dimension must be {len(op.inputs) - first} but is {size}")
        return []

    return check


SaveV2 = define_op(
    "SaveV2",
    inputs=["prefix: string", "tensor_names: string", "shape_and_slices: string", "tensors: dtypes"],
    attrs=["dtypes: list(type)"],
    shape=saving_shape_fn(3),
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


def _restore_v2_shapes(op):
    prefix, names, slices = op.inputs
    shapes.with_rank(prefix.dims, 0)
    shapes.merge(shapes.with_rank(names.dims, 1), shapes.with_rank(slices.dims, 1))
    return restored_shapes(slices, len(op.outputs))


def _merge_shapes(op):
    prefixes, destination = op.inputs
    shapes.with_rank(prefixes.dims, 1)
    shapes.with_rank(destination.dims, 0)
    return []


RestoreV2 = define_op(
    "RestoreV2",
    inputs=["prefix: string", "tensor_names: string", "shape_and_slices: string"],
    outputs=["tensors: dtypes"],
    attrs=["dtypes: list(type)"],
    shape=_restore_v2_shapes,
    stateful=True,
    doc="""Reads tensors of the checkpoint `prefix`, which may also be one of the first format.

    An entry of `shape_and_slices` is empty, or says which slice of the tensor to read, as for SaveV2.""",
)

MergeV2Checkpoints = define_op(
    "MergeV2Checkpoints",
    inputs=["checkpoint_prefixes: string", "destination_prefix: string"],
    attrs=["delete_old_dirs: bool = true", "allow_missing_files: bool = false"],
    shape=_merge_shapes,
    stateful=True,
    doc="Makes one checkpoint of several, which are removed.",
)

ShardedFilename = define_op(
    "ShardedFilename",
    inputs=["basename: string", "shard: int32", "num_shards: int32"],
    outputs=["filename: string"],
    shape=shapes.scalar_of_scalars,
    doc="The name of one part of several, such as basename-00000-of-00002.",
)

ShardedFilespec = define_op(
    "ShardedFilespec",
    inputs=["basename: string", "num_shards: int32"],
    outputs=["filename: string"],
    shape=shapes.scalar_of_scalars,
    doc="A pattern that matches the names of all parts, such as basename-?????-of-00002.",
)

not_differentiable("SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename", "ShardedFilespec")
