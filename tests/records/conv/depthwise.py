"""Records of depthwise convolutions: dense ones whose filters are mostly zero."""

import numpy as np

from tests.records.conv import conv
from tfcore.testing import OpRecord


def _dense(f):
    """The filter of a depthwise convolution as one of a dense one."""
    taps_h, taps_w, c, m = f.shape
    dense = np.zeros((taps_h, taps_w, c, c * m), f.dtype)
    for i in range(c):
        dense[:, :, i, i * m : (i + 1) * m] = f[:, :, i]
    return dense


def _depthwise(x, f, **attrs):
    return conv.conv2d(x, _dense(f), **attrs)


def _depthwise_backprop_input(sizes, f, g, **attrs):
    return conv.conv2d_backprop_input(sizes, _dense(f), g, **attrs)


def _depthwise_backprop_filter(x, sizes, g, **attrs):
    c, m = sizes[2:]
    dense = conv.conv2d_backprop_filter(x, (sizes[0], sizes[1], c, c * m), g, **attrs)
    return np.stack([dense[:, :, i, i * m : (i + 1) * m] for i in range(c)], axis=2)


def _depthwise_inputs(inputs):
    return lambda draw, case: inputs(draw, case, depthwise=True)


RECORDS = [
    OpRecord("DepthwiseConv2dNative", _depthwise, _depthwise_inputs(conv.forward_inputs), scale="abs"),
    OpRecord(
        "DepthwiseConv2dNativeBackpropInput",
        _depthwise_backprop_input,
        _depthwise_inputs(conv.backprop_input_inputs),
        scale="abs",
    ),
    OpRecord(
        "DepthwiseConv2dNativeBackpropFilter",
        _depthwise_backprop_filter,
        _depthwise_inputs(conv.backprop_filter_inputs),
        scale="abs",
        ulps=8,
    ),
]
