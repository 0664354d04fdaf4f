"""What crosses between devices and tasks, how programs travel, and what people get to see of them."""

import re

import numpy as np
import pytest
from tfcore.core.registry.kernel import ResourceManager

import tfcore as tf
from tfcore.compiler import draw
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices, device_name
from tfcore.compiler.partition import MASTER, MAX_COPY, partition
from tfcore.compiler.program_def import ProgramDef, to_graph_def

PS, WORKER = ("ps", 0, 0), ("worker", 0, 0)
RANKS = {PS: 5, WORKER: 7}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def cut(fetches, feeds=(), targets=(), rewrites=()):
    """The partitions of the worker (the client) and of the parameter server."""
    devices = Devices([device_name(PS), device_name(WORKER)], WORKER)
    program = Compiler(ResourceManager(), rewrites, devices).program(list(fetches), list(feeds), list(targets))
    parts = partition(program, devices.default, RANKS)
    assert [p.task for p in parts] == [WORKER, PS][: len(parts)] and [p.rank for p in parts] == [7, 5][: len(parts)]
    check(parts)
    return parts


def check(parts):
    """Every edge has two ends, which agree; nodes are in an order in which they can run."""
    ends = {}
    for part in parts:
        seen = set(part.program.feeds)
        for node in part.program.nodes:
            assert all(source in seen for source, _ in node.inputs) and all(c in seen for c in node.controls)
            seen.add(node)
            if node.type in ("_Send", "_Recv"):
                ends.setdefault(node.attrs["_edge"], {})[node.type] = part, node
    for pair in ends.values():
        (sender, send), (receiver, recv) = pair["_Send"], pair["_Recv"]
        assert send.attrs["tensor_name"] == recv.attrs["tensor_name"]
        for name in ("send_device", "recv_device"):  # other tasks than the client's do not know whose the master's are
            assert {name_in_task(n.attrs[name]) for n in (send, recv)} == {name_in_task(send.attrs[name])}
        assert send.attrs["T"] is recv.attrs["tensor_type"]
        if sender is not receiver:
            known_as = {part: MASTER if part is parts[0] else part.rank for part in (sender, receiver)}
            assert (send.attrs["_peer"], recv.attrs["_peer"]) == (known_as[receiver], known_as[sender])
            assert send in sender.sends and recv in receiver.recvs and send in sender.program.targets


def name_in_task(device):
    return device.decode().rpartition("/")[2]


def types(part):
    return sorted(n.type for n in part.program.nodes)


def test_one_pair_for_each_value_and_destination():
    x = tf.placeholder(tf.float32, [2])
    with tf.device("/job:ps"):
        a = tf.exp(x, name="a")
        b = a * x
    mine, ps = cut([a, b, a + b, a - b], [x])
    assert types(ps) == ["Exp", "Mul", "_Recv", "_Send", "_Send"]
    assert types(mine) == ["AddV2", "Sub", "_Recv", "_Recv", "_Send"]


def test_control_edges_are_carried():
    with tf.device("/job:ps"):
        first = tf.no_op(name="first")
        v = tf.Variable(1.0)
        read = tf.identity(v._ref())
    with tf.control_dependencies([first]):
        a, b = tf.no_op(name="a"), tf.no_op(name="b")
    with tf.control_dependencies([read, a, b]):  # the value of `read` crosses anyway
        c = tf.negative(read, name="c")
        d = tf.no_op(name="d")
    with tf.control_dependencies([d]):
        e = tf.constant(1.0)
    mine, ps = cut([c, e])
    assert len(ps.sends) == 2
    send = next(s for s in ps.sends if s.controls)
    assert [n.name for n in send.controls] == ["first"] and send.inputs[0][0].dims == [(0,)]
    nodes = {n.name: n for n in mine.program.nodes}
    assert nodes["a"].controls == nodes["b"].controls and nodes["a"].controls[0].type == "_Recv"
    assert {n.type for n in nodes["d"].controls} == {"_Recv", "NoOp"}
    assert {n.type for n in nodes["c"].controls} == {"NoOp"} and nodes["c"].inputs[0][0] in nodes["d"].controls


def test_small_constants_are_copied_and_large_ones_sent():
    small, large = tf.constant(np.ones(8)), tf.constant(np.ones(MAX_COPY // 8 + 1))
    shared = [tf.identity(small), tf.identity(large)]
    with tf.device("/job:ps"):
        a, b = tf.negative(small), tf.negative(large)
    mine, ps = cut([*shared, tf.reduce_sum(a), tf.reduce_sum(b)])
    assert len([n for n in ps.program.nodes if n.type == "Const" and n.attrs["value"].size == 8]) == 1
    assert len(ps.recvs) == 1 and len(mine.sends) == 1


def test_targets_run_where_they_are():
    with tf.device("/job:ps"):
        v = tf.Variable(1.0, name="v")
        change = tf.assign_add(v, 2.0)
    mine, ps = cut([], [], [change.op])
    assert not mine.program.nodes and not ps.sends and [n.type for n in ps.program.targets] == ["AssignAdd"]


def test_a_snapshot_waits_for_what_its_reader_waits_for():
    with tf.device("/job:ps"):
        v = tf.Variable(1.0, name="v")
        before, after = tf.assign_add(v, 2.0, name="before"), None
    with tf.control_dependencies([before]):
        read = tf.negative(v._ref(), name="read")
    with tf.control_dependencies([read]), tf.device("/job:ps"):
        after = tf.assign_add(v, 10.0, name="after")
    mine, ps = cut([read, v._ref()], [], [after.op])
    waits = sorted([c.name for c in s.controls] for s in ps.sends if s.inputs[0][0].type == "VariableV2")
    assert waits == [["after", "before"], ["before"]]


def test_a_cut_reference_is_never_silent():
    v = tf.Variable(1.0, name="v")
    change = tf.assign(v, 2.0)
    devices = Devices([device_name(PS), device_name(WORKER)], WORKER)
    program = Compiler(ResourceManager(), (), devices).program([change], [], [])
    next(n for n in program.nodes if n.type == "Assign").device = device_name(PS)
    with pytest.raises(tf.errors.InternalError, match="takes a reference to v"):
        partition(program, devices.default, RANKS)


# ---- Travelling


def travelled(program):
    return ProgramDef(memoryview(to_graph_def(program))).program()


def test_programs_travel_whole():
    big = np.random.RandomState(0).randn(100, 70)
    with tf.device("/job:ps"):
        consts = [
            tf.constant(big),
            tf.constant(big[::2, 3], tf.bfloat16),
            tf.constant([b"a\0b", b""]),
            tf.constant(np.ones([0, 3], np.int32)),
            tf.constant(1.5, shape=[64, 64]),
            tf.constant(1 + 2j),
        ]
        values = [tf.identity(c) for c in consts]
        parts = tf.split(values[0], 7, axis=1)
        v = tf.Variable(tf.zeros([2, 3]), name="v")
        with tf.control_dependencies([v.initializer]):
            read = tf.identity(v._ref())
        conv = tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), strides=[1, 2, 2, 1], padding="SAME")
    _, ps = cut([*values, parts[3], read, conv])
    found = travelled(ps.program)
    assert len(found.nodes) == len(ps.program.nodes)
    for node, copy in zip(ps.program.nodes, found.nodes):
        assert (node.type, node.name, node.device, node.dtypes) == (copy.type, copy.name, copy.device, copy.dtypes)
        assert [(s.name, i) for s, i in node.inputs] == [(s.name, i) for s, i in copy.inputs]
        assert sorted(c.name for c in node.controls) == sorted(c.name for c in copy.controls)
        assert (node.op.name, node.op.type, node.creation_line) == (copy.op.name, copy.op.type, copy.creation_line)
        assert node.attrs.keys() == copy.attrs.keys()
        for key, value in node.attrs.items():
            np.testing.assert_array_equal(value, copy.attrs[key])
    assert {n.name for n in found.targets} == {s.name for s in ps.sends}


def test_handles_that_are_references_travel_as_resources():
    with tf.device("/job:ps"):
        queue = tf.raw_ops.FIFOQueue(component_types=[tf.float32])
        sums = tf.SparseConditionalAccumulator(tf.float32)
        values = [tf.raw_ops.QueueSize(handle=queue), sums.num_accumulated()]
    _, ps = cut(values)
    made = {n.type: n.dtypes for n in travelled(ps.program).nodes if not n.inputs}
    assert made == dict.fromkeys(["FIFOQueue", "SparseConditionalAccumulator"], [tf.resource])


def test_equal_names_are_told_apart():
    with tf.device("/job:ps"):
        a, b = tf.split(tf.constant([1.0, 2.0]), 2)
        v = tf.Variable([3.0])
        values = [tf.multiply(a, v._ref(), name="a"), tf.multiply(b, v._ref(), name="b")]
    _, ps = cut(values, rewrites=("constant_folding",))
    program = travelled(ps.program)
    nodes = {n.name: n for n in program.nodes if n.type == "Mul"}
    assert [nodes[name].inputs[0][0].attrs["value"].tolist() for name in "ab"] == [[1.0], [2.0]]
    assert len({n.name for n in program.nodes}) == len(program.nodes) - 1  # errors name both as before


def test_an_op_type_that_the_other_process_lacks():
    with tf.device("/job:ps"):
        y = tf.exp(tf.placeholder(tf.float32, name="x"))
    _, ps = cut([y], [y.op.inputs[0]])
    data = to_graph_def(ps.program).replace(b"\x12\x03Exp", b"\x12\x03Exq")
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'Exq'"):
        ProgramDef(data).program()


# ---- What people see


def test_dumps_and_pictures():
    with tf.device("/cpu:1"):
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.exp(x, name="y")
    with tf.control_dependencies([y]), tf.device("/cpu:0"):
        z = tf.negative(y, name="z")
    metadata = tf.RunMetadata()
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        sess.run(z, {x: [1, 2]}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    graphs = metadata.partition_graphs
    assert len(graphs) == 2 and all(len({n.device for n in g.node}) == 1 for g in graphs)
    for graph in graphs:
        names = {n.name for n in graph.node} | {n.name for g in graphs for n in g.node if n.op == "_Send"}
        assert all(i.lstrip("^").partition(":")[0] in names | {"x"} for n in graph.node for i in n.input)
    text = draw.dot_of(graphs)
    assert text.count("subgraph cluster_0_") == 2 and text.count("style=bold") == 2
    assert text.count("{") == text.count("}") and re.search(r'CPU:1 y" -> "[^"]*CPU:1 y/_\d"', text)
