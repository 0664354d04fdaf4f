"""Calls of ops that no sane program makes: any types, shapes, values and attributes."""

import numpy as np

KINDS = (
    "float32 float64 float16 bfloat16 int32 int64 int8 uint8 int16 uint64 bool complex64 string".split()
)  # fmt: skip
# What an op or a run may end in, besides a value.
CLEAN_ERRORS = (ValueError, TypeError)
_EXTREME_INTS = (0, 1, -1, 2**31 - 1, -(2**31), 2**31, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63))
_EXTREME_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-40, 1e30, -1e300, 1e19, float("nan"), float("inf"), float("-inf"))
_STRINGS = (b"", b"a", b"\xff\0", b"\xf0\x9f\x98", b"1e400", b"-9223372036854775809", b"long " * 9)
_MAX_ELEMENTS = 4096


def draw_array(draw, dtype, shape):
    """An array of a tf.DType: mostly small sensible values, sometimes the most extreme ones."""
    count = int(np.prod(shape, dtype=np.int64))
    pool = [_draw_value(draw, dtype, extreme=draw.chance(30)) for _ in range(min(count, draw.integer(1, 6)))]
    if dtype.name == "string":
        array = np.empty(count, object)
        array[:] = [pool[i % len(pool)] for i in range(count)]
        return array.reshape(shape)
    with np.errstate(all="ignore"):
        values = np.array(pool, _wide(dtype)).astype(dtype.as_numpy_dtype)
    return np.resize(values, count).reshape(shape)


def _wide(dtype):
    if dtype.is_integer:
        return dtype.as_numpy_dtype  # 64-bit integers do not fit into a double
    return np.complex128 if dtype.is_complex else bool if dtype.is_bool else np.float64


def _draw_value(draw, dtype, extreme):
    if dtype.name == "string":
        return draw.pick(_STRINGS)
    if dtype.is_bool:
        return draw.chance(50)
    if dtype.is_integer:
        info = np.iinfo(dtype.as_numpy_dtype)
        value = draw.pick(_EXTREME_INTS) if extreme else draw.integer(-2, 5)
        return min(max(value, int(info.min)), int(info.max))
    return draw.pick(_EXTREME_FLOATS) if extreme else draw.integer(-20, 20) / 8


def draw_shape(draw):
    rank = draw.pick((0, 1, 1, 2, 2, 3, 4, 4, 5, 8))
    sizes = (0, 1, 1, 2, 3, 5, 17) if rank < 4 else (0, 1, 1, 2, 3, 4) if rank < 6 else (1, 1, 2)
    return tuple(draw.pick(sizes) for _ in range(rank))


def draw_attr(draw, tf, attr):
    """A value for an attribute: of its type, but otherwise anything."""
    if attr.type.startswith("list"):
        return [_draw_scalar_attr(draw, tf, attr, attr.type[5:-1]) for _ in range(draw.pick((0, 1, 2, 4, 4, 4, 5)))]
    return _draw_scalar_attr(draw, tf, attr, attr.type)


def _draw_scalar_attr(draw, tf, attr, plain):
    if attr.allowed is not None and not draw.chance(5):
        return draw.pick(attr.allowed)
    if plain == "int":
        return draw.pick(_EXTREME_INTS) if draw.chance(20) else draw.integer(-1, 7)
    if plain == "float":
        return draw.pick(_EXTREME_FLOATS)
    if plain == "bool":
        return draw.chance(50)
    if plain == "type":
        return tf.as_dtype(draw.pick(KINDS))
    if plain == "string":
        return draw.pick((b"", b"NHWC", b"NCHW", b"x", b"\xff", b"[n]", b"%s"))
    if plain == "shape":
        dims = list(draw_shape(draw))
        if dims and draw.chance(30):
            dims[draw.integer(0, len(dims) - 1)] = draw.pick((None, 2**31, 2**62, 2**63 - 1))
        return None if draw.chance(5) else dims
    return None  # tensors and functions: what the op's own wrapper makes


class Call:
    """One drawn call: op definition, arguments by name, and what to feed when it runs."""

    def __init__(self, draw, tf, op_def):
        self._draw, self._tf, self._op_def = draw, tf, op_def
        self._shape = draw_shape(draw)
        # How the op learns of shapes and values: only when it runs, from the static shapes, or from constants.
        self._mode = draw.pick(("fed", "shaped", "constant"))
        self.feeds, self.inputs, self.attrs = {}, {}, self._draw_attrs()
        for arg in op_def.inputs:
            self.inputs[arg.name] = self._draw_input(arg)

    def add(self):
        """Adds the operation to the default graph; returns its outputs, or the operation."""
        return self._op_def(**self.inputs, **self.attrs)

    def _draw_attrs(self):
        attrs = {}
        for attr in self._op_def.attrs.values():
            optional = attr.default.__class__ is not object
            if optional and self._draw.chance(60):
                continue
            value = draw_attr(self._draw, self._tf, attr)
            if value is not None:
                attrs[attr.name] = value
        return attrs

    def _draw_input(self, arg):
        if arg.type_list_attr:
            self.attrs.pop(arg.type_list_attr, None)
            kinds = [self._tf.as_dtype(self._draw.pick(KINDS)) for _ in range(self._draw.integer(0, 3))]
            return [self._tensor(kind) for kind in kinds]
        if arg.number_attr:
            count = self.attrs.pop(arg.number_attr, None)
            count = count if count is not None and 0 <= count < 5 else self._draw.integer(0, 4)
            return [self._tensor(self._type_of(arg), arg.is_ref) for _ in range(count)]
        return self._tensor(self._type_of(arg), arg.is_ref)

    def _type_of(self, arg):
        if arg.type_attr is None:
            return arg.dtype
        allowed = self._op_def.attrs[arg.type_attr].allowed or KINDS
        return self._tf.as_dtype(self.attrs.setdefault(arg.type_attr, self._draw.pick(allowed)))

    def _tensor(self, dtype, is_ref=False):
        shape = self._shape if self._draw.chance(60) else draw_shape(self._draw)
        if np.prod(shape) > _MAX_ELEMENTS:
            shape = shape[:2]
        if dtype.as_numpy_dtype is None:  # resource, variant: nobody can feed them
            return self._tf.placeholder(dtype)
        array = draw_array(self._draw, dtype, shape)
        if is_ref:
            return self._tf.Variable(self._tf.constant(array))
        if self._mode == "constant":
            return self._tf.constant(array)
        known = None
        if self._mode == "shaped":
            known = [None if self._draw.chance(20) else d for d in shape]
        x = self._tf.placeholder(dtype, known)
        self.feeds[x] = array
        return x


def flatten(result):
    """The tensors (or the operation) of what an op definition returned."""
    if isinstance(result, (list, tuple)):
        return [t for item in result for t in flatten(item)]
    return [result]
