"""Random graphs: calls of all registered ops, drawn from their records and joined where type, shape and values fit.

A graph is drawn call by call, and computed while it grows: what a call needs of an input (a domain, no zeros) is
checked against the values that an earlier output has. That is how a chain of ops stays valid.
"""

import functools
import itertools
import math

import numpy as np
from hypothesis import strategies as st

import tfcore as tf
from tests import harness
from tests.differential import exceptions, extra
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.testing import Case, Const
from tfcore.testing.calls import OpCall, from_definition
from tfcore.testing.oracle import flatten
from tfcore.testing.records import cases_of

_LIMITS = {"float16": 1e3, "bfloat16": 1e6}  # values beyond it do not feed other calls: the next op would overflow
_LIMIT = 1e6
_ATTEMPTS = 12  # at a call that TensorFlow computes
_CHANCE = st.integers(0, 99)
_KNOWN = st.sampled_from(["shape", "shape", "dims", "rank", "nothing"])


class Call:
    """One drawn op call in a graph: its inputs and outputs, tensors, and what has to run before."""

    def __init__(self, record, attrs, inputs, first, outputs):
        self.record = record
        self.attrs = attrs
        self.inputs = inputs
        self.first = first
        self.outputs = outputs


class RandomGraph:
    """A graph, what is fed, the calls that it consists of, and perhaps gradients.

    first: initializers, run in a step of their own. ys, xs, grad_ys, gradients: what was differentiated, by what, the
    weights, and the gradients as tensors (None where there is none).
    """

    def __init__(self):
        self.graph = tf.Graph()
        self.feeds = {}
        self.first = []
        self.calls = []
        self.ys, self.xs, self.grad_ys, self.gradients = [], [], [], []

    def __repr__(self):
        lines = []
        for call in self.calls:
            inputs = ", ".join(f"{t.name}" for t in call.inputs)
            lines.append(f"{call.record.op}({inputs}; {call.attrs}) -> {', '.join(t.name for t in call.outputs)}")
        feeds = ", ".join(f"{t.name}: {v.dtype}{list(v.shape)}" for t, v in self.feeds.items())
        return "\n".join([*lines, f"feeds {feeds}"])


class _Case(Case):
    """A case whose shapes are often those of tensors that the graph has, and that knows which arrays are free."""

    def __init__(self, case, smooth, pool, draw):
        super().__init__(case.record, case.types, smooth)
        self.max_elements = 60 if smooth else 200
        self.pool = pool
        self.free = {}  # id of a drawn array -> (array, options)
        self._draw = draw

    def array(self, shape, dtype=None, **options):
        record = self.record
        seen = {"domain": record.gradient_domain if self.smooth else record.domain, "special": record.special}
        seen.update(options)

        def remember(array):
            array = np.asarray(array)
            self.free[id(array)] = array, seen
            return array

        return super().array(shape, dtype, **options).map(remember)

    def shapes(self, min_rank=0, max_rank=5, min_size=0, max_size=65, max_elements=None):
        most = max_elements or self.max_elements
        fitting = [
            shape
            for shape in dict.fromkeys(value.shape for _, value, _ in self.pool)
            if min_rank <= len(shape) <= max_rank
            and all(min_size <= d <= max_size for d in shape)
            and math.prod(shape) <= most
        ]
        drawn = super().shapes(
            min_rank=min_rank, max_rank=max_rank, min_size=min_size, max_size=max_size, max_elements=most
        )
        return st.one_of(st.sampled_from(fitting), st.sampled_from(fitting), drawn) if fitting else drawn

    def broadcastable_shapes(self, n=2, **options):
        drawn = super().broadcastable_shapes(n, **options)
        fitting = list(dict.fromkeys(value.shape for _, value, _ in self.pool))
        if not fitting:
            return drawn
        same = st.sampled_from(fitting).map(lambda shape: [shape] * n)
        return st.one_of(same, drawn)


class _Growing:
    """A graph while it is drawn."""

    def __init__(self, draw, smooth):
        self.draw = draw
        self.smooth = smooth
        self.result = RandomGraph()
        self.pool = []  # (tensor, value, pure): what may feed further calls
        self.session = tf.Session(graph=self.result.graph)

    def chance(self, percent):
        return self.draw(_CHANCE) < percent

    # ---- A call

    def add(self, record, cases):
        for _ in range(_ATTEMPTS):
            case = _Case(self._choose_case(cases), self.smooth, self.pool, self.draw)
            inputs = record.gradient_inputs if self.smooth else record.inputs
            values, attrs = draw_inputs(self.draw, case, inputs)
            flat = flatten(values)
            arrays = [v.value if isinstance(v, Const) else v for v in flat]
            if exceptions.refusal(record.op, arrays, attrs, self.smooth) is None:
                break
        else:
            return
        joined = _is_joint(case, flat)  # no input may be exchanged
        impure = record.build is not None or get_op_def(record.op).stateful
        pure_inputs = True
        tensors = []
        for value in flat:
            tensor, pure = self._input(case, value, joined, need_pure=record.build is not None)
            tensors.append(tensor)
            pure_inputs &= pure
        drawn = OpCall(case, values, attrs, [])
        with self._controls(record):
            first, outputs = drawn.outputs(_like(values, iter(tensors)))
        first = [getattr(op, "op", op) for op in first]
        outputs_wait = any(t.op.control_inputs for t in outputs)
        call = Call(record, attrs, tensors, first, outputs)
        self.result.calls.append(call)
        self.result.first += first
        self._compute(call, pure_inputs and not impure and not outputs_wait)

    def _choose_case(self, cases):
        if self.smooth:
            cases = [c for c in cases if _is_differentiable(c)] or cases
        kinds = {value.dtype for _, value, _ in self.pool if value.dtype.kind in "fcV"}
        known = [c for c in cases if any(np.dtype(t.as_numpy_dtype) in kinds for t in c.types.values())]
        return self.draw(st.sampled_from(known if known and self.chance(60) else cases))

    def _controls(self, record):
        """At times a control dependency; never for initializers, which run in a step of their own."""
        ops = [t.op for c in self.result.calls for t in c.outputs]
        if ops and record.build is None and self.chance(15):
            return self.result.graph.control_dependencies([self.draw(st.sampled_from(ops))])
        return self.result.graph.control_dependencies([])

    def _input(self, case, value, joined, need_pure):
        """A tensor for a drawn input: an earlier output, a placeholder or a constant; and whether it is pure."""
        if isinstance(value, Const):
            return _constant(value.value), True
        options = None if joined else case.free.get(id(value), (None, None))[1]
        if options is not None and case.record.op not in exceptions.NEEDS_STATIC_SHAPES and self.chance(70):
            found = self._earlier(value, options, need_pure)
            if found is not None:
                return found
        if self.chance(20) or (case.record.op in exceptions.NEEDS_CONSTANTS and value.dtype.kind == "i"):
            return _constant(value), True
        how = "shape" if case.record.op in exceptions.NEEDS_STATIC_SHAPES else self.draw(_KNOWN)
        (placeholder,), feeds = OpCall(case, [value], {}, [how]).tensors()
        self.result.feeds.update(feeds)
        if value.dtype.kind in "fc" and self.smooth:
            self.result.xs.append(placeholder)
        if options is not None and _is_moderate(value):
            self.pool.append((placeholder, value, True))
        return placeholder, True

    # ---- Joining

    def _earlier(self, value, options, need_pure):
        """A tensor that the graph has, of this type and shape, with values that the call can take; or None."""
        same = [
            entry
            for entry in self.pool
            if entry[1].dtype == value.dtype and (entry[2] or not need_pure) and _fits(entry[1], options)
        ]
        exact = [entry for entry in same if entry[1].shape == value.shape]
        if exact:
            tensor, _, pure = self.draw(st.sampled_from(exact))
            return tensor, pure
        others = [entry for entry in same if entry[1].size or not value.size]
        if not others or not self.chance(50):
            return None
        tensor, known, pure = self.draw(st.sampled_from(others))
        return self._reshaped(tensor, known, value.shape), pure

    def _reshaped(self, tensor, known, shape):
        """The tensor's elements, repeated or cut to fill another shape."""
        size = math.prod(shape)
        flat = tf.reshape(tensor, [-1])
        if known.size != size:
            flat = tf.gather(flat, np.arange(size) % max(known.size, 1))
        return tf.reshape(flat, shape)

    def _compute(self, call, pure):
        """Runs the new call on the values known so far; its outputs may feed others."""
        feeds = {**self.result.feeds, **{tensor: value for tensor, value, _ in self.pool}}  # nothing runs twice
        if call.first:
            self.session.run(call.first, feeds)
        fetches = [t for t in call.outputs if not t.dtype._is_ref_dtype]
        values = self.session.run(fetches, feeds)
        for tensor, value in zip(fetches, values, strict=True):
            value = np.array(value, object) if isinstance(value, bytes) else np.asarray(value)
            if value.size <= 2000 and not exceptions.is_unwritten(tensor.op, tensor.value_index):
                self.pool.append((tensor, value, pure))

    # ---- Gradients

    def differentiate(self):
        """Adds the gradients of the last outputs, weighted, by all placeholders."""
        result = self.result
        values = {tensor: value for tensor, value, _ in self.pool}
        candidates = [t for c in result.calls for t in c.outputs if _is_inexact(t) and t in values]
        candidates = [t for t in candidates if (t.op.type, t.value_index) not in exceptions.NOT_DIFFERENTIATED]
        xs = list(dict.fromkeys(result.xs))
        if not candidates or not xs:
            return
        ys = candidates[-3:]
        grad_ys = [_constant(_weights(values[y])) for y in ys]
        try:
            gradients = tf.gradients(ys, xs, grad_ys)
        except (LookupError, NotImplementedError):  # an op on the way has none; some say so as TensorFlow's do
            return
        except TypeError as error:  # TensorFlow's gradient is that of float images, too
            if "ScaleAndTranslateGrad" in str(error):
                return
            raise
        result.ys, result.xs, result.grad_ys = ys, xs, grad_ys
        result.gradients = [None if g is None else tf.convert_to_tensor(g) for g in gradients]


def _weights(value):
    """Different weights between 0.5 and 1.5 for the elements of an output."""
    return (1 + 0.5 * np.cos(1.7 * np.arange(value.size))).reshape(value.shape).astype(value.dtype)


def draw_inputs(draw, case, inputs):
    """What a record's `inputs` function draws, as (arrays, attributes)."""
    drawn = inputs(draw, case) if inputs else from_definition(draw, case)
    values, attrs = drawn if isinstance(drawn, tuple) else (drawn, {})
    return [_as_arrays(v) for v in values], attrs


def _as_arrays(value):
    if isinstance(value, (list, tuple)):
        return [_as_arrays(v) for v in value]
    return value if isinstance(value, Const) else np.asarray(value)


def _like(values, tensors):
    return [_like(v, tensors) if isinstance(v, list) else next(tensors) for v in values]


def _constant(array):
    return OpCall(None, [np.asarray(array)], {}, ["value"]).tensors()[0][0]


def _is_inexact(tensor):
    return tensor.dtype.base_dtype.is_floating or tensor.dtype.base_dtype.is_complex


def _is_differentiable(case):
    floats = {t.name for t in case.types.values() if t.is_floating or t.is_complex}
    return bool(floats) and floats <= {"float32", "float64", "complex64", "complex128"}


def _is_joint(case, flat):
    """Whether an input was computed from the values of another one, such as maxima of windows."""
    return any(
        not isinstance(v, Const) and id(v) not in case.free and v.ndim > (2 if v.dtype.kind in "iub" else 0)
        for v in flat
    )


def _is_moderate(value):
    if value.dtype.kind not in "fcV":
        return True
    with np.errstate(all="ignore"):
        size = np.abs(value.astype(np.complex128 if value.dtype.kind == "c" else np.float64))
        return bool(np.all(size <= _LIMITS.get(value.dtype.name, _LIMIT)))  # False for NaN


def _fits(value, options):
    """Whether a call may get these values where it asked for an array with these options."""
    if value.dtype.kind in "Ob":
        return True
    if options.get("nonzero") and not np.all(value != 0):
        return False
    if not _is_moderate(value):
        return False
    if options.get("domain") is None or value.dtype.kind == "c":
        return True
    low, high = options["domain"]
    wide = value.astype(np.float64)
    return bool(np.all((wide >= low) & (wide <= high)))


# ---- Strategies


@functools.cache
def all_records():
    """Op type -> its records: those of the op tests, and those that only these graphs need."""
    result = {}
    for record in itertools.chain(harness.all_records(), extra.RECORDS):
        result.setdefault(record.op, []).append(record)
    return result


class Choice:
    """The cases of records that are drawn: those that `accepts(op type, {type attribute: DType})` lets pass.

    cases: {op type: [(record, its cases)]}. left_out: {op type: the cases that do not pass}.
    """

    def __init__(self, accepts=lambda op_type, types: True):
        self.cases, self.left_out = {}, {}
        for op, records in all_records().items():
            for record in records:
                every = cases_of(record)
                passing = [case for case in every if accepts(op, case.types)]
                if passing:
                    self.cases.setdefault(op, []).append((record, passing))
                if len(passing) < len(every):
                    self.left_out.setdefault(op, []).extend(case for case in every if case not in passing)


@st.composite
def graphs(draw, choice, ops, n_more=4, smooth=False):
    """A RandomGraph with a call of each op in `ops` and up to `n_more` of others.

    smooth: values as gradient tests need them, floats of 32 and 64 bits, and gradients of the last outputs.
    """
    more = draw(st.lists(st.sampled_from(_connecting(choice.cases, smooth)), max_size=n_more))
    growing = _Growing(draw, smooth)
    with growing.result.graph.as_default(), growing.session:
        for op in draw(st.permutations([*ops, *more])):
            growing.add(*draw(st.sampled_from(choice.cases[op])))
        if smooth:
            growing.differentiate()
    return growing.result


def _connecting(known, smooth):
    """Ops that take any shape and keep values moderate, so that graphs hang together."""
    names = "Add AddV2 Sub Mul Maximum Minimum Tanh Sigmoid Relu Neg Abs Identity AddN Select Softplus Squeeze Reshape"
    names += " Transpose Sum Mean Softmax" + ("" if smooth else " Cast Floor Less Equal Sign")
    return [name for name in names.split() if name in known]
