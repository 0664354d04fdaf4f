"""The op registry: one definition for each op type, in the notation of TensorFlow's REGISTER_OP.

`define_op` returns an OpDef. Calling it adds an operation to the default graph:
`MatMul(a, b, transpose_a=True, name="product")`; inputs come first, then attributes, and all may be passed by
keyword (this is `tf.raw_ops.MatMul`). `op_call.py` implements the call.
"""

import keyword
import re

from tfcore.framework.definitions.op_docs import describe
from tfcore.framework.definitions.op_parts import RENAMED, REQUIRED, ArgDef, AttrDef
from tfcore.framework.types.tensor_shape import as_dims

_ARG = re.compile(r"^\s*(\w+)\s*:\s*(.+?)\s*$")


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
    def is_stateful(self):
        """The same as `stateful`: its name in the OpDef message, which libraries read."""
        return self.stateful

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
