"""Graphs, operations, op definitions and attributes as protocol buffers, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.framework.attr_proto import AttrError, FunctionAttr, decode_attr, encode_attr
from tfcore.framework.definitions.op_def import registered_ops
from tfcore.framework.exchange.graph_def import op_def_proto
from tfcore.framework.types import dtypes
from tfcore.testing.strategies import shapes


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


# ---- Operations


def test_node_def(graph):
    with tf.device("/job:ps/cpu:0"):
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        with tf.control_dependencies([tf.no_op(name="z"), tf.no_op(name="a")]):
            y = tf.matmul(x, x, transpose_b=True, name="y")
    node = y.op.node_def
    assert (node.name, node.op, list(node.input)) == ("y", "MatMul", ["x", "x", "^a", "^z"])
    assert node.device == "/job:ps/device:CPU:0"
    assert node.attr["transpose_b"].b and not node.attr["transpose_a"].b
    assert "transpose_a" in node.attr and node.attr["T"].type == 1
    assert [d.size for d in x.op.node_def.attr["shape"].shape.dim] == [-1, 4]


def test_inputs_name_ports(graph):
    a, b, c = tf.split(tf.zeros([6]), 3, name="s")
    assert list((a + c).op.node_def.input) == ["s", "s:2"]
    assert list(tf.identity(b).op.node_def.input) == ["s:1"]


def test_graph_def(graph):
    tf.constant(1, name="a")
    version = graph.version
    b = tf.placeholder(tf.float32, name="b")
    tf.identity(b, name="c").set_shape([2, None])
    graph_def = graph.as_graph_def()
    assert [n.name for n in graph_def.node] == ["a", "b", "c"]
    assert graph_def.versions.producer == graph.graph_def_versions.producer == 134
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b", "c"]
    assert "_output_shapes" not in graph_def.node[0].attr
    with_shapes = graph.as_graph_def(add_shapes=True).node
    assert with_shapes[1].attr["_output_shapes"].list.shape[0].unknown_rank
    assert [d.size for d in with_shapes[2].attr["_output_shapes"].list.shape[0].dim] == [2, -1]


def test_sessions_have_a_graph_def(graph):
    tf.constant(1, name="a")
    with tf.Session() as sess:
        assert sess.graph_def == graph.as_graph_def()


def test_training_graph_round_trip(graph):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [4, 3], initializer=tf.random_normal_initializer(seed=1))
    loss = tf.reduce_mean(tf.nn.softmax(tf.matmul(x, w)) ** 2, name="loss")
    tf.train.AdamOptimizer(0.001).minimize(loss, name="train")
    tf.global_variables_initializer()
    graph_def = graph.as_graph_def()
    runs = []
    for g in (graph, tf.Graph()):
        with g.as_default(), tf.Session(graph=g) as sess:
            if g is not graph:
                tf.import_graph_def(graph_def, name="")
                assert sorted(n.name for n in g.as_graph_def().node) == sorted(n.name for n in graph_def.node)
                again = {n.name: n for n in g.as_graph_def().node}
                assert all(again[n.name] == n for n in graph_def.node)
            sess.run("init")
            feed = {"x:0": np.arange(8.0).reshape(2, 4)}
            losses = []
            for _ in range(3):
                losses.append(sess.run("loss:0", feed))
                sess.run("train", feed)
            runs.append(losses)
    assert runs[0] == runs[1] and runs[0][2] < runs[0][0]


def test_shapes_and_types_have_protos():
    assert tf.float32.as_datatype_enum == 1
    proto = tf.TensorShape([2, None]).as_proto()
    assert tf.TensorShape(proto).as_list() == [2, None]
    assert tf.TensorShape(tf.TensorShape(None).as_proto()).dims is None


def test_attributes_newer_than_the_version_are_written_only_where_they_matter(graph):
    a = tf.placeholder(tf.float32, [2, 2], name="a")
    assert "grad_a" not in tf.raw_ops.MatMul(a=a, b=a).op.node_def.attr
    assert tf.raw_ops.MatMul(a=a, b=a, grad_a=True).op.node_def.attr["grad_a"].b


def test_op_definitions_read_like_tensorflows():
    proto = op_def_proto(tf.raw_ops.AddN)
    assert [(a.name, a.type_attr, a.number_attr) for a in proto.input_arg] == [("inputs", "T", "N")]
    assert proto.is_commutative and not proto.is_stateful
    n = next(a for a in proto.attr if a.name == "N")
    assert n.type == "int" and n.has_minimum and n.minimum == 1 and not n.HasField("default_value")
    padding = next(a for a in op_def_proto(tf.raw_ops.AvgPool).attr if a.name == "padding")
    assert list(padding.allowed_values.list.s) == [b"SAME", b"VALID"]
    assert op_def_proto(tf.raw_ops.Assign).input_arg[0].is_ref
    assert all(op_def_proto(op_def).name == op_def.name for op_def in registered_ops())


# ---- Attributes


def test_attributes_set_by_hand(graph):
    op = tf.no_op()
    op._set_attr("_own", tf.AttrValue(s=b"text"))
    op._set_attr("_mine", [1, 2])
    assert op.get_attr("_own") == b"text" == op.node_def.attr["_own"].s
    assert op.node_def.attr["_mine"].list.i == [1, 2]


TYPES = st.sampled_from([t for t in dtypes.BY_ENUM.values() if not t._is_ref_dtype])
DIMS = st.none() | st.lists(st.none() | st.integers(0, 2**62), max_size=5).map(tuple)
ARRAYS = st.tuples(st.sampled_from(["f4", "f8", "i4", "u1", "c16", "?"]), shapes(max_rank=4, max_elements=60)).map(
    lambda drawn: np.arange(int(np.prod(drawn[1])), dtype=np.uint8).astype(drawn[0]).reshape(drawn[1])
)
SCALARS = {
    "string": st.binary(max_size=20),
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False),
    "bool": st.booleans(),
    "type": TYPES,
    "shape": DIMS,
    "tensor": ARRAYS,
    "func": st.builds(
        FunctionAttr, st.text(max_size=5), st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2)
    ),
}


def same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    return type(a) is type(b) and a == b


@st.composite
def attributes(draw):
    kind = draw(st.sampled_from(sorted(SCALARS)))
    if draw(st.booleans()):
        return f"list({kind})", draw(st.lists(SCALARS[kind], max_size=4))
    return kind, draw(SCALARS[kind])


@given(attributes())
def test_attributes_round_trip(drawn):
    kind, value = drawn
    encoded = encode_attr(value, kind).SerializeToString()
    assert same(decode_attr(tf.AttrValue.FromString(encoded), kind), value)
    assert same(decode_attr(encode_attr(value)), value)  # the kind told from the value


@given(attributes(), attributes())
def test_attributes_of_another_kind_are_refused(drawn, other):
    (kind, value), (wanted, _) = drawn, other
    encoded = encode_attr(value, kind)
    if kind == wanted or (isinstance(value, list) and not value and wanted.startswith("list")):
        decode_attr(encoded, wanted)
        return
    with pytest.raises(AttrError, match="expected"):
        decode_attr(encoded, wanted)


@given(st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(data):
    from google.protobuf.message import DecodeError

    try:
        proto = tf.AttrValue.FromString(data)
    except DecodeError:
        return
    for kind in (None, *SCALARS):
        try:
            decode_attr(proto, kind)
        except AttrError:
            pass


def test_placeholders_and_odd_values():
    with pytest.raises(AttrError, match="'placeholder'"):
        decode_attr(tf.AttrValue(placeholder="T"))
    with pytest.raises(AttrError, match="holds no value"):
        decode_attr(tf.AttrValue())
    with pytest.raises(TypeError, match="cannot be the value of an attribute"):
        encode_attr(object())


def test_lazy_names():
    assert {"GraphDef", "import_graph_def", "io"} <= set(dir(tf)) and "write_graph" in dir(tf.train)
    with pytest.raises(AttributeError, match="module 'tfcore' has no attribute 'nonsense'"):
        tf.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="module 'tfcore.train' has no attribute 'nonsense'"):
        tf.train.nonsense  # noqa: B018
    assert tf.io.write_graph is tf.train.write_graph
    assert tf.graph_util.import_graph_def is tf.import_graph_def
