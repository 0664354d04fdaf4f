"""The op registry: one definition for each op type, in the notation of TensorFlow's REGISTER_OP.

`define_op` returns an OpDef. Calling it adds an operation to the default graph:
`MatMul(a, b, transpose_a=True, name="product")`; inputs come first, then attributes, and all may be passed by
keyword (this is `tf.raw_ops.MatMul`). `op_call.py` implements the call.
"""

import functools
import keyword
import re

import numpy as np

from tfcore.framework.definitions.op_docs import describe
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_dims

_TYPE_SETS = {
    "numbertype": "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16"
    " uint16 complex128 float16 uint32 uint64",
    "realnumbertype": "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64",
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16",
}
_TYPE_SETS = {k: tuple(dtypes.as_dtype(n) for n in v.split()) for k, v in _TYPE_SETS.items()}
_ARG = re.compile(r"^\s*(\w+)\s*:\s*(.+?)\s*$")
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


class _Docstring:
    """`__doc__` of the class OpDef, and of its instances, for which it is generated from the definition."""

    def __get__(self, op_def, owner):
        if op_def is None:
            return "Definition of an op type. Call it to add an operation to the default graph."
        return describe(op_def)


class OpDef:
    __doc__ = _Docstring()

    is_function = False  # whether operations of this type call a graph function: see function.py

    def __init__(self, name, inputs, outputs, attrs, shape, stateful, commutative, doc):
        self.name = name
        self.specs = (tuple(inputs), tuple(outputs), tuple(attrs))
        self.attrs = {a.name: a for a in map(AttrDef, attrs)}
        self.inputs = [self._arg(spec) for spec in inputs]
        self.outputs = [self._arg(spec) for spec in outputs]
        for arg in self.inputs + self.outputs:
            if arg.is_list and (length := self.attrs[arg.number_attr or arg.type_list_attr]).minimum is None:
                length.minimum = 1
        self.shape_fn = shape
        self.stateful = stateful
        self.commutative = commutative
        self._check_names(attrs)
        inferred = set()
        for arg in self.inputs:
            inferred.update((arg.type_attr, arg.number_attr, arg.type_list_attr))
        self.explicit_attrs = [a for a in self.attrs.values() if a.name not in inferred]
        # Attributes without a default come first, as in TensorFlow's generated wrappers.
        self.explicit_attrs.sort(key=lambda a: a.default is not REQUIRED)
        self.summary = doc
        self.__name__ = name
        self._call = None

    def _check_names(self, attrs):
        for kind, names in (
            ("input or attribute", [a.name for a in self.inputs] + list(self.attrs)),
            ("output", [a.name for a in self.outputs]),
        ):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"Op {self.name} has two {kind}s named {name!r}")
        if len(self.attrs) < len(attrs):
            raise ValueError(f"Op {self.name} has two attributes of the same name")

    @property
    def gradient_fn(self):
        """The registered gradient function; None if there is none, False if explicitly not differentiable."""
        return GRADIENTS.get(self.name)

    @property
    def states_gradient(self):
        """Whether the op is declared differentiable or not differentiable."""
        return self.name in GRADIENTS or self.name in _UNDEFINED

    def parameter_name(self, name):
        """The name of a call's parameter for an input or attribute."""
        return name + "_" if keyword.iskeyword(name) else RENAMED.get(self.name, {}).get(name, name)

    def signature(self):
        """The definition in one line, `Name(inputs) -> outputs; attributes`, for comparisons and error messages."""
        inputs, outputs, attrs = ("; ".join(" ".join(spec.split()) for spec in specs) for specs in self.specs)
        flags = " [stateful]" * self.stateful + " [commutative]" * self.commutative
        return f"{self.name}({inputs}) -> ({outputs}); {attrs}{flags}"

    def _arg(self, spec):
        match = _ARG.match(spec)
        if match is None:
            raise ValueError(f"Cannot parse argument definition {spec!r} of op {self.name}: expected the form 'x: T'")
        return ArgDef(match.group(1), match.group(2), self.attrs)

    def prepare(self):
        """Generates the function behind a call, when the op type is first used."""
        if self._call is None:
            from tfcore.framework.definitions.op_call import compile_call

            self._call = compile_call(self)

    def __call__(self, *args, **kwargs):
        if self._call is None:
            self.prepare()
        return self._call(*args, **kwargs)

    def __repr__(self):
        return f"<OpDef {self.name}>"


REGISTRY = {}
_UNDEFINED = set()  # op types declared by `undefined_gradient`
GRADIENTS = {}  # op type or name for gradient_override_map -> gradient function; False: not differentiable


def define_op(name, inputs=(), outputs=(), attrs=(), shape=None, stateful=False, commutative=False, doc=None):
    """Registers an op type and returns its OpDef.

    Args:
      name: the type, CamelCase, as in TensorFlow's op registry.
      inputs, outputs: strings `"a: T"`, `"values: N * T"`, `"components: Tlist"`, `"ref: Ref(T)"`, `"i: int32"`.
      attrs: strings `"T: {float, double} = DT_FLOAT"`, `"N: int >= 1"`, `"strides: list(int)"`, ...
      shape: function from the Operation to a list with the dims of each output (a tuple of int or None
        entries, or None for unknown rank). Without it all shapes are unknown.
      stateful: it has side effects or state: never folded, merged or, if it was fetched, dropped.
      commutative: its first two inputs may be swapped.

    Raises:
      ValueError: the type exists already, or a specification is malformed.
    """
    if name in REGISTRY:
        raise ValueError(f"Op type {name} is already registered")
    return register(OpDef(name, inputs, outputs, attrs, shape, stateful, commutative, doc))


def register(op_def):
    """Adds an OpDef to the registry and returns it."""
    REGISTRY[op_def.name] = op_def
    return op_def


def get_op_def(name):
    """The OpDef of a type; KeyError if it is not registered."""
    try:
        return REGISTRY[name]
    except KeyError:
        raise KeyError(f"Op type {name!r} is not defined; load the library that defines it first") from None


def is_registered(name):
    return name in REGISTRY


def registered_ops():
    """All OpDefs, sorted by name."""
    return [REGISTRY[name] for name in sorted(REGISTRY)]


def gradient(*op_types):
    """Decorator: registers `fn(op, *output_grads) -> input grads` as the gradient of op types."""

    def register(fn):
        for op_type in op_types:
            _register_gradient(op_type, fn)
        return fn

    return register


def not_differentiable(*op_types):
    """Declares that ops of these types have no gradient: None flows back through them."""
    for op_type in op_types:
        _register_gradient(op_type, False)


def undefined_gradient(*op_types):
    """Declares that TensorFlow defines no gradient for these types.

    Unlike with `not_differentiable`, `tf.gradients` raises LookupError unless the program registers one.
    """
    _UNDEFINED.update(op_types)


def _register_gradient(name, fn):
    if name in GRADIENTS:
        previous = getattr(GRADIENTS[name], "__code__", None)
        where = f" (Previous registration was in {previous.co_filename}:{previous.co_firstlineno})" if previous else ""
        raise KeyError(f"Registering two gradient with name '{name}'!{where}")
    GRADIENTS[name] = fn


def gradient_function(op):
    """The gradient function of an Operation: its type's, or the one set by a `gradient_override_map`.

    Returns None if nothing is registered under that name, False if it is explicitly not differentiable.
    """
    override = op.attrs.get("_gradient_op_type")
    if override is None:
        return op.op_def.gradient_fn if op.inputs else False
    name = override.decode()
    found = op.graph.gradient_functions.get(name) or GRADIENTS.get(name)
    if found is None and op.type in ("PartitionedCall", "StatefulPartitionedCall"):
        return op.op_def.gradient_fn  # TensorFlow's name of a function in the process that wrote the graph
    return found


# ---- Public functions for users' ops


class RegisterGradient:
    """Decorator: registers the gradient function of an op type.

        @tf.RegisterGradient("LogCosh")
        def _log_cosh_grad(op, grad):
            return tf.expand_dims(grad, -1) * tf.tanh(op.get_attr("scale") * op.inputs[0])

    The function gets the Operation and a Tensor for each of its outputs, and returns a Tensor, IndexedSlices or None
    for each input.

    Args:
      op_type: Name of the op type. It may also be a name that only `tf.Graph.gradient_override_map` refers to.

    Raises:
      TypeError: The name is not a string.
      KeyError: A gradient is registered under this name already.
    """

    def __init__(self, op_type):
        self._op_type = _checked_name(op_type)

    def __call__(self, f):
        """Registers `f` and returns it."""
        if not callable(f):
            raise TypeError(f"A gradient function must be callable, but got {f!r}")
        _register_gradient(self._op_type, f)
        return f


def NotDifferentiable(op_type):  # noqa: N802  TensorFlow's name
    """Declares that an op type has no gradient: `tf.gradients` stops at such operations.

    Args:
      op_type: Name of the op type.

    Raises:
      TypeError: The name is not a string.
      KeyError: A gradient is registered under this name already.
    """
    _register_gradient(_checked_name(op_type), False)


NoGradient = no_gradient = NotDifferentiable


def RegisterShape(op_type):  # noqa: N802  the name that TensorFlow's first releases had
    """Decorator: sets the shape function of an op type that a library defines.

        @tf.RegisterShape("LogCosh")
        def _log_cosh_shape(op):
            return [op.inputs[0].shape[:-1]]

    The function gets the `Operation` and returns a list with the shape of each output: a `TensorShape`, a list of sizes
    in which None is unknown, or None. It raises ValueError for incompatible inputs.

    Args:
      op_type: Name of the op type.

    Returns:
      A decorator, which returns the function.

    Raises:
      KeyError: There is no such op type, or it has a shape function already.
      TypeError: The name is not a string.
    """
    op_def = get_op_def(_checked_name(op_type))
    if op_def.shape_fn is not None:
        raise KeyError(f"Op type '{op_type}' has a shape function already")

    def register_shape(f):
        if not callable(f):
            raise TypeError(f"A shape function must be callable, but got {f!r}")

        def dims(op):
            shapes = f(op)
            if not isinstance(shapes, (list, tuple)) or len(shapes) != len(op.outputs):
                raise ValueError(
                    f"The shape function of {op_type} must return a list of {len(op.outputs)} shapes, not {shapes!r}"
                )
            return [as_dims(shape) for shape in shapes]

        op_def.shape_fn = dims
        return f

    return register_shape


def _checked_name(op_type):
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    return op_type
