"""Records of square roots and logarithms of matrices."""

import numpy as np
import scipy.linalg

from tests.records.linalg.linalg import _largest, _matrix
from tfcore.testing import OpRecord


def _of_each(function):
    def reference(x):
        matrices = x.reshape(-1, *x.shape[-2:]) if x.size else []
        return np.array([function(m) for m in matrices], dtype=x.dtype).reshape(x.shape)

    return reference


_ROOT, _LOGARITHM = _of_each(scipy.linalg.sqrtm), _of_each(scipy.linalg.logm)
RECORDS = [
    OpRecord("MatrixSquareRoot", _ROOT, _matrix, scale=_largest(_ROOT), ulps=40),
    OpRecord("MatrixLogarithm", _LOGARITHM, _matrix, scale=_largest(_LOGARITHM), ulps=200),
]
