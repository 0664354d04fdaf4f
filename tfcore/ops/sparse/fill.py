"""Elements for empty rows: SparseFillEmptyRows."""

from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.values.constant import constant_value_as_shape


def _fill_shape(op):
    indices, values, shape, default = (t.dims for t in op.inputs)
    (count, cols), (number,), (rank,) = with_rank(indices, 2), with_rank(values, 1), with_rank(shape, 1)
    with_rank(default, 0)
    count, rank = merge_dim(count, number), merge_dim(cols, rank)
    sizes = constant_value_as_shape(op.inputs[2])
    return [(None, rank), (None,), (sizes[0] if sizes else None,), (count,)]


SparseFillEmptyRows = define_op(
    "SparseFillEmptyRows",
    inputs=["indices: int64", "values: T", "dense_shape: int64", "default_value: T"],
    outputs=["output_indices: int64", "output_values: T", "empty_row_indicator: bool", "reverse_index_map: int64"],
    attrs=["T: type"],
    shape=_fill_shape,
    doc="A sparse tensor whose empty rows get an element, and the new places of the old ones.",
)


def _fill_grad_shape(op):
    return [with_rank(op.inputs[0].dims, 1), ()]


SparseFillEmptyRowsGrad = define_op(
    "SparseFillEmptyRowsGrad",
    inputs=["reverse_index_map: int64", "grad_values: T"],
    outputs=["d_values: T", "d_default_value: T"],
    attrs=["T: type"],
    shape=_fill_grad_shape,
    doc="The gradients of the values and of the default value of SparseFillEmptyRows.",
)
undefined_gradient("SparseFillEmptyRowsGrad")


@gradient("SparseFillEmptyRows")
def _fill_grad(op, _, grad, *__):
    values, default = SparseFillEmptyRowsGrad(op.outputs[3], grad)
    return None, values, None, default
