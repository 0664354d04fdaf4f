"""tf.import_graph_def: names, inputs, devices, shapes, and every way in which a GraphDef can be wrong."""

import numpy as np
import pytest
from google.protobuf import text_format

import tfcore as tf


def parse(text):
    return text_format.Parse(text, tf.GraphDef())


def const(name="c", value=1.0):
    return f"""node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
        attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{}} float_val: {value} }} }} }} }}"""


def node(name, op, *inputs, attrs="", device=""):
    lines = "".join(f'input: "{i}" ' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}" {lines} device: "{device}" {attrs} }}'


def attr(key, value):
    return f'attr {{ key: "{key}" value {{ {value} }} }}'


FLOAT = attr("T", "type: DT_FLOAT")


def identity(name, *inputs, **more):
    return node(name, "Identity", *inputs, attrs=FLOAT + more.pop("attrs", ""), **more)


def placeholder(name="x", dtype="DT_FLOAT"):
    return node(name, "Placeholder", attrs=attr("dtype", f"type: {dtype}"))


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def names(graph):
    return [op.name for op in graph.get_operations()]


def load(*nodes, **arguments):
    return tf.import_graph_def(parse(" ".join(nodes)), **arguments)


# ---- Names


def test_default_prefix(graph):
    load(const())
    load(const())
    assert names(graph) == ["import/c", "import_1/c"]


@pytest.mark.parametrize(("name", "expected"), [("", "c"), ("a", "a/c"), ("a/b", "a/b/c"), ("a/", "a/c")])
def test_prefixes(graph, name, expected):
    load(const(), name=name)
    assert names(graph) == [expected]


def test_inside_a_name_scope(graph):
    with tf.name_scope("outer"):
        load(const())
        load(const(), name="")  # leaves all scopes, as tf.name_scope("") does
    assert names(graph) == ["outer/import/c", "c"]


def test_colliding_names_get_suffixes_and_inputs_follow(graph):
    tf.constant(0.0, name="c")
    tf.constant(0.0, name="s/inner")
    load(const(), const("c_1"), identity("i", "c"), identity("s", "i"), name="")
    assert names(graph) == ["c", "s/inner", "c_2", "c_1", "i", "s_1"]
    assert graph.get_operation_by_name("i").inputs[0].op.name == "c_2"
    with tf.Session() as sess:
        assert sess.run("s_1:0") == 1


def test_imported_names_are_in_use(graph):
    load(const(), name="")
    assert tf.constant(1, name="c").op.name == "c_1"


def test_importing_twice_without_a_prefix(graph):
    text = [const(), identity("a/b", "c"), identity("a/d", "a/b")]
    load(*text, name="")
    load(*text, name="")
    assert names(graph) == ["c", "a/b", "a/d", "c_1", "a/b_1", "a/d_1"]
    assert graph.get_operation_by_name("a/d_1").inputs[0].name == "a/b_1:0"


# ---- Inputs and order


def test_any_order_of_nodes(graph):
    load(identity("b", "a"), identity("a", "c:0"), const(), name="")
    assert names(graph) == ["c", "a", "b"]
    with tf.Session() as sess:
        assert sess.run("b:0") == 1


def test_order_is_kept_where_it_can_be(graph):
    load(const("b"), const("a"), identity("z", "a"), identity("y", "b"), name="")
    assert names(graph) == ["b", "a", "z", "y"]


def test_long_chains_in_reverse(graph):
    n = 5000
    chain = [identity(f"i{k}", f"i{k - 1}" if k else "c") for k in range(n)]
    load(*chain[::-1], const(), name="")
    assert names(graph)[-1] == f"i{n - 1}" and len(names(graph)) == n + 1


def test_ports_and_control_inputs(graph):
    split = node("s", "Split", "axis", "x", attrs=FLOAT + attr("num_split", "i: 2"))
    axis = """node { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }"""
    load(placeholder(), axis, split, identity("i", "s:1", "^c", "^s"), const(), name="")
    op = graph.get_operation_by_name("i")
    assert op.inputs[0].name == "s:1"
    assert [c.name for c in op.control_inputs] == ["c", "s"]
    with tf.Session() as sess:
        assert sess.run("i:0", {"x:0": [1, 2, 3, 4]}).tolist() == [3, 4]


def test_surrounding_control_dependencies(graph):
    before = tf.no_op(name="before")
    with tf.control_dependencies([before]):
        load(const(), identity("i", "c"), name="")
    assert [op.name for op in graph.get_operation_by_name("c").control_inputs] == ["before"]
    assert graph.get_operation_by_name("i").control_inputs == []  # waits through its input


def test_reference_edges(graph):
    variable = node("v", "VariableV2", attrs=attr("dtype", "type: DT_FLOAT") + attr("shape", "shape {}"))
    assign = node("assign", "Assign", "v", "c", attrs=FLOAT)
    load(variable, const(value=7), assign, identity("read", "v"), name="")
    with tf.Session() as sess:
        sess.run("assign")
        assert sess.run("read:0") == 7
    with pytest.raises(
        ValueError, match="Input 0 of node assign_1 was passed float from c_1:0 incompatible with expected float_ref"
    ):
        load(const(), node("assign", "Assign", "c", "c", attrs=FLOAT), name="")


def test_consumers_are_known(graph):
    load(const(), identity("i", "c"), name="")
    assert [op.name for op in graph.get_tensor_by_name("c:0").consumers()] == ["i"]


def test_loops_may_close_where_iterations_do(graph):
    body = [node("m", "Merge", "c", "n", attrs=FLOAT + attr("N", "i: 2"))]
    with pytest.raises(ValueError, match="2 nodes in a cycle or behind one: 'm' -> 'n' -> 'm'"):
        load(const(), *body, identity("n", "m"))
    load(const(), *body, node("n", "NextIteration", "m", attrs=FLOAT), name="")
    assert names(graph) == ["c", "m", "n"]
    assert [t.name for t in graph.get_operation_by_name("m").inputs] == ["c:0", "n:0"]
    assert [op.name for op in graph.get_tensor_by_name("n:0").consumers()] == ["m"]


# ---- input_map


def test_input_map_by_every_form_of_name(graph):
    for key in ("x", "x:0", b"x"):
        (y,) = load(placeholder(), identity("y", "x"), input_map={key: tf.constant(3.0)}, return_elements=["y:0"])
        with tf.Session() as sess:
            assert sess.run(y) == 3


def test_input_map_of_control_inputs(graph):
    done = tf.no_op(name="done")
    value = tf.constant(2.0, name="value")
    (y,) = load(const(), identity("y", "c", "^c"), input_map={"^c": done}, return_elements=["y"])
    assert [op.name for op in y.control_inputs] == ["done"] and y.inputs[0].name == "import/c:0"
    (y,) = load(const(), identity("y", "c", "^c"), input_map={"^c": value}, return_elements=["y"])
    assert [op.name for op in y.control_inputs] == ["value"]
    (y,) = load(const(), identity("y", "c", "^c"), input_map={"c": value}, return_elements=["y"])
    assert y.inputs[0] is value and [op.name for op in y.control_inputs] == ["import_2/c"]


def test_input_map_stands_in_for_nodes_that_are_not_there(graph):
    (y,) = load(
        identity("y", "x:3", "^gone"), input_map={"x:3": tf.constant(1.0), "^gone": tf.no_op()}, return_elements=["y"]
    )
    assert y.inputs[0].op.type == "Const" and y.control_inputs[0].type == "NoOp"


def test_input_map_converts_values(graph):
    (y,) = load(placeholder(), identity("y", "x"), input_map={"x": 2.5}, return_elements=["y:0"])
    assert y.op.inputs[0].name == "import/_inputs/Const:0"
    with pytest.raises(ValueError, match="requires a non-empty `name` if `input_map` contains non-Tensor values"):
        load(placeholder(), identity("y", "x"), input_map={"x": 2.5}, name="")


def test_input_map_breaks_cycles(graph):
    load(identity("a", "b"), identity("b", "a"), input_map={"b": tf.constant(1.0)}, name="")
    assert graph.get_operation_by_name("a").inputs[0].op.type == "Const"


def test_unused_keys_of_nodes_that_exist_are_fine(graph):
    load(const(), identity("y", "c"), input_map={"y": tf.constant(1.0)})


def test_returned_elements_may_be_mapped(graph):
    x = tf.constant(1.0)
    assert load(placeholder(), identity("y", "x"), input_map={"x": x}, return_elements=["x:0"]) == [x]


@pytest.mark.parametrize(("key", "shown"), [("z", "z:0"), ("x:1", "x:1"), ("^z", r"\^z")])
def test_unused_keys(graph, key, shown):
    value = tf.constant(1.0)
    with pytest.raises(ValueError, match=rf"Attempted to map inputs that were not found in graph_def: \[{shown}\]"):
        load(placeholder(), input_map={key: value})
    assert len(graph.get_operations()) == 1


def test_input_map_errors(graph):
    with pytest.raises(TypeError, match="input_map must be a dictionary mapping strings to Tensor objects"):
        load(placeholder(), input_map=[("x", 1)])
    with pytest.raises(TypeError, match="input_map must be a dictionary mapping strings to Tensor objects"):
        load(placeholder(), input_map={1: tf.constant(1.0)})
    with pytest.raises(ValueError, match="Cannot convert 'x:y' to a tensor name"):
        load(placeholder(), input_map={"x:y": tf.constant(1.0)})
    with pytest.raises(
        ValueError, match="Input 0 of node import.*/y was passed int32 from Const.*:0 incompatible with expected float"
    ):
        load(placeholder(), identity("y", "x"), input_map={"x": tf.constant(1)})
    with tf.Graph().as_default():
        foreign = tf.constant(1.0)
    with pytest.raises(ValueError, match="graph"):
        load(placeholder(), identity("y", "x"), input_map={"x": foreign})


# ---- return_elements


def test_return_elements(graph):
    assert load(const()) is None
    assert load(const(), return_elements=[]) == []
    op, tensor = load(const(), return_elements=["c", b"c:0"])
    assert op is tensor.op and isinstance(op, tf.Operation)


def test_return_elements_follow_new_names(graph):
    tf.constant(1, name="c")
    assert load(const(), return_elements=["c"], name="")[0].name == "c_1"


@pytest.mark.parametrize(
    ("elements", "text"),
    [
        (["d"], "Requested return node 'd' not found in graph def"),
        (["d:0"], "Requested return tensor 'd:0' not found in graph def"),
        (["c:1"], r"Invalid return output 1 of node 'c', which has 1 output\(s\)"),
        (["c:x"], "Cannot convert 'c:x' to a tensor name"),
        (["c:-1"], "Cannot convert 'c:-1' to a tensor name"),
    ],
)
def test_return_elements_that_do_not_exist(graph, elements, text):
    with pytest.raises(ValueError, match=text):
        load(const(), return_elements=elements)
    assert names(graph) == []


def test_return_elements_of_wrong_types(graph):
    for elements in (["c", 1], "c"):
        with pytest.raises(TypeError, match="return_elements must be a list of strings"):
            load(const(), return_elements=elements)


# ---- Devices and colocation


def test_devices(graph):
    with tf.device("/job:worker/device:GPU:1"):
        load(node("a", "NoOp", device="/cpu:0"), node("b", "NoOp", device="/job:ps"), node("c", "NoOp"), name="")
    devices = [op.device for op in graph.get_operations()]
    assert devices == ["/job:worker/device:CPU:0", "/job:ps/device:GPU:1", "/job:worker/device:GPU:1"]


def test_device_functions_see_the_node(graph):
    with tf.device(lambda op: "/job:ps" if op.type == "NoOp" else op.device):
        load(node("a", "NoOp"), node("b", "NoOp", device="/task:1"), const(), name="")
    assert [op.device for op in graph.get_operations()] == ["/job:ps", "/job:ps", ""]


def test_colocation(graph):
    group = attr("_class", 'list { s: "loc:@a" s: "other" }')
    tf.no_op(name="a")
    load(node("a", "NoOp", device="/task:1"), node("b", "NoOp", attrs=group, device="/task:2"), name="")
    load(node("a", "NoOp"), node("b", "NoOp", attrs=group), name="p")
    assert graph.get_operation_by_name("b").colocation_groups() == [b"loc:@a_1", b"other"]
    assert graph.get_operation_by_name("b").device == "/task:1"
    assert graph.get_operation_by_name("p/b").colocation_groups() == [b"loc:@p/a", b"other"]


# ---- Attributes


def test_defaults_are_filled_in(graph):
    (m,) = load(placeholder(), node("m", "MatMul", "x", "x", attrs=FLOAT), return_elements=["m"])
    assert m.get_attr("transpose_a") is False


def test_internal_attributes_are_kept(graph):
    attrs = (
        attr("_i", "i: 3")
        + attr("_s", 's: "t"')
        + attr("_l", "list { f: 1 f: 2 }")
        + attr("_shape", "shape { unknown_rank: true }")
    )
    (op,) = load(node("n", "NoOp", attrs=attrs), return_elements=["n"], name="")
    assert (op.get_attr("_i"), op.get_attr("_s"), op.get_attr("_l"), op.get_attr("_shape")) == (3, b"t", [1, 2], None)
    assert op.node_def.attr["_l"].list.f == [1, 2] and op.node_def.attr["_shape"].shape.unknown_rank


def test_newer_attributes_with_their_old_meaning_are_dropped(graph):
    attrs = FLOAT + attr("Tindices", "type: DT_INT32")
    variable = node(
        "v", "VariableV2", attrs=attr("dtype", "type: DT_FLOAT") + attr("shape", "shape { dim { size: 2 } }")
    )
    text = [variable, placeholder("i", "DT_INT32"), placeholder("u")]

    def scatter(policy):
        return node("s", "ScatterNdAdd", "v", "i", "u", attrs=attrs + attr("bad_indices_policy", f's: "{policy}"'))

    (op,) = load(*text, scatter(""), return_elements=["s"])
    assert "bad_indices_policy" not in op.node_def.attr
    with pytest.raises(ValueError, match="NodeDef mentions attr 'bad_indices_policy' not in Op<name=ScatterNdAdd;"):
        load(*text, scatter("IGNORE"))


def test_producer_op_list(graph):
    producer = text_format.Parse(
        """op { name: "NoOp" attr { name: "new" type: "int" default_value { i: 5 } } attr { name: "must" type: "int" } }
        op { name: "Unheard" }""",
        tf.OpList(),
    )
    graph_def = parse(node("n", "NoOp", attrs=attr("new", "i: 5")))
    before = graph_def.SerializeToString()
    tf.import_graph_def(graph_def, producer_op_list=producer)
    assert graph_def.SerializeToString() == before
    for bad in (attr("new", "i: 6"), attr("must", "i: 1"), attr("third", "i: 1")):
        with pytest.raises(ValueError, match="NodeDef mentions attr '(new|must|third)' not in Op<name=NoOp"):
            load(node("n", "NoOp", attrs=bad), producer_op_list=producer)


# ---- Shapes


def test_shapes_are_inferred_again(graph):
    with tf.Graph().as_default() as other:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.matmul(x, tf.ones([3, 5]), name="y")
    (y,) = tf.import_graph_def(other.as_graph_def(), return_elements=["y:0"])
    assert y.shape.as_list() == [None, 5]


def test_output_shapes_refine_and_vanish(graph):
    shapes = attr("_output_shapes", "list { shape { dim { size: 2 } dim { size: -1 } } }")
    unknown = node(
        "x",
        "Placeholder",
        attrs=attr("dtype", "type: DT_FLOAT") + attr("shape", "shape { unknown_rank: true }") + shapes,
    )
    x, y = load(unknown, identity("y", "x"), return_elements=["x:0", "y:0"])
    assert x.shape.as_list() == y.shape.as_list() == [2, None]
    with pytest.raises(ValueError, match="no attr named '_output_shapes'"):
        x.op.get_attr("_output_shapes")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            "list { shape { dim { size: 2 } } }",
            "has an _output_shapes attribute inconsistent with the GraphDef for output #0",
        ),
        ("list { shape {} shape {} }", "has 1 outputs but the _output_shapes attribute specifies shapes for 2 outputs"),
        ("list { shape { dim { size: -7 } } }", "below -1"),
        ("i: 3", r"AttrValue had value with type 'int' when 'list\(shape\)' expected"),
    ],
)
def test_output_shapes_that_do_not_fit(graph, value, text):
    with pytest.raises(ValueError, match=text):
        load(const(), identity("i", "c", attrs=attr("_output_shapes", value)))
    assert names(graph) == []


def test_impossible_shapes_name_node_and_line(graph):
    three = node(
        "a",
        "Placeholder",
        attrs=attr("dtype", "type: DT_FLOAT") + attr("shape", "shape { dim { size: 3 } dim { size: 3 } }"),
    )
    four = three.replace('"a"', '"b"').replace("3", "4")
    with pytest.raises(
        ValueError, match=r"for 'import/m' \(op: 'MatMul'\) with input shapes: \[3,3\], \[4,4\](.|\n)*test_importer.py"
    ):
        load(three, four, node("m", "MatMul", "a", "b", attrs=FLOAT))
    assert names(graph) == []


# ---- What is wrong with a GraphDef


BAD = {
    "duplicate": ([const(), const()], "Node 'c' is not unique"),
    "no name": ([node("", "NoOp")], "Node '': Node name contains invalid characters"),
    "bad name": ([node("a b", "NoOp")], "Node 'a b': Node name contains invalid characters"),
    "newline": ([node("a\\n", "NoOp")], "Node name contains invalid characters"),
    "underscore": ([node("_a", "NoOp")], "Node '_a': Node name contains invalid characters"),
    "no op": ([node("a", "")], "Node 'a' does not specify an operation"),
    "unknown input": ([identity("i", "c")], "Node 'i': Unknown input node 'c'"),
    "unknown control": ([node("i", "NoOp", "^c")], r"Node 'i': Unknown input node '\^c'"),
    "strange port": ([const(), identity("i", "c:x")], "Node 'i': Unknown input node 'c:x'"),
    "negative port": ([const(), identity("i", "c:-1")], "Node 'i': Unknown input node 'c:-1'"),
    "empty input": ([identity("i", "")], "Node 'i': Unknown input node ''"),
    "port": ([const(), identity("i", "c:1")],
        "Node 'i': Connecting to invalid output 1 of source node c which has 1 outputs"),
    "huge port": ([const(), identity("i", "c:" + "9" * 30)], "Connecting to invalid output 9+ of source node c"),
    "control first": ([const(), identity("i", "^c", "c")],
        "Node 'i': Control dependencies must come after regular dependencies"),
    "too few": ([identity("i")],
        "NodeDef expected inputs 'float' do not match 0 inputs specified; Op<name=Identity; signature=input:T -> "
        "output:T"),
    "too many": ([const(), identity("i", "c", "c")], "NodeDef expected inputs 'float' do not match 2 inputs specified"),
    "cycle": ([identity("a", "b"), identity("b", "a")], "2 nodes in a cycle or behind one: 'a' -> 'b' -> 'a'"),
    "self": ([identity("a", "a"), identity("z", "a")], "2 nodes in a cycle or behind one: 'a' -> 'a'"),
    "control cycle": ([node("a", "NoOp", "^b"), node("b", "NoOp", "^a")], "2 nodes in a cycle"),
    "type": ([placeholder(dtype="DT_INT32"), identity("i", "x")],
        "Input 0 of node import/i was passed int32 from import/x:0 incompatible with expected float."),
    "no attr": ([placeholder(), node("i", "Identity", "x")],
        "NodeDef missing attr 'T' from Op<name=Identity;.*{{node i}}"),
    "unknown attr": ([node("n", "NoOp", attrs=attr("foo", "i: 1"))],
        "NodeDef mentions attr 'foo' not in Op<name=NoOp; signature= -> >; NodeDef: {{node n}}. .Check whether"),
    "kind": ([node("x", "Placeholder", attrs=attr("dtype", "i: 1"))],
        "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'dtype'"),
    "list": ([node("x", "Placeholder", attrs=attr("dtype", "list { type: DT_FLOAT }"))],
        r"AttrValue had value with type 'list\(type\)' when 'type' expected"),
    "no value": ([node("x", "Placeholder", attrs=attr("dtype", ""))],
        "AttrValue missing value with expected type 'type'"),
    "type number": ([node("x", "Placeholder", attrs=attr("dtype", "type: 999"))], "invalid data type: number 999"),
    "type 0": ([node("x", "Placeholder", attrs=attr("dtype", "type: DT_INVALID"))], "invalid data type: number 0"),
    "not allowed": ([placeholder(dtype="DT_STRING"), node("m", "MatMul", "x", "x", attrs=attr("T", "type: DT_STRING"))],
        "Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, float"),
    "not allowed text": ([placeholder(), node("p", "Relu", "x", attrs=FLOAT),
        node("q", "MaxPool", "p", attrs=FLOAT + attr("padding", 's: "BOTH"')
             + attr("ksize", "list { i: 1 i: 1 i: 1 i: 1 }") + attr("strides", "list { i: 1 i: 1 i: 1 i: 1 }"))],
        'Value for attr \'padding\' of "BOTH" is not in the list of allowed values: "SAME", "VALID"'),
    "minimum": ([node("a", "AddN", attrs=FLOAT + attr("N", "i: 0"))],
        "Value for attr 'N' of 0 must be at least minimum 1"),
    "huge N": ([node("a", "AddN", attrs=FLOAT + attr("N", "i: 999999999999"))],
        "has 999999999999 inputs or outputs, more than"),
    "list length": ([placeholder(),
        node("q", "MaxPool", "x", attrs=FLOAT + attr("padding", 's: "SAME"')
             + attr("ksize", "list { i: 1 }") + attr("strides", "list { i: 1 i: 1 i: 1 i: 1 }"))],
        "Length for attr 'ksize' of 1 must be at least minimum 4"),
    "shape": ([node("x", "Placeholder", attrs=attr("dtype", "type: DT_FLOAT")
                    + attr("shape", "shape { dim { size: -5 } }"))],
        "below -1"),
    "shape twice": ([node("x", "Placeholder", attrs=attr("dtype", "type: DT_FLOAT")
                          + attr("shape", "shape { unknown_rank: true dim { size: 5 } }"))],
        "An unknown shape must not have any dimensions set"),
    "tensor": ([node("c", "Const", attrs=attr("dtype", "type: DT_FLOAT")
                     + attr("value", 'tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } '
                                     'tensor_content: "abc" }'))],
        "Cannot parse tensor from proto: (.|\n)*attr 'value'"),
    "device": ([node("n", "NoOp", device="/foo:bar:baz")], "Node 'n': .*parsing the device spec"),
    "colocation": ([node("n", "NoOp", attrs=attr("_class", 'list { s: "loc:@gone" }'))],
        "Node 'n' expects to be colocated with unknown node 'gone'"),
    "class": ([node("n", "NoOp", attrs=attr("_class", "i: 1"))],
        r"AttrValue had value with type 'int' when 'list\(string\)' expected"),
    "producer": (["versions { producer: -1 }"], "GraphDef producer version -1 below min producer 0"),
    "consumer": (["versions { producer: 9999 min_consumer: 9999 }"],
        "GraphDef min consumer version 9999 above current version 134"),
    "bad consumer": (["versions { producer: 9999 bad_consumers: 134 }"], "GraphDef disallows consumer version 134"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_malformed(graph, case):
    nodes, text = BAD[case]
    with pytest.raises(ValueError, match=text):
        load(*nodes)
    assert names(graph) == []


def test_constants_must_have_the_type_they_state(graph):
    text = const().replace("type: DT_FLOAT", "type: DT_INT32", 1)
    with pytest.raises(ValueError, match=r"Node 'c': Type mismatch between value \(float\) and dtype \(int32\)"):
        load(text)


def test_all_unknown_op_types_are_named(graph):
    with pytest.raises(tf.errors.NotFoundError) as info:
        load(const(), node("a", "Foo"), node("b", "Bar"), node("c2", "Foo"))
    assert str(info.value).startswith("Op type not registered 'Bar' (node 'b'); 'Foo' (node 'a', 'c2').")
    assert names(graph) == []


def test_op_types_of_the_compiler_are_unknown(graph):
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered '_FusedMatMul'"):
        load(node("a", "_FusedMatMul"))


def test_all_unknown_attributes_are_named(graph):
    with pytest.raises(ValueError) as info:
        load(*[node(f"n{i}", "NoOp", attrs=attr(f"new{i}", "i: 1")) for i in range(30)])
    assert all(f"'new{i}'" in str(info.value) for i in range(20)) and "and 10 more" in str(info.value)


def test_not_a_graph_def(graph):
    for wrong in (None, 3, b"bytes", tf.NodeDef()):
        with pytest.raises(TypeError, match="graph_def must be a GraphDef proto."):
            tf.import_graph_def(wrong)


def test_finalized_graphs(graph):
    graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        load(const())


def test_versions_go_with_the_graph(graph):
    load("versions { producer: 20 min_consumer: 12 bad_consumers: 15 }")
    load("versions { producer: 30 bad_consumers: 3 }")
    versions = graph.as_graph_def().versions
    assert (versions.producer, versions.min_consumer, versions.bad_consumers) == (20, 12, [3, 15])


def test_gradients_of_imported_graphs(graph):
    with tf.Graph().as_default() as other:
        x = tf.placeholder(tf.float32, [3], name="x")
        tf.reduce_sum(x * x * x, name="y")
    x, y = tf.import_graph_def(other.as_graph_def(), return_elements=["x:0", "y:0"])
    (g,) = tf.gradients(y, [x])
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(g, {x: [1, 2, 3]}), [3, 12, 27])


def test_sessions_see_what_is_imported_later(graph):
    with tf.Session() as sess:
        sess.run(tf.constant(1))
        (c,) = load(const(value=4), return_elements=["c:0"])
        assert sess.run(c) == 4
