"""Ragged tensors to dense ones."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant, constant_value
from tfcore.ops.state.tensor_list import stated_dims


def _levels(op):
    """The number of ragged dimensions."""
    kinds, count = [kind.decode(errors="replace") for kind in op.attrs["row_partition_types"]], len(op.inputs) - 3
    for kind in kinds:
        if kind not in ("ROW_SPLITS", "VALUE_ROWIDS", "FIRST_DIM_SIZE"):
            raise ValueError(f"Unknown string for partition info type: {kind}")
    if not kinds:
        raise ValueError("Partition info types should not be empty")
    if len(kinds) != count:
        raise ValueError(
            f"Number of row partition tensors ({count}) does not equal the number of row partition types({len(kinds)})."
        )
    if "FIRST_DIM_SIZE" in kinds[1:]:
        raise ValueError("FIRST_DIM_SIZE must be first")
    if kinds[0] == "VALUE_ROWIDS":
        raise ValueError("VALUE_ROWIDS cannot be first")
    if kinds[0] == "FIRST_DIM_SIZE" and kinds[1:2] != ["VALUE_ROWIDS"]:
        raise ValueError("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS")
    return len(kinds) - (kinds[0] == "FIRST_DIM_SIZE")


def _shape(op):
    levels = _levels(op)
    values, stated = op.inputs[1].dims, stated_dims(op.inputs[0])
    if values is None:
        return [stated]
    shapes.with_rank_at_least(values, 1)
    first = op.inputs[3].dims
    rows = first[0] - 1 if op.attrs["row_partition_types"][0] == b"ROW_SPLITS" and first and first[0] else None
    if constant_value(op.inputs[0]) is None:
        rows = None  # the shape may say otherwise
    dims = (rows, *[None] * levels, *values[1:])
    if stated is None:
        return [dims]
    if len(stated) != len(dims):
        raise ValueError(
            f"rt_input.shape and shape={shapes.dims_text(stated)} are incompatible: rt_input.rank = {len(dims)} but "
            f"shape.rank = {len(stated)}"
        )
    shapes.merge(dims[1:], stated[1:])
    return [tuple(d if s is None else s for d, s in zip(dims, stated, strict=True))]


RaggedTensorToTensor = define_op(
    "RaggedTensorToTensor",
    inputs=[
        "shape: Tshape",
        "values: T",
        "default_value: T",
        "row_partition_tensors: num_row_partition_tensors * Tindex",
    ],
    outputs=["result: T"],
    attrs=[
        "T: type",
        "Tindex: {int64, int32}",
        "Tshape: {int64, int32}",
        "num_row_partition_tensors: int >= 1",
        "row_partition_types: list(string)",
    ],
    shape=_shape,
    doc="""A ragged tensor as a dense one: short rows are filled with `default_value`, and longer ones than `shape` says
    are cut.

    row_partition_types: how each of row_partition_tensors cuts the values of its level into rows: ROW_SPLITS,
    VALUE_ROWIDS, and for the first level FIRST_DIM_SIZE before it.""",
)


@gradient("RaggedTensorToTensor")
def _to_tensor_grad(op, grad):
    values, default, partitions = op.inputs[1], op.inputs[2], op.inputs[3:]
    count = array_ops.shape(values, out_type=dtypes.int64)[0]
    levels = array_ops.size(array_ops.shape(grad)) - array_ops.size(array_ops.shape(values)) + 1
    places = RaggedTensorToTensor(
        array_ops.shape(grad)[:levels],
        constants.range(count),
        constant(-1, dtypes.int64),
        list(partitions),
        row_partition_types=op.get_attr("row_partition_types"),
    )
    values_grad = get_op_def("UnsortedSegmentSum")(grad, places, count)
    missing = get_op_def("Cast")(get_op_def("Less")(places, constant(0, dtypes.int64)), DstT=grad.dtype)
    inner = array_ops.shape(values)[1:]
    rows = array_ops.reshape(grad, get_op_def("ConcatV2")([[-1], inner], 0))
    weights = array_ops.reshape(missing, get_op_def("ConcatV2")([[-1], constants.ones_like(inner)], 0))
    summed = reduce_ops.reduce_sum(rows * weights, 0)
    own = array_ops.shape(default)
    axes, _ = get_op_def("BroadcastGradientArgs")(own, array_ops.shape(summed))
    default_grad = array_ops.reshape(reduce_ops.reduce_sum(summed, axes), own)
    return [None, values_grad, default_grad] + [None] * len(partitions)
