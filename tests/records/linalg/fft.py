"""Records of the Fourier transforms."""

import numpy as np

from tfcore.testing import OpRecord

_AXES = {"FFT": 1, "FFT2D": 2, "FFT3D": 3, "IFFT": 1, "IFFT2D": 2, "IFFT3D": 3}


def _record(name, batch):
    axes = tuple(range(-_AXES[name], 0))
    function = np.fft.ifftn if name.startswith("I") else np.fft.fftn

    def inputs(draw, case):
        dtype = np.complex64 if batch else case.Tcomplex
        shape = draw(case.shapes(min_rank=len(axes), max_rank=len(axes) + 1))
        return [draw(case.array(shape, dtype=dtype))]

    def reference(x):
        return function(x, axes=axes) if x.size else x

    def scale(x):
        """Every output is a sum over all inputs of its transform (or their mean)."""
        total = np.sum(np.abs(x), axis=axes, keepdims=True)
        size = np.prod([x.shape[a] for a in axes]) if name.startswith("I") else 1
        return np.broadcast_to(total / max(size, 1), x.shape)

    return OpRecord(f"Batch{name}" if batch else name, reference, inputs, scale=scale, ulps=24)


RECORDS = [_record(name, batch) for name in _AXES for batch in (False, True)]
