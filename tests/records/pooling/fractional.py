"""Records of the gradients of fractional pools; random regions are tested by hand."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_TESTS = "tests/ops/pooling/test_fractional.py::"


def _axis(draw):
    """The beginnings of regions, and the size."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    return np.cumsum([0, *sizes])


def _draw(draw, case):
    rows, columns = _axis(draw), _axis(draw)
    images = draw(case.array((draw(st.integers(1, 2)), rows[-1], columns[-1], draw(st.integers(1, 4)))))
    return images, rows, columns, draw(st.booleans())


def regions(rows, columns, overlapping):
    """(row, column) of the output, and the pixels."""
    for (i, row), (k, column) in itertools.product(enumerate(rows[:-1]), enumerate(columns[:-1])):
        ends = rows[i + 1] + overlapping, columns[k + 1] + overlapping
        yield i, k, (slice(None), slice(row, ends[0]), slice(column, ends[1]))


def pool(images, rows, columns, overlapping, function):
    out = np.zeros((len(images), len(rows) - 1, len(columns) - 1, images.shape[3]), images.dtype)
    for i, k, part in regions(rows, columns, overlapping):
        out[:, i, k] = function(images[part])
    return out


def maxima(part):
    return part.max((1, 2))


def means(part):
    if part.dtype.kind == "f":
        return part.mean((1, 2))
    sums = part.sum((1, 2), dtype=part.dtype)  # wraps
    return (np.abs(sums.astype(object)) // (part.shape[1] * part.shape[2]) * np.sign(sums)).astype(part.dtype)


def _max_grad_inputs(draw, case):
    images, rows, columns, overlapping = _draw(draw, case)
    out = pool(images, rows, columns, overlapping, maxima)
    return [images, out, draw(case.array(out.shape)), rows, columns], {"overlapping": overlapping}


def max_grad(images, out, grad, rows, columns, overlapping):
    found = np.zeros_like(images)
    for i, k, part in regions(rows, columns, overlapping):
        chosen = images[part].reshape(len(images), -1, images.shape[3]).argmax(1)
        width = images[part].shape[2]
        for n, c in np.ndindex(*chosen.shape):
            row, column = divmod(int(chosen[n, c]), width)
            found[n, rows[i] + row, columns[k] + column, c] += grad[n, i, k, c]
    return found


def _avg_grad_inputs(draw, case):
    images, rows, columns, overlapping = _draw(draw, case)
    grad = draw(case.array((len(images), len(rows) - 1, len(columns) - 1, images.shape[3]), domain=(-1000, 1000)))
    return [np.array(images.shape, np.int64), grad, rows, columns], {"overlapping": overlapping}


def avg_grad(shape, grad, rows, columns, overlapping):
    found = np.zeros(shape)
    for i, k, part in regions(rows, columns, overlapping):
        pixels = found[part].shape[1] * found[part].shape[2]
        found[part] += grad[:, i, k][:, None, None].astype(np.float64) / pixels
    return found.astype(grad.dtype)


def _magnitude(images, out, grad, rows, columns, overlapping):
    return max_grad(images, out, np.abs(grad), rows, columns, overlapping)


RECORDS = [
    OpRecord("FractionalMaxPoolGrad", max_grad, _max_grad_inputs, scale=_magnitude),
    OpRecord("FractionalAvgPoolGrad", avg_grad, _avg_grad_inputs, scale="abs"),
]
EXPLICIT = {f"Fractional{kind}Pool": _TESTS + "test_values_of_regions" for kind in ("Max", "Avg")}
EXPLICIT_GRADIENTS = {f"Fractional{kind}Pool": _TESTS + "test_gradients" for kind in ("Max", "Avg")}
