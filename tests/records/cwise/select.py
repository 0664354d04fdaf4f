"""Records of choices between tensors."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _select_inputs(draw, case):
    shape = draw(case.shapes())
    kind = draw(st.sampled_from(["elements", "rows", "scalar"]))
    condition = {"elements": shape, "rows": shape[:1], "scalar": ()}[kind]
    return [draw(case.array(condition, dtype=np.bool_)), *(draw(case.array(shape)) for _ in range(2))], {}


def _select(condition, t, e):
    if condition.ndim < t.ndim:
        condition = condition.reshape(condition.shape + (1,) * (t.ndim - condition.ndim))
    return np.where(condition, t, e)


def _select_v2_inputs(draw, case):
    c, t, e = draw(case.broadcastable_shapes(3))
    return [draw(case.array(c, dtype=np.bool_)), draw(case.array(t)), draw(case.array(e))], {}


RECORDS = [
    OpRecord("Select", _select, _select_inputs, special=True),
    OpRecord("SelectV2", np.where, _select_v2_inputs, special=True),
]
