"""Record of softmax over the elements of a sparse tensor's rows."""

import numpy as np

from tests.sparse_tensors import draw_shape, draw_sparse
from tfcore.testing import OpRecord


def _inputs(draw, case):
    return draw_sparse(draw, case, draw_shape(draw, case, min_rank=2)), {}


def _softmax(indices, values, shape):
    out = np.empty_like(values)
    rows = [tuple(index[:-1]) for index in indices.tolist()]
    for row in set(rows):
        here = np.array([other == row for other in rows])
        powers = np.exp(values[here] - values[here].max())
        out[here] = powers / powers.sum()
    return out


RECORDS = [OpRecord("SparseSoftmax", _softmax, _inputs, domain=(-10, 10), ulps=32)]
