"""Records of cumulative sums and products."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _inputs(draw, case):
    shape = draw(case.shapes(min_rank=1))
    axis = np.array(draw(strategies.axis(len(shape))), case.Tidx)
    return [draw(case.array(shape)), axis], {"exclusive": draw(st.booleans()), "reverse": draw(st.booleans())}


def _scan(function, start):
    def reference(x, axis, exclusive, reverse):
        axis = int(axis)
        y = np.flip(x, axis) if reverse else x
        y = function(y, axis=axis, dtype=y.dtype)
        if exclusive and x.shape[axis]:
            y = np.roll(y, 1, axis)
            np.moveaxis(y, axis, 0)[0] = start
        return np.flip(y, axis) if reverse else y

    return reference


def _absolute_sums(x, axis, exclusive, reverse):
    return _scan(np.cumsum, 0)(np.abs(x), axis, exclusive, reverse)


RECORDS = [
    OpRecord("Cumsum", _scan(np.cumsum, 0), _inputs, scale=_absolute_sums, ulps=70),
    OpRecord(
        "Cumprod", _scan(np.cumprod, 1), _inputs, ulps=200, domain=(-1.5, 1.5), gradient_domain=(0.5, 1.5), scale="abs"
    ),
]
