"""Records of padding, repeating, reversing and rotating."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _paddings(draw, case, shape, skip=None):
    """Paddings; with `skip` (0 or 1) small enough to be mirrored."""
    rows = []
    for d in shape:
        most = 3 if skip is None else max(0, min(3, d - skip))
        rows.append([draw(st.integers(0, most)), draw(st.integers(0, most))])
    return np.array(rows, case.Tpaddings).reshape(len(shape), 2)


def _small(draw, case, **options):
    return draw(case.shapes(max_rank=5, max_elements=min(400, case.max_elements), **options))


def _pad(draw, case):
    shape = _small(draw, case)
    return [draw(case.array(shape)), _paddings(draw, case, shape)], {}


def _pad_v2(draw, case):
    inputs, attrs = _pad(draw, case)
    return [*inputs, draw(case.array(()))], attrs


def _constant_pad(x, paddings, value=None):
    if value is None:
        value = b"" if x.dtype.kind == "O" else np.zeros((), x.dtype)
    total = [b + d + a for d, (b, a) in zip(x.shape, paddings)]
    out = np.empty(total, x.dtype)
    out[...] = value
    out[tuple(slice(b, b + d) for d, (b, a) in zip(x.shape, paddings))] = x
    return out


def _mirror(draw, case):
    mode = draw(st.sampled_from(["REFLECT", "SYMMETRIC"]))
    shape = _small(draw, case, min_size=1)
    return [draw(case.array(shape)), _paddings(draw, case, shape, int(mode == "REFLECT"))], {"mode": mode}


def _mirror_places(shape, paddings, mode):
    """For each element of the padded tensor the flat place it comes from."""
    places = np.arange(int(np.prod(shape))).reshape(shape)
    return np.pad(places, paddings, mode=mode.lower()) if len(shape) else places


def _mirror_reference(x, paddings, mode):
    return x.reshape(-1)[_mirror_places(x.shape, paddings, mode)]


def _mirror_grad(draw, case):
    (x, paddings), attrs = _mirror(draw, case)
    padded = tuple(d + b + a for d, (b, a) in zip(x.shape, paddings))
    return [draw(case.array(padded)), paddings], attrs


def _mirror_grad_reference(dy, paddings, mode):
    shape = tuple(int(d - b - a) for d, (b, a) in zip(dy.shape, paddings))
    out = np.zeros(int(np.prod(shape)), dy.dtype)
    np.add.at(out, _mirror_places(shape, paddings, mode).reshape(-1), dy.reshape(-1))
    return out.reshape(shape)


def _tile(draw, case):
    shape = _small(draw, case)
    multiples = [draw(st.integers(0, 3)) for _ in shape]
    return [draw(case.array(shape)), np.array(multiples, case.Tmultiples)], {}


def _tile_grad(draw, case):
    shape = _small(draw, case)
    multiples = [draw(st.integers(1, 3)) for _ in shape]
    copies = tuple(n * d for n, d in zip(multiples, shape, strict=True))
    return [draw(case.array(copies)), np.array(multiples, np.int32)], {}


def _tile_grad_reference(x, multiples):
    for d, n in enumerate(multiples.tolist()):
        x = np.sum(np.stack(np.split(x, n, d)), 0, dtype=x.dtype)
    return x


def _broadcast_to(draw, case):
    full = draw(case.shapes())
    tail = full[draw(st.integers(0, len(full))) :]
    shape = tuple(1 if draw(st.booleans()) else d for d in tail)
    return [draw(case.array(shape)), np.array(full, case.Tidx)], {}


def _reverse(draw, case):
    shape = draw(case.shapes(max_rank=8))
    return [draw(case.array(shape)), np.array([draw(st.booleans()) for _ in shape], bool)], {}


def _reverse_v2(draw, case):
    shape = draw(case.shapes(max_rank=6))
    return [draw(case.array(shape)), np.array(draw(strategies.axis_sets(len(shape))), case.Tidx)], {}


def _sequence(draw, case):
    shape = draw(case.shapes(min_rank=2, max_rank=5))
    seq, batch = draw(st.permutations(range(len(shape))))[:2]
    lengths = np.array([draw(st.integers(0, shape[seq])) for _ in range(shape[batch])], case.Tlen)
    return [draw(case.array(shape)), lengths], {"seq_dim": seq, "batch_dim": batch}


def _sequence_reference(x, lengths, seq_dim, batch_dim):
    out = x.copy()
    for i, n in enumerate(lengths):
        rows, source = (np.moveaxis(a.take([i], batch_dim), seq_dim, 0) for a in (out, x))
        rows = rows.copy()
        rows[:n] = source[:n][::-1]
        key = [slice(None)] * x.ndim
        key[batch_dim] = slice(i, i + 1)
        out[tuple(key)] = np.moveaxis(rows, 0, seq_dim)
    return out


def _roll(draw, case):
    shape = draw(case.shapes(min_rank=1))
    axes = [draw(strategies.axis(len(shape))) for _ in range(draw(st.integers(0, 3)))]
    shifts = [draw(st.integers(-70, 70)) for _ in axes]
    return [draw(case.array(shape)), np.array(shifts, case.Tshift), np.array(axes, case.Taxis)], {}


def _roll_reference(x, shift, axis):
    for s, a in zip(shift.tolist(), axis.tolist()):
        x = np.roll(x, s, a)
    return x


def _moved(op, reference, inputs, **options):
    return OpRecord(op, reference, inputs, special=True, examples=3, **options)


RECORDS = [
    _moved("Pad", _constant_pad, _pad),
    _moved("PadV2", _constant_pad, _pad_v2, differentiable=[0]),
    _moved("MirrorPad", _mirror_reference, _mirror),
    OpRecord("MirrorPadGrad", _mirror_grad_reference, _mirror_grad, scale="abs", ulps=16, examples=4),
    _moved("Tile", lambda x, multiples: np.tile(x, multiples), _tile),
    OpRecord("TileGrad", _tile_grad_reference, _tile_grad, scale="abs", ulps=64, examples=4),
    _moved("BroadcastTo", lambda x, shape: np.broadcast_to(x, tuple(shape)), _broadcast_to),
    _moved("Reverse", lambda x, dims: np.flip(x, tuple(np.flatnonzero(dims))), _reverse),
    _moved("ReverseV2", lambda x, axes: np.flip(x, tuple(int(a) for a in axes)), _reverse_v2),
    _moved("ReverseSequence", _sequence_reference, _sequence),
    _moved("Roll", _roll_reference, _roll),
]
