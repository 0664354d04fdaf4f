"""Softmax over the elements of a sparse tensor's rows: SparseSoftmax."""

from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.shapes import with_rank


def _softmax_shape(op):
    indices, values, shape = (t.dims for t in op.inputs)
    with_rank(indices, 2)
    with_rank(shape, 1)
    return [with_rank(values, 1)]


SparseSoftmax = define_op(
    "SparseSoftmax",
    inputs=["sp_indices: int64", "sp_values: T", "sp_shape: int64"],
    outputs=["output: T"],
    attrs=["T: {half, float, double}"],
    shape=_softmax_shape,
    doc="Softmax along the last dimension, over the elements that each row has.",
)


@gradient("SparseSoftmax")
def _softmax_grad(op, grad):
    """y (grad - sum of y grad over the row)"""
    indices, _, shape = op.inputs
    y = op.outputs[0]
    sums = get_op_def("SparseReduceSum")(indices, y * grad, shape, [-1])
    return None, y * (grad - get_op_def("GatherNd")(sums, indices[:, :-1])), None
