"""Tensors whose elements are the bytes of a file."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient

ImmutableConst = define_op(
    "ImmutableConst",
    outputs=["tensor: dtype"],
    attrs=["dtype: type", "shape: shape", "memory_region_name: string"],
    shape=lambda op: [op.attrs["shape"]],
    doc="A tensor whose elements are the bytes of a file, which is read each time the operation runs.",
)
undefined_gradient("ImmutableConst")
