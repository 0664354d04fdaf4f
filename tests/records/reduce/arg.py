"""Records of the positions of extremes."""

import numpy as np

from tfcore.testing import OpRecord, strategies


def _arg_inputs(draw, case):
    shape = draw(case.shapes(min_rank=1, min_size=1))
    x = draw(case.array(shape))
    return [x, np.array(draw(strategies.axis(len(shape))), case.Tidx)], {}


def _arg(function):
    def reference(x, axis, output_type):
        return function(x, int(axis)).astype(output_type)

    return reference


RECORDS = [
    OpRecord("ArgMax", _arg(np.argmax), _arg_inputs, examples=3),
    OpRecord("ArgMin", _arg(np.argmin), _arg_inputs, examples=3),
]
