"""The op registry: one definition for each op type, in the notation of TensorFlow's REGISTER_OP.

`define_op` returns an OpDef. Calling it adds an operation to the default graph:
`MatMul(a, b, transpose_a=True, name="product")`; inputs come first, then attributes, all also by
keyword (this is `tf.raw_ops.MatMul`). What the call does is in `op_call.py`.
"""

import re

from tfcore.framework import dtypes

_TYPE_SETS = {
    "numbertype": "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16"
    " uint16 complex128 float16 uint32 uint64",
    "realnumbertype": "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64",
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16",
}
_TYPE_SETS = {k: tuple(dtypes.as_dtype(n) for n in v.split()) for k, v in _TYPE_SETS.items()}
_ARG = re.compile(r"^\s*(\w+)\s*:\s*(.+?)\s*$")
_ATTR = re.compile(r"^\s*(\w+)\s*:\s*(list\(\s*.+?\s*\)|\{[^}]*\}|\w+)\s*(?:>=\s*(-?\d+))?\s*(?:=\s*(.+?))?\s*$", re.S)

REQUIRED = object()  # default of an attribute that has none


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
        attr = attrs.get(spec)
        if attr is None:
            self.dtype = dtypes.as_dtype(spec)
        elif attr.type == "list(type)":
            self.type_list_attr = spec
        else:
            self.type_attr = spec

    @property
    def is_list(self):
        return self.number_attr is not None or self.type_list_attr is not None


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
        self.type = f"list({kind})" if is_list else kind
        self.default = REQUIRED if default is None else _parse_default(self.type, default)


def _parse_kind(kind):
    if kind in _TYPE_SETS:
        return "type", _TYPE_SETS[kind]
    if not kind.startswith("{"):
        return kind, None
    items = [item.strip() for item in kind[1:-1].split(",") if item.strip()]
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
    raise ValueError(f"An attribute of type {kind} can't have a default")


class OpDef:
    """Definition of an op type. Call it to add an operation to the default graph."""

    def __init__(self, name, inputs, outputs, attrs, shape, stateful, commutative, doc):
        self.name = name
        self.attrs = {a.name: a for a in map(AttrDef, attrs)}
        self.inputs = [self._arg(spec) for spec in inputs]
        self.outputs = [self._arg(spec) for spec in outputs]
        self.shape_fn = shape
        self.stateful = stateful
        self.commutative = commutative
        self.gradient_fn = None  # None: never registered; False: explicitly not differentiable
        inferred = set()
        for arg in self.inputs:
            inferred.update((arg.type_attr, arg.number_attr, arg.type_list_attr))
        self.explicit_attrs = [a for a in self.attrs.values() if a.name not in inferred]
        # Attributes without a default come first, as in TensorFlow's generated wrappers.
        self.explicit_attrs.sort(key=lambda a: a.default is not REQUIRED)
        self.__doc__ = doc
        self.__name__ = name
        self._call = None

    def _arg(self, spec):
        match = _ARG.match(spec)
        if match is None:
            raise ValueError(f"Cannot parse argument definition {spec!r} of op {self.name}")
        return ArgDef(match.group(1), match.group(2), self.attrs)

    def __call__(self, *args, **kwargs):
        if self._call is None:
            from tfcore.framework.op_call import compile_call

            self._call = compile_call(self)
        return self._call(*args, **kwargs)

    def __repr__(self):
        return f"<OpDef {self.name}>"


_REGISTRY = {}


def define_op(name, inputs=(), outputs=(), attrs=(), shape=None, stateful=False, commutative=False, doc=None):
    """Registers an op type and returns its OpDef.

    Args:
      name: the type, CamelCase, as in TensorFlow's op registry.
      inputs, outputs: strings `"a: T"`, `"values: N * T"`, `"components: Tlist"`, `"ref: Ref(T)"`, `"i: int32"`.
      attrs: strings `"T: {float, double} = DT_FLOAT"`, `"N: int >= 1"`, `"strides: list(int)"`, ...
      shape: function from the Operation to a list with the dims of each output (a tuple of int or None
        entries, or None for unknown rank). Without it all shapes are unknown.
      stateful: it has a side effect or state: never folded, merged or dropped when it was asked for.
      commutative: its first two inputs may be exchanged.

    Raises:
      ValueError: the type exists already, or a specification does not parse.
    """
    if name in _REGISTRY:
        raise ValueError(f"Op type {name} is already registered")
    op_def = OpDef(name, inputs, outputs, attrs, shape, stateful, commutative, doc)
    _REGISTRY[name] = op_def
    return op_def


def get_op_def(name):
    """The OpDef of a type; KeyError if it is not registered."""
    return _REGISTRY[name]


def registered_ops():
    """All OpDefs, sorted by name."""
    return [_REGISTRY[name] for name in sorted(_REGISTRY)]


def gradient(*op_types):
    """Decorator: registers `fn(op, *output_grads) -> input grads` as the gradient of op types."""

    def register(fn):
        for op_type in op_types:
            op_def = _REGISTRY[op_type]
            if op_def.gradient_fn is not None:
                raise ValueError(f"A gradient for op type {op_type} is already registered")
            op_def.gradient_fn = fn
        return fn

    return register


def not_differentiable(*op_types):
    """States that ops of these types have no gradient: None flows back through them."""
    for op_type in op_types:
        op_def = _REGISTRY[op_type]
        if op_def.gradient_fn is not None:
            raise ValueError(f"A gradient for op type {op_type} is already registered")
        op_def.gradient_fn = False
