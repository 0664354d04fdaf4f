"""Graph functions: `Defun`, `Declare`, `function`.

A function is a separate graph, built once by running a Python function. A call is one operation, whose type is the
function's name; the compiler replaces it by the body (compiler/inline.py). GraphDefs store functions in their library
(function_def.py). `gradients/function.py` defines the gradient of a call.
"""

import functools
import inspect
import re
import threading

from tfcore.framework import errors
from tfcore.framework.definitions.op_def import GRADIENTS, REGISTRY, OpDef
from tfcore.framework.definitions.op_parts import FunctionAttr
from tfcore.framework.exchange.import_checks import check_type
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.functions.func_graph import FuncGraph, trace
from tfcore.framework.functions.function_call import call_shapes
from tfcore.framework.functions.function_def import function_def_of
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor

_VALID_NAME = re.compile(r"^[A-Za-z0-9_.][A-Za-z0-9_.\\/>-]*$")
# Abbreviations of types in the names of overloads.
_SHORT = {
    "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "b16", "string": "s", "bool": "b",
    "complex64": "c64", "complex128": "c128", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "qint8": "qi8", "quint8": "qu8",
    "qint16": "qi16", "quint16": "qu16", "qint32": "qi32",
}  # fmt: skip


class CallOpDef(OpDef):
    """The op definition of the calls of a function: part of the library of a graph, not of the registry."""

    is_function = True

    def __init__(self, name, inputs, outputs, stateful=False, doc=None, attrs=()):
        super().__init__(name, inputs, outputs, attrs, call_shapes, stateful, False, doc)

    @property
    def gradient_fn(self):
        return GRADIENTS.get(self.name, GRADIENTS["PartitionedCall"])


class GraphFunction:
    """A function in the library of a graph.

    Attributes:
      name, op_def: of its calls.
      grad_func: the GraphFunction registered as its gradient, or None.
      python_grad_func: the Python function `(op, *output_grads) -> input_grads`, or None.
      captured_inputs: Tensors that calls pass besides the arguments.
    """

    def __init__(self, name, op_def, body=None, extra_inputs=(), grad_func=None, python_grad_func=None):
        self._name = name
        self._op_def = op_def
        self._body = body
        self._extra_inputs = list(extra_inputs)
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self.attrs = {}  # of the FunctionDef

    @property
    def name(self):
        return self._name

    @property
    def op_def(self):
        return self._op_def

    @property
    def grad_func(self):
        return self._grad_func

    @property
    def grad_func_name(self):
        return None if self._grad_func is None else self._grad_func.name

    @property
    def python_grad_func(self):
        return self._python_grad_func

    @property
    def captured_inputs(self):
        """The Tensors of outer graphs that calls pass besides the arguments."""
        return self._extra_inputs

    @property
    def definition(self):
        """The FunctionDef."""
        return function_def_of(self)

    cached_definition = definition

    @property
    def stateful_ops(self):
        """(name, type) pairs of the operations in the body that have state or side effects."""
        return [(op.name, op.type) for op in self.body().ops if op.op_def.stateful]

    def body(self, attrs=None):
        """The Body, which may depend on the attributes of the call."""
        return self._body

    def variant(self, attrs):
        """A name that is unique for the body with these attributes."""
        return self.name

    def functions(self):
        """The functions that the body knows by name."""
        return self._body.graph._functions

    def same_as(self, other):
        """Whether another function of the same name is equal to this one, perhaps read from a file again."""
        return other is self or fingerprint(other) == fingerprint(self)

    def add_to_graph(self, graph):
        """Adds the function, those that it calls and its gradient to the library of a graph."""
        graph._add_function(self)

    def __repr__(self):
        return f"<tf.Function {self._name!r}>"


# ---- Functions made by running Python functions


class DefinedFunction(GraphFunction):
    """A function created by `Defun`. Its body is built on first use.

    Attributes:
      copied_ops: see FuncGraph.
    """

    copied_ops = frozenset()

    def __init__(
        self,
        func,
        argnames,
        input_types,
        func_name=None,
        grad_func=None,
        python_grad_func=None,
        out_names=None,
        shape_func=None,
        capture_by_value=False,
        allowlisted_stateful_ops=None,
        capture_resource_var_by_value=True,
        **kwargs,
    ):
        super().__init__(func_name, None, None, (), grad_func, python_grad_func)
        if func_name is not None and not _VALID_NAME.match(func_name):
            raise ValueError(f"'{func_name}' is not a valid function name")
        if func_name in REGISTRY:
            raise ValueError(f"Cannot add function '{func_name}' because an op with the same name already exists.")
        self._func = func
        self._base_name = func_name or _name_of(func)
        self._input_types = tuple(map(dtypes.as_dtype, input_types))
        self._arg_names = [argnames[i] if i < len(argnames) else f"arg{i}" for i in range(len(input_types))]
        self._out_names = out_names
        self._shape_func = shape_func
        self._by_value = capture_by_value
        self._allowed_stateful = frozenset(allowlisted_stateful_ops or ())
        self._lock = fork_safe(threading.RLock())
        self._building = False
        self.attrs = _call_attrs(kwargs)
        devices = get_default_graph().scopes.devices
        self._device = devices[-1] if devices else None

    @property
    def name(self):
        self.body()
        return self._name

    @property
    def op_def(self):
        self.body()
        return self._op_def

    _signature = op_def

    @property
    def declared_input_types(self):
        return self._input_types

    @property
    def captured_inputs(self):
        self.body()
        return self._extra_inputs

    def functions(self):
        return self.body().graph._functions

    def set_grad_func(self, grad_func):
        """Sets the gradient function of a function that has none.

        Raises:
          ValueError: it has one. TypeError: not a function made by `Defun`.
        """
        if self._grad_func is not None:
            raise ValueError(f"Function {self._base_name} has a gradient function already")
        if not isinstance(grad_func, GraphFunction):
            raise TypeError(f"grad_func must be a function made by Defun, but is {grad_func!r}")
        self._grad_func = grad_func

    def body(self, attrs=None):
        if self._body is None:
            with self._lock:
                if self._body is None:
                    self._define(get_default_graph())
        return self._body

    def _define(self, outer):
        if self._building:
            raise ValueError(
                f"Function {self._base_name} calls itself while it is being defined: use Declare(name, inputs, "
                "outputs) for a function that is defined later."
            )
        graph = FuncGraph(self._base_name, outer, self._by_value, self._allowed_stateful)
        graph.copied_ops = self.copied_ops
        graph.share_variables()
        self._building = True
        try:
            body = trace(self._func, graph, self._arg_names, self._input_types, self._device)
        finally:
            self._building = False
        specs = signature_of(body, self._out_names)
        if self._name is None:
            gradient = "" if self._grad_func is None else f"_{self._grad_func.name}"
            self._name = f"{self._base_name}{gradient}_{_hash_of(body, specs, len(self._arg_names))}"
        stateful = any(op.op_def.stateful for op in body.ops)
        self._op_def = CallOpDef(self._name, *specs, stateful, inspect.getdoc(self._func))
        self._extra_inputs = graph.extra_inputs.copy()
        self._body = body

    def __call__(self, *args, **kwargs):
        """Adds a call to the default graph.

        Args:
          args: values for the arguments.
          kwargs: `name` of the operation, and attributes for it (`noinline`).

        Returns:
          The output Tensor, a tuple of several, or the Operation if there is none.

        Raises:
          ValueError: wrong number of arguments, or values of wrong types.
        """
        self.add_to_graph(get_default_graph())
        if len(args) != len(self._input_types):
            raise ValueError(f"Expected {len(self._input_types)} arguments, got {len(args)}.")
        op = call_operation(self, [convert_to_tensor(a) for a in args], **kwargs)
        if self._shape_func is not None:
            shapes = self._shape_func(op)
            if len(shapes) != len(op.outputs):
                raise ValueError(
                    f"shape_func {self._shape_func} produced {len(shapes)} shapes, which does not match "
                    f"{len(op.outputs)} outputs."
                )
            for tensor, shape in zip(op.outputs, shapes):
                tensor.set_shape(shape)
        return _results(op)


class OverloadedFunction:
    """A function created by `Defun` without types: a DefinedFunction for each list of argument types."""

    def __init__(self, func, argnames, func_name=None, grad_func=None, python_grad_func=None, **kwargs):
        if grad_func is not None and not isinstance(grad_func, OverloadedFunction):
            raise TypeError("The grad_func of a function without input types must be one without input types, too")
        self._func = func
        self._argnames = argnames
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._kwargs = kwargs
        self._overload = {}

    def instantiate(self, input_types):
        """The DefinedFunction for arguments of these types."""
        types = tuple(dtypes.as_dtype(t).base_dtype for t in input_types)
        found = self._overload.get(types)
        if found is None:
            name = self._func_name and f"{self._func_name}_{''.join(_SHORT.get(t.name, t.name) for t in types)}"
            found = DefinedFunction(
                self._func, self._argnames, types, name, None, self._python_grad_func, **self._kwargs
            )
            if self._grad_func is not None:
                outputs = [t.dtype for t in found.body().outputs]
                found.set_grad_func(self._grad_func.instantiate([*types, *outputs]))
            self._overload[types] = found
        return found

    def __call__(self, *args, **kwargs):
        args = [convert_to_tensor(a) for a in args]
        return self.instantiate([a.dtype for a in args])(*args, **kwargs)


class Defun:
    """Decorator: makes a graph function of a Python function that adds operations to the default graph.

        @tf.Defun(tf.float32, tf.float32)
        def length(x, y):
            return tf.sqrt(x * x + y * y)

        c = length(a, b)  # one operation

    The body is built once, when the function is first called. Tensors and variables of the surrounding graph that it
    uses are captured: calls pass them as additional inputs. Variables that it creates belong to the outermost graph.
    Side effects such as assignments happen at each call that runs, whether or not its outputs are used; an operation
    with a control dependency on the call waits for them.

    Args:
      *input_types: The `DType`s of the arguments. Without any, a function is made for each combination of types.
      **kwargs: Options:
        func_name: Name of the function; by default that of the Python function and a hash of its body.
        grad_func: The gradient, a function made by `Defun`: `(*inputs, *output_grads) -> input_grads`.
        python_grad_func: The gradient as a Python function `(op, *output_grads) -> input_grads`, as for
          `tf.RegisterGradient`.
        out_names: A list of the names of the outputs.
        shape_func: A function of a call's `Operation` that returns the shapes of the outputs.
        capture_by_value: Whether operations that compute captured tensors are copied into the body.
        noinline: Kept as attribute `_noinline`; calls are inlined all the same.

    Raises:
      ValueError: On decoration: the function has keyword arguments or defaults, or another number of arguments than
        there are types.
    """

    def __init__(self, *input_types, **kwargs):
        self._input_types = input_types
        self._func_name = kwargs.pop("func_name", None)
        self._grad_func = kwargs.pop("grad_func", None)
        self._python_grad_func = kwargs.pop("python_grad_func", None)
        self._kwargs = kwargs

    def __call__(self, func):
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        spec = inspect.getfullargspec(func)
        if spec.varkw or spec.defaults or spec.kwonlyargs:
            raise ValueError(
                "Functions with argument defaults or keywords arguments are not supported. "
                f"{func} has defaults {spec.defaults} and keywords {spec.varkw}."
            )
        names = spec.args[1:] if inspect.ismethod(func) else spec.args
        fixed = (self._func_name, self._grad_func, self._python_grad_func)
        if not self._input_types and (names or spec.varargs):
            return OverloadedFunction(func, names, *fixed, **self._kwargs)
        count, least = len(self._input_types), len(names)
        if count < least or count > least and not spec.varargs:
            how = "fewer" if count > least else "more"
            raise ValueError(
                f"The function has {how} arguments than the number of specified input types: {func} takes {least}, and "
                f"Defun got {count} types."
            )
        defined = DefinedFunction(func, names, self._input_types, *fixed, **self._kwargs)
        functools.update_wrapper(defined, func, updated=())
        return defined


class Declare:
    """A function that is defined later by `Defun` with the same name; needed for mutual recursion.

        foo = tf.Declare("Foo", [("n", tf.int32), ("x", tf.float32)], [("z", tf.float32)])

    Args:
      func_name: The name of the function.
      inputs: A list of pairs (name, type): the arguments.
      outputs: A list of pairs (name, type): the results.
    """

    def __init__(self, func_name, inputs, outputs):
        self._name = func_name
        specs = [[f"{name}: {dtypes.as_dtype(dtype).name}" for name, dtype in args] for args in (inputs, outputs)]
        self._op_def = CallOpDef(func_name, *specs, stateful=True)
        self._extra_inputs = []

    @property
    def name(self):
        """The name of the function."""
        return self._name

    @property
    def op_def(self):
        """The definition of its calls."""
        return self._op_def

    def __call__(self, *args, **kwargs):
        """Adds a call to the default graph, like a function made by `Defun`."""
        if len(args) != len(self._op_def.inputs):
            raise ValueError(f"Expected {len(self._op_def.inputs)} arguments, got {len(args)}.")
        return _results(call_operation(self, [convert_to_tensor(a) for a in args], **kwargs))


# ---- Calls


def call_operation(function, args, name=None, **kwargs):
    """Adds and returns the operation that calls a function with these Tensors and the captured ones."""
    graph = get_default_graph()
    op_def = function.op_def
    inputs = [*args, *function._extra_inputs]
    name = name or function.name.lstrip("_")
    for i, (arg, tensor) in enumerate(zip(op_def.inputs, inputs, strict=True)):
        check_type(name, i, tensor, arg.dtype._as_ref if arg.is_ref else arg.dtype)
    body = getattr(function, "_body", None)
    waits = list(body.graph.control_captures) if body is not None else ()
    with graph.control_dependencies(waits):
        return graph.add_operation(op_def, inputs, _call_attrs(kwargs), [a.dtype for a in op_def.outputs], name)


def _results(op):
    return op if not op.outputs else op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)


def _call_attrs(kwargs):
    """Converts keyword arguments of Defun and of calls to attributes.

    Raises:
      ValueError: an argument is unknown.
    """
    attrs = {}
    for key, value in kwargs.items():
        if key == "noinline":
            attrs["_noinline"] = bool(value)
        elif key == "compiled":
            attrs["_XlaCompile"] = bool(value)
        elif key == "separate_compiled_gradients":
            attrs["_XlaSeparateCompiledGradients"] = bool(value)
        elif key.startswith("experimental_") or key in ("_implements", "_reference"):
            attrs[key] = value.encode() if isinstance(value, str) else value
        else:
            raise ValueError(f"Unknown keyword arguments: {list(kwargs)}.")
    return attrs


# ---- Names


def _name_of(func):
    while isinstance(func, functools.partial):
        func = func.func
    name = getattr(func, "__name__", type(func).__name__)
    return "lambda" if name == "<lambda>" else name


def _normalized(name):
    """A name in the form required for arguments: lower case, starting with a letter."""
    name = re.sub(r"[^a-z0-9]", "_", name.lower())
    return name if name[:1].isalpha() else f"arg_{name.lstrip('_')}"


def signature_of(body, out_names=None):
    """The inputs and outputs of a body as specifications for an OpDef.

    Raises:
      InvalidArgumentError: `out_names` has the wrong length or duplicates.
    """
    given = {t.op.name for t in body.inputs}
    used = {name for name in body.graph._nodes_by_name if name not in given}

    def unique(name):
        candidate, count = name, 0
        while candidate in used:
            count += 1
            candidate = f"{name}_{count}"
        used.add(candidate)
        return candidate

    inputs = [(unique(_normalized(t.op.name)), t.dtype) for t in body.inputs]
    if out_names:
        if len(out_names) != len(body.outputs):
            raise errors.InvalidArgumentError(
                None,
                None,
                "output names must be either empty or equal in size to outputs. output names size = "
                f"{len(out_names)} outputs size = {len(body.outputs)}",
            )
        for name in out_names:
            if list(out_names).count(name) > 1:
                text = (
                    f"Cannot have duplicate output names. Name '{name}' appears more than once in 'output_names' array."
                )
                raise errors.InvalidArgumentError(None, None, text)
        outputs = [(name, t.dtype) for name, t in zip(out_names, body.outputs)]
    else:
        outputs = [(unique(_normalized(t.op.name.rpartition("/")[2])), t.dtype) for t in body.outputs]
    return [_spec(*i) for i in inputs], [_spec(*o) for o in outputs]


def _spec(name, dtype):
    return f"{name}: Ref({dtype.base_dtype.name})" if dtype._is_ref_dtype else f"{name}: {dtype.name}"


def _digest(data):
    import hashlib  # here, because importing it takes 3 ms

    return hashlib.sha256(data).hexdigest()


def _hash_of(body, specs, count):
    """The hash in the name of a function with a number of arguments, of which static shapes may be known."""
    shapes = [t.dims for t in body.inputs[:count]]
    known = () if shapes.count(None) == count else (shapes,)
    return _digest(repr((specs, _content(body), *known)).encode())[:11]


def fingerprint(function):
    """A value that is equal for equal functions of the same name."""
    return function.op_def.specs, _content(function.body())


def _content(body):
    """A complete description of a body as lines of text."""
    lines = [f"{t.name}" for t in (*body.inputs, *body.outputs)]
    for op in body.ops:
        attrs = sorted((key, _attr_text(value)) for key, value in op.attrs.items())
        controls = sorted(c.name for c in op.controls)
        lines.append(f"{op.name} {op.type} {[t.name for t in op.inputs]} {controls} {op.device} {attrs}")
    return lines


def _attr_text(value):
    if hasattr(value, "tobytes"):
        content = value.tolist() if value.dtype.kind == "O" else _digest(value.tobytes())
        return f"{value.dtype} {value.shape} {content}"
    if isinstance(value, FunctionAttr):
        return f"{value.name} {sorted((k, _attr_text(v)) for k, v in value.attrs.items())}"
    return repr(value)


# ---- tf.function in its graph-mode form


def function(
    func=None,
    input_signature=None,
    autograph=True,
    jit_compile=None,
    reduce_retracing=False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
):
    """Decorator: turns a Python function into graph functions, one for each signature of its arguments.

    Arguments and results may be nested structures of `Tensor`s. Arguments that are not `Tensor`s, arrays or variables
    are part of the signature. Like `tf.Defun`, it only adds operations to the default graph.

    Args:
      func: The Python function; None returns a decorator.
      input_signature: A list of objects with `dtype` and `shape`, such as `Tensor`s: the only signature. Arguments are
        converted to its types (optional).
      autograph: Ignored, as are all that follow: they choose how TensorFlow compiles, not what is computed. Python's
        own statements run once, when the function is traced.
      jit_compile: Ignored.
      reduce_retracing: Ignored.
      experimental_implements: Ignored.
      experimental_autograph_options: Ignored.
      experimental_attributes: Ignored.
      experimental_relax_shapes: Ignored.
      experimental_compile: Ignored.
      experimental_follow_type_hints: Ignored.

    Returns:
      A callable, or a decorator if `func` is None.

    Raises:
      TypeError: An option is unknown.

    Example:

    >>> @tf.function
    ... def length(x, y):
    ...     return tf.sqrt(x * x + y * y)
    >>> print(sess.run(length(tf.constant(3.0), tf.constant(4.0))))
    5.0
    """

    def decorate(f):
        return functools.wraps(f)(_Function(f, input_signature, _name_of(f)))

    return decorate if func is None else decorate(func)


class _Function:
    def __init__(self, func, signature, name):
        self._func = func
        self._name = name
        self._types = None if signature is None else [dtypes.as_dtype(s.dtype).base_dtype for s in signature]
        self._shapes = None if signature is None else [TensorShape(s.shape) for s in signature]

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def get_concrete_function(self, *args, **kwargs):
        """The GraphFunction for arguments of this signature."""
        return self._find(args, kwargs)[0]

    def __call__(self, *args, **kwargs):
        defined, tensors, kind = self._find(args, kwargs)
        result = defined(*tensors)
        if isinstance(result, Operation):
            result = ()
        elif isinstance(result, Tensor):
            result = (result,)
        return nest.pack_sequence_as(kind["results"], list(result)) if result else kind["results"]

    def _find(self, args, kwargs):
        if self._types is not None:
            args, kwargs = self._converted(args, kwargs), {}
        leaves = nest.flatten((args, kwargs))
        leaves = [convert_to_tensor(x) if _is_value(x) else x for x in leaves]
        tensors = [x for x in leaves if isinstance(x, Tensor)]
        shapes = [x.shape for x in tensors] if self._types is None else self._shapes
        marks = [x.dtype.base_dtype if isinstance(x, Tensor) else x for x in leaves] + [str(shape) for shape in shapes]
        key = (repr(nest.map_structure(lambda _: 0, (args, kwargs))), *map(_key, marks))
        kinds = get_default_graph().kinds_of_functions.setdefault(self, {})
        found = kinds.get(key)
        if found is None:
            kind = {}
            found = kinds[key] = (self._define(args, kwargs, leaves, tensors, shapes, kind), kind)
        return found[0], tensors, found[1]

    def _converted(self, args, kwargs):
        """The arguments, converted to the types of input_signature."""
        if len(args) + len(kwargs) != len(self._types) or kwargs:
            count = len(args) + len(kwargs)
            raise ValueError(
                f"{self._name} takes {len(self._types)} positional arguments by its input_signature, got {count}"
            )
        tensors = tuple(convert_to_tensor(x, dtype=t) for x, t in zip(args, self._types))
        for tensor, shape in zip(tensors, self._shapes):
            if not shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"An argument of {self._name} has the shape {tensor.shape}, its input_signature {shape}"
                )
        return tensors

    def _define(self, args, kwargs, leaves, tensors, shapes, kind):
        def body(*values):
            for value, shape in zip(values, shapes):
                value.set_shape(shape)
            values = iter(values)
            packed = [next(values) if isinstance(x, Tensor) else x for x in leaves]
            own_args, own_kwargs = nest.pack_sequence_as((args, kwargs), packed)
            kind["results"] = results = self._func(*own_args, **own_kwargs)
            return None if results is None else nest.flatten(results)

        body.__name__ = self._name
        return DefinedFunction(body, [], [t.dtype.base_dtype for t in tensors])


def _is_value(x):
    return not isinstance(x, Tensor) and (hasattr(x, "_as_graph_element") or hasattr(x, "__array__"))


def _key(mark):
    if type(mark) in (float, complex):
        return (type(mark), repr(mark))  # 0.0 equals -0.0, and NaN does not equal itself
    try:
        hash(mark)
    except TypeError:
        return id(mark)
    return (type(mark), mark)
