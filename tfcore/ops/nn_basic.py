"""Basic parts of neural networks: layers of one product, dropout, l2_loss, in_top_k."""

import numbers

from tfcore.framework import shapes
from tfcore.framework.constant import constant_value
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.op_wrappers import described
from tfcore.ops.bias import bias_add

__all__ = ["check_numerics"]
__nn__ = ["dropout", "in_top_k", "l2_loss", "relu_layer", "xw_plus_b"]
__math__ = ["in_top_k"]
__debugging__ = ["check_numerics"]

_FLOATS = "half, bfloat16, float, double"


L2Loss = define_op(
    "L2Loss",
    inputs=["t: T"],
    outputs=["output: T"],
    attrs=[f"T: {{{_FLOATS}}}"],
    shape=shapes.scalar,
    doc="""sum(t ** 2) / 2""",
)
CheckNumerics = define_op(
    "CheckNumerics",
    inputs=["tensor: T"],
    outputs=["output: T"],
    attrs=[f"T: {{{_FLOATS}}}", "message: string"],
    shape=shapes.unchanged,
    stateful=True,
    doc="""The tensor; an InvalidArgumentError if it holds a NaN or an infinity.""",
)


def _in_top_k_shape(op):
    predictions, targets = shapes.with_rank(op.inputs[0].dims, 2), shapes.with_rank(op.inputs[1].dims, 1)
    if len(op.inputs) > 2:
        shapes.with_rank(op.inputs[2].dims, 0)
    return [(shapes.merge_dim(predictions[0], targets[0]),)]


InTopK = define_op(
    "InTopK",
    inputs=["predictions: float", "targets: T"],
    outputs=["precision: bool"],
    attrs=["k: int", "T: {int32, int64} = DT_INT32"],
    shape=_in_top_k_shape,
    doc="""Whether each row's target is among the k largest predictions of the row.""",
)
InTopKV2 = define_op(
    "InTopKV2",
    inputs=["predictions: float", "targets: T", "k: T"],
    outputs=["precision: bool"],
    attrs=["T: {int32, int64} = DT_INT32"],
    shape=_in_top_k_shape,
    doc="""Whether each row's target is among the k largest predictions of the row.""",
)

not_differentiable("InTopK", "InTopKV2")


# ---- Gradients.


@gradient("L2Loss")
def _l2_loss_grad(op, grad):
    return op.inputs[0] * grad


@gradient("CheckNumerics")
def _check_numerics_grad(op, grad):
    text = b"Not a number (NaN) or infinity (Inf) values detected in gradient. "
    return CheckNumerics(grad, text + op.get_attr("message"))


# ---- The public functions.


def xw_plus_b(x, weights, biases, name=None):
    """matmul(x, weights) + biases"""
    return _layer("xw_plus_b", x, weights, biases, name, lambda y, scope: bias_add(y, biases, name=scope))


def relu_layer(x, weights, biases, name=None):
    """relu(matmul(x, weights) + biases)"""
    relu = get_op_def("Relu")
    return _layer("relu_layer", x, weights, biases, name, lambda y, scope: relu(bias_add(y, biases), name=scope))


def _layer(default_name, x, weights, biases, name, finish):
    with name_scope(name, default_name, [x, weights, biases]) as scope:
        return finish(get_op_def("MatMul")(x, weights), scope)


@described(L2Loss)
def l2_loss(t, name=None):
    """sum(t ** 2) / 2"""
    return L2Loss(t, name=name)


@described(InTopKV2)
def in_top_k(predictions, targets, k, name=None):
    """Whether each row's target is among the k largest predictions of the row; ties count."""
    with name_scope(name, "in_top_k") as scope:
        return InTopKV2(predictions, targets, k, name=scope)


@described(CheckNumerics)
def check_numerics(tensor, message, name=None):
    """The tensor; running it raises InvalidArgumentError with `message` if it holds a NaN or an infinity."""
    return CheckNumerics(tensor, message, name=name)


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Each element of x is 0 with probability `rate` = 1 - keep_prob, else divided by 1 - rate.

    noise_shape: what is kept together: it broadcasts against x, e.g. [batch, 1, 1, channels].

    Raises:
      ValueError: both or neither of rate and keep_prob given, rate outside [0, 1), x not floating point.
    """
    if rate is not None and keep_prob is not None and rate is not keep_prob:
        raise ValueError("Cannot specify both `keep_prob` and `rate`")
    if rate is None and keep_prob is None:
        raise ValueError("You must provide a rate to dropout.")
    return dropout_v2(x, rate if keep_prob is None else 1.0 - keep_prob, noise_shape, seed, name)


def dropout_v2(x, rate, noise_shape=None, seed=None, name=None):
    """dropout with `rate`, the probability of being dropped."""
    with name_scope(name, "dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"x has to be a floating point tensor since it's going to be scaled. Got a {x.dtype} tensor instead."
            )
        if isinstance(rate, numbers.Real):
            if not 0 <= rate < 1:
                raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}")
            if rate == 0:
                return x
            scale = 1.0 / (1.0 - float(rate))
        else:
            rate = convert_to_tensor(rate, dtype=x.dtype, name="rate")
            shapes.merge(rate.dims, ())
            if constant_value(rate) == 0:
                return x
            scale = 1.0 / (1.0 - rate)
        from tfcore.ops.random import random_uniform

        noise = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
        # Numbers below the rate are dropped: uniform in [0, 1), so exactly the share `rate` of them.
        keep = get_op_def("Cast")(noise >= rate, x.dtype)
        result = x * scale * keep
        result.set_shape(x.shape)
        return result


def _noise_shape(x, noise_shape):
    if noise_shape is None:
        if x.dims is not None and None not in x.dims:
            return list(x.dims)
        return get_op_def("Shape")(x)
    if hasattr(noise_shape, "op"):
        return noise_shape
    dims = list(noise_shape)
    if None in dims:  # sizes to take from x
        if x.dims is None or len(x.dims) != len(dims):
            return noise_shape
        dims = [have if want is None else want for have, want in zip(x.dims, dims)]
    return dims
