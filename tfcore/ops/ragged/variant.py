"""Ragged tensors as variants: what tf.map_fn and datasets carry."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.ops.ragged.ragged import SPLITS


def _to_variant_shape(op):
    levels = op.attrs["RAGGED_RANK"]
    for splits in op.inputs[:levels]:
        shapes.with_rank(splits.dims, 1)
    if not op.attrs["batched_input"]:
        return [()]
    if levels:
        (count,) = shapes.with_rank(op.inputs[0].dims, 1)
        return [(shapes.less_one(count),)]
    values = shapes.with_rank_at_least(op.inputs[0].dims, 1)
    return [(None,) if values is None else values[:1]]


def _from_variant_shape(op):
    return [(None,)] * op.attrs["output_ragged_rank"] + [None]


RaggedTensorToVariant = define_op(
    "RaggedTensorToVariant",
    inputs=["rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: Tvalues"],
    outputs=["encoded_ragged: variant"],
    attrs=["RAGGED_RANK: int >= 0", "Tvalues: type", SPLITS, "batched_input: bool"],
    shape=_to_variant_shape,
    doc="A ragged tensor as a variant, or with batched_input as a vector of variants: its rows.",
)
RaggedTensorFromVariant = define_op(
    "RaggedTensorFromVariant",
    inputs=["encoded_ragged: variant"],
    outputs=["output_nested_splits: output_ragged_rank * Tsplits", "output_dense_values: Tvalues"],
    attrs=["input_ragged_rank: int >= -1", "output_ragged_rank: int >= 0", "Tvalues: type", SPLITS],
    shape=_from_variant_shape,
    doc="The ragged tensor that a variant holds, or whose rows a tensor of variants holds.",
)
RaggedTensorToVariantGradient = define_op(
    "RaggedTensorToVariantGradient",
    inputs=["encoded_ragged_grad: variant", "row_splits: Tsplits", "dense_values_shape: int32"],
    outputs=["dense_values_grad: Tvalues"],
    attrs=["Tvalues: type", SPLITS],
    shape=shapes.unknown,
    doc="The gradient for the values of a ragged tensor, from the gradients of its rows.",
)
undefined_gradient("RaggedTensorToVariantGradient")


@gradient("RaggedTensorToVariant")
def _to_variant_grad(op, grad):
    levels = op.get_attr("RAGGED_RANK")
    values = op.inputs[levels]
    splits = op.inputs[0] if levels else constant(0, dtypes.int64)
    values_grad = RaggedTensorToVariantGradient(grad, splits, array_ops.shape(values), Tvalues=values.dtype)
    return [None] * levels + [values_grad]


@gradient("RaggedTensorFromVariant")
def _from_variant_grad(op, *grads):
    rank = None if op.inputs[0].dims is None else len(op.inputs[0].dims)
    if rank is not None and rank > 1:
        raise ValueError(
            "Unable to compute gradient: RaggedTensorToVariant can currently only generate 0D or 1D output."
        )
    batched = op.get_attr("output_ragged_rank") > 0 if rank is None else rank == 1
    return RaggedTensorToVariant(op.outputs[:-1], grads[-1], batched_input=batched, Tsplits=op.get_attr("Tsplits"))
