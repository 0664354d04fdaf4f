"""Reductions, places of extremes, sorting, cumulative sums."""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.onnx.elementwise import number
from tfcore.onnx.registry import converter

_REDUCTIONS = {
    "EuclideanNorm": "ReduceL2", "Max": "ReduceMax", "Mean": "ReduceMean", "Min": "ReduceMin", "Prod": "ReduceProd",
    "Sum": "ReduceSum",
}  # fmt: skip


def _reduced(model, op, name, x):
    keepdims = int(op.get_attr("keep_dims"))
    axes = model.as_int64(op.inputs[1], op)
    if model.is_static(op.inputs[1]):
        axes = model.int64(model.static(op, 1).reshape(-1))
    elif model.rank(op.inputs[1], op) == 0:
        axes = model.node("Unsqueeze", [axes, model.int64([0])], op)
    return model.node(name, [x, axes], op, keepdims=keepdims, noop_with_empty_axes=1)


@converter(*_REDUCTIONS)
def _reduce(model, op):
    model.set(op.outputs[0], _reduced(model, op, _REDUCTIONS[op.type], model.value(op.inputs[0])))


@converter("All", "Any")
def _reduce_bool(model, op):
    x = model.cast(model.value(op.inputs[0]), dtypes.int32, op)
    if op.type == "All":
        reduced = model.cast(_reduced(model, op, "ReduceMin", x), dtypes.bool, op)
    else:  # over nothing the largest element is the smallest number
        zero = model.constant(0, np.int32)
        reduced = model.node("Greater", [_reduced(model, op, "ReduceMax", x), zero], op)
    model.set(op.outputs[0], reduced)


@converter("ArgMax", "ArgMin")
def _arg(model, op):
    axis = int(model.static(op, 1))
    found = model.node(op.type, [model.value(op.inputs[0])], op, axis=axis, keepdims=0)
    if op.outputs[0].dtype != dtypes.int64:
        found = model.cast(found, op.outputs[0].dtype, op)
    model.set(op.outputs[0], found)


@converter("Cumsum")
def _cumsum(model, op):
    given = [model.value(op.inputs[0]), model.as_int64(op.inputs[1], op)]
    attributes = {key: int(op.get_attr(key)) for key in ("exclusive", "reverse")}
    model.set(op.outputs[0], model.node("CumSum", given, op, **attributes))


@converter("TopK", "TopKV2")
def _top_k(model, op):
    if op.type == "TopKV2":
        k = model.node("Reshape", [model.as_int64(op.inputs[1], op), model.int64([1])], op)
    else:
        k = model.int64([op.get_attr("k")])
    values, indices = model.node(
        "TopK", [model.value(op.inputs[0]), k], op, outputs=2, axis=-1, sorted=int(op.get_attr("sorted"))
    )
    model.set(op.outputs[0], values)
    model.set(op.outputs[1], model.cast(indices, op.outputs[1].dtype, op))


@converter("L2Loss")
def _l2_loss(model, op):
    x = op.inputs[0]
    squares = model.node("ReduceSumSquare", [model.value(x)], op, keepdims=0)
    model.set(op.outputs[0], model.node("Mul", [squares, number(model, x, np.float32(0.5))], op))
