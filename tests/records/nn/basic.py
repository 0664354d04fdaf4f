"""Records of l2_loss, in_top_k and check_numerics."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, unary


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
    unary("L2Loss", lambda x: np.sum(x * x) / 2, special=False, ulps=8, domain=(-20, 20)),
    OpRecord("InTopK", _in_top_k, _top_k_inputs),
    OpRecord("InTopKV2", _in_top_k, _top_k_v2_inputs),
    OpRecord("CheckNumerics", lambda x, message: x, _finite),
]
