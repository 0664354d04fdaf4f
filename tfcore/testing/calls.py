"""Whole calls of an op: inputs, attributes, and how much of them is known statically."""

import math

import numpy as np

import tfcore as tf
from tfcore.testing import arrays
from tfcore.testing.drawing import reject, st
from tfcore.testing.oracle import flatten
from tfcore.testing.records import After, Case, Const, OpRecord, cases_of


class OpCall:
    """One call of an op.

    inputs: an array (or Const, or list of them) for each input. attrs: keyword arguments of the op.
    known: for each tensor what is known statically: "value", "shape", "dims" (the sizes of some dimensions), "rank" or
      "nothing".
    """

    def __init__(self, case, inputs, attrs, known):
        self.case = case
        self.inputs = inputs
        self.attrs = attrs
        self.known = known

    @property
    def op(self):
        return self.case.record.op

    def __repr__(self):
        def text(value):
            if isinstance(value, list):
                return f"[{', '.join(map(text, value))}]"
            value = value.value if isinstance(value, Const) else value
            small = f" = {value.tolist()}" if value.size <= 12 else ""
            return f"{value.dtype.name}{list(value.shape)}{small}"

        inputs = ", ".join(map(text, self.inputs))
        return f"{self.op}({inputs}, {self.attrs}) known={self.known}"

    def tensors(self):
        """Adds placeholders and constants for the inputs to the default graph; returns (tensors, feeds)."""
        feeds, known = {}, iter(self.known)

        def tensor(value):
            if isinstance(value, list):
                return [tensor(v) for v in value]
            how = next(known)
            array = value.value if isinstance(value, Const) else value
            if how == "value":
                return tf.constant(array, dtype=_dtype_of(array), shape=array.shape)
            placeholder = tf.placeholder(_dtype_of(array), shape=_static_shape(array.shape, how))
            feeds[placeholder] = array
            return placeholder

        return [tensor(v) for v in self.inputs], feeds

    def explicit_types(self):
        """The type attributes of the case that the op's inputs do not determine."""
        names = [a.name for a in self.case.record.definition.explicit_attrs if a.name in self.case.types]
        return {name: self.case.types[name] for name in names if name not in self.attrs}

    def outputs(self, tensors):
        """Adds the op to the default graph; returns (ops to run first, flat list of output tensors)."""
        record = self.case.record
        attrs = {**self.explicit_types(), **self.attrs}
        if record.build is None:
            first, tensors = _variables(record.definition, tensors)
            return first, _flatten_tensors(record.definition(*tensors, **attrs))
        result = record.build(tensors, attrs)
        if isinstance(result, After):
            return result.first, _flatten_tensors(result.outputs())
        return [], _flatten_tensors(result)

    def know_no_values(self):
        """Makes inputs placeholders, except Consts: differentiated inputs must be fed."""
        self.known = [
            "shape" if k == "value" and not isinstance(v, Const) else k
            for k, v in zip(self.known, flatten(self.inputs), strict=True)
        ]


def _variables(op, tensors):
    """(initializers, tensors), with tensors for reference inputs replaced by variables with these initial values."""
    first = []

    def variable(tensor):
        if isinstance(tensor, list):
            return [variable(t) for t in tensor]
        made = tf.Variable(tensor, trainable=False, validate_shape=False)
        first.append(made.initializer)
        return made

    return first, [variable(t) if arg.is_ref else t for arg, t in zip(op.inputs, tensors)]


def _flatten_tensors(outputs):
    """The Tensors in the result of a call: a tensor, a list or a namedtuple, which may hold lists."""
    if isinstance(outputs, tf.Operation):
        return []
    return flatten(list(outputs) if isinstance(outputs, tuple) else outputs)


def _dtype_of(array):
    return tf.string if array.dtype.kind in "OS" else tf.as_dtype(array.dtype)


def _static_shape(shape, how):
    if how == "nothing":
        return None
    if how == "rank":
        return [None] * len(shape)
    return [None if how == "dims" and i % 2 == 0 else d for i, d in enumerate(shape)]


# ---- Drawing


_KNOWN = st.sampled_from(["shape", "shape", "dims", "rank", "nothing", "value"])


@st.composite
def calls_of(draw, case, inputs=None):
    """An OpCall for a case, drawn by an `inputs` function or, by default, from the op's definition."""
    case = Case(case.record, case.types, case.smooth)
    drawn = inputs(draw, case) if inputs else from_definition(draw, case)
    values, attrs = drawn if isinstance(drawn, tuple) else (drawn, {})
    values = [_as_arrays(v) for v in values]
    known = ["value" if isinstance(v, Const) else draw(_KNOWN) for v in flatten(values)]
    return OpCall(case, values, attrs, known)


def _as_arrays(value):
    if isinstance(value, (list, tuple)):
        return [_as_arrays(v) for v in value]
    return value if isinstance(value, Const) else np.asarray(value)


def plain_call(op, inputs, attrs):
    """An OpCall with given inputs of statically known shapes."""
    values = [_as_arrays(v) for v in inputs]
    return OpCall(Case(OpRecord(op, None), {}), values, attrs, ["shape"] * len(flatten(values)))


@st.composite
def op_calls(draw, op, run=True, **options):
    """A valid call (an OpCall) of a registered op.

    Args:
      op: an op type, an OpDef, or an OpRecord, whose `inputs` function is then used.
      run: the call is also run, so that the kernel accepts it, not only the shape function.
      options: `domain`, `special`, `types`, `attrs` as in an OpRecord.

    Only the shape function and the kernel know what inputs an op accepts. Without a record, inputs of equal,
    broadcasting and matching shapes are tried until one is accepted. For an op with other requirements, or with
    reference inputs, there are no examples (Hypothesis then raises Unsatisfiable).
    """
    record = op if isinstance(op, OpRecord) else OpRecord(op, None, **options)
    cases = cases_of(record)
    if not cases:
        raise ValueError(f"No kernel is registered for op type {record.op}")
    if record.build is None and any(arg.is_ref for arg in record.definition.inputs):
        reject()  # a call with a variable is more than one operation
    call = draw(calls_of(draw(st.sampled_from(cases)), record.inputs))
    if run and record.build is None and not _runs(call):
        reject()
    return call


def _runs(call):
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        try:
            tensors, feeds = call.tensors()
            _, outputs = call.outputs(tensors)
            session.run(outputs, feeds)
        except (ValueError, tf.errors.OpError):
            return False
    return True


# ---- From the definition alone

_STYLES = st.sampled_from(["same", "broadcast", "first", "vectors", "matrices"])


def from_definition(draw, case):
    """(inputs, attrs) for a case, drawn from the op's definition and accepted by its shape function."""
    for _ in range(6):
        inputs, attrs = _guess(draw, case, draw(_STYLES))
        if _builds(case, inputs, attrs):
            return inputs, attrs
    return reject()


def _builds(case, inputs, attrs):
    """Whether the op can be added with these inputs as constants."""
    call = OpCall(case, inputs, attrs, ["value"] * len(flatten(inputs)))
    with tf.Graph().as_default():
        try:
            call.outputs(call.tensors()[0])
        except (ValueError, tf.errors.OpError):
            return False
    return True


def _guess(draw, case, style):
    op = case.record.definition
    attrs = {a.name: _attribute(draw, case, a) for a in op.explicit_attrs if a.name not in case.types}
    counts = {a: draw(st.integers(op.attrs[a].minimum or 1, 3)) for a in _number_attrs(op)}
    shapes = _shapes(draw, case, style, sum(counts.get(arg.number_attr, 1) for arg in op.inputs))
    inputs = []
    for arg in op.inputs:
        if arg.type_list_attr:
            kinds = [draw(arrays.dtypes()) for _ in range(draw(st.integers(1, 3)))]
            inputs.append([draw(case.array(draw(case.shapes()), dtype=t.as_numpy_dtype)) for t in kinds])
            continue
        dtype = case[arg.type_attr] if arg.type_attr else np.dtype(arg.dtype.as_numpy_dtype)
        own = [shapes.pop(0) for _ in range(counts.get(arg.number_attr, 1))]
        values = [_input(draw, case, op, arg, dtype, shape) for shape in own]
        inputs.append(values if arg.is_list else values[0])
    return inputs, attrs


def _number_attrs(op):
    return list(dict.fromkeys(arg.number_attr for arg in op.inputs if arg.number_attr))


def _shapes(draw, case, style, n):
    if style == "broadcast":
        return list(draw(case.broadcastable_shapes(n)))
    if style == "matrices":
        size = arrays.sizes(0, 17)
        inner = draw(size)
        return [(draw(size), inner), *[(inner, draw(size)) for _ in range(n - 1)]]
    first = draw(case.shapes(min_rank=1 if style == "vectors" else 0))
    others = {"same": first, "first": (), "vectors": first[-1:]}[style]
    return [first, *[others] * (n - 1)]


def _input(draw, case, op, arg, dtype, shape):
    """An input. Integers next to arguments of other types are assumed to be small counts, axes or indices."""
    other = [a for a in op.inputs if a.type_attr != arg.type_attr]
    if dtype.kind in "iu" and other and arg is not op.inputs[0]:
        size = math.prod(shape)
        return draw(case.array(shape if size <= 8 else (), dtype=dtype, domain=(0, 2), special=False))
    return draw(case.array(shape, dtype=dtype))


_PLAIN = {
    "int": lambda a: st.integers(1 if a.minimum is None else a.minimum, max(3, (a.minimum or 0) + 2)),
    "float": lambda a: st.sampled_from([0.5, 1.0, 0.0, 2.0, -1.5]),
    "bool": lambda a: st.booleans(),
    "string": lambda a: st.sampled_from(a.allowed or (b"a", b"")),
    "type": lambda a: st.sampled_from(a.allowed or arrays.TYPES),
    "shape": lambda a: arrays.shapes(),
}


def _attribute(draw, case, attr):
    given = case.record.attrs.get(attr.name)
    if given is not None:
        return draw(given) if isinstance(given, st.SearchStrategy) else given
    is_list = attr.type.startswith("list(")
    plain = attr.type[5:-1] if is_list else attr.type
    if plain not in _PLAIN:  # tensors and functions
        return reject()
    if not is_list:
        return draw(_PLAIN[plain](attr))
    return [draw(_PLAIN[plain](attr)) for _ in range(draw(st.integers(attr.minimum or 0, 4)))]
