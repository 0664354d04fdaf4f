"""Two sparse tensors element by element: SparseAdd, SparseSparseMaximum, SparseSparseMinimum."""

from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.definitions.shapes import with_rank

_PAIR = ["a_indices: int64", "a_values: T", "a_shape: int64", "b_indices: int64", "b_values: T", "b_shape: int64"]


def _add_shape(op):
    (rank,) = with_rank(op.inputs[2].dims, 1)
    return [(None, rank), (None,), (rank,)]


SparseAdd = define_op(
    "SparseAdd",
    inputs=[*_PAIR, "thresh: Treal"],
    outputs=["sum_indices: int64", "sum_values: T", "sum_shape: int64"],
    attrs=["T: numbertype", "Treal: realnumbertype"],
    shape=_add_shape,
    doc="The sum of two sparse tensors; sums whose magnitude is below `thresh` are left out.",
)


def _add_grad_shape(op):
    return [with_rank(op.inputs[i].dims, 2)[:1] for i in (1, 2)]


SparseAddGrad = define_op(
    "SparseAddGrad",
    inputs=["backprop_val_grad: T", "a_indices: int64", "b_indices: int64", "sum_indices: int64"],
    outputs=["a_val_grad: T", "b_val_grad: T"],
    attrs=["T: numbertype"],
    shape=_add_grad_shape,
    doc="The gradients of both operands of SparseAdd.",
)
not_differentiable("SparseAddGrad")


@gradient("SparseAdd")
def _add_grad(op, _, grad, __):
    a, b = SparseAddGrad(grad, op.inputs[0], op.inputs[3], op.outputs[0])
    return None, a, None, None, b, None, None


def _extreme_shape(op):
    for t, rank in zip(op.inputs, (2, 1, 1, 2, 1, 1)):
        with_rank(t.dims, rank)
    return [(None, None), (None,)]


def _define(name, types, which):
    return define_op(
        name,
        inputs=_PAIR,
        outputs=["output_indices: int64", "output_values: T"],
        attrs=[f"T: {types}"],
        shape=_extreme_shape,
        doc=f"The {which} of two sparse tensors; what only one of them has is compared with 0.",
    )


SparseSparseMaximum = _define("SparseSparseMaximum", "realnumbertype", "maximum")
SparseSparseMinimum = _define("SparseSparseMinimum", "numbertype", "minimum")


@gradient("SparseSparseMaximum", "SparseSparseMinimum")
def _extreme_grad(op, *_):
    raise NotImplementedError(f"Gradient for {op.type} is not implemented.")
