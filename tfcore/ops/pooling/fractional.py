"""Pools over regions whose sizes differ by one, in a random order."""

import math

import numpy as np

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value_as_shape


def _quotient(size, ratio):
    return math.floor(np.float32(size) / np.float32(ratio))  # in single precision, as the kernel


def _pooled_shape(op):
    ratio = op.attrs["pooling_ratio"]
    dims = with_rank(op.inputs[0].dims, 4)
    if len(ratio) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    for value in ratio:
        if value < 1:
            raise ValueError(f"pooling_ratio cannot be smaller than 1, got: {value:g}")
    sizes = [None if d is None or not math.isfinite(r) else _quotient(d, r) for d, r in zip(dims, ratio, strict=True)]
    rows, columns = (None if d is None else d + 1 for d in sizes[1:3])
    return [tuple(sizes), (rows,), (columns,)]


def _avg_grad_shape(op):
    return [with_rank(constant_value_as_shape(op.inputs[0]), 4)]


def _define_pool(name, doc):
    return define_op(
        name,
        inputs=["value: T"],
        outputs=["output: T", "row_pooling_sequence: int64", "col_pooling_sequence: int64"],
        attrs=[
            "pooling_ratio: list(float) >= 4",
            "pseudo_random: bool = false",
            "overlapping: bool = false",
            "deterministic: bool = false",
            "seed: int = 0",
            "seed2: int = 0",
            "T: {float, double, int32, int64}",
        ],
        shape=_pooled_shape,
        doc=doc,
    )


FractionalMaxPool = _define_pool("FractionalMaxPool", "Maxima of regions of different sizes.")
FractionalAvgPool = _define_pool("FractionalAvgPool", "Means of regions of different sizes.")
FractionalMaxPoolGrad = define_op(
    "FractionalMaxPoolGrad",
    inputs=["orig_input: T", "orig_output: T", "out_backprop: T", "row_pooling_sequence: int64",
            "col_pooling_sequence: int64"],
    outputs=["output: T"],
    attrs=["overlapping: bool = false", "T: {float, double, int32, int64}"],
    shape=lambda op: [with_rank(op.inputs[0].dims, 4)],
    doc="Gradient of FractionalMaxPool.",
)  # fmt: skip
FractionalAvgPoolGrad = define_op(
    "FractionalAvgPoolGrad",
    inputs=["orig_input_tensor_shape: int64", "out_backprop: T", "row_pooling_sequence: int64",
            "col_pooling_sequence: int64"],
    outputs=["output: T"],
    attrs=["overlapping: bool = false", "T: {float, double, int32, int64}"],
    shape=_avg_grad_shape,
    doc="Gradient of FractionalAvgPool.",
)  # fmt: skip
undefined_gradient("FractionalMaxPoolGrad", "FractionalAvgPoolGrad")


@gradient("FractionalMaxPool")
def _max_grad(op, grad, *_):
    x, (y, rows, columns) = op.inputs[0], op.outputs
    return FractionalMaxPoolGrad(x, y, grad, rows, columns, overlapping=op.get_attr("overlapping"))


@gradient("FractionalAvgPool")
def _avg_grad(op, grad, *_):
    shape = array_ops.shape(op.inputs[0], out_type=dtypes.int64)
    return FractionalAvgPoolGrad(shape, grad, *op.outputs[1:], overlapping=op.get_attr("overlapping"))


_TENSORS = {
    "value": "of shape [batch, rows, columns, depth]",
    "pooling_ratio": "four floats: the mean sizes of regions, 1 for batch and depth",
    "output": "of shape [batch, floor(rows / ratio), floor(columns / ratio), depth]",
    "row_pooling_sequence": "a vector: the first row of each region, and the number of rows",
    "col_pooling_sequence": "a vector: the first column of each region, and the number of columns",
}


@described(FractionalMaxPool, shapes=_TENSORS)
def fractional_max_pool(
    value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None
):
    """Max pooling over regions of random size: pooling_ratio on average, each floor(pooling_ratio) or one more pixel.

    Each run draws new regions unless `deterministic` is true. With `pseudo_random`, large and small regions alternate
    as evenly as possible. With `overlapping`, each region includes the first row and column of the next.
    """
    attrs = _attrs(pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2)
    return FractionalMaxPool(value, name=name, **attrs)


@described(FractionalAvgPool, shapes=_TENSORS)
def fractional_avg_pool(
    value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None
):
    """Average pooling over regions of random size; see `fractional_max_pool`."""
    attrs = _attrs(pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2)
    return FractionalAvgPool(value, name=name, **attrs)


def _attrs(pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2):
    return {
        "pooling_ratio": pooling_ratio,
        "pseudo_random": pseudo_random,
        "overlapping": overlapping,
        "deterministic": deterministic,
        "seed": seed,
        "seed2": seed2,
    }
