"""One graph in both libraries, compared operation by operation.

TensorFlow runs the whole graph and returns every tensor. Then each operation runs in tfcore on TensorFlow's values of
its inputs, and its outputs must be TensorFlow's within the bound for one operation. tfcore's own run of the whole graph
must be, bit for bit, what its operations give one by one. Together they say: where whole runs differ, rounding
differences have travelled, and nothing else. Tight bounds, no guess about conditioning, and a deviation names the
operation.
"""

import collections
import functools
import re

import numpy as np

import tfcore as tf
from tests.differential import bounds, exceptions
from tests.differential.peer import PeerEndedError
from tfcore.framework.definitions.op_def import registered_ops
from tfcore.testing.oracle import flatten, widen


class Deviation:
    """A difference that is not explained: `op` (type), `what`, and a text for people."""

    def __init__(self, op, what, text):
        self.op, self.what, self.text = op, what, text

    def __repr__(self):
        return f"{self.op}: {self.what}: {self.text}"


class Tally:
    """What many graphs add up to."""

    def __init__(self):
        self.graphs = 0
        self.drawn = collections.Counter()  # op type -> calls
        self.nodes = collections.Counter()  # op type -> operations compared, gradients included
        self.worst = {}  # op type -> (ratio, type)
        self.less_exact = {}  # op type -> (TensorFlow's error in units of the record's bound, type)
        self.explained = collections.Counter()  # exception -> times
        self.unknown = collections.Counter()  # op types that TensorFlow wrote and tfcore has not
        self.gradients = 0
        self.imported = 0
        self.worst_gradient = 0.0
        self.deviations = []

    def note(self, op_type, ratio, dtype):
        if ratio >= self.worst.get(op_type, (-1, ""))[0]:
            self.worst[op_type] = (ratio, dtype)


@functools.cache
def rules():
    return bounds.Rules()


def examine(random_graph, peer, tally):
    """Compares a RandomGraph in both libraries; returns the deviations."""
    tally.graphs += 1
    tally.drawn.update(call.record.op for call in random_graph.calls)
    try:
        answer = _ask(random_graph, peer, tally)
    except PeerEndedError as death:
        deviations = [Deviation("process", "TensorFlow died", f"{str(death)[-300:]}\n{random_graph!r}")]
    else:
        deviations = _compare(random_graph, answer, tally) if "error" not in answer else [_error(random_graph, answer)]
    tally.deviations += deviations
    return deviations


def _ask(random_graph, peer, tally):
    """TensorFlow's answer; without gradients where those that it makes cannot run."""
    request = _request(random_graph, peer)
    answer = peer.ask(**request)
    if "tensorflow_gradients/" in answer.get("error", [""])[-1]:
        tally.explained[f"{_culprit(answer['error'][1])}: fails in the gradient that TensorFlow makes"] += 1
        request["gradients"] = None
        answer = peer.ask(**request)
    return answer


def _error(random_graph, answer):
    kind, text = answer["error"]
    return Deviation(
        _culprit(text), f"TensorFlow raises {kind}", f"step {answer['step']}: {text[:600]}\n{random_graph!r}"
    )


def _culprit(text):
    """The type of the node that an error text of TensorFlow names."""
    found = re.search(r"{{node [^}]*}} = (\w+)\[|node '(?:.*/)?(\w+?)(?:_\d+)?'", text)
    return (found.group(1) or found.group(2)) if found else "graph"


def _compare(random_graph, answer, tally):
    answer["values"] = answer["values"][-1]
    comparison = Comparison(answer["values"], tally)
    comparison.check_calls(random_graph)
    comparison.check_operations(random_graph.graph.get_operations())
    deviations = comparison.deviations + compare_runs(random_graph)
    if random_graph.gradients:
        deviations += compare_gradients(random_graph, answer, tally)
    return deviations + compare_imported(random_graph, answer, tally)


def _request(random_graph, peer):
    definition = random_graph.graph.as_graph_def()
    for call in random_graph.calls:
        removed = peer.removed_in(call.record.op)
        if removed:  # the graph says that it is older
            definition.versions.producer = min(definition.versions.producer, removed - 1)
    feeds = {t.name: v for t, v in random_graph.feeds.items()}
    fetches = [t.name for call in random_graph.calls for t in call.outputs if not _is_racing(t)]
    steps = [{"feeds": feeds, "fetches": fetches, "everything": True}]
    if random_graph.first:
        steps.insert(0, {"feeds": feeds, "targets": [op.name for op in random_graph.first]})
    gradients = None
    if random_graph.gradients:
        lists = random_graph.ys, random_graph.xs, random_graph.grad_ys
        gradients = [[t.name for t in tensors] for tensors in lists]
    return {"graph": definition.SerializeToString(), "steps": steps, "gradients": gradients}


def _is_racing(tensor):
    """A variable itself: its value during a step depends on when it is looked at."""
    return tensor.op.type in ("Variable", "VariableV2", "RefIdentity")


def run_alone(op, inputs):
    """The outputs of a copy of an operation, in a graph of its own, for given inputs."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tensors = [tf.placeholder(t.dtype, x.shape) for t, x in zip(op.inputs, inputs, strict=True)]
        copy = graph.add_operation(op.op_def, tensors, op.attrs, [t.dtype for t in op.outputs])
        return _values(session, copy.outputs, dict(zip(tensors, inputs)))


def _values(session, tensors, feeds):
    return [np.array(v, object) if isinstance(v, bytes) else np.asarray(v) for v in session.run(tensors, feeds)]


class Comparison:
    """tfcore's operations on TensorFlow's values."""

    def __init__(self, values, tally):
        self.values = values
        self.tally = tally
        self.deviations = []

    def check_calls(self, random_graph):
        """The calls on variables, each in a session of its own."""
        for call in random_graph.calls:
            if call.first:
                self._check_call(random_graph, call)

    def check_operations(self, operations):
        """All other operations, alone."""
        for op in operations:
            if self._is_checkable(op):
                self._check_op(op)

    def _is_checkable(self, op):
        if op.type in ("Placeholder", "PlaceholderV2") or not op.outputs:
            return False
        tensors = [*op.inputs, *op.outputs]
        return not any(t.dtype._is_ref_dtype for t in tensors) and all(t.name in self.values for t in tensors)

    def _check_op(self, op):
        inputs = [self.values[t.name] for t in op.inputs]
        try:
            ours = run_alone(op, inputs)
        except (ValueError, TypeError, tf.errors.OpError) as error:
            self._deviate(op, "tfcore raises", f"{type(error).__name__}: {error}", inputs)
            return
        self.tally.nodes[op.type] += 1
        self._compare(op, op.outputs, ours, inputs)

    def _check_call(self, random_graph, call):
        """A call on variables: alone in a session, from the same initial values."""
        feeds = {t: self.values[t.name] for t in call.inputs if t.name in self.values}
        feeds.update({t: v for t, v in random_graph.feeds.items()})
        outputs = [t for t in call.outputs if t.name in self.values]
        with tf.Session(graph=random_graph.graph) as session:
            session.run(call.first, feeds)
            ours = _values(session, outputs, feeds)
        op = _main_op(call)
        self.tally.nodes[op.type] += 1
        inputs = [self.values[t.name] for t in call.inputs]
        scales = [None] * len(outputs)
        if callable(call.record.scale):
            scales = flatten(call.record.scale(*widen(inputs), **call.attrs))
            scales = (scales * len(outputs))[: len(outputs)]
        elif call.record.scale == "abs":
            scales = [sum(np.abs(x).astype(np.float64) for x in inputs if x.dtype.kind in "fcV")] * len(outputs)

        def run(values):
            with tf.Session(graph=random_graph.graph) as session:
                fed = {**feeds, **dict(zip(call.inputs, values))}
                session.run(call.first, fed)
                return _values(session, outputs, fed)

        for i, (tensor, value, scale) in enumerate(zip(outputs, ours, scales)):
            self._judge(op, i, value, self.values[tensor.name], call.record.ulps, scale, inputs, run)

    def _compare(self, op, tensors, ours, inputs):
        ulps = rules().ulps(op)
        theirs = [self.values[t.name] for t in tensors]
        if all(bounds.ratio(a, b, 2 * ulps) <= 0.25 for a, b in zip(ours, theirs)):
            scales = [None] * len(ours)  # close without a scale: no need to compute it
        else:
            scales = rules().scales(op, inputs, functools.partial(run_alone, op))
        for i, (a, b, scale) in enumerate(zip(ours, theirs, scales)):
            self._judge(op, i, a, b, ulps, scale, inputs, functools.partial(run_alone, op))

    def _judge(self, op, index, ours, theirs, ulps, scale, inputs, run):
        found = bounds.ratio(ours, theirs, 2 * ulps, scale)
        if found <= 1:
            self.tally.note(op.type, found, ours.dtype.name)
            return
        exact = rules().exact(op, inputs)
        text, a, b = "", 0.0, np.inf
        if exact is not None:
            value = np.asarray(exact[index])
            a, b = (_against(x, value, ulps, scale) for x in (ours, theirs))
            text = f"tfcore {a:.3g}, TensorFlow {b:.3g} bounds from the exact value"
        if a <= 1:  # tfcore is right; why is TensorFlow not?
            reason = exceptions.explain(op, index, ours, theirs, inputs)
            reason = reason or _explain_flushed(op, index, ours, theirs, 2 * ulps, scale, inputs, run)
            if reason:
                self.tally.explained[f"{op.type}: {reason}"] += 1
                return
            if np.isfinite(found) and b > self.tally.less_exact.get(op.type, (0, ""))[0]:
                self.tally.less_exact[op.type] = b, ours.dtype.name
            if np.isfinite(found) and b <= exceptions.LESS_EXACT.get(op.type, {}).get(ours.dtype.name, 1):
                return
        self._deviate(
            op,
            f"{ours.dtype.name} output {index} differs by {found:.3g} bounds",
            _both(ours, theirs) + " " + text,
            inputs,
        )

    def _deviate(self, op, what, text, inputs):
        described = ", ".join(_describe(x) for x in inputs)
        attrs = {k: v for k, v in op.attrs.items() if not isinstance(v, np.ndarray)}
        self.deviations.append(Deviation(op.type, what, f"{text}\n    {op.name}({described}) {attrs}"))


def _explain_flushed(op, index, ours, theirs, ulps, scale, inputs, run):
    """Why an output differs if tfcore, too, gets zeros for subnormal numbers; None if that does not explain it.

    TensorFlow's copies keep such numbers, so that an element may be with or without them.
    """
    values = exceptions.flushed(inputs)
    if values is None:
        return None
    zeroed = run(values)[index]
    candidates = [zeroed]
    if zeroed.shape == ours.shape == theirs.shape:  # not so of Where: it gives the places that are not zero
        candidates.append(np.where(zeroed == theirs, zeroed, ours))
    for candidate in candidates:
        if bounds.ratio(candidate, theirs, ulps, scale) <= 1:
            return exceptions.FLUSHED
        if reason := exceptions.explain(op, index, candidate, theirs, values):
            return reason
    return None


def _against(value, exact, ulps, scale):
    """Distance from a reference in wider precision, in the record's bounds."""
    try:
        with np.errstate(all="ignore"):
            rounded = exact.astype(value.dtype)
        return bounds.ratio(value, rounded, ulps, scale)
    except (TypeError, ValueError):
        return np.inf


def _both(ours, theirs):
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)} and {theirs.dtype}{list(theirs.shape)}"
    wrong = np.argwhere(~((ours == theirs) | ((ours != ours) & (theirs != theirs))))
    places = sorted(wrong.tolist(), key=lambda i: -_gap(ours[tuple(i)], theirs[tuple(i)]))[:3]
    return "; ".join(f"{i}: tfcore {ours[tuple(i)]!r}, TensorFlow {theirs[tuple(i)]!r}" for i in places)


def _gap(a, b):
    try:
        gap = abs(complex(a) - complex(b)) / (abs(complex(a)) + abs(complex(b)) + 1e-300)
        return gap if gap == gap else np.inf
    except (TypeError, ValueError, OverflowError):
        return np.inf


def _describe(value):
    small = f" = {value.tolist()}" if value.size <= 12 else ""
    return f"{value.dtype.name}{list(value.shape)}{small}"


def _main_op(call):
    """The operation of the record's type behind a call."""
    seen, stack = set(), [t.op for t in call.outputs]
    while stack:
        op = stack.pop()
        if op.type == call.record.op:
            return op
        if op not in seen:
            seen.add(op)
            stack += [t.op for t in op.inputs] + op.control_inputs
    return call.outputs[0].op


def _has_state(graph):
    return any(op.op_def.stateful for op in graph.get_operations())


def compare_runs(random_graph):
    """Fetching all tensors at once, which leaves nothing to rewrite, or only the last ones: the same bits."""
    graph = random_graph.graph
    if _has_state(graph):
        return []
    tensors = [t for op in graph.get_operations() for t in op.outputs if op.type != "Placeholder"]
    last = [t for t in tensors if not t.consumers()]
    with tf.Session(graph=graph) as session:
        whole = dict(zip(tensors, session.run(tensors, random_graph.feeds)))
        alone = session.run(last, random_graph.feeds)
    return [
        Deviation(
            t.op.type, "whole and pruned run differ", f"{t.op.name}: {_both(np.asarray(v), np.asarray(whole[t]))}"
        )
        for t, v in zip(last, alone)
        if not _same_bits(v, whole[t])
    ]


def compare_imported(random_graph, answer, tally):
    """The graph as TensorFlow writes it, gradients of its own included, imported and run in tfcore."""
    definition = tf.GraphDef.FromString(answer["graph"])
    unknown = {node.op for node in definition.node} - {op.name for op in registered_ops()}
    if unknown:
        tally.unknown.update(unknown)
        return []
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(definition, name="")
        except Exception as error:
            return [Deviation("import", f"{type(error).__name__}", f"{error}\n{random_graph!r}")]
    tally.imported += 1
    comparison = Comparison(answer["values"], tally)
    known = {op.name for op in random_graph.graph.get_operations()}
    comparison.check_operations(op for op in graph.get_operations() if op.name not in known)
    return comparison.deviations + _compare_bits(random_graph, graph)


def _compare_bits(random_graph, imported):
    """Our graph and what came back from TensorFlow: the same values, bit for bit."""
    if _has_state(imported):
        return []
    last = [t for call in random_graph.calls for t in call.outputs]
    with tf.Session(graph=random_graph.graph) as session:
        ours = session.run(last, random_graph.feeds)
    with tf.Session(graph=imported) as session:
        theirs = session.run([t.name for t in last], {t.name: v for t, v in random_graph.feeds.items()})
    return [
        Deviation(t.op.type, "differs after a round trip", f"{t.op.name}: {_both(np.asarray(a), np.asarray(b))}")
        for t, a, b in zip(last, ours, theirs)
        if not _same_bits(a, b)
    ]


def _same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "OS":
        return np.array_equal(a, b)
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        or bool(a.dtype.kind == "V" and np.all((a == b) | ((a != a) & (b != b))))
    )


GRADIENT_BOUND = 16  # units of the last place of the largest value in the backward graph


def compare_gradients(random_graph, answer, tally):
    """tfcore's gradients and those that TensorFlow makes of the same forward graph."""
    if not isinstance(answer["gradients"], list):
        if answer["gradients"]:
            found = re.search(r"(?:op type|Forward operation): (\w+)|'(\w+)' Op|(unknown rank)", answer["gradients"])
            tally.explained[f"gradients: TensorFlow makes none of {next(filter(None, found.groups()))}"] += 1
        return []
    deviations = []
    for x, ours, name in zip(random_graph.xs, random_graph.gradients, answer["gradients"], strict=True):
        if (ours is None) != (name is None):
            owner = "TensorFlow" if ours is None else "tfcore"
            deviations.append(
                Deviation(
                    "gradient", f"only {owner} has one", f"{x.name} ({[c.record.op for c in random_graph.calls]})"
                )
            )
            continue
        if ours is None:
            continue
        a, b = answer["values"][ours.name], answer["values"][name]
        scale = _largest(v for v in answer["values"].values() if v.dtype == a.dtype)
        found = bounds.ratio(a, b, GRADIENT_BOUND, np.full(a.shape, scale))
        tally.gradients += 1
        reason = _other_gradient(random_graph, a.dtype) if found > 1 else None
        if reason:
            tally.explained[f"gradients: {reason}"] += 1
        elif found > 1:
            deviations.append(
                Deviation("gradient", f"differs by {found:.3g} bounds", f"{x.name}: {_both(a, b)}\n{random_graph!r}")
            )
        else:
            tally.worst_gradient = max(tally.worst_gradient, found)
    return deviations


def _other_gradient(random_graph, dtype):
    for call in random_graph.calls:
        kind, reason = exceptions.OTHER_GRADIENTS.get(call.record.op, (None, ""))
        if kind is not None and dtype.name.startswith(kind):
            return f"{call.record.op}: {reason}"
    return None


def _largest(arrays):
    best = 1.0
    for array in arrays:
        with np.errstate(all="ignore"):
            size = np.abs(array[np.isfinite(array)])
        best = max(best, float(size.max(initial=0)))
    return best
