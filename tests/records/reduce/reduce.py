"""Records of reductions."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, reduction, strategies
from tfcore.testing.oracle import is_float


def _sum(x, axis, keepdims):
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _prod(x, axis, keepdims):
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _mean(x, axis, keepdims):
    if x.dtype.kind in "fc":
        return np.mean(x, axis=axis, keepdims=keepdims)
    wide = np.uint64 if x.dtype == np.uint64 else np.int64  # sums wrap in 64 bits only
    total = np.asarray(np.sum(x.astype(wide), axis=axis, keepdims=keepdims)).astype(object)
    count = int(np.prod([x.shape[a] for a in axis])) if axis else 1
    quotient = np.vectorize(lambda v: abs(v) // count * (1 if v >= 0 else -1), otypes=[object])(total)
    return np.asarray(quotient).astype(x.dtype)


def _extreme(function, empty):
    def reference(x, axis, keepdims):
        if is_float(x.dtype):
            start = empty * np.inf
        else:
            info = np.iinfo(x.dtype)
            start = info.min if empty < 0 else info.max
        return function(x, axis=axis, keepdims=keepdims, initial=start)

    return reference


def _norm(x, axis, keepdims):
    wide = np.abs(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64))
    root = np.sqrt(np.sum(wide * wide, axis=axis, keepdims=keepdims))
    return root if x.dtype.kind in "fc" else np.floor(root).astype(x.dtype)


def _logical(draw, case):
    x = draw(case.array(draw(case.shapes(max_rank=6)), dtype=np.dtype(bool)))
    return [x, np.array(draw(strategies.axis_sets(x.ndim)), case.Tidx)], {"keep_dims": draw(st.booleans())}


def _bool(function):
    def reference(x, axes, keep_dims):
        return function(x, axis=tuple(int(a) for a in axes.flat), keepdims=keep_dims)

    return reference


# Integer square roots are exact only while the sum of squares fits a double.
_SMALL = (-1000, 1000)

# The extreme of nothing is infinite: it has no derivative.
_NOT_EMPTY = reduction("Max", np.max, min_size=1).inputs

RECORDS = [
    reduction("Sum", _sum, ulps=12),
    reduction("Mean", _mean, ulps=12, min_size=1),
    reduction("Prod", _prod, ulps=400, domain=(-1.6, 1.6), gradient_domain=(0.5, 1.5)),
    reduction("Max", _extreme(np.max, -1), special=True, scale=None, gradient_inputs=_NOT_EMPTY),
    reduction("Min", _extreme(np.min, 1), special=True, scale=None, gradient_inputs=_NOT_EMPTY),
    reduction("EuclideanNorm", _norm, domain=_SMALL, gradient_domain=(0.5, 2), ulps=12, min_size=1),
    OpRecord("All", _bool(np.all), _logical),
    OpRecord("Any", _bool(np.any), _logical),
]
