"""What op definitions are made of: inputs, outputs and attributes, read from their notation."""

import functools
import re

import numpy as np

from tfcore.framework.types import dtypes

_TYPE_SETS = {
    "numbertype": "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16"
    " uint16 complex128 float16 uint32 uint64",
    "realnumbertype": "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64",
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16",
}
_TYPE_SETS = {k: tuple(dtypes.as_dtype(n) for n in v.split()) for k, v in _TYPE_SETS.items()}
_ATTR = re.compile(r"^\s*(\w+)\s*:\s*(list\(\s*.+?\s*\)|\{[^}]*\}|\w+)\s*(?:>=\s*(-?\d+))?\s*(?:=\s*(.+?))?\s*$", re.S)

_KINDS = frozenset("bool int float string type shape tensor func".split())

_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")

# Arguments that have another name in TensorFlow's Python functions than in its OpDefs, and so in GraphDefs. Calls take
# both.
RENAMED = {
    **dict.fromkeys(_REDUCTIONS, {"reduction_indices": "axis"}),
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}

REQUIRED = object()  # the `default` of an attribute without a default


class ArgDef:
    """An input or output: one tensor, `number_attr` tensors, or a list typed by `type_list_attr`."""

    __slots__ = ("name", "dtype", "type_attr", "number_attr", "type_list_attr", "is_ref")

    def __init__(self, name, spec, attrs):
        self.name = name
        self.dtype = self.type_attr = self.number_attr = self.type_list_attr = None
        self.is_ref = spec.startswith("Ref(")
        if self.is_ref:
            spec = spec[4:-1].strip()
        if "*" in spec:
            self.number_attr, spec = (part.strip() for part in spec.split("*"))
            if self.number_attr not in attrs or attrs[self.number_attr].type != "int":
                raise ValueError(f"'{self.number_attr}', the length of {name!r}, is not an attribute of type int")
        attr = attrs.get(spec)
        if attr is not None and not attr.type.endswith(("type", "type)")):
            raise ValueError(f"'{spec}', the type of {name!r}, is an attribute of type {attr.type}")
        if attr is None:
            self.dtype = _plain_type(name, spec)
        elif attr.type == "list(type)":
            self.type_list_attr = spec
        else:
            self.type_attr = spec

    @property
    def is_list(self):
        return self.number_attr is not None or self.type_list_attr is not None


def _plain_type(name, spec):
    try:
        return dtypes.as_dtype(spec)
    except TypeError:
        raise ValueError(f"'{spec}', the type of {name!r}, is neither a type nor an attribute") from None


class FunctionAttr:
    """The value of an attribute that names a function of the graph's library and gives its attributes."""

    __slots__ = ("name", "attrs")

    def __init__(self, name, attrs=None):
        self.name = name
        self.attrs = dict(attrs or {})

    def __eq__(self, other):
        return isinstance(other, FunctionAttr) and (self.name, self.attrs) == (other.name, other.attrs)

    __hash__ = None

    def __repr__(self):
        return f"FunctionAttr({self.name!r}, {self.attrs!r})"


class AttrDef:
    """An attribute: its type, default (REQUIRED if none), allowed values and minimum."""

    __slots__ = ("name", "type", "default", "allowed", "minimum")

    def __init__(self, spec):
        match = _ATTR.match(spec)
        if match is None:
            raise ValueError(f"Cannot parse attribute definition {spec!r}")
        self.name, kind, minimum, default = match.groups()
        self.minimum = None if minimum is None else int(minimum)
        is_list = kind.startswith("list(")
        if is_list:
            kind = kind[5:-1].strip()
        kind, self.allowed = _parse_kind(kind)
        if kind not in _KINDS:
            raise ValueError(f"Unknown attribute type {kind!r} in {spec!r}")
        self.type = f"list({kind})" if is_list else kind
        self.default = REQUIRED if default is None else _parse_default(self.type, default)

    @property
    def has_default(self):
        return self.default is not REQUIRED


@functools.cache
def _parse_kind(kind):
    if kind in _TYPE_SETS:
        return "type", _TYPE_SETS[kind]
    if not kind.startswith("{"):
        return kind, None
    items = [item.strip() for item in kind[1:-1].split(",") if item.strip()]
    if not items:
        raise ValueError(f"No allowed values in {kind!r}")
    if items[0][0] in "'\"":
        return "string", tuple(item[1:-1].encode() for item in items)
    allowed = []
    for item in items:
        allowed.extend(_TYPE_SETS.get(item) or (dtypes.as_dtype(item),))
    return "type", tuple(dict.fromkeys(allowed))


def _parse_default(kind, text):
    if kind.startswith("list("):
        inner = text.strip()[1:-1].strip()
        return [] if not inner else [_parse_default(kind[5:-1], item.strip()) for item in inner.split(",")]
    if kind == "bool":
        return text.strip().lower() == "true"
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "string":
        return text.strip()[1:-1].encode()
    if kind == "type":
        text = text.strip()
        return dtypes.as_dtype(text[3:].lower() if text.startswith("DT_") else text)
    if kind == "shape":
        text = text.replace(" ", "")
        if "unknown_rank" in text:
            return None
        inner = text.strip("{}[]")
        return tuple(None if d in ("-1", "?") else int(d) for d in inner.split(",") if d)
    if kind == "tensor":  # a vector, such as uint8[255, 0]
        dtype, _, inner = text.strip().partition("[")
        value = np.array([float(item) for item in inner.rstrip("]").split(",")], dtypes.as_dtype(dtype).as_numpy_dtype)
        value.flags.writeable = False
        return value
    raise ValueError(f"An attribute of type {kind} can't have a default")
