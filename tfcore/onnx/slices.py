"""Slices."""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.onnx.model import MAX_INT64
from tfcore.onnx.registry import converter

_MIN_INT64 = -(2**63)


@converter("Slice")
def _slice(model, op):
    x, begin, size = op.inputs
    if model.is_static(begin) and model.is_static(size):
        starts, sizes = model.static(op, 1).astype(np.int64), model.static(op, 2).astype(np.int64)
        starts, ends = model.int64(starts), model.int64(np.where(sizes == -1, MAX_INT64, starts + sizes))
        rank = len(sizes)
    else:
        starts, sizes = model.as_int64(begin, op), model.as_int64(size, op)
        is_rest = model.node("Equal", [sizes, model.int64(-1)], op)
        end = model.node("Add", [starts, sizes], op)
        ends = model.node("Where", [is_rest, model.int64(MAX_INT64), end], op)
        rank = model.rank(x, op)
    model.set(op.outputs[0], model.node("Slice", [model.value(x), starts, ends, model.int64(np.arange(rank))], op))


@converter("ReverseV2")
def _reverse(model, op):
    x = op.inputs[0]
    axes = model.static(op, 1).reshape(-1)
    count = len(axes)
    given = [model.int64([-1] * count), model.int64([_MIN_INT64] * count), model.int64(axes), model.int64([-1] * count)]
    model.set(op.outputs[0], model.node("Slice", [model.value(x), *given], op) if count else model.value(x))


class _Spec:
    """What the masks of a StridedSlice say, by entry of begin, end and strides.

    `sliced`: (entry, dimension of the input) of those that slice or select. `new`: dimensions of the result that are
    new, with those that are removed counted. `removed`: dimensions of the result to remove.
    """

    def __init__(self, model, op):
        count = op.inputs[1].get_shape()[0].value
        rank = model.rank(op.inputs[0], op)
        masks = {key: op.get_attr(f"{key}_mask") for key in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}

        def has(key, i):
            return masks[key] >> i & 1

        self.has = has
        plain = [i for i in range(count) if not has("ellipsis", i) and not has("new_axis", i)]
        self.sliced, self.new, self.removed = [], [], []
        dimension = place = 0
        for i in range(count):
            if has("ellipsis", i):
                skipped = rank - len(plain)
                dimension, place = dimension + skipped, place + skipped
                continue
            if has("new_axis", i):
                self.new.append(place)
            else:
                self.sliced.append((i, dimension))
                if has("shrink_axis", i):
                    self.removed.append(place)
                dimension += 1
            place += 1


@converter("StridedSlice")
def _strided_slice(model, op):
    x = op.inputs[0]
    if op.inputs[1].get_shape().num_elements() is None:
        raise model.unsupported(op, "the number of its dimensions is unknown")
    spec = _Spec(model, op)
    result = model.value(x)
    if spec.sliced:
        strides = model.static(op, 3).astype(np.int64)
        steps = np.array([1 if spec.has("shrink_axis", i) else strides[i] for i, _ in spec.sliced])
        bounds = _static_bounds(model, op, spec, steps)
        if bounds is not None:
            starts, ends = bounds
        else:
            starts, ends = _bounds(model, op, spec, steps)
        axes = model.int64([dimension for _, dimension in spec.sliced])
        result = model.node("Slice", [result, starts, ends, axes, model.int64(steps)], op)
    # First new dimensions are added, then those that were selected removed, as both are counted together.
    if spec.new:
        result = model.node("Unsqueeze", [result, model.int64(spec.new)], op)
    if spec.removed:
        result = model.node("Squeeze", [result, model.int64(spec.removed)], op)
    model.set(op.outputs[0], result)


def _defaults(step):
    """Where a slice begins and ends if nothing says so."""
    return (0, MAX_INT64) if step > 0 else (MAX_INT64, _MIN_INT64)


def _backward(spec, steps):
    """For each entry, whether it goes backward from a place that is given: nothing is there if it is before the first
    element, where ONNX would begin with that one."""
    return [
        bool(step < 0 and not spec.has("begin", i) and not spec.has("shrink_axis", i))
        for (i, _), step in zip(spec.sliced, steps)
    ]


def _static_bounds(model, op, spec, steps):
    """Constants; None: they depend on inputs, or on sizes that are unknown."""
    if not all(model.is_static(tensor) for tensor in op.inputs[1:3]):
        return None
    sizes = op.inputs[0].get_shape().as_list()
    begin, end = (model.static(op, i).astype(np.int64) for i in (1, 2))
    starts, ends = [], []
    for (i, dimension), step, is_backward in zip(spec.sliced, steps, _backward(spec, steps)):
        first, last = _defaults(step)
        size = sizes[dimension]
        if is_backward and begin[i] < -1 and (size is None or begin[i] < -size):
            if size is None:
                return None
            starts.append(0)
            ends.append(0)
        elif spec.has("shrink_axis", i):
            starts.append(begin[i])
            ends.append(begin[i] + 1 if begin[i] != -1 else MAX_INT64)
        else:
            starts.append(first if spec.has("begin", i) else begin[i])
            ends.append(last if spec.has("end", i) else end[i])
    return model.int64(starts), model.int64(ends)


def _bounds(model, op, spec, steps):
    """The same for values that are known when the model runs."""
    entries = model.int64([i for i, _ in spec.sliced])
    begin, end = (model.node("Gather", [model.as_int64(op.inputs[k], op), entries], op, axis=0) for k in (1, 2))
    masks = {key: [bool(spec.has(key, i)) for i, _ in spec.sliced] for key in ("begin", "end", "shrink_axis")}
    first, last = zip(*map(_defaults, steps))
    selected = masks["shrink_axis"]
    keeps_begin = [b and not s for b, s in zip(masks["begin"], selected)]
    starts = _where(model, op, keeps_begin, model.int64(first), begin)
    ends = _where(model, op, masks["end"], model.int64(last), end)
    backward = _backward(spec, steps)
    if any(backward):
        sizes = model.node("Shape", [model.value(op.inputs[0])], op)
        sizes = model.node("Gather", [sizes, model.int64([dimension for _, dimension in spec.sliced])], op, axis=0)
        is_before = model.node("Less", [begin, model.node("Neg", [sizes], op)], op)
        is_empty = model.node("And", [is_before, model.constant(backward, dtypes.bool.as_numpy_dtype)], op)
        starts, ends = (model.node("Where", [is_empty, model.int64(0), bound], op) for bound in (starts, ends))
    if any(selected):
        next_one = model.node("Add", [begin, model.int64(1)], op)
        is_last = model.node("Equal", [begin, model.int64(-1)], op)
        after = model.node("Where", [is_last, model.int64(MAX_INT64), next_one], op)
        ends = _where(model, op, selected, after, ends)
    return starts, ends


def _where(model, op, mask, x, y):
    return model.node("Where", [model.constant(mask, dtypes.bool.as_numpy_dtype), x, y], op) if any(mask) else y
