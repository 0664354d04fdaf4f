"""Randomly damaged GraphDefs are imported, or rejected by a documented error without a change to the graph."""

import glob
import os

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.framework.test_frozen import FOLDER

FILES = sorted(path for path in glob.glob(os.path.join(FOLDER, "*.pb")) if os.path.getsize(path) < 10_000)
SIZES = st.sampled_from([0, -1, 1, 2, 3, 7, 2**31, 2**62, -(2**63)])
REFUSALS = (ValueError, tf.errors.NotFoundError, tf.errors.UnimplementedError)


def pick(draw, items):
    return draw(st.sampled_from(list(items)))


def rewire(draw, node, other):
    if node.input:
        i = draw(st.integers(0, len(node.input) - 1))
        node.input[i] = pick(draw, [other.name, other.name + ":1", "^" + other.name, "", "^", "a:b"])


def change_inputs(draw, node, other):
    if draw(st.booleans()):
        node.input.append(other.name)
    elif node.input:
        del node.input[-1]


def change_op(draw, node, other):
    node.op = other.op


def change_device(draw, node, other):
    node.device = pick(draw, ["/cpu:0", "x", "/gpu:0", ""])


def swap_attr(draw, node, other):
    if node.attr and other.attr:
        node.attr[pick(draw, sorted(node.attr))].CopyFrom(other.attr[pick(draw, sorted(other.attr))])


def drop_attr(draw, node, other):
    if node.attr:
        del node.attr[pick(draw, sorted(node.attr))]


def change_attr(draw, node, other):
    attr = node.attr[pick(draw, sorted(node.attr))] if node.attr else tf.AttrValue()
    field = attr.WhichOneof("value")
    if field == "i":
        attr.i = draw(SIZES)
    elif field == "type":
        attr.type = pick(draw, [0, 1, 2, 3, 7, 9, 10, 14, 18, 19, 20, 101, 999])
    elif field == "s":
        attr.s = pick(draw, [b"", b"SAME", b"NCHW", b"\xff"])
    elif field == "list" and attr.list.i:
        attr.list.i[draw(st.integers(0, len(attr.list.i) - 1))] = draw(SIZES)
    elif field == "shape" and attr.shape.dim:
        attr.shape.dim[0].size = draw(SIZES)
    elif field == "tensor":
        change_tensor(draw, attr.tensor)


def change_tensor(draw, tensor):
    if draw(st.booleans()):
        tensor.dtype = pick(draw, [0, 1, 2, 3, 7, 10, 20])
    elif tensor.tensor_shape.dim:
        tensor.tensor_shape.dim[0].size = pick(draw, [0, 1, -1, 2, 2**20, 2**62])
    elif tensor.int_val:
        tensor.int_val[0] = pick(draw, [0, -1, -2, 5, 2**31 - 1, -(2**31)])


CHANGES = (rewire, change_inputs, change_op, change_device, swap_attr, drop_attr, change_attr)


def import_or_refuse(graph_def):
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except REFUSALS:
            assert not graph.get_operations()
        else:
            assert len(graph.get_operations()) == len(graph_def.node)
            graph.as_graph_def().SerializeToString()


@settings(max_examples=150)
@given(st.data())
def test_changed_nodes(data):
    graph_def = tf.GraphDef()
    with open(pick(data.draw, FILES), "rb") as file:
        graph_def.MergeFromString(file.read())
    for change in data.draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        node, other = (graph_def.node[data.draw(st.integers(0, len(graph_def.node) - 1))] for _ in range(2))
        change(data.draw, node, other)
    import_or_refuse(graph_def)


@settings(max_examples=150)
@given(st.sampled_from(FILES), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=5))
def test_changed_bytes(path, changes):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for position, value in changes:
        data[position % len(data)] = value
    try:
        graph_def = tf.GraphDef.FromString(bytes(data))
    except DecodeError:
        return
    import_or_refuse(graph_def)


def test_there_is_something_to_damage():
    assert len(FILES) > 10
    with pytest.raises(DecodeError):
        tf.GraphDef.FromString(b"\xff\xff")
