"""Records of complex numbers and their parts."""

import numpy as np

from tfcore.testing import OpRecord, unary


def _complex_inputs(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    return [draw(case.array(a)), draw(case.array(b))], {}


def _part(op, reference, ulps=2):
    return OpRecord(
        op, reference, lambda draw, case: ([draw(case.array(draw(case.shapes())))], {}), ulps=ulps, gradient=0
    )


def _real(x, **types):
    return x.real


def _imag(x, **types):
    return x.imag


def _angle(x, **types):
    return np.angle(x)


def _abs(x, **types):
    return np.abs(x)


def _complex(re, im, **types):
    return re + 1j * im


RECORDS = [
    unary("Conj", np.conj, gradient=0),
    _part("Real", _real),
    _part("Imag", _imag),
    _part("Angle", _angle),
    _part("ComplexAbs", _abs),
    OpRecord("Complex", _complex, _complex_inputs, gradient=0),
]

_GRADIENTS = "tests/ops/cwise/test_complex.py::test_complex_gradients"
EXPLICIT_GRADIENTS = {op: _GRADIENTS for op in ("Conj", "Real", "Imag", "Angle", "ComplexAbs", "Complex")}
