"""From one record per op to its tests.

How to add an op
    Put one OpRecord for it in the list RECORDS of tests/records/<family>.py. That is all: from it,
    tests/test_records.py makes
    - a value test for every type the op has a registered CPU kernel for, at every instruction-set
      level of this machine, against a NumPy reference in float64 / complex128 / exact integers;
      the static shape that the graph inferred must agree with what came out;
    - numeric against symbolic gradients in float64 and complex128, first and second order, at every level;
    - a completeness test: no kernel without a record, no gradient without a gradient test.
    Run one family with `pytest tests/test_records.py -k cwise_unary`, one op with `-k Exp`.

A record in most cases is one line (op type first, always TensorFlow's name):

    unary("Exp", np.exp, domain=(-30, 30), ulps=2)
    binary("Add", np.add)
    binary("FloorDiv", np.floor_divide, nonzero_second=True, gradient=0)
    reduction("Sum", np.sum)

and in the general case a reference and a function that draws inputs:

    def _matmul_inputs(draw, case):
        m, k, n = (draw(strategies.sizes()) for _ in range(3))
        ta, tb = draw(st.booleans()), draw(st.booleans())
        a = draw(case.array((k, m) if ta else (m, k)))
        b = draw(case.array((n, k) if tb else (k, n)))
        return [a, b], {"transpose_a": ta, "transpose_b": tb}

    def _matmul(a, b, transpose_a, transpose_b):
        return (a.T if transpose_a else a) @ (b.T if transpose_b else b)

    OpRecord("MatMul", _matmul, _matmul_inputs, scale="abs")

`inputs(draw, case)` returns `(inputs, attrs)`
    inputs: one entry for each input of the op: an array; a list of arrays for a list input
        ("values: N * T"); `Const(array)` for an input that must be known when the graph is built
        (otherwise a drawn choice decides whether it is a placeholder or a constant, and how much of a
        placeholder's shape is known statically).
    attrs: keyword arguments for the op call and for the reference.
    case.T, case.Tidx ...: the NumPy types of this case for the op's type attributes. Type attributes
        that the inputs do not determine (Cast's DstT, ArgMax's output_type) are passed
        automatically, to the op and, as NumPy types, to the reference, unless attrs has them.
    case.array(shape, dtype=case.T, ...): a strategy, see strategies.arrays; it honours the record's
        `domain` and `special`.
    case.smooth: True when drawing for a gradient test (small shapes, no ties, no special values).
    case.max_elements: how large a tensor may get; pass it on to strategies.shapes.

`reference(*inputs, **attrs)`
    gets half, bfloat16 and float inputs as float64 and complex ones as complex128; integers, bools and
    strings (bytes in object arrays) come as they are, so NumPy's wrapping is the reference for integers.
    It returns one array or a list with one for each output (a list for list outputs is flattened), of
    exactly the output's shape. Floating-point results are compared in
        |actual - expected| <= ulps * eps(output type) * max(|expected|, scale) + smallest normal
    NaN and infinities must agree exactly; integers, bools and strings must be equal.
    scale: None, a function like the reference that returns the magnitude of what was summed, or "abs":
        the reference itself applied to the absolute values of all float inputs (sums and products of
        sums: cancellation makes a relative error meaningless).

More fields of OpRecord
    gradient: 0, 1 or 2: the order up to which gradients are tested (default 2, or 0 if the op has no gradient;
        say 0 explicitly for ops with a gradient that is tested elsewhere, and list that test in
        EXPLICIT_GRADIENTS).
    gradient_inputs: an `inputs` function for the gradient tests where the domain must be another one;
        `gradient_domain` where only the range of values changes.
    differentiable: indices of the inputs to differentiate; default: all floating-point inputs.
    types: {"T": ("float", "double")} restricts the cases (several records may share an op).
    build: function(inputs, attrs) -> output tensors, instead of calling the op by its type; inputs
        are tensors. For reference inputs, make the variables there: run its initializer by
        returning `After(initializers, outputs)`, with outputs a function that makes them.
    examples: how many examples for each case.

What no record can express (side effects, exact error texts, special values) is an ordinary test in
tests/ops/test_<family>.py. If that is the only test of a kernel, list it beside RECORDS:
    EXPLICIT = {"Assert": "tests/ops/test_check.py::test_assert_message"}
    EXPLICIT_GRADIENTS = {"Print": "tests/ops/test_check.py::test_print_gradient"}
`evaluate(op, *inputs, **attrs)` runs one op at every level and is there for such tests.
"""

import ast
import contextlib
import functools
import importlib
import itertools
import os
import pathlib
import pkgutil

import numpy as np
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from tests import strategies

ROOT = pathlib.Path(__file__).resolve().parent.parent
# TFCORE_TEST_EFFORT=10 draws ten times as many examples, and other ones at each run.
EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", "1"))
EXAMPLES_PER_RECORD = 200
EXAMPLES_PER_CASE = (5, 20)
GRADIENT_EXAMPLES = 6


# ---- Records.


class OpRecord:
    """Everything the derived tests need to know about one op: see the top of this file."""

    def __init__(
        self,
        op,
        reference,
        inputs,
        *,
        ulps=4,
        scale=None,
        domain=None,
        special=False,
        gradient=None,
        gradient_inputs=None,
        gradient_domain=None,
        differentiable=None,
        types=None,
        build=None,
        examples=None,
    ):
        self.op = op
        self.reference = reference
        self.inputs = inputs
        self.ulps = ulps
        self.scale = scale
        self.domain = domain
        self.special = special
        self.gradient = gradient
        self.gradient_inputs = gradient_inputs or inputs
        self.gradient_domain = gradient_domain or domain
        self.differentiable = differentiable
        self.types = types or {}
        self.build = build
        self.examples = examples
        self.family = ""  # set by all_records

    def __repr__(self):
        return f"{self.family}/{self.op}"


def unary(op, reference, *, special=True, **options):
    """A record for an element-wise function of one tensor."""

    def inputs(draw, case):
        return [draw(case.array(draw(case.shapes(max_rank=8))))], {}

    return OpRecord(op, reference, inputs, special=special, **options)


def binary(op, reference, *, special=True, nonzero_second=False, domain_second=None, **options):
    """A record for an element-wise function of two tensors that broadcast."""

    def inputs(draw, case):
        a, b = draw(case.broadcastable_shapes(2))
        second = {"domain": domain_second} if domain_second else {}
        return [draw(case.array(a)), draw(case.array(b, nonzero=nonzero_second, **second))], {}

    return OpRecord(op, reference, inputs, special=special, **options)


def reduction(op, reference, *, scale="abs", ulps=8, min_size=0, axes_type="Tidx", **options):
    """A record for a reduction over any axes, with and without keeping them.

    reference: function(x, axis=tuple, keepdims=bool), like np.sum.
    min_size: 1 for reductions that have no value for nothing.
    """

    def inputs(draw, case):
        x = draw(case.array(draw(case.shapes(max_rank=6, min_size=min_size))))
        axes = np.array(draw(strategies.axis_sets(x.ndim)), case[axes_type])
        if axes.size == 1 and draw(st.booleans()):
            axes = axes.reshape(())
        return [x, axes], {"keep_dims": draw(st.booleans())}

    def call(x, axes, keep_dims):
        return reference(x, axis=tuple(int(a) for a in axes.flat), keepdims=keep_dims)

    return OpRecord(op, call, inputs, scale=scale, ulps=ulps, **options)


class Const:
    """An input that is a constant of the graph."""

    def __init__(self, value):
        self.value = np.asarray(value)


class After:
    """What a record's `build` returns when something must run before the outputs are made."""

    def __init__(self, first, outputs):
        self.first = first
        self.outputs = outputs


class Case:
    """The types of one test case of a record, and strategies in its terms."""

    def __init__(self, record, types, smooth=False):
        self.record = record
        self.types = types  # type attribute -> DType
        self.smooth = smooth
        self.max_elements = 60 if smooth else 3000
        self._arrays = 0  # drawn so far in this example

    def __getitem__(self, attr):
        return np.dtype(self.types[attr].as_numpy_dtype)

    def __getattr__(self, attr):
        try:
            return self[attr]
        except KeyError:
            raise AttributeError(attr) from None

    def __str__(self):
        return "-".join(t.name for t in self.types.values()) or "all"

    def __repr__(self):
        return f"Case({self})"

    def array(self, shape, dtype=None, **options):
        """strategies.arrays with the record's domain, and special values where it allows them."""
        record = self.record
        options.setdefault("domain", record.gradient_domain if self.smooth else record.domain)
        dtype = self.T if dtype is None else np.dtype(dtype)
        # NaN and infinity in complex arithmetic differ between correct implementations.
        options.setdefault("special", record.special and dtype.kind != "c")
        # No two arrays of an example are equal, even for the simplest choices that Hypothesis makes:
        # gradients are not tested where x == y.
        self._arrays += 1
        options["salt"] = self._arrays if self.smooth else 0
        return strategies.arrays(dtype, shape, smooth=self.smooth, **options)

    def shapes(self, **options):
        options.setdefault("max_elements", self.max_elements)
        return strategies.shapes(**options)

    def broadcastable_shapes(self, n=2, **options):
        options.setdefault("max_elements", self.max_elements)
        return strategies.broadcastable_shapes(n, **options)


# ---- The border to the op and kernel registries.


@functools.cache
def _modules():
    """The package's modules that the tests drive; imported late, so that the oracle needs none."""
    tf = importlib.import_module("tfcore")
    registry = importlib.import_module("tfcore.core.registry")
    op_def = importlib.import_module("tfcore.framework.op_def")
    return tf, registry, op_def


@functools.cache
def supported_types():
    """The DTypes that tensors can have, in TensorFlow's order."""
    names = "float double int32 uint8 int16 int8 string complex64 int64 bool bfloat16 uint16"
    names += " complex128 half uint32 uint64"
    return tuple(_modules()[0].as_dtype(name) for name in names.split())


@functools.cache
def kernel_types():
    """For each op type with a CPU kernel, the set of its cases: tuples of (attribute, DType)."""
    tf, registry, op_def = _modules()
    result = {}
    defined = {op.name for op in op_def.registered_ops()}
    for kernel in registry.kernels():
        if kernel.device == "CPU" and kernel.level != "user" and kernel.op in defined:
            cases = _expand(tf, op_def.get_op_def(kernel.op), kernel.types)
            result.setdefault(kernel.op, set()).update(cases)
    return result


def _expand(tf, op, types):
    """All combinations of types that a kernel's constraint such as "T=float|double" admits."""
    given_types = {}
    for constraint in filter(None, (types or "").split(";")):
        attr, _, names = constraint.partition("=")
        given_types[attr.strip()] = [tf.as_dtype(n.strip()) for n in names.split("|")]
    choices = []
    for attr in op.attrs.values():
        if attr.type == "type":
            allowed = given_types.get(attr.name) or attr.allowed or supported_types()
            choices.append([(attr.name, t) for t in allowed if t in supported_types()])
    return itertools.product(*choices)


def cases_of(record):
    """The cases of a record, in a fixed order."""
    tf = _modules()[0]
    wanted = {a: {tf.as_dtype(n) for n in names} for a, names in record.types.items()}
    return [
        Case(record, dict(types))
        for types in sorted(kernel_types().get(record.op, ()), key=_type_order)
        if all(t in wanted.get(attr, (t,)) for attr, t in types)
    ]


def _type_order(types):
    return [t.as_datatype_enum for _, t in types]


@contextlib.contextmanager
def cpu_level(level):
    """Kernels of one instruction-set level, for sessions made inside."""
    registry = _modules()[1]
    before = registry.cpu_level()
    registry.set_cpu_level(level)
    try:
        yield
    finally:
        registry.set_cpu_level(before)


def cpu_levels():
    """The instruction-set levels that this machine can run."""
    return _modules()[1].available_levels()


# ---- All records.


@functools.cache
def _record_modules():
    import tests.records as package

    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"tests.records.{name}") for name in names]


@functools.cache
def all_records():
    records = []
    for module in _record_modules():
        for record in module.RECORDS:
            record.family = module.__name__.rpartition(".")[2]
            records.append(record)
    return records


def explicit_tests(kind):
    """Op type -> test id, gathered from EXPLICIT or EXPLICIT_GRADIENTS of all record modules."""
    result = {}
    for module in _record_modules():
        result.update(getattr(module, kind, {}))
    return result


def test_exists(test_id):
    """Whether "tests/ops/test_x.py::test_y" (or ::TestX::test_y) names a test function."""
    path, *names = test_id.split("::")
    file = ROOT / path
    if not file.is_file() or not names:
        return False
    body = ast.parse(file.read_text()).body
    for name in names:
        found = [n for n in body if getattr(n, "name", None) == name]
        if not found:
            return False
        body = getattr(found[0], "body", [])
    return names[-1].startswith("test_")


test_exists.__test__ = False  # a function about tests, not a test


# ---- The oracle: reference values and how far from them a result may be.


def widen(value):
    """An input as the reference sees it: floats in float64, complex numbers in complex128."""
    if isinstance(value, (list, tuple)):
        return [widen(v) for v in value]
    value = np.asarray(value.value if isinstance(value, Const) else value)
    if is_float(value.dtype):
        return value.astype(np.float64)
    return value.astype(np.complex128) if value.dtype.kind == "c" else value


def is_float(dtype):
    """Whether a NumPy type is a real floating-point type, bfloat16 included."""
    dtype = np.dtype(dtype)
    return dtype.kind == "f" or dtype.name == "bfloat16"


def epsilon(dtype):
    """The distance from 1 to the next number of a floating or complex type."""
    dtype = np.dtype(dtype)
    return 2.0**-7 if dtype.name == "bfloat16" else float(np.finfo(dtype).eps)


def flatten(values):
    """A flat list of outputs from one value, a list, or a list with lists inside."""
    if isinstance(values, (list, tuple)):
        return [v for value in values for v in flatten(value)]
    return [values]


def call_reference(record, inputs, attrs):
    """Expected outputs and, where the record scales its tolerance, their scales."""
    wide = [widen(v) for v in inputs]
    with np.errstate(all="ignore"):
        expected = flatten(record.reference(*wide, **attrs))
        if record.scale is None:
            return expected, [None] * len(expected)
        if record.scale == "abs":
            scales = record.reference(*[_magnitude(v) for v in wide], **attrs)
        else:
            scales = record.scale(*wide, **attrs)
    scales = flatten(scales)
    return expected, scales * len(expected) if len(scales) == 1 else scales


def _magnitude(value):
    if isinstance(value, list):
        return [_magnitude(v) for v in value]
    return np.abs(value) if value.dtype.kind in "fc" else value


def check(actual, expected, dtype, ulps=4, scale=None):
    """Asserts that `actual`, of NumPy type `dtype`, is the rounded `expected`."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == dtype, f"type {actual.dtype} instead of {dtype}"
    assert actual.shape == expected.shape, f"shape {actual.shape} instead of {expected.shape}"
    if is_float(dtype):
        _check_floats(actual, expected.astype(np.float64), dtype, ulps, scale)
    elif dtype.kind == "c":
        _check_complex(actual, expected.astype(np.complex128), dtype, ulps, scale)
    else:
        with np.errstate(all="ignore"):
            expected = expected.astype(dtype)
        _report(actual, expected, actual == expected)


def _check_floats(actual, expected, dtype, ulps, scale):
    wide = actual.astype(np.float64)
    tiny, _, largest = strategies.float_limits(dtype)
    with np.errstate(all="ignore"):
        size = np.minimum(_size(expected, scale), largest)
        allowed = ulps * epsilon(dtype) * size + tiny
        close = np.abs(wide - expected) <= allowed
        # Beyond the largest number: infinity, or the largest number itself within the tolerance.
        over = (np.abs(expected) + allowed >= largest) & (np.abs(wide) >= largest - allowed)
        close |= over & (np.sign(wide) == np.sign(expected)) & ~np.isnan(wide)
        finite = np.isfinite(expected)
        same = (wide == expected) | (np.isnan(wide) & np.isnan(expected))
        good = np.where(finite, close, same)
    _report(actual, expected, good)


def _check_complex(actual, expected, dtype, ulps, scale):
    wide = actual.astype(np.complex128)
    part = np.empty(0, dtype).real.dtype
    tiny, _, largest = strategies.float_limits(part)
    with np.errstate(all="ignore"):
        size = _size(expected, scale)
        close = np.abs(wide - expected) <= ulps * epsilon(part) * size + tiny
        # Which of NaN and infinity a complex operation gives is not fixed by any standard.
        finite = np.isfinite(expected)
        over = ~finite | (size * (1 + ulps * epsilon(part)) >= largest)
        good = (finite & close) | (over & ~np.isfinite(wide))
    _report(actual, expected, good)


def _size(expected, scale):
    size = np.abs(expected)
    if scale is None:
        return size
    scale = np.abs(np.asarray(scale)).astype(np.float64)
    return np.maximum(size, np.where(np.isfinite(scale), scale, 0))


def _report(actual, expected, good):
    good = np.asarray(good)
    if good.all():
        return
    wrong = np.argwhere(~good) if good.ndim else np.zeros((1, 0), int)
    lines = [f"  {list(map(int, i))}: {actual[tuple(i)]!r} instead of {expected[tuple(i)]!r}" for i in wrong[:5]]
    raise AssertionError("\n".join([f"{len(wrong)} of {good.size} elements differ", *lines]))


# ---- One example.


class Sample:
    """Inputs and attributes of one example, and how much of them the graph knows when it is built."""

    def __init__(self, case, inputs, attrs, known):
        self.case = case
        self.inputs = inputs
        self.attrs = attrs
        self.known = known  # for each tensor: "value", "shape", "rank", "dims" or "nothing"

    def __repr__(self):
        def text(value):
            if isinstance(value, list):
                return f"[{', '.join(map(text, value))}]"
            value = value.value if isinstance(value, Const) else value
            small = f" = {value.tolist()}" if value.size <= 12 else ""
            return f"{value.dtype.name}{list(value.shape)}{small}"

        inputs = ", ".join(map(text, self.inputs))
        return f"{self.case.record.op}({inputs}, {self.attrs}) known={self.known}"


_KNOWN = st.sampled_from(["shape", "shape", "dims", "rank", "nothing", "value"])


@st.composite
def samples(draw, case, inputs):
    """A Sample of a case from an `inputs` function."""
    case = Case(case.record, case.types, case.smooth)
    values, attrs = inputs(draw, case)
    values = [_as_arrays(v) for v in values]
    known = ["value" if isinstance(v, Const) else draw(_KNOWN) for v in flatten(values)]
    return Sample(case, values, attrs, known)


def _as_arrays(value):
    if isinstance(value, (list, tuple)):
        return [_as_arrays(v) for v in value]
    return value if isinstance(value, Const) else np.asarray(value)


def make_tensors(sample):
    """Placeholders and constants for the inputs of a sample; returns (tensors, feeds)."""
    tf = _modules()[0]
    feeds, known = {}, iter(sample.known)

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

    return [tensor(v) for v in sample.inputs], feeds


def _dtype_of(array):
    tf = _modules()[0]
    return tf.string if array.dtype.kind in "OS" else tf.as_dtype(array.dtype)


def _static_shape(shape, how):
    if how == "nothing":
        return None
    if how == "rank":
        return [None] * len(shape)
    return [None if how == "dims" and i % 2 == 0 else d for i, d in enumerate(shape)]


def explicit_types(case, attrs):
    """The type attributes of the case that the op's inputs do not determine."""
    op = _modules()[2].get_op_def(case.record.op)
    names = [a.name for a in op.explicit_attrs if a.name in case.types]
    return {name: case.types[name] for name in names if name not in attrs}


def make_outputs(sample, tensors):
    """Builds the op; returns (ops to run first, flat list of output tensors)."""
    record = sample.case.record
    attrs = {**explicit_types(sample.case, sample.attrs), **sample.attrs}
    if record.build is None:
        op = _modules()[2].get_op_def(record.op)
        return [], flatten_tensors(op(*tensors, **attrs))
    result = record.build(tensors, attrs)
    if isinstance(result, After):
        return result.first, flatten_tensors(result.outputs())
    return [], flatten_tensors(result)


def flatten_tensors(outputs):
    """Tensors from what an op call returns: a tensor, a list, a namedtuple, lists inside."""
    return flatten(list(outputs) if isinstance(outputs, tuple) else outputs)


def check_sample(sample):
    """Runs a sample at every level and compares it with the reference."""
    tf = _modules()[0]
    case = sample.case
    types = {n: t.as_numpy_dtype for n, t in explicit_types(case, sample.attrs).items()}
    expected, scales = call_reference(case.record, sample.inputs, {**sample.attrs, **types})
    with tf.Graph().as_default() as graph:
        tensors, feeds = make_tensors(sample)
        first, outputs = make_outputs(sample, tensors)
    assert len(outputs) == len(expected), f"{len(outputs)} outputs, {len(expected)} references"
    for level in cpu_levels():
        with cpu_level(level), tf.Session(graph=graph) as session:
            if first:
                session.run(first, feeds)
            values = session.run(outputs, feeds)
        for i, (tensor, value) in enumerate(zip(outputs, values, strict=True)):
            with _explained(f"{sample!r}\noutput {i} at level {level}"):
                value = np.array(value, object) if isinstance(value, bytes) else np.asarray(value)
                assert tensor.shape.is_compatible_with(value.shape), (
                    f"inferred shape {tensor.shape}, computed {value.shape}"
                )
                check(value, expected[i], _numpy_type(tensor), case.record.ulps, scales[i])


def _numpy_type(tensor):
    return np.dtype(tensor.dtype.base_dtype.as_numpy_dtype)


@contextlib.contextmanager
def _explained(text):
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text}") from None


def evaluate(op, *inputs, **attrs):
    """Runs one op on arrays at every level and returns its outputs at the last one.

    Results at all levels must agree to a few units in the last place. Returns an array, or a list for
    an op with several outputs.
    """
    tf = _modules()[0]
    record = OpRecord(op, None, None)
    values = [_as_arrays(v) for v in inputs]
    sample = Sample(Case(record, {}), values, attrs, ["shape"] * len(flatten(values)))
    with tf.Graph().as_default() as graph:
        tensors, feeds = make_tensors(sample)
        _, outputs = make_outputs(sample, tensors)
    results = None
    for level in cpu_levels():
        with cpu_level(level), tf.Session(graph=graph) as session:
            values = session.run(outputs, feeds)
        for i, tensor in enumerate(outputs if results else ()):
            with _explained(f"{op} at level {level}, compared with the level before"):
                check(values[i], results[i], _numpy_type(tensor), ulps=16)
        results = values
    return results[0] if len(results) == 1 else results


# ---- Gradients.


def gradient_cases(record):
    """The cases to test gradients with: one in float64, one in complex128, as far as they exist."""
    chosen = {}
    for case in cases_of(record):
        floats = {t.name for t in case.types.values() if t.is_floating or t.is_complex}
        if floats and floats <= {"float64", "complex128"}:
            kind = "complex" if "complex128" in floats else "real"
            chosen.setdefault(kind, Case(record, case.types, smooth=True))
    return list(chosen.values())


def gradient_order(record):
    """Up to which order the record's gradients are tested."""
    if record.gradient is not None:
        return record.gradient
    return 2 if _modules()[2].get_op_def(record.op).gradient_fn else 0


def check_gradient(sample, order, seed):
    """Compares symbolic with numeric derivatives along random directions, up to `order`."""
    tf = _modules()[0]
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default() as graph:
        tensors, feeds = make_tensors(sample)
        first, outputs = make_outputs(sample, tensors)
        xs = _differentiable(sample.case.record, tensors)
        loss = _weighted_sum(tf, [y for y in outputs if _is_inexact(y)], rng)
        session = tf.Session(graph=graph)
        with session, _explained(repr(sample)):
            if first:
                session.run(first, feeds)
            for degree in range(1, order + 1):
                grads = [_dense(tf, g) for g in tf.gradients(loss, xs)]
                if degree == 1:
                    missing = [x.name for x, g in zip(xs, grads, strict=True) if g is None]
                    assert not missing, f"no gradient for {missing}"
                _compare_derivatives(session, loss, xs, grads, feeds, rng, degree)
                pairs = [(x, g) for x, g in zip(xs, grads, strict=True) if g is not None]
                if degree == order or not pairs:
                    break
                # The next round differentiates a weighted sum of the gradients.
                loss = _weighted_sum(tf, [g for _, g in pairs], rng)


def _is_inexact(tensor):
    return tensor.dtype.base_dtype.is_floating or tensor.dtype.base_dtype.is_complex


def _differentiable(record, tensors):
    if record.differentiable is not None:
        tensors = [tensors[i] for i in record.differentiable]
    return [t for t in flatten(list(tensors)) if _is_inexact(t) and t.op.type == "Placeholder"]


def _dense(tf, gradient):
    """A gradient as a tensor: IndexedSlices become dense."""
    return None if gradient is None else tf.convert_to_tensor(gradient)


def _weighted_sum(tf, tensors, rng):
    """A real scalar in which every element has a random weight of its own, whatever its shape.

    The weights are cos(position + phase): they need no knowledge of the static shape. The imaginary
    parts of complex tensors have weights of their own.
    """
    total = []
    for tensor in tensors:
        parts = [tf.real(tensor), tf.imag(tensor)] if tensor.dtype.is_complex else [tensor]
        for part in parts:
            flat = tf.reshape(part, [-1])
            position = tf.cast(tf.range(tf.size(flat)), tf.float64)
            weights = tf.cos(1.7 * position + tf.constant(rng.uniform(0, 6), tf.float64))
            total.append(tf.reduce_sum(flat * weights))
    return tf.add_n(total)


def _compare_derivatives(session, loss, xs, grads, feeds, rng, degree):
    present = [i for i, g in enumerate(grads) if g is not None]
    values = session.run([grads[i] for i in present], feeds)
    symbolic = dict(zip(present, values, strict=True))
    for i, x in enumerate(xs):
        gradient = symbolic.get(i, np.zeros(feeds[x].shape))
        assert gradient.shape == feeds[x].shape, f"gradient of shape {gradient.shape} for {x}"
        for _ in range(2):
            _compare_direction(session, loss, x, gradient, feeds, rng, degree)


def _compare_direction(session, loss, x, gradient, feeds, rng, degree):
    direction = rng.uniform(-1, 1, feeds[x].shape)
    if x.dtype.is_complex:  # the gradient is dL/dRe + i dL/dIm
        direction = direction + 1j * rng.uniform(-1, 1, feeds[x].shape)
    contributions = np.real(np.conj(gradient) * direction)
    expected = float(contributions.sum())
    step = 1e-4

    def at(multiple):
        return float(session.run(loss, {**feeds, x: feeds[x] + multiple * step * direction}))

    # Fourth-order central difference: the error is about step**4 + rounding / step.
    numeric = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)
    size = 1 + abs(expected) + abs(at(0)) + float(np.abs(contributions).sum())
    assert abs(numeric - expected) <= 1e-7 * size, (
        f"derivative of order {degree} with respect to {x.name}: symbolic {expected!r}, numeric {numeric!r}"
    )


# ---- Hypothesis.


def example_settings(count):
    """Settings for a derived test with about `count` examples."""
    return settings(
        max_examples=max(1, round(count * EFFORT)),
        deadline=None,
        derandomize=EFFORT == 1,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def run_values(case):
    """The value test of one case."""
    record = case.record
    low, high = EXAMPLES_PER_CASE
    share = EXAMPLES_PER_RECORD // max(1, len(cases_of(record)))
    count = record.examples or min(high, max(low, share))

    @example_settings(count)
    @given(samples(case, record.inputs))
    def test(sample):
        note(repr(sample))
        check_sample(sample)

    test()


def run_gradient(case):
    """The gradient test of one of a record's gradient_cases."""
    record = case.record

    @example_settings(GRADIENT_EXAMPLES)
    @given(samples(case, record.gradient_inputs), st.integers(0, 2**31))
    def test(sample, seed):
        # What is differentiated must be fed.
        sample.known = [
            "shape" if k == "value" and not isinstance(v, Const) else k
            for k, v in zip(sample.known, flatten(sample.inputs), strict=True)
        ]
        note(repr(sample))
        for level in cpu_levels():
            with cpu_level(level), _explained(f"at level {level}"):
                check_gradient(sample, gradient_order(record), seed)

    test()
