"""The fused update ops of optimizers on resource variables: the ops of training.py, by handles.

Each takes handles where the other form takes references, and has no output.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.ops.state.resource_variable import handle_data
from tfcore.ops.training import training


def _apply_shape(op):
    """Variable, slots and gradient have one shape; the rest are scalars. Sparse: the gradient holds rows."""
    sparse, dims = "Sparse" in op.type, None
    for arg, tensor in zip(op.op_def.inputs, op.inputs):
        if arg.type_attr is None and arg.dtype.name == "resource":
            dims = shapes.merge(dims, handle_data(tensor)[1])
        elif arg.name in ("grad", "delta") and not sparse:
            dims = shapes.merge(dims, tensor.dims)
        elif arg.name == "indices":
            shapes.with_rank(tensor.dims, 1)
        elif arg.name == "grad":
            training.check_rows(dims, tensor.dims)
        else:
            training.check_scalar(op, tensor.dims)
    return []


def _define(op_def):
    """The op by handles that does what an op by references does."""
    name = "Resource" + op_def.name.lstrip("_")
    inputs, _, attrs = op_def.specs
    made = define_op(
        name,
        inputs=[spec.replace("Ref(T)", "resource") for spec in inputs],
        attrs=attrs,
        shape=_apply_shape,
        stateful=True,
        doc=op_def.summary,
    )
    undefined_gradient(name)
    return made


_OF = {op_def: _define(op_def) for op_def in training.UPDATES}


def by_handles(op_def):
    """The op on handles that does what the op `op_def` does on references."""
    return _OF[op_def]
