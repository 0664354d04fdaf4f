"""Libraries of functions damaged at random are imported, or refused by a documented error without a change to the
graph; what was imported runs, or fails with an error of a step."""

import glob
import os

from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.framework.test_function_fixtures import FOLDER, load
from tests.framework.test_importer_fuzz import REFUSALS, SIZES, pick

FILES = sorted(glob.glob(os.path.join(FOLDER, "*.pb")))
TYPES = [0, 1, 3, 9, 10, 20, 21, 101, 999]


def rewire(draw, function, library):
    if function.node_def:
        node, other = (pick(draw, function.node_def) for _ in range(2))
        new = pick(
            draw, [f"{other.name}:{arg}:0" for arg in "yz"] + ["^" + other.name, other.name, "", "^", "a:b", "x"]
        )
        if node.input:
            node.input[draw(st.integers(0, len(node.input) - 1))] = new
        else:
            node.input.append(new)


def change_op(draw, function, library):
    if function.node_def:
        names = [f.signature.name for f in library.function] + ["SymbolicGradient", "While", "If", "NoOp"]
        pick(draw, function.node_def).op = pick(draw, names + [n.op for n in function.node_def])


def change_results(draw, function, library):
    for key in sorted(function.ret):
        function.ret[key] = pick(draw, [*sorted(function.ret.values()), "x", "", "a:b:0"])


def change_arguments(draw, function, library):
    signature = function.signature
    args = pick(draw, [signature.input_arg, signature.output_arg])
    if args and draw(st.booleans()):
        arg = pick(draw, args)
        arg.type = pick(draw, TYPES)
        arg.name = pick(draw, [arg.name, "", "a b", "x"])
    elif args and draw(st.booleans()):
        del args[0]
    else:
        args.add(name="more", type=1)


def add_attribute(draw, function, library):
    signature = function.signature
    signature.attr.add(name="T", type=pick(draw, ["type", "int", "list(type)", "func", "colour"]))
    if signature.input_arg:
        setattr(signature.input_arg[0], pick(draw, ["type_attr", "number_attr", "type_list_attr"]), "T")


def change_attribute(draw, function, library):
    nodes = [node for node in function.node_def if node.attr]
    if nodes:
        node = pick(draw, nodes)
        attr = node.attr[pick(draw, sorted(node.attr))]
        field = pick(draw, ["i", "type", "placeholder", "func", "list", "s"])
        if field == "func":
            attr.func.name = pick(draw, library.function).signature.name
        elif field == "list":
            attr.list.SetInParent()
        else:
            values = {"i": draw(SIZES), "type": pick(draw, TYPES), "placeholder": "T", "s": b"\xff"}
            setattr(attr, field, values[field])


def rename(draw, function, library):
    function.signature.name = pick(draw, [f.signature.name for f in library.function] + ["", "MatMul", "_x"])


CHANGES = (rewire, change_op, change_results, change_arguments, add_attribute, change_attribute, rename)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_changed_functions(data):
    path = pick(data.draw, FILES)
    graph_def = tf.train.read_graph(path)
    for change in data.draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=3)):
        change(data.draw, pick(data.draw, graph_def.library.function), graph_def.library)
    feeds, outputs = load(os.path.basename(path)[:-3])
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except REFUSALS:
            assert not graph.get_operations() and not graph._functions
            return
        graph.as_graph_def().SerializeToString()
        with tf.Session() as session:
            for name in outputs:
                try:
                    session.run(name, feeds, tf.RunOptions(timeout_in_ms=5000))
                except tf.errors.OpError:
                    pass
