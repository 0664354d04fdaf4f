"""Non-maximum suppression against the plain algorithm."""

import functools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _boxes(draw, case):
    """Boxes, some of them given by other corners, and scores with ties."""
    n = draw(st.integers(0, 12))
    dtype = case.types["T"].as_numpy_dtype if "T" in case.types else np.float32
    corners = draw(case.array((n, 4), dtype=dtype, domain=(-1, 1)))
    scores = np.array([draw(st.integers(0, 8)) / 8 for _ in range(n)], dtype)
    return corners, scores


def _number(draw, low, high):
    return draw(st.integers(low * 16, high * 16)) / 16  # exact in all types


def _inputs(thresholds, pad=False):
    """Boxes, scores, size, and as many of: threshold of overlaps, of scores, sigma."""

    def draw_inputs(draw, case):
        boxes, scores = _boxes(draw, case)
        numbers = [_number(draw, 0, 1), _number(draw, 0, 1), 0.0][:thresholds]
        dtype = case.types.get("T_threshold") or case.types.get("T")
        dtype = dtype.as_numpy_dtype if dtype else np.float32
        size = np.int32(draw(st.integers(0, 14)))
        attrs = {"pad_to_max_output_size": draw(st.booleans())} if pad else {}
        return [boxes, scores, size, *(np.array(x, dtype) for x in numbers)], attrs

    return draw_inputs


def _first_inputs(draw, case):
    values, _ = _inputs(0)(draw, case)
    return values, {"iou_threshold": _number(draw, 0, 1)}


def _overlaps_inputs(draw, case):
    n = draw(st.integers(0, 9))
    overlaps = draw(case.array((n, n), dtype=np.float32, domain=(0, 1)))
    scores = np.array([draw(st.integers(0, 8)) / 8 for _ in range(n)], np.float32)
    numbers = [np.float32(_number(draw, 0, 1)) for _ in range(2)]
    return [overlaps, scores, np.int32(draw(st.integers(0, 10))), *numbers], {}


def _overlap(a, b):
    top_a, left_a, bottom_a, right_a = *np.minimum(a[:2], a[2:]), *np.maximum(a[:2], a[2:])
    top_b, left_b, bottom_b, right_b = *np.minimum(b[:2], b[2:]), *np.maximum(b[:2], b[2:])
    areas = (bottom_a - top_a) * (right_a - left_a), (bottom_b - top_b) * (right_b - left_b)
    if min(areas) <= 0:
        return 0.0
    height, width = min(bottom_a, bottom_b) - max(top_a, top_b), min(right_a, right_b) - max(left_a, left_b)
    both = max(height, 0) * max(width, 0)
    return both / (areas[0] + areas[1] - both)


def _choose(overlap, scores, size, most, least):
    chosen = []
    for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i)):
        if len(chosen) == size or scores[i] <= least:
            break
        if all(overlap(i, j) <= most for j in chosen):
            chosen.append(i)
    return np.array(chosen, np.int32)


def _of_boxes(boxes, scores, size, most=0.5, least=-np.inf, kind=np.float32):
    """`kind`: the type of the boxes, to which overlaps are rounded."""
    boxes = boxes.astype(np.float32)
    return _choose(lambda i, j: kind(_overlap(boxes[i], boxes[j])), scores, size, most, least)


def _padded(chosen, size, pad):
    return np.pad(chosen, (0, int(size) - len(chosen))) if pad else chosen


def _v4(boxes, scores, size, most, least, pad_to_max_output_size, kind=np.float32):
    chosen = _of_boxes(boxes, scores, size, most, least, kind)
    return [_padded(chosen, size, pad_to_max_output_size), np.int32(len(chosen))]


def _v5(boxes, scores, size, most, least, sigma, pad_to_max_output_size, kind=np.float32):
    chosen = _of_boxes(boxes, scores, size, most, least, kind)
    indices, best = (_padded(x, size, pad_to_max_output_size) for x in (chosen, scores[chosen]))
    return [indices, best, np.int32(len(chosen))]


def _with_overlaps(overlaps, scores, size, most, least):
    return _choose(lambda i, j: overlaps[i, j], scores, size, most, least)


def _both_types(op, reference, inputs):
    """Records for float and half."""
    half = functools.partial(reference, kind=np.float16)
    return [
        OpRecord(op, reference, inputs, types={"T": "float"}),
        OpRecord(op, half, inputs, types={"T": "half"}),
    ]


def _combined_inputs(draw, case):
    batch, n, classes = (draw(st.integers(0, most)) for most in (2, 8, 3))
    shape = (batch, n, draw(st.sampled_from([1, classes])), 4)
    corners = draw(case.array(shape, dtype=np.float32, domain=(-0.5, 1.5)))
    order = draw(st.permutations(range(batch * n * classes)))  # no ties: TensorFlow's order of these is any
    scores = np.array(order, np.float32).reshape(batch, n, classes) / 64
    sizes = [np.int32(draw(st.integers(1, 9))) for _ in range(2)]
    thresholds = [np.float32(_number(draw, 0, 1)) for _ in range(2)]
    attrs = {name: draw(st.booleans()) for name in ("pad_per_class", "clip_boxes")}
    return [corners, scores, *sizes, *thresholds], attrs


def _combined(boxes, scores, per_class, total, most, least, pad_per_class, clip_boxes):
    batch, n, classes = scores.shape
    size = min(int(total), int(per_class) * classes) if pad_per_class else int(total)
    out = [np.zeros((batch, size, 4)), np.zeros((batch, size)), np.zeros((batch, size)), np.zeros(batch, np.int32)]
    for image in range(batch):
        found = []
        for k in range(classes):
            own = boxes[image, :, min(k, boxes.shape[2] - 1)]
            found += [
                (scores[image, i, k], k, own[i]) for i in _of_boxes(own, scores[image, :, k], per_class, most, least)
            ]
        found = sorted(found, key=lambda f: -f[0])[:size]
        for i, (score, k, box) in enumerate(found):
            out[0][image, i], out[1][image, i], out[2][image, i] = box, score, k
        out[3][image] = len(found)
    if clip_boxes:
        out[0] = np.clip(out[0], 0, 1)
    return out


RECORDS = [
    OpRecord("CombinedNonMaxSuppression", _combined, _combined_inputs),
    OpRecord("NonMaxSuppression", lambda *x, iou_threshold: _of_boxes(*x, iou_threshold), _first_inputs),
    *_both_types("NonMaxSuppressionV2", _of_boxes, _inputs(1)),
    *_both_types("NonMaxSuppressionV3", _of_boxes, _inputs(2)),
    *_both_types("NonMaxSuppressionV4", _v4, _inputs(2, pad=True)),
    *_both_types("NonMaxSuppressionV5", _v5, _inputs(3, pad=True)),
    OpRecord("NonMaxSuppressionWithOverlaps", _with_overlaps, _overlaps_inputs),
]
