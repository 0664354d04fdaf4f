"""Cumulative logarithms of sums of exponentials."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described

CumulativeLogsumexp = define_op(
    "CumulativeLogsumexp",
    inputs=["x: T", "axis: Tidx"],
    outputs=["out: T"],
    attrs=[
        "exclusive: bool = false",
        "reverse: bool = false",
        "T: {bfloat16, half, float, double}",
        "Tidx: {int32, int64} = DT_INT32",
    ],
    shape=shapes.unchanged,
    doc="Logarithms of the sums of exp(x) of all elements up to each, along a dimension.",
)


@gradient("CumulativeLogsumexp")
def _cumulative_logsumexp_grad(op, grad):
    """Of gradients of both signs, by logarithms, so that nothing overflows."""
    (x, axis), attrs, log, select = op.inputs, op.attrs, get_op_def("Log"), get_op_def("Select")
    zero = get_op_def("ZerosLike")(grad)
    lowest = zero + x.dtype.min

    def part(magnitude, present):
        logs = select(present, log(select(present, magnitude, zero + 1.0)), lowest)
        sums = CumulativeLogsumexp(
            logs - op.outputs[0], axis, exclusive=attrs["exclusive"], reverse=not attrs["reverse"]
        )
        return get_op_def("Exp")(sums + x)

    return part(grad, get_op_def("Greater")(grad, zero)) - part(-grad, get_op_def("Less")(grad, zero)), None


@described(
    CumulativeLogsumexp,
    example="""
>>> print(sess.run(tf.math.cumulative_logsumexp([0.0, 0.0, 0.0])).round(4))
[0.     0.6931 1.0986]
""",
    shapes={
        "x": "of rank 1 or more",
        "axis": "a scalar in [-rank, rank)",
        "out": "of the shape of `x`",
    },
)
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """Logarithms of cumulative sums of exponentials: log(sum(exp(x))) of all elements up to each along `axis`.

    `exclusive` leaves the element itself out (the first result is -inf), `reverse` starts at the end.
    """
    return CumulativeLogsumexp(x, axis, exclusive=exclusive, reverse=reverse, name=name)
