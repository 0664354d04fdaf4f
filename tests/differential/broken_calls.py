"""Calls that are wrong: where TensorFlow refuses one at run time, tfcore raises an error of the same class.

A valid call is drawn from an op's record, then one input is damaged: another shape, an index out of range, a negative
size. Nothing is known statically, so that the kernels have to notice.
"""

import numpy as np
from hypothesis import strategies as st

import tfcore as tf
from tests.differential import exceptions
from tests.differential.examine import Deviation
from tests.differential.peer import PeerEndedError
from tests.differential.random_graphs import draw_inputs
from tfcore.testing import Case, Const
from tfcore.testing.calls import OpCall
from tfcore.testing.oracle import flatten

_DAMAGES = ("longer", "shorter", "deeper", "flatter", "large", "negative", "empty")
# One input of these is a table of what to do; a wrong one ends TensorFlow's process or asks for all memory.
_DANGEROUS = {
    "Fill", "Range", "LinSpace", "Tile", "BroadcastTo", "Pad", "PadV2", "MirrorPad", "ScatterNd", "OneHot", "Bincount",
    "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt", "RandomGamma", "RandomPoisson",
    "RandomPoissonV2", "Multinomial", "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
    "StatelessRandomUniformInt", "HistogramFixedWidth", "UnsortedSegmentSum", "UnsortedSegmentProd",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin", "StridedSliceGrad",
}  # fmt: skip


class BrokenCall:
    """A call in a graph of its own, damaged in one input."""

    def __init__(self, call, arrays, damage, position):
        self.call, self.arrays, self.damage, self.position = call, arrays, damage, position
        self.graph = tf.Graph()
        with self.graph.as_default():
            tensors, self.feeds = call.tensors()
            _, self.outputs = call.outputs(tensors)

    def __repr__(self):
        return f"{self.call!r}, input {self.position} made {self.damage}"


def ops(choice):
    """The ops whose calls are damaged: those without variables, and without tables of sizes."""
    return [
        op
        for op, records in sorted(choice.cases.items())
        if op not in _DANGEROUS and op not in exceptions.NEEDS_STATIC_SHAPES and records[0][0].build is None
    ]


@st.composite
def broken_calls(draw, choice, op):
    """A BrokenCall of an op, or None where the damage changes nothing or is found when the graph is built."""
    record, cases = draw(st.sampled_from(choice.cases[op]))
    case = draw(st.sampled_from(cases))
    case = Case(case.record, case.types)
    case.max_elements = 200
    values, attrs = draw_inputs(draw, case, record.inputs)
    flat = flatten(values)
    if not flat:
        return None
    position, damage = draw(st.integers(0, len(flat) - 1)), draw(st.sampled_from(_DAMAGES))
    old = flat[position]
    known = ["value" if isinstance(v, Const) else "nothing" for v in flat]
    if isinstance(old, Const) or (new := _damaged(old, damage)) is None:
        return None
    values = _replaced(values, old, new)
    arrays = [v.value if isinstance(v, Const) else v for v in flatten(values)]
    if exceptions.refusal(op, arrays, attrs, False):
        return None
    try:
        return BrokenCall(OpCall(case, values, attrs, known), arrays, damage, position)
    except (ValueError, TypeError, tf.errors.OpError):
        return None


def _replaced(values, old, new):
    if isinstance(values, list):
        return [_replaced(v, old, new) for v in values]
    return new if values is old else values


def _damaged(array, damage):
    if damage in ("large", "negative"):
        if array.dtype.kind != "i" or not array.size or array.dtype.itemsize < 4:
            return None
        new = np.array(array)
        new.flat[-1] = 1000 if damage == "large" else -7
        return new
    if damage == "deeper":
        return array[None] if array.ndim < 8 else None
    if not array.ndim:
        return None
    if damage == "flatter":
        return array.reshape(-1) if array.ndim > 1 else array.reshape(-1)[:1].reshape(()) if array.size else None
    if damage == "empty":
        return array[:0] if len(array) else None
    if not len(array):
        return None
    return np.concatenate([array, array[:1]]) if damage == "longer" else array[:-1]


def compare(broken, peer):
    """(what TensorFlow did, what tfcore did, a Deviation or None); the class of an error, or "values"."""
    feeds = {t.name: v for t, v in broken.feeds.items()}
    fetches = [t.name for t in broken.outputs]
    try:
        answer = peer.ask(
            graph=broken.graph.as_graph_def().SerializeToString(), steps=[{"feeds": feeds, "fetches": fetches}]
        )
    except PeerEndedError:
        answer = {"error": ["(its process ends)", ""], "step": 0}
    theirs = answer["error"][0] if "error" in answer else "values"
    if answer.get("step") == -1:
        theirs = "(refused when built)"
    ours, text = _run(broken)
    excuse = exceptions.excuse(broken.call.op, broken.arrays, broken.call.attrs, theirs, ours)
    if theirs.startswith("(") or ours == theirs or excuse:
        return theirs, ours, None
    detail = answer["error"][1].strip().splitlines()[-6:] if "error" in answer else ""
    return (
        theirs,
        ours,
        Deviation(broken.call.op, f"{theirs} in TensorFlow, {ours} in tfcore", f"{text} {detail} {broken!r}"),
    )


def _run(broken):
    with tf.Session(graph=broken.graph) as session:
        try:
            session.run(broken.outputs, broken.feeds)
        except tf.errors.OpError as error:
            return type(error).__name__, str(error)[:200]
    return "values", ""
