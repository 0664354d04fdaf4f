"""Values of small integer tensors that ops compute from constants, for shape functions: NumPy computes them.

TensorFlow's shape functions know them, too; `tf.get_static_value` does not.
"""

import threading

import numpy as np

_MAX_ELEMENTS = 1 << 10
_MAX_OPS = 64  # for one value: a graph may be deep, and an op's inputs the same tensor
_work = threading.local()


def fold(op, constant_value):
    """The value of an op's output as an array, None if it is not known.

    Args:
      op: An `Operation`; any type is allowed.
      constant_value: A function from a `Tensor` to its value or None.
    """
    compute = _FUNCTIONS.get(op.type)
    if compute is None or not _is_small(op.outputs[0]):
        return None
    before = _work.__dict__.get("ops", 0)
    if before >= _MAX_OPS:
        return None
    _work.ops = before + 1
    try:
        values = []
        for tensor in op.inputs:
            value = constant_value(tensor) if _is_small(tensor) else None
            if value is None:
                return None
            values.append(value)
        result = compute(op, *values)
    finally:
        if before == 0:
            _work.ops = 0
    return None if result is None else np.asarray(result, op.outputs[0].dtype.as_numpy_dtype)


def _is_small(tensor):
    is_known = tensor.dtype.is_integer or tensor.dtype.is_bool
    return is_known and not (tensor.dims and any(d is not None and d > _MAX_ELEMENTS for d in tensor.dims))


def _elementwise(function):
    def compute(op, *values):
        with np.errstate(all="ignore"):
            result = function(*values)
        return result if result.size <= _MAX_ELEMENTS else None

    return compute


def _division(function):
    compute = _elementwise(function)
    return lambda op, x, y: compute(op, x, y) if np.all(y) else None  # the kernel reports a division by 0


def _reduction(function):
    def compute(op, x, axes):
        axes = tuple(int(a) for a in axes.ravel())
        if len({a % x.ndim for a in axes if x.ndim}) < len(axes) or any(not -x.ndim <= a < x.ndim for a in axes):
            return None
        if x.size == 0:
            return None
        return function(x, axis=axes, keepdims=op.attrs["keep_dims"])

    return compute


def _gather(op, params, indices, axis=0):
    axis = int(axis)
    if op.attrs.get("batch_dims") or not -params.ndim <= axis < params.ndim or indices.size > _MAX_ELEMENTS:
        return None
    if np.any((indices < 0) | (indices >= params.shape[axis])):
        return None
    return np.take(params, indices, axis)


def _strided_slice(op, x, begin, end, strides):
    masks = {name: op.attrs[f"{name}_mask"] for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    index = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        if masks["ellipsis"] >> i & 1:
            index.append(...)
        elif masks["new_axis"] >> i & 1:
            index.append(None)
        elif masks["shrink_axis"] >> i & 1:
            index.append(int(first))
        elif step == 0:
            return None
        else:
            bounds = (None if masks[name] >> i & 1 else int(v) for name, v in (("begin", first), ("end", last)))
            index.append(slice(*bounds, int(step)))
    try:
        return x[tuple(index)]
    except IndexError:  # the shape function reports it
        return None


def _reshape(op, x, shape):
    try:
        return x.reshape([int(d) for d in shape])
    except ValueError:
        return None


def _expand_dims(op, x, axis):
    axis = int(axis.reshape(-1)[0])
    return np.expand_dims(x, axis) if -x.ndim - 1 <= axis <= x.ndim else None


def _squeeze(op, x):
    axes = tuple(op.attrs["squeeze_dims"]) or None
    try:
        return np.squeeze(x, axes)
    except ValueError:
        return None


def _select(op, condition, x, y):
    if op.type == "Select" and condition.ndim == 1 and x.ndim > 1:
        return None
    return np.where(condition, x, y)


def _broadcast_args(op, x, y):
    try:
        return np.broadcast_shapes(tuple(x), tuple(y))
    except ValueError:
        return None


_FUNCTIONS = {
    **{
        name: _elementwise(function)
        for name, function in {
            "Add": np.add,
            "AddV2": np.add,
            "Sub": np.subtract,
            "Mul": np.multiply,
            "Neg": np.negative,
            "Abs": np.abs,
            "Maximum": np.maximum,
            "Minimum": np.minimum,
            "Equal": np.equal,
            "NotEqual": np.not_equal,
            "Less": np.less,
            "LessEqual": np.less_equal,
            "Greater": np.greater,
            "GreaterEqual": np.greater_equal,
            "LogicalAnd": np.logical_and,
            "LogicalOr": np.logical_or,
            "LogicalNot": np.logical_not,
        }.items()
    },
    "FloorDiv": _division(np.floor_divide),
    "FloorMod": _division(np.mod),
    "Sum": _reduction(np.sum),
    "Prod": _reduction(np.prod),
    "Max": _reduction(np.max),
    "Min": _reduction(np.min),
    "All": _reduction(np.all),
    "Any": _reduction(np.any),
    "GatherV2": _gather,
    "Gather": _gather,
    "StridedSlice": _strided_slice,
    "Reshape": _reshape,
    "ExpandDims": _expand_dims,
    "Squeeze": _squeeze,
    "Select": _select,
    "SelectV2": _select,
    "BroadcastArgs": _broadcast_args,
    "ReverseV2": lambda op, x, axes: np.flip(x, tuple(int(a) for a in axes)),
    "ZerosLike": lambda op, x: np.zeros_like(x),
    "OnesLike": lambda op, x: np.ones_like(x),
}
