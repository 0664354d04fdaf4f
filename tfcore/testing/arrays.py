"""Hypothesis strategies for element types, shapes, axes and arrays.

Arrays are filled by NumPy from a drawn seed: generating a thousand numbers costs one draw, and only the shape shrinks.
Sizes are mostly just below or above vector widths.
"""

import functools
import math

import numpy as np

from tfcore.framework.types import dtypes as tf_dtypes
from tfcore.testing.drawing import st

# Around the number of lanes of the vector types (4, 8, 16, 32, 64), to test the code for tails.
EDGE_SIZES = tuple(sorted({w + d for w in (4, 8, 16, 32, 64) for d in (-1, 0, 1)}))
SMALL_SIZES = (1, 2, 3, 5)


# The types that tensors can have, in TensorFlow's order.
TYPES = tuple(
    map(
        tf_dtypes.as_dtype,
        "float double int32 uint8 int16 int8 string complex64 int64 bool bfloat16 uint16 complex128 half uint32 "
        "uint64".split(),
    )
)
_KINDS = {
    "floating": lambda t: t.is_floating,
    "complex": lambda t: t.is_complex,
    "inexact": lambda t: t.is_floating or t.is_complex,
    "integer": lambda t: t.is_integer,
    "number": lambda t: t.is_floating or t.is_complex or t.is_integer,
    "any": lambda t: True,
}


def dtypes(kind="any"):
    """A DType: "floating" (bfloat16 and half included), "complex", "inexact", "integer", "number" or "any"."""
    return st.sampled_from([t for t in TYPES if _KINDS[kind](t)])


@functools.cache
def sizes(minimum=0, maximum=65):
    """The size of one dimension: zero at times, otherwise small or near a vector width."""
    everything = range(minimum, maximum + 1)
    small = [s for s in SMALL_SIZES if s in everything] or [minimum]
    edges = [s for s in EDGE_SIZES if s in everything]
    zero = [0] * (len(small) if minimum == 0 else 0)
    return st.sampled_from([*small * 3, *zero, *edges, *list(everything)[::5]])


@functools.cache
def shapes(min_rank=0, max_rank=5, min_size=0, max_size=65, max_elements=3000):
    """A shape with at most `max_elements` elements. Ranks up to 5 are frequent, higher ones rare."""
    common = list(range(min_rank, min(max_rank, 5) + 1)) * 4
    ranks = st.sampled_from([*common, *range(max(min_rank, 6), max_rank + 1)])
    return _shapes(ranks, sizes(min_size, max_size), min_size, max_elements)


@st.composite
def _shapes(draw, ranks, dimension, min_size, max_elements):
    rank = draw(ranks)
    room, dims = max_elements, []
    for i in range(rank):
        left = max(min_size, 1) ** (rank - i - 1)
        size = max(min_size, min(draw(dimension), room // left))
        dims.append(size)
        room //= max(size, 1)
    first = draw(_INTEGERS) % max(rank, 1)  # so that the limit on elements does not always affect the last dimensions
    return tuple(dims[first:] + dims[:first])


_INTEGERS = st.integers(0, 2**20)
_BITS = st.integers(0, 2**48 - 1)
_BROADCASTS = st.sampled_from(["same", "same", "scalar", "tail", "ones"])


@functools.cache
def broadcastable_shapes(n=2, max_rank=5, min_size=0, max_elements=3000):
    """n shapes that broadcast with each other."""
    return _broadcastable(n, shapes(0, max_rank, min_size, max_elements=max_elements))


@st.composite
def _broadcastable(draw, n, whole):
    result = draw(whole)
    full = draw(_INTEGERS) % n  # at least one input keeps the whole shape
    inputs = []
    for i in range(n):
        kind = "same" if i == full else draw(_BROADCASTS)
        if kind == "same":
            inputs.append(result)
        elif kind == "scalar":
            inputs.append(())
        elif kind == "tail":
            inputs.append(result[draw(_INTEGERS) % (len(result) + 1) :])
        else:
            ones = draw(_INTEGERS)
            inputs.append(tuple(1 if ones >> k & 1 else d for k, d in enumerate(result)))
    return inputs


def axis(rank):
    """One axis of a tensor of that rank, counted from either end."""
    return st.integers(-rank, rank - 1)


@functools.cache
def axis_sets(rank):
    """Distinct axes in any order, each counted from either end; possibly none."""
    return _BITS.map(lambda bits: _axes(rank, bits))


def _axes(rank, bits):
    chosen = [a for a in range(rank) if bits >> a & 1]
    signs, turn = bits >> 8, bits >> 16
    axes = [a - rank if signs >> a & 1 else a for a in chosen]
    turn = turn % len(axes) if axes else 0
    return axes[turn:] + axes[:turn]


def arrays(
    dtype,
    shape,
    domain=None,
    special=False,
    smooth=False,
    nonzero=False,
    contiguous=False,
    salt=0,
):
    """An array, or a NumPy scalar array for shape ().

    domain: (low, high), both included; default: any value for integers, and
        values of very different magnitude for floats.
    special: mixes in NaN, infinities, signed zeros and the limits of the type.
    smooth: uniform values of moderate size without ties, for numeric gradients.
    nonzero: no zeros (integer divisors).
    contiguous: never a strided view.
    salt: arrays with different salts differ even when the same seed is drawn.
    """
    dtype, shape = np.dtype(dtype), tuple(shape)
    styles, layouts = _styles(special, smooth), ("plain",) if contiguous else _LAYOUTS

    def fill(bits):  # one drawn number determines everything, as draws dominate the time of a test
        style, layout = styles[bits % 16 % len(styles)], layouts[bits // 16 % 16 % len(layouts)]
        return _fill(dtype, shape, domain, style, (bits, salt), nonzero, layout)

    return _BITS.map(fill)


_LAYOUTS = ("plain", "plain", "plain", "fortran", "reversed", "strided", "unaligned")


def _styles(special, smooth):
    if smooth:
        return ["uniform"]
    styles = ["uniform", "few", "wide"]
    return [*styles, "special"] if special else styles


def _fill(dtype, shape, domain, style, seed, nonzero, layout):
    rng = np.random.default_rng(seed)
    n = math.prod(shape)
    if dtype.kind == "O":
        flat = _strings(rng, n)
    elif dtype.kind == "b":
        flat = rng.integers(0, 2, n).astype(bool)
    elif dtype.kind in "iu":
        flat = _integers(rng, dtype, n, domain, style)
    elif dtype.kind == "c":
        flat = np.empty(n, dtype)
        flat.real = _floats(rng, flat.real.dtype, n, domain, style)
        flat.imag = _floats(rng, flat.real.dtype, n, domain, style)
    else:  # float16, float32, float64; bfloat16 is of kind "V"
        flat = _floats(rng, dtype, n, domain, style)
    if nonzero:
        flat[flat == 0] = 1
    return _lay_out(flat.reshape(shape), layout)


def _strings(rng, n):
    words = [b"", b"a", b"tensor", b"\x00\xff", b"x" * 40, "ä".encode()]
    flat = np.empty(n, object)
    flat[:] = [words[i] for i in rng.integers(0, len(words), n)]
    return flat


def _integers(rng, dtype, n, domain, style):
    info = np.iinfo(dtype)
    low, high = (info.min, info.max) if domain is None else domain
    low, high = max(math.ceil(low), info.min), min(math.floor(high), info.max)
    if style == "few" or (style == "uniform" and domain is None):
        near = min(max(0, low), high)  # small values, for ties and exact quotients
        reach = 3 if style == "few" else 100
        low, high = max(low, near - reach), min(high, near + reach)
    flat = rng.integers(low, high, n, dtype=dtype, endpoint=True)
    if style == "special" and n:
        flat[rng.random(n) < 0.2] = low
        flat[rng.random(n) < 0.2] = high
    return flat


def _floats(rng, dtype, n, domain, style):
    low, high = (-4.0, 4.0) if domain is None else domain
    values = rng.uniform(low, high, n)
    if style == "few":
        values = np.clip(np.round(values), math.ceil(low), math.floor(high))
    elif style in ("wide", "special") and domain is None:
        values = rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(-14, 14, n)
    with np.errstate(all="ignore"):
        flat = values.astype(dtype)
    if style == "special" and n:
        chosen = rng.random(n) < 0.4
        flat[chosen] = rng.choice(special_values(dtype), int(chosen.sum()))
    return flat


def special_values(dtype):
    """NaN, infinities, zeros of both signs, the largest, smallest normal and smallest values."""
    nan, inf = float("nan"), float("inf")
    tiny, least, largest = float_limits(dtype)
    values = [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, largest, -largest, tiny, -tiny, least]
    return np.array(values).astype(dtype)


def float_limits(dtype):
    """The smallest normal, the smallest subnormal and the largest number of a floating type."""
    dtype = np.dtype(dtype)
    if dtype.name == "bfloat16":
        return 2.0**-126, 2.0**-133, float.fromhex("0x1.fep127")
    info = np.finfo(dtype)
    return float(info.tiny), float(info.smallest_subnormal), float(info.max)


def _lay_out(array, layout):
    """A view of the same values that is not in row-major order."""
    if layout == "fortran" and array.ndim:  # NumPy would add a dimension to a scalar
        return np.asfortranarray(array)
    if layout == "reversed" and array.ndim:
        return array[::-1].copy()[::-1]
    if layout == "strided" and array.ndim:
        spread = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        spread[..., ::2] = array
        spread[..., 1::2] = array
        return spread[..., ::2]
    if layout == "unaligned" and array.dtype.kind != "O" and array.size:
        memory = np.empty(array.nbytes + 1, np.uint8)[1:].view()
        view = np.ndarray(array.shape, array.dtype, memory.data)
        view[...] = array
        return view
    return array
