"""Records of batch normalization in one op."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _axes(x, data_format):
    """Axes of the sums, and a function that lets a vector of channels broadcast."""
    axis = 1 if data_format.startswith("NC") else x.ndim - 1
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    return tuple(i for i in range(x.ndim) if i != axis), lambda v: v.reshape(shape)


def _image(draw, case, formats):
    data_format = draw(st.sampled_from(formats))
    channels = draw(st.sampled_from([1, 2, 5, 16, 17, 40]))
    sizes = [draw(st.integers(1, 7)) for _ in range(len(data_format) - 2)]
    n = draw(st.integers(0, 3))
    shape = (n, channels, *sizes) if data_format.startswith("NC") else (n, *sizes, channels)
    return draw(case.array(shape, domain=(-10, 10))), channels, data_format


def _vector(draw, case, n, low=-3.0):
    return draw(case.array((n,), dtype=np.float32, domain=(low, 3.0), contiguous=True))


def _batch_norm_inputs(formats):
    def draw_inputs(draw, case):
        x, n, data_format = _image(draw, case, formats)
        training = draw(st.booleans())
        factor = draw(st.sampled_from([1.0, 0.25])) if training else 1.0
        given = not training or factor != 1.0
        empty = np.zeros(0, np.float32)
        mean = _vector(draw, case, n) if given else empty
        variance = _vector(draw, case, n, 0.25) if given else empty
        attrs = {
            "epsilon": draw(st.sampled_from([0.001953125, 0.5])),
            "exponential_avg_factor": factor,
            "data_format": data_format,
            "is_training": training,
        }
        return [x, _vector(draw, case, n), _vector(draw, case, n), mean, variance], attrs

    return draw_inputs


def _statistics(x, mean, variance, training, axes):
    """Mean and variance to normalize with, and those to report."""
    if not training:
        return mean, variance, mean, variance
    rows = int(np.prod([x.shape[a] for a in axes]))
    if rows == 0:
        return (np.full(_channels(x, axes), np.nan),) * 4
    mean, variance = x.mean(axis=axes), x.var(axis=axes)
    return mean, variance, mean, variance * rows / max(1, rows - 1)


def _channels(x, axes):
    (axis,) = set(range(x.ndim)) - set(axes)
    return x.shape[axis]


def _batch_norm(outputs):
    def reference(x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training):
        axes, wide = _axes(x, data_format)
        used_mean, used_variance, new_mean, new_variance = _statistics(x, mean, variance, is_training, axes)
        if is_training and exponential_avg_factor != 1.0:
            f = exponential_avg_factor
            new_mean, new_variance = (1 - f) * mean + f * new_mean, (1 - f) * variance + f * new_variance
        y = (x - wide(used_mean)) / np.sqrt(wide(used_variance) + epsilon) * wide(scale) + wide(offset)
        return [y, new_mean, new_variance, used_mean, used_variance, np.zeros(())][:outputs]

    def magnitude(x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training):
        axes, wide = _axes(x, data_format)
        used_mean, used_variance, _, _ = _statistics(x, mean, variance, is_training, axes)
        gain = wide(np.abs(scale) / np.sqrt(used_variance + epsilon))
        y = (np.abs(x) + np.abs(wide(used_mean))) * gain + np.abs(wide(offset))
        if is_training and not x.size:
            return [y, *[np.zeros(_channels(x, axes))] * 4, np.zeros(())][:outputs]
        means = np.abs(x).mean(axis=axes) if is_training else np.abs(mean)
        squares = np.square(x).mean(axis=axes) * 2 if is_training else np.abs(variance)
        if is_training and exponential_avg_factor != 1.0:
            means, squares = means + np.abs(mean), squares + variance
        return [y, means, squares, means, squares, np.zeros(())][:outputs]

    return reference, magnitude


def _batch_norm_grad_inputs(formats, reserves):
    def draw_inputs(draw, case):
        x, n, data_format = _image(draw, case, formats)
        dy = draw(case.array(x.shape, domain=(-10, 10)))
        vectors = [_vector(draw, case, n), _vector(draw, case, n), _vector(draw, case, n, 0.25)]
        attrs = {
            "epsilon": draw(st.sampled_from([0.001953125, 0.5])),
            "data_format": data_format,
            "is_training": draw(st.booleans()),
        }
        return [dy, x, *vectors, *[np.zeros((), np.float32)] * reserves], attrs

    return draw_inputs


def batch_norm_grad(dy, x, scale, mean, variance, *_, epsilon, data_format, is_training):
    axes, wide = _axes(x, data_format)
    rstd = 1 / np.sqrt(variance + epsilon)
    h = (x - wide(mean)) * wide(rstd)
    dx = dy
    if is_training and x.size:
        dx = dy - wide(dy.mean(axis=axes)) - h * wide((dy * h).mean(axis=axes))
    dx = dx * wide(scale * rstd)
    return [dx, (dy * h).sum(axis=axes), dy.sum(axis=axes), np.zeros(0), np.zeros(0)]


def _batch_norm_grad_scale(dy, x, scale, mean, variance, *_, epsilon, data_format, is_training):
    axes, wide = _axes(x, data_format)
    rstd = 1 / np.sqrt(variance + epsilon)
    h, dy = (np.abs(x) + np.abs(wide(mean))) * wide(rstd), np.abs(dy)
    dx = dy
    if is_training and x.size:
        dx = dy + wide(dy.mean(axis=axes)) + h * wide((dy * h).mean(axis=axes))
    dx = dx * wide(np.abs(scale) * rstd)
    return [dx, (dy * h).sum(axis=axes), dy.sum(axis=axes), np.zeros(0), np.zeros(0)]


_IMAGES = ["NHWC", "NHWC", "NCHW"]
_VOLUMES = [*_IMAGES, "NDHWC", "NCDHW"]
_VERSIONS = [("", _IMAGES, 5, 0), ("V2", _IMAGES, 5, 0), ("V3", _VOLUMES, 6, 1)]

RECORDS = []
for _version, _formats, _outputs, _reserves in _VERSIONS:
    _reference, _magnitude = _batch_norm(_outputs)
    RECORDS += [
        OpRecord(
            f"FusedBatchNorm{_version}",
            _reference,
            _batch_norm_inputs(_formats),
            ulps=16,
            scale=_magnitude,
            gradient=0,
        ),
        OpRecord(
            f"FusedBatchNormGrad{_version}",
            batch_norm_grad,
            _batch_norm_grad_inputs(_formats, _reserves),
            ulps=32,
            scale=_batch_norm_grad_scale,
            gradient=0,
        ),
    ]

_GRADIENTS = "tests/ops/nn/test_fused_batch_norm.py::test_fused_batch_norm_gradients"
EXPLICIT_GRADIENTS = {r.op: _GRADIENTS for r in RECORDS}
