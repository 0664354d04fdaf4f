"""Trees of element-wise operations that the compiler has made one operation."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient


def _fused_shape(op):
    dims = ()
    for x in op.inputs:
        if x.dims != ():
            dims = x.dims if dims == () else shapes.merge(dims, x.dims)
    return [dims]


_FusedCwise = define_op(
    "_FusedCwise",
    inputs=["inputs: N * T"],
    outputs=["y: T"],
    attrs=["T: {float, double}", "N: int >= 1", "ops: list(string)", "args: list(int)"],
    shape=_fused_shape,
    doc="""A tree of element-wise operations that the compiler fused. The result is that of the last operation.

    inputs: tensors of one shape, and scalars.
    ops: types of the operations.
    args: two values for each operation (of a unary one both are the same): i < N is an input, N + i the result of
    operation i. At least one of them has the shape of the tensors.""",
)


@gradient("_FusedCwise")
def _fused_cwise_grad(op, grad):
    """Only tests get here: the compiler makes this op after gradients are taken."""
    from tfcore.ops.gradients.gradients import gradients

    values, args = list(op.inputs), op.get_attr("args")
    for i, name in enumerate(op.get_attr("ops")):
        x, y = values[args[2 * i]], values[args[2 * i + 1]]
        op_def = get_op_def(name.decode() if isinstance(name, bytes) else name)
        values.append(op_def(x) if len(op_def.inputs) == 1 else op_def(x, y))
    return gradients(values[-1], list(op.inputs), grad_ys=grad)
