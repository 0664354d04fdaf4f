"""Records of normalization over neighbouring channels, and over a batch with given statistics."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

# ---- Local response normalization


def _lrn_attrs(draw):
    """Attributes that are exact in float32."""
    return {
        "depth_radius": draw(st.sampled_from([0, 1, 2, 5, 50])),
        "bias": draw(st.sampled_from([1.0, 2.0])),
        "alpha": draw(st.sampled_from([1.0, 0.125])),
        "beta": draw(st.sampled_from([0.5, 0.75, 1.0, 0.25])),
    }


def _lrn_shape(draw):
    channels = draw(st.sampled_from([0, 1, 3, 16, 17, 33, 64]))
    return draw(st.integers(0, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 3)), channels


def _lrn_inputs(draw, case):
    return [draw(case.array(_lrn_shape(draw)))], _lrn_attrs(draw)


def _lrn_grad_inputs(draw, case):
    shape, attrs = _lrn_shape(draw), _lrn_attrs(draw)
    x = draw(case.array(shape))
    return [draw(case.array(shape)), x, lrn(x.astype(np.float64), **attrs).astype(x.dtype)], attrs


def _window_sum(x, radius):
    rows = [x[..., max(0, i - radius) : i + radius + 1].sum(axis=-1) for i in range(x.shape[-1])]
    return np.stack(rows, axis=-1) if rows else x


def lrn(x, depth_radius, bias, alpha, beta):
    return x * (bias + alpha * _window_sum(x * x, depth_radius)) ** -beta


def lrn_grad(dy, x, y, depth_radius, bias, alpha, beta):
    norm = bias + alpha * _window_sum(x * x, depth_radius)
    return dy * norm**-beta - 2 * alpha * beta * x * _window_sum(dy * y / norm, depth_radius)


def _lrn_grad_scale(dy, x, y, depth_radius, bias, alpha, beta):
    dy, y = np.abs(dy), np.abs(y)
    norm = bias + alpha * _window_sum(x * x, depth_radius)
    return dy * norm**-beta + 2 * alpha * beta * np.abs(x) * _window_sum(dy * y / norm, depth_radius)


# ---- Batch normalization with given statistics


def _global_vectors(draw, case, n):
    mean, beta, gamma = (draw(case.array((n,), domain=(-3, 3))) for _ in range(3))
    return mean, draw(case.array((n,), domain=(0.25, 3))), beta, gamma


def _global_attrs(draw):
    return {
        "variance_epsilon": draw(st.sampled_from([0.001953125, 0.5])),
        "scale_after_normalization": draw(st.booleans()),
    }


def _global_shape(draw, case):
    n = draw(st.sampled_from([1, 2] if case.smooth else [1, 3, 16, 17]))
    return draw(st.integers(1 if case.smooth else 0, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 3)), n


def _global_inputs(draw, case):
    shape = _global_shape(draw, case)
    return [draw(case.array(shape, domain=(-3, 3))), *_global_vectors(draw, case, shape[3])], _global_attrs(draw)


def _global_grad_inputs(draw, case):
    shape = _global_shape(draw, case)
    t, backprop = (draw(case.array(shape, domain=(-3, 3))) for _ in range(2))
    mean, variance, _, gamma = _global_vectors(draw, case, shape[3])
    return [t, mean, variance, gamma, backprop], _global_attrs(draw)


def _global(t, m, v, beta, gamma, variance_epsilon, scale_after_normalization):
    gain = (gamma if scale_after_normalization else 1) / np.sqrt(v + variance_epsilon)
    return (t - m) * gain + beta


def _global_scale(t, m, v, beta, gamma, variance_epsilon, scale_after_normalization):
    gain = (np.abs(gamma) if scale_after_normalization else 1) / np.sqrt(v + variance_epsilon)
    return (np.abs(t) + np.abs(m)) * gain + np.abs(beta)


def _global_grad(t, m, v, gamma, backprop, variance_epsilon, scale_after_normalization):
    axes = (0, 1, 2)
    rstd = 1 / np.sqrt(v + variance_epsilon)
    gain = rstd * gamma if scale_after_normalization else rstd
    total, moment = backprop.sum(axis=axes), (backprop * (t - m)).sum(axis=axes)
    dgamma = moment * rstd if scale_after_normalization else np.zeros_like(moment)
    return [backprop * gain, -total * gain, -0.5 * moment * gain * rstd**2, total, dgamma]


def _global_grad_scale(t, m, v, gamma, backprop, variance_epsilon, scale_after_normalization):
    magnitudes = np.abs(t) + np.abs(m), np.zeros_like(m), v, np.abs(gamma), np.abs(backprop)
    values = _global_grad(*magnitudes, variance_epsilon, scale_after_normalization)
    return [np.abs(value) for value in values]


RECORDS = [
    OpRecord("LRN", lrn, _lrn_inputs, ulps=16, domain=(-3, 3), gradient=0),
    OpRecord("LRNGrad", lrn_grad, _lrn_grad_inputs, ulps=32, scale=_lrn_grad_scale, domain=(-3, 3), gradient=0),
    OpRecord("BatchNormWithGlobalNormalization", _global, _global_inputs, scale=_global_scale),
    OpRecord("BatchNormWithGlobalNormalizationGrad", _global_grad, _global_grad_inputs, scale=_global_grad_scale),
]

_TESTS = "tests/ops/nn/test_normalization.py::"
EXPLICIT_GRADIENTS = {
    "LRN": _TESTS + "test_lrn_gradients",
    "LRNGrad": _TESTS + "test_lrn_gradients",
}
