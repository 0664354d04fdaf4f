"""Records of activation functions and their gradient ops."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, unary

_SCALE, _SCALE_ALPHA = 1.0507009873554804934193349852946, 1.7580993408473768599402175208123


def _relu(x):
    return np.where(np.isnan(x), x, np.maximum(x, 0)).astype(x.dtype)


def _relu6(x):
    return np.clip(x, 0, 6).astype(x.dtype)


def _softplus(x):
    return np.logaddexp(x, 0)


def _softplus_gradient(g, x):
    e = np.exp(-np.abs(x))
    return g * (np.where(x < 0, e, 1) / (1 + e))


def _leaky_inputs(draw, case):
    return [draw(case.array(draw(case.shapes())))], {"alpha": draw(st.sampled_from([0.25, 0.0, 2.0]))}


def _pair(draw, case):
    shape = draw(case.shapes())
    return [draw(case.array(shape)) for _ in range(2)], {}


def _leaky_pair(draw, case):
    inputs, _ = _pair(draw, case)
    return inputs, _leaky_inputs(draw, case)[1]


def _grad(op, reference, **options):
    return OpRecord(op, reference, _pair, **options)


RECORDS = [
    unary("Relu", _relu),
    unary("Relu6", _relu6),
    OpRecord("LeakyRelu", lambda x, alpha: np.where(x > 0, x, alpha * x), _leaky_inputs, special=True),
    unary("Elu", lambda x: np.where(x < 0, np.expm1(x), x)),
    unary("Selu", lambda x: np.where(x < 0, _SCALE_ALPHA * np.expm1(x), _SCALE * x), ulps=5),
    unary("Softplus", _softplus),
    unary("Softsign", lambda x: x / (1 + np.abs(x)), domain=(-1e4, 1e4)),
    _grad("ReluGrad", lambda g, x: np.where(x > 0, g, 0).astype(g.dtype), special=True),
    _grad("Relu6Grad", lambda g, x: np.where((x > 0) & (x < 6), g, 0).astype(g.dtype), special=True),
    OpRecord("LeakyReluGrad", lambda g, x, alpha: np.where(x > 0, g, alpha * g), _leaky_pair, special=True),
    _grad("EluGrad", lambda g, y: np.where(y < 0, g * (y + 1), g), scale="abs", domain=(-0.9, 2)),
    _grad("SeluGrad", lambda g, y: np.where(y < 0, g * (y + _SCALE_ALPHA), g * _SCALE), scale="abs", domain=(-1.5, 2)),
    _grad("SoftplusGrad", _softplus_gradient),
    _grad("SoftsignGrad", lambda g, x: g / (1 + np.abs(x)) ** 2, ulps=6, domain=(-50, 50), gradient_domain=(0.5, 3)),
]
