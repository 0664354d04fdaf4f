"""Records of slices."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import After, OpRecord


def _slice(draw, case):
    shape = draw(case.shapes(max_rank=6))
    begin = [draw(st.integers(0, d)) for d in shape]
    size = [-1 if draw(st.integers(0, 3)) == 0 else draw(st.integers(0, d - b)) for d, b in zip(shape, begin)]
    return [draw(case.array(shape)), np.array(begin, case.Index), np.array(size, case.Index)], {}


def _slice_reference(x, begin, size):
    return x[tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size))]


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _specification(draw, shape, index_type):
    """begin, end, strides and masks of a random subscript of a tensor of that shape."""
    rows, masks = [], dict.fromkeys(_MASKS, 0)
    used, room = 0, 8 - len(shape)
    seen_ellipsis = False
    while len(rows) < 10:
        bit = 1 << len(rows)
        kind = draw(st.sampled_from(["range", "range", "range", "index", "new", "ellipsis", "stop"]))
        if kind == "stop":
            break
        if kind == "new":
            if room == 0:
                break
            room -= 1
            masks["new_axis_mask"] |= bit
            rows.append((0, 0, 1))
        elif kind == "ellipsis":
            if seen_ellipsis:
                continue
            seen_ellipsis = True
            masks["ellipsis_mask"] |= bit
            rows.append((0, 0, 1))
            used = draw(st.integers(used, len(shape)))
        elif used == len(shape):
            break
        else:
            d = shape[used]
            used += 1
            if kind == "index" and d and not seen_ellipsis:
                at = draw(st.integers(-d, d - 1))
                masks["shrink_axis_mask"] |= bit
                rows.append((at, at + 1, 1))
                continue
            reach = st.integers(-d - 2, d + 2)
            rows.append((draw(reach), draw(reach), draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2, 7]))))
            masks["begin_mask"] |= bit if draw(st.booleans()) else 0
            masks["end_mask"] |= bit if draw(st.booleans()) else 0
    columns = np.array(rows, index_type).reshape(len(rows), 3).T
    return [np.ascontiguousarray(c) for c in columns], masks


def _key(begin, end, strides, masks):
    """The NumPy subscript of a specification."""
    key = []
    for i, (b, e, s) in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist())):
        if masks["ellipsis_mask"] >> i & 1:
            key.append(Ellipsis)
        elif masks["new_axis_mask"] >> i & 1:
            key.append(None)
        elif masks["shrink_axis_mask"] >> i & 1:
            key.append(b)
        else:
            first = None if masks["begin_mask"] >> i & 1 else b
            last = None if masks["end_mask"] >> i & 1 else e
            key.append(slice(first, last, s))
    return tuple(key)


def _strided(draw, case):
    shape = draw(case.shapes(max_rank=5))
    vectors, masks = _specification(draw, shape, case.Index)
    return [draw(case.array(shape)), *vectors], masks


def _strided_reference(x, begin, end, strides, **masks):
    part = x[_key(begin, end, strides, masks)]
    out = np.empty(np.shape(part), x.dtype)
    out[...] = part
    return out


def _strided_with_value(draw, case):
    (x, *vectors), masks = _strided(draw, case)
    shape = np.shape(np.empty(x.shape)[_key(*vectors, masks)])
    return [x, *vectors, draw(case.array(shape))], masks


def _strided_grad(draw, case):
    (x, *vectors, value), masks = _strided_with_value(draw, case)
    return [np.array(x.shape, case.Index), *vectors, value], masks


def _strided_grad_reference(shape, begin, end, strides, dy, **masks):
    out = np.empty(tuple(shape), dy.dtype)
    out[...] = b"" if dy.dtype.kind == "O" else 0
    out[_key(begin, end, strides, masks)] = dy
    return out


def _assign_reference(x, begin, end, strides, value, **masks):
    out = x.copy()
    out[_key(begin, end, strides, masks)] = value
    return out


def _assign_build(inputs, masks):
    import tfcore as tf

    x, *rest = inputs
    variable = tf.Variable(x, trainable=False, validate_shape=False)
    return After([variable.initializer], lambda: tf.raw_ops.StridedSliceAssign(ref=variable._ref(), **dict(
        zip(("begin", "end", "strides", "value"), rest)), **masks))  # fmt: skip


RECORDS = [
    OpRecord("Slice", _slice_reference, _slice, special=True, examples=4),
    OpRecord("StridedSlice", _strided_reference, _strided, special=True, examples=6),
    OpRecord("StridedSliceGrad", _strided_grad_reference, _strided_grad, special=True, examples=4),
    OpRecord(
        "StridedSliceAssign", _assign_reference, _strided_with_value, build=_assign_build, special=True, examples=3
    ),
]
