"""Checkpoints in TensorFlow's first format, a single table with all data."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.ops.checkpoint.checkpoint import restored_shapes, saving_shape_fn


def _restore_shape(op):
    for text in op.inputs:
        shapes.with_rank(text.dims, 0)
    return restored_shapes(op.inputs[2], 1) if len(op.inputs) == 3 else [None]


Save = define_op(
    "Save",
    inputs=["filename: string", "tensor_names: string", "data: T"],
    attrs=["T: list(type)"],
    shape=saving_shape_fn(2),
    stateful=True,
    doc="Saves tensors in a file of the first format.",
)

SaveSlices = define_op(
    "SaveSlices",
    inputs=["filename: string", "tensor_names: string", "shapes_and_slices: string", "data: T"],
    attrs=["T: list(type)"],
    shape=saving_shape_fn(3),
    stateful=True,
    doc="Saves tensors, or slices of them as for SaveV2, in a file of the first format.",
)

Restore = define_op(
    "Restore",
    inputs=["file_pattern: string", "tensor_name: string"],
    outputs=["tensor: dt"],
    attrs=["dt: type", "preferred_shard: int = -1"],
    shape=_restore_shape,
    stateful=True,
    doc="Reads a tensor from the files of the first format that match a pattern.",
)

RestoreSlice = define_op(
    "RestoreSlice",
    inputs=["file_pattern: string", "tensor_name: string", "shape_and_slice: string"],
    outputs=["tensor: dt"],
    attrs=["dt: type", "preferred_shard: int = -1"],
    shape=_restore_shape,
    stateful=True,
    doc="Reads a tensor, or a slice of it as for RestoreV2, from files of the first format.",
)

not_differentiable("Save", "SaveSlices", "Restore", "RestoreSlice")
