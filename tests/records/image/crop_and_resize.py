"""Crops of images, resized. Positions are float32, as in TensorFlow; what is summed is not."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import Const, OpRecord

F = np.float32


def _draw(draw, case, box_range=(-0.3, 1.3)):
    most = 4 if case.smooth else 9
    batch, height, width, rows, columns = (draw(st.integers(1, most)) for _ in range(5))
    depth = draw(st.sampled_from([1, 2] if case.smooth else [1, 2, 3, 3, 4, 5, 17]))
    count = draw(st.integers(1 if case.smooth else 0, 3))
    boxes = draw(case.array((count, 4), dtype=F, domain=box_range))
    image_of = np.array([draw(st.integers(0, batch - 1)) for _ in range(count)], np.int32)
    return (batch, height, width, depth), (rows, columns), boxes, image_of


def _images(draw, case, shape):
    return draw(case.array(shape) if case.T.kind in "iu" else case.array(shape, domain=(-100, 100)))


def _forward(draw, case):
    shape, size, boxes, image_of = _draw(draw, case)
    attrs = {
        "method": draw(st.sampled_from(["bilinear", "nearest"])),
        "extrapolation_value": draw(st.sampled_from([0.0, 0.5])),
    }
    size = np.array(size, np.int32)
    return [_images(draw, case, shape), boxes, image_of, Const(size) if draw(st.booleans()) else size], attrs


def _to_image(draw, case):
    shape, size, boxes, image_of = _draw(draw, case)
    grads = draw(case.array((len(boxes), *size, shape[3]), dtype=F, domain=(-100, 100)))
    sizes = np.array(shape, np.int32)
    return [grads, boxes, image_of, sizes], {"method": draw(st.sampled_from(["bilinear", "nearest"]))}


def _to_boxes(draw, case):
    shape, size, boxes, image_of = _draw(draw, case)
    grads = draw(case.array((len(boxes), *size, shape[3]), dtype=F, domain=(-100, 100)))
    return [grads, _images(draw, case, shape), boxes, image_of], {}


def _places(begin, end, size, steps):
    begin, end, last = F(begin), F(end), F(size - 1)
    if steps == 1:
        return [F(0.5 * float(begin + end) * float(last))]
    scale = (end - begin) * last / F(steps - 1)
    return [begin * last + F(i) * scale for i in range(steps)]


def _matrix(begin, end, size, steps, method):
    """[steps, size] of weights; a row of NaN is outside of the image."""
    matrix = np.zeros((steps, size))
    for i, at in enumerate(_places(begin, end, size, steps)):
        if at < 0 or at > size - 1:
            matrix[i] = np.nan
        elif method == "nearest":
            matrix[i, int(np.floor(float(at) + 0.5))] = 1
        else:
            below, part = int(np.floor(at)), float(at - np.floor(at))
            matrix[i, below] += 1 - part
            matrix[i, int(np.ceil(at))] += part
    return matrix


def _sides(box, shape, size, method):
    return [_matrix(box[k], box[k + 2], shape[1 + k], size[k], method) for k in (0, 1)]


def _crop(image, boxes, image_of, crop_size, method, extrapolation_value):
    result = np.zeros((len(boxes), *crop_size, image.shape[3]), F if image.dtype.kind in "iu" else float)
    for i, box in enumerate(boxes):
        y, x = _sides(box, image.shape, crop_size, method)
        crop = np.einsum("yi,xj,ijc->yxc", y, x, image[image_of[i]].astype(float))
        result[i] = np.where(np.isnan(crop), extrapolation_value, crop)
    return result


def _crop_scale(image, boxes, image_of, crop_size, method, extrapolation_value):
    """The sum of the pixels that a pixel is made of: differences between them are rounded."""
    result = np.zeros((len(boxes), *crop_size, image.shape[3]))
    for i, box in enumerate(boxes):
        y, x = (side != 0 for side in _sides(box, image.shape, crop_size, method))
        result[i] = np.einsum("yi,xj,ijc->yxc", y, x, np.abs(image[image_of[i]].astype(float)))
    return result


def _image_grad(grads, boxes, image_of, image_size, method, T):  # noqa: N803
    result = np.zeros(image_size)
    for i, box in enumerate(boxes):
        y, x = (np.nan_to_num(side) for side in _sides(box, image_size, grads.shape[1:3], method))
        result[image_of[i]] += np.einsum("yi,xj,yxc->ijc", y, x, grads[i])
    return result


def _image_grad_scale(grads, *rest, **attrs):
    return _image_grad(np.abs(grads), *rest, **attrs)


def _boxes_grad(grads, image, boxes, image_of, absolute=False):
    result = np.zeros((len(boxes), 4))
    for i, box in enumerate(boxes):
        places = [_places(box[k], box[k + 2], image.shape[1 + k], grads.shape[1 + k]) for k in (0, 1)]
        for (m, y), (n, x) in ((a, b) for a in enumerate(places[0]) for b in enumerate(places[1])):
            if 0 <= y <= image.shape[1] - 1 and 0 <= x <= image.shape[2] - 1:
                _add_slopes(
                    result[i], image[image_of[i]].astype(float), grads[i, m, n], (y, m), (x, n), grads.shape, absolute
                )
    return result


def _add_slopes(result, image, grad, row, column, shape, absolute):
    (y, m), (x, n) = row, column
    top, left, down, right = (int(f(v)) for f in (np.floor, np.ceil) for v in (y, x))
    dy, dx = float(y - np.floor(y)), float(x - np.floor(x))
    slopes = [
        (1 - dx) * (image[down, left] - image[top, left]) + dx * (image[down, right] - image[top, right]),
        (1 - dy) * (image[top, right] - image[top, left]) + dy * (image[down, right] - image[down, left]),
    ]
    for k, (step, steps) in enumerate(((m, shape[1]), (n, shape[2]))):
        part = step / (steps - 1) if steps > 1 else 0.5
        if absolute:
            total = np.abs(grad) @ np.full(len(grad), 2 * np.abs(image).max()) * (image.shape[k] - 1)
        else:
            total = grad @ slopes[k] * (image.shape[k] - 1)
        result[k] += total * (1 - part)
        result[k + 2] += total * part


def _boxes_grad_scale(*arguments):
    return _boxes_grad(*arguments, absolute=True)


RECORDS = [
    OpRecord("CropAndResize", _crop, _forward, scale=_crop_scale, ulps=16, gradient=0),
    OpRecord("CropAndResizeGradImage", _image_grad, _to_image, scale=_image_grad_scale, ulps=16),
    OpRecord("CropAndResizeGradBoxes", _boxes_grad, _to_boxes, scale=_boxes_grad_scale, ulps=16),
]
EXPLICIT_GRADIENTS = {"CropAndResize": "tests/ops/image/test_crop_and_resize.py::test_gradients_by_differences"}
