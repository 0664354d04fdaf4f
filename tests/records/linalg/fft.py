"""Records of the Fourier transforms."""

import numpy as np
from hypothesis import strategies as st

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


_REAL_AXES = {"RFFT": 1, "RFFT2D": 2, "RFFT3D": 3, "IRFFT": 1, "IRFFT2D": 2, "IRFFT3D": 3}


def _real_record(name, wide):
    axes, inverse = _REAL_AXES[name], name.startswith("I")
    along = tuple(range(-axes, 0))
    types = ("double", "complex128") if wide else ("float", "complex64")

    def inputs(draw, case):
        dtype = (np.complex128 if wide else np.complex64) if inverse else (np.float64 if wide else np.float32)
        # Lengths of 0 have a test of their own: they end TensorFlow's process.
        x = draw(case.array(draw(case.shapes(min_rank=axes, max_rank=axes + 1, min_size=1)), dtype=dtype))
        most = list(x.shape[-axes:])
        if inverse:
            most[-1] = 2 * most[-1] - 1
        lengths = [draw(st.integers(max(n - 2, 1), n)) for n in most]
        return [x, np.array(lengths, np.int32)]

    def reference(x, lengths, **kinds):
        return (np.fft.irfftn if inverse else np.fft.rfftn)(x, lengths, along)

    def scale(x, lengths, **kinds):
        total = np.sum(np.abs(x), axis=along, keepdims=True)
        result = reference(x, lengths)
        return np.broadcast_to(total, result.shape) / (np.prod(lengths) / 2 if inverse else 1)

    return OpRecord(
        name, reference, inputs, scale=scale, ulps=24, types={"Treal": types[:1], "Tcomplex": types[1:]}, special=False
    )


RECORDS = [
    *(_record(name, batch) for name in _AXES for batch in (False, True)),
    *(_real_record(name, wide) for name in _REAL_AXES for wide in (False, True)),
]
