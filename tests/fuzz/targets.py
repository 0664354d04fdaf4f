"""What a coverage-guided fuzzer calls: functions of bytes that end in a value or in a clean error, else in any other.

Each target makes its own graph and session, so that a call does not depend on the calls before it.
"""

import collections
import datetime
import decimal
import fractions
import functools
import random

import numpy as np

import tfcore as tf
from tests.fuzz.calls import CLEAN_ERRORS, KINDS, Call, draw_array, draw_shape, flatten
from tests.fuzz.draws import ByteDraw
from tests.fuzz.ops import SKIP
from tfcore.framework import protos
from tfcore.framework.definitions.op_def import registered_ops

CLEAN = (*CLEAN_ERRORS, tf.errors.OpError)


@functools.cache
def _op_defs():
    return [d for d in registered_ops() if d.name not in SKIP and not d.name.startswith("Test")]


def attributes(data):
    """Calls of any op with any inputs and attributes."""
    draw = ByteDraw(data)
    op_def = _op_defs()[draw.integer(0, len(_op_defs()) - 1)]
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            call = Call(draw, tf, op_def)
            fetches = flatten(call.add())
            session.run(tf.global_variables_initializer())
            session.run(fetches, call.feeds)
        except CLEAN:
            pass


# ---- GraphDefs


def _build_seed_graph(kind):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    if kind == 0:
        w = tf.Variable(tf.zeros([3, 2]), name="w")
        tf.nn.softmax(tf.matmul(x, w) + 1.0, name="y")
    elif kind == 1:
        image = tf.reshape(x, [-1, 1, 3, 1])
        tf.nn.max_pool(
            tf.nn.conv2d(image, tf.ones([1, 1, 1, 2]), [1, 1, 1, 1], "SAME"), [1, 1, 2, 1], [1, 1, 2, 1], "SAME"
        )
    elif kind == 2:
        with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), [x])]), tf.device("/cpu:0"):
            tf.concat([tf.transpose(x), tf.gather(tf.transpose(x), [0, 2])], 0)
    else:
        parts = tf.unstack(tf.strided_slice(x, [0, 0], [1, 3], shrink_axis_mask=1), 3)
        tf.strings.join([tf.as_string(parts[0])]) if hasattr(tf, "as_string") else tf.add_n(parts)


@functools.cache
def seed_graphs():
    """Serialised GraphDefs of small graphs."""
    found = []
    for kind in range(4):
        with tf.Graph().as_default() as graph:
            _build_seed_graph(kind)
        found.append(graph.as_graph_def().SerializeToString())
    return found


def _import_and_run(graph_def, fed=None):
    """fed: arrays by tensor name, fed to the placeholders of these names; without them floats get ones."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        before = tf.constant(1.0, name="before")
        try:
            tf.import_graph_def(graph_def, name="")
        except CLEAN:
            assert graph.get_operations() == [before.op], "a failed import left operations behind"
            assert session.run(before) == 1.0
            return
        graph.as_graph_def().SerializeToString()
        feeds = {t: value for op in graph.get_operations() for t, value in _feeds_of(op, fed)}
        initializers = [op for op in graph.get_operations() if op.type == "Assign"]
        for op in initializers + graph.get_operations()[1:]:
            if op.type not in SKIP:
                try:
                    session.run(op.outputs or op, feeds)
                except CLEAN:
                    pass


def _feeds_of(op, fed):
    if op.type != "Placeholder":
        return
    tensor = op.outputs[0]
    if fed is not None and tensor.name in fed:
        yield tensor, fed[tensor.name]
    elif tensor.dtype is tf.float32:
        shape = [2 if d is None else d for d in tensor.dims or ()]
        if max(shape, default=0) < 100 and np.prod(shape) < 1e4 and len(shape) <= 8:
            yield tensor, np.ones(shape, np.float32)


def graph_bytes(data):
    """Any bytes as a GraphDef."""
    graph_def = protos.GraphDef()
    try:
        graph_def.ParseFromString(data)
    except Exception:  # noqa: BLE001  protobuf's own errors
        return
    _import_and_run(graph_def)


def graph_structure(data):
    """GraphDefs of real graphs with fields changed, and nodes copied, dropped or connected to others."""
    draw = ByteDraw(data)
    graph_def = protos.GraphDef.FromString(draw.pick(seed_graphs()))
    for _ in range(draw.integer(1, 6)):
        try:
            _mutate(draw, graph_def)
        except CLEAN:  # protobuf refuses the value
            pass
    _import_and_run(graph_def)


def graph_ops(data):
    """The GraphDef of a call of any op, changed: what reaches kernels that no wrapper lets through."""
    draw = ByteDraw(data)
    op_def = draw.pick(_op_defs())
    with tf.Graph().as_default() as graph:
        try:
            call = Call(draw, tf, op_def)
            call.add()
            graph_def = graph.as_graph_def()
        except CLEAN:
            return
    fed = {t.name: value for t, value in call.feeds.items()}
    for _ in range(draw.integer(0, 4)):
        try:
            _mutate(draw, graph_def)
        except CLEAN:  # protobuf refuses the value
            pass
    _import_and_run(graph_def, fed)


def _mutate(draw, graph_def):
    nodes = graph_def.node
    if not nodes:
        return
    node = draw.pick(nodes)
    kind = draw.integer(0, 8)
    if kind == 0:
        node.op = draw.pick(_op_defs()).name
    elif kind == 1:
        del nodes[draw.integer(0, len(nodes) - 1)]
    elif kind == 2:
        nodes.add().CopyFrom(node)
        nodes[-1].name = draw.pick((node.name, "copy", "", "a b", "before"))
    elif kind == 3:
        text = draw.pick(("{}", "^{}", "{}:1", "{}:-1", "{}:99999999999", "^{}:0", "^", ":0", "{}:x", ""))
        node.input.append(text.format(draw.pick(nodes).name))
    elif kind == 4 and node.input:
        del node.input[draw.integer(0, len(node.input) - 1)]
    elif kind == 5:
        node.device = draw.pick(
            ("/cpu:0", "/gpu:0", "/job:x", "/cpu:-1", "//", "@", "/device:CPU:99999999999999999999")
        )
    elif kind == 6 and node.attr:
        key = draw.pick(sorted(node.attr))
        _mutate_attr(draw, node.attr[key])
    elif kind == 7 and node.attr:
        key = draw.pick(sorted(node.attr))
        value = protos.AttrValue()
        value.CopyFrom(node.attr[key])
        del node.attr[key]
        node.attr[draw.pick(("_class", "_output_shapes", "container", "extra", key))].CopyFrom(value)
    else:
        graph_def.versions.producer = draw.pick((0, -1, 21, 134, 2**31 - 1))
        graph_def.versions.min_consumer = draw.pick((0, 2**31 - 1, -1))


def _mutate_attr(draw, value):
    kind = draw.integer(0, 8)
    if kind == 0:
        value.i = draw.pick((0, 1, -1, 2**31, 2**62, -(2**63)))
    elif kind == 1:
        value.s = draw.blob(draw.integer(0, 4))
    elif kind == 2:
        value.f = draw.pick((0.0, float("nan"), 1e38))
    elif kind == 3:
        value.type = draw.integer(-1, 130)
    elif kind == 4:
        for _ in range(draw.integer(0, 3)):
            value.shape.dim.add(size=draw.pick((-1, -2, 0, 1, 2**31, 2**62, 2**63 - 1)))
        value.shape.unknown_rank = draw.chance(20)
    elif kind == 5:
        value.list.i.extend([draw.pick((0, 1, 2, -1, 2**62)) for _ in range(draw.integer(0, 5))])
        if draw.chance(20):
            value.list.s.append(b"loc:@x")
    elif kind == 6:
        value.tensor.dtype = draw.integer(-1, 30)
        value.tensor.tensor_content = draw.blob(draw.integer(0, 9))
    elif kind == 7:
        value.tensor.tensor_shape.dim.add(size=draw.pick((0, 1, 3, -1, 2**40, 2**62)))
        value.tensor.float_val.extend([1.0] * draw.integer(0, 3))
        value.tensor.int_val.extend([2**31 - 1] * draw.integer(0, 3))
    else:
        value.func.name = "f"


# ---- Feeds


class _Strange:
    """Objects that are nearly arrays."""

    def __init__(self, **methods):
        self._methods = methods

    def __getattr__(self, name):
        try:
            return object.__getattribute__(self, "_methods")[name]
        except KeyError:
            raise AttributeError(name) from None


class _BadArray:
    def __init__(self, result):
        self._result = result

    def __array__(self, dtype=None, copy=None):
        return self._result


class _BadSequence:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise IndexError(index)


def draw_object(draw, depth=0):
    """Any Python value."""
    kind = draw.integer(0, 24 if depth < 3 else 13)
    if kind <= 1:
        return draw.pick((0, 1, -1, 2**31, 2**63, -(2**64), 10**400, True, False))
    if kind == 2:
        return draw.pick((0.5, float("nan"), float("inf"), -0.0, 1e308, 1j, complex("nan+infj")))
    if kind == 3:
        return draw.pick(("", "1", "x", "\ud800", "é" * 20, b"", b"\xff", "1e5"))
    if kind == 4:
        return draw.pick((None, Ellipsis, NotImplemented, object(), int, len, tf, np.float32, tf.float32))
    if kind == 5:
        return draw.pick((decimal.Decimal("1.5"), fractions.Fraction(1, 3), datetime.date(2000, 1, 1)))
    if kind == 6:
        return draw.pick((range(3), iter([1, 2]), {1, 2}, frozenset(), memoryview(b"abcd"), bytearray(b"xy")))
    if kind <= 9:
        return draw_array(draw, tf.as_dtype(draw.pick(KINDS)), draw_shape(draw))
    if kind == 10:
        text = draw.pick(("U3", "S2", "M8[s]", "m8[ns]", "O", "V4", ">f4", ">i8", "f2", "G", "c8", "?", "i4,f4"))
        return np.zeros(draw_shape(draw), text)
    if kind == 11:
        return np.ones([4, 6], np.float32)[draw.pick((slice(None, None, -1), slice(1, 3), slice(0, 0), None))].T
    if kind == 12:
        return np.zeros([1] * draw.integer(7, 32), np.float32)
    if kind == 13:
        return np.ma.masked_array([1.0, 2.0], [True, False])
    if kind <= 17:
        items = [draw_object(draw, depth + 1) for _ in range(draw.integer(0, 3))]
        return draw.pick((list, tuple, lambda v: np.array(v + [None], object)[:-1]))(items)
    if kind == 18:
        return {draw.pick(("a", 1)): draw_object(draw, depth + 1)}
    if kind == 19:
        return _BadArray(draw_object(draw, depth + 1))
    if kind == 20:
        return _Strange(__dlpack__=lambda *a, **k: draw_object(draw, depth + 1), dtype="float32", shape=(1,))
    if kind == 21:
        return _BadSequence()
    if kind == 22:
        return collections.namedtuple("Pair", "a b")(1, draw_object(draw, depth + 1))
    if kind == 23:
        return tf.placeholder(tf.float32)
    return tf.Variable(1.0)


def feeds(data):
    """Any objects as values, keys, fetches and feed dictionaries."""
    draw = ByteDraw(data)
    with tf.Graph().as_default(), tf.Session() as session:
        shape = draw.pick((None, [], [2], [None, 3], [0]))
        x = tf.placeholder(tf.as_dtype(draw.pick(KINDS)), shape, name="x")
        y, alive = tf.identity(x), tf.constant(7)
        try:
            values = [draw_object(draw) for _ in range(draw.integer(1, 2))]
            key = x if draw.chance(80) else draw_object(draw)
            feed = {key: values[0]} if draw.chance(95) else values[-1]
            session.run(y if draw.chance(90) else draw_object(draw), feed)
            tf.constant(values[-1])
        except (*CLEAN, RuntimeError, AttributeError, OverflowError, NotImplementedError):
            pass  # the objects' own, or NumPy's
        assert session.run(alive) == 7


# ---- Partial runs


def partial_runs(data):
    """Sequences of partial_run_setup and partial_run in any order, some wrong; values are those of one run."""
    draw = ByteDraw(data)
    with tf.Graph().as_default(), tf.Session() as session:
        a, b, c = (tf.placeholder(tf.float32, [], name=n) for n in "abc")
        v = tf.Variable(0.0)
        p, q = a + b, a * 3.0
        r, s = p * c, tf.sqrt(c) + q
        bad = tf.gather([1.0], tf.cast(a, tf.int32))
        count = tf.assign_add(v, c)
        session.run(v.initializer)
        everything = [a, b, c, p, q, r, s, bad, count, count.op, None, "p:0", 3]
        values = {a: 2.0, b: 3.0, c: 4.0}
        want = dict(zip([p, q, r, s], session.run([p, q, r, s], values)))
        handles = ["nothing"]
        for _ in range(draw.integer(1, 12)):
            try:
                if draw.chance(30):
                    fetches = [draw.pick(everything[3:]) for _ in range(draw.integer(0, 4))]
                    handles.append(
                        session.partial_run_setup(fetches, [draw.pick([a, b, c]) for _ in range(draw.integer(0, 3))])
                    )
                    continue
                fetch = draw.pick(everything)
                fed = {t: values[t] for t in [draw.pick([a, b, c]) for _ in range(draw.integer(0, 3))]}
                got = session.partial_run(draw.pick(handles), fetch, fed)
                if isinstance(fetch, tf.Tensor) and fetch in want:
                    assert got == want[fetch], (fetch, got)
            except (*CLEAN, RuntimeError):
                pass
            if draw.chance(10):
                del handles[draw.integer(0, len(handles) - 1) :]
                handles.append("gone")
        if draw.chance(20):
            session.close()
        else:
            assert session.run(p, values) == 5.0


TARGETS = {f.__name__: f for f in (attributes, graph_bytes, graph_structure, graph_ops, feeds, partial_runs)}


def seeds(target, count=20):
    """Inputs to begin with."""
    if target == "graph_bytes":
        return seed_graphs()
    numbers = random.Random(target)
    return [numbers.randbytes(numbers.choice((8, 64, 400))) for _ in range(count)]
