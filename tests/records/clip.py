"""Records of clipping."""

import numpy as np
from hypothesis import strategies as st

from tests.harness import OpRecord


def _inputs(draw, case):
    shape = draw(case.shapes())
    low, high = ({"domain": (-4, -1)}, {"domain": (1, 4)}) if case.smooth else ({}, {})
    low = draw(case.array(shape if draw(st.booleans()) else (), **low))
    high = draw(case.array(shape if draw(st.booleans()) else (), **high))
    return [draw(case.array(shape)), low, high], {}


RECORDS = [OpRecord("ClipByValue", lambda t, low, high: np.minimum(np.maximum(t, low), high), _inputs)]
