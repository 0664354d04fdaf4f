"""Records of adding a bias to each channel."""

from hypothesis import strategies as st

from tfcore.testing import OpRecord


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


RECORDS = [
    OpRecord("BiasAdd", _bias_add, _bias_inputs),
    OpRecord("BiasAddV1", _bias_add, _bias_v1_inputs),
    OpRecord("BiasAddGrad", _bias_add_grad, _bias_grad_inputs, scale="abs", ulps=8),
]
