"""Records of clipping."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(draw, case):
    shape = draw(case.shapes())
    low, high = ({"domain": (-4, -1)}, {"domain": (1, 4)}) if case.smooth else ({}, {})
    low = draw(case.array(shape if draw(st.booleans()) else (), **low))
    high = draw(case.array(shape if draw(st.booleans()) else (), **high))
    return [draw(case.array(shape)), low, high], {}


def _away_from_limits(draw, case):
    shape = draw(case.shapes())
    low = draw(case.array(shape if draw(st.booleans()) else (), domain=(-3.8, -0.2)))
    high = draw(case.array(shape if draw(st.booleans()) else (), domain=(0.2, 3.8)))
    return [np.round(draw(case.array(shape))), np.floor(low) + 0.25, np.floor(high) + 0.75], {}


def _clip(t, low, high):
    return np.maximum(np.minimum(t, high), low)


RECORDS = [OpRecord("ClipByValue", _clip, _inputs, gradient_inputs=_away_from_limits)]
