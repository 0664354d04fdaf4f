"""Records of bias, l2_loss, in_top_k and check_numerics."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, unary


def _axis(x, data_format):
    return 1 if data_format == "NCHW" else x.ndim - 1


def _bias_inputs(draw, case):
    shape = draw(case.shapes(min_rank=2, max_rank=5))
    data_format = draw(st.sampled_from(["NHWC", "NCHW"]))
    channels = shape[1 if data_format == "NCHW" else -1]
    return [draw(case.array(shape)), draw(case.array((channels,)))], {"data_format": data_format}


def _bias_add(x, bias, data_format="NHWC"):
    after = x.ndim - 1 - _axis(x, data_format)
    return x + bias.reshape(bias.shape + (1,) * after)


def _bias_v1_inputs(draw, case):
    shape = draw(case.shapes(min_rank=2, max_rank=5))
    return [draw(case.array(shape)), draw(case.array(shape[-1:]))], {}


def _bias_grad_inputs(draw, case):
    shape = draw(case.shapes(min_rank=2, max_rank=5))
    return [draw(case.array(shape))], {"data_format": draw(st.sampled_from(["NHWC", "NCHW"]))}


def _bias_add_grad(x, data_format):
    axes = tuple(i for i in range(x.ndim) if i != _axis(x, data_format))
    return x.sum(axis=axes, dtype=x.dtype)


def _top_k_inputs(draw, case):
    batch, classes = draw(st.integers(0, 20)), draw(st.integers(1, 20))
    predictions = draw(case.array((batch, classes), dtype=np.float32, special=True))
    targets = draw(case.array((batch,), domain=(-2, classes + 1)))
    return [predictions, targets], {"k": draw(st.integers(0, classes))}


def _top_k_v2_inputs(draw, case):
    inputs, attrs = _top_k_inputs(draw, case)
    return [*inputs, np.array(attrs["k"], case.T)], {}


def _in_top_k(predictions, targets, k):
    result = np.zeros(len(targets), bool)
    for i, (row, target) in enumerate(zip(predictions, targets)):
        if 0 <= target < len(row) and np.isfinite(row).all():
            result[i] = (row > row[target]).sum() < k
    return result


def _finite(draw, case):
    return [draw(case.array(draw(case.shapes())))], {"message": "text"}


RECORDS = [
    OpRecord("BiasAdd", _bias_add, _bias_inputs),
    OpRecord("BiasAddV1", _bias_add, _bias_v1_inputs),
    OpRecord("BiasAddGrad", _bias_add_grad, _bias_grad_inputs, scale="abs", ulps=8),
    unary("L2Loss", lambda x: np.sum(x * x) / 2, special=False, ulps=8, domain=(-20, 20)),
    OpRecord("InTopK", _in_top_k, _top_k_inputs),
    OpRecord("InTopKV2", _in_top_k, _top_k_v2_inputs),
    OpRecord("CheckNumerics", lambda x, message: x, _finite),
]
