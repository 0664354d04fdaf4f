"""Cumulative sums and products."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import described


def _define(name, doc):
    return define_op(
        name,
        inputs=["x: T", "axis: Tidx"],
        outputs=["out: T"],
        attrs=["exclusive: bool = false", "reverse: bool = false", "T: numbertype", "Tidx: {int32, int64} = DT_INT32"],
        shape=shapes.unchanged,
        doc=doc,
    )


Cumsum = _define("Cumsum", "Sums of all elements up to each, along a dimension.")
Cumprod = _define("Cumprod", "Products of all elements up to each, along a dimension.")


@gradient("Cumsum")
def _cumsum_grad(op, grad):
    attrs = op.attrs
    return Cumsum(grad, op.inputs[1], exclusive=attrs["exclusive"], reverse=not attrs["reverse"]), None


@gradient("Cumprod")
def _cumprod_grad(op, grad):
    x, axis = op.inputs
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    product = Cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    if x.dtype.is_complex:
        conj = get_op_def("Conj")
        x, product = conj(x), conj(product)
    total = Cumsum(product * grad, axis, exclusive=exclusive, reverse=not reverse)
    return get_op_def("DivNoNan")(total, x), None  # where x is 0 the gradient is 0, as in TensorFlow


@described(
    Cumsum,
    example="""
>>> print(sess.run(tf.cumsum([1, 2, 3])), sess.run(tf.cumsum([1, 2, 3], exclusive=True)))
[1 3 6] [0 1 3]
""",
    shapes={
        "x": "of rank 1 or more",
        "axis": "a scalar in [-rank, rank)",
        "out": "of the shape of `x`",
    },
)
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Cumulative sums: of all elements up to each along `axis`.

    `exclusive` leaves the element itself out, `reverse` starts at the end.
    """
    return Cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=name)


@described(
    Cumprod,
    example="""
>>> print(sess.run(tf.cumprod([2, 3, 4])), sess.run(tf.cumprod([2, 3, 4], reverse=True)))
[ 2  6 24] [24 12  4]
""",
    shapes={
        "x": "of rank 1 or more",
        "axis": "a scalar in [-rank, rank)",
        "out": "of the shape of `x`",
    },
)
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Cumulative products: of all elements up to each along `axis`.

    `exclusive` leaves the element itself out, `reverse` starts at the end.
    """
    return Cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=name)
