"""Records of numbers as text, and of the bytes of strings as numbers."""

import numpy as np
from hypothesis import strategies as st

from tests.records.strings.strings import _map
from tfcore.testing import OpRecord


def _format_inputs(draw, case):
    x = draw(case.array(draw(case.shapes(max_elements=300)), special=True))
    attrs = {"width": draw(st.integers(-1, 80)), "fill": draw(st.sampled_from([b"", b"-", b"0", b"+", b" "]))}
    attrs |= {"precision": -1, "scientific": False, "shortest": False}
    if x.dtype.kind in "fcV":
        attrs["precision"] = draw(st.integers(-1, 20))
        attrs[draw(st.sampled_from(["scientific", "shortest"]))] = draw(st.booleans())
    return [x], attrs


def _format(x, precision, scientific, shortest, width, fill):
    flag = fill.decode()
    kind = "g" if shortest else "e" if scientific else "f"
    style = f"%{flag}{width if width >= 0 else ''}{f'.{precision}' if precision >= 0 else ''}"

    unsigned = x.dtype.kind == "u"  # without a sign

    def number(v):
        if isinstance(v, bytes):
            pad = v.ljust if flag == "-" else v.rjust
            return pad(max(width, 0))
        if isinstance(v, bool):
            return b"true" if v else b"false"
        if isinstance(v, complex):
            return b"(%s,%s)" % (number(v.real), number(v.imag))
        if isinstance(v, int):
            plain = style.replace("+", "").replace("% ", "%") if unsigned else style
            return f"{plain}d".encode() % v
        return (style + kind).encode() % v

    return _map(number, x.astype(object))


def _raw_inputs(draw, case):
    size = np.dtype(case.out_type).itemsize * draw(st.integers(0, 5))
    shape = draw(case.shapes(max_rank=7, max_elements=200))
    x = np.empty(shape, object)
    random = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    most = 2 if case.out_type == np.bool_ else 256
    x.reshape(-1)[:] = [random.integers(0, most, size).astype(np.uint8).tobytes() for _ in range(x.size)]
    return [x], {"little_endian": draw(st.booleans())}


def _raw(x, little_endian, out_type):
    size = len(x.reshape(-1)[0]) if x.size else 0
    numbers = np.frombuffer(b"".join(x.reshape(-1).tolist()), np.uint8)
    out_type = np.dtype(out_type)
    if not little_endian:
        item = out_type.itemsize // (2 if out_type.kind == "c" else 1)
        numbers = np.ascontiguousarray(numbers.reshape(-1, item)[:, ::-1])
    return numbers.reshape(-1).view(out_type).reshape((*x.shape, size // out_type.itemsize))


def _padded_inputs(draw, case):
    (x,), attrs = _raw_inputs(draw, case)
    return [x, np.int32(np.dtype(case.out_type).itemsize * draw(st.integers(1, 6)))], attrs


def _padded(x, length, little_endian, out_type):
    rows = np.empty(x.shape, object)
    rows.reshape(-1)[:] = [s[:length].ljust(length, b"\0") for s in x.reshape(-1)]
    if x.size:
        return _raw(rows, little_endian, out_type)
    return np.empty((*x.shape, length // np.dtype(out_type).itemsize), out_type)


RECORDS = [
    OpRecord("AsString", _format, _format_inputs),
    OpRecord("DecodeRaw", _raw, _raw_inputs),
    OpRecord("DecodePaddedRaw", _padded, _padded_inputs),
]
