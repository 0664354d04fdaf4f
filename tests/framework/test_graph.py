"""Graph: names, scopes, devices, control inputs, collections, look-ups, threads."""

import threading

import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def names(*ops):
    return [op.name for op in ops]


# ---- Names


def test_names_are_made_unique():
    made = [tf.no_op(name="a") for _ in range(3)] + [tf.no_op(name="a_1"), tf.no_op(name="a")]
    assert names(*made) == ["a", "a_1", "a_2", "a_1_1", "a_3"]


def test_uniqueness_ignores_case():
    made = [tf.no_op(name="Abc"), tf.no_op(name="abc"), tf.no_op(name="ABC")]
    assert names(*made) == ["Abc", "abc_1", "ABC_2"]


def test_default_names_are_op_types():
    assert tf.constant(1).op.name == "Const"
    assert tf.no_op().name == "NoOp"
    assert (tf.constant(1) + 1).op.name == "add"


@pytest.mark.parametrize("name", ["_a", "-a", "a b", "a:0", "", "a$", "ä", "/a", "^a"])
def test_bad_op_names(name, graph):
    if name == "":
        assert tf.no_op(name=name).name == "NoOp"
        return
    with pytest.raises(ValueError, match="not a valid"):
        tf.no_op(name=name)


@pytest.mark.parametrize("name", ["a", "A.b", "0", "a/b", "a-b", "a_b>c", "a\\b", ".a"])
def test_good_op_names(name):
    assert tf.no_op(name=name).name == name


def test_unique_name(graph):
    assert graph.unique_name("n") == "n"
    assert graph.unique_name("n", mark_as_used=False) == "n_1"
    assert graph.unique_name("n", mark_as_used=False) == "n_1"
    assert graph.unique_name("n") == "n_1"
    with graph.name_scope("s"):
        assert graph.unique_name("n") == "s/n"


# ---- Name scopes


def test_name_scopes_nest_and_are_unique(graph):
    with tf.name_scope("s") as outer:
        assert outer == "s/"
        with tf.name_scope("t") as inner:
            assert inner == "s/t/"
            assert tf.no_op(name="x").name == "s/t/x"
        with tf.name_scope("t") as again:
            assert again == "s/t_1/"
        assert graph.get_name_scope() == "s"
    with tf.name_scope("s") as second:
        assert second == "s_1/"
    assert graph.get_name_scope() == ""


def test_name_scope_reentry_and_leaving(graph):
    with tf.name_scope("s") as scope:
        tf.no_op(name="x")
    with tf.name_scope("other"):
        with tf.name_scope(scope):
            assert tf.no_op(name="x").name == "s/x_1"
        with graph.name_scope(None) as nothing:
            assert nothing == ""
            assert tf.no_op(name="y").name == "y"
        with graph.name_scope(""):
            assert tf.no_op(name="z").name == "z"


def test_scope_and_op_share_the_name_table():
    tf.no_op(name="s")
    with tf.name_scope("s") as scope:
        assert scope == "s_1/"


def test_an_op_may_take_the_name_of_the_scope():
    with tf.name_scope("s") as scope:
        assert tf.constant(1, name=scope).op.name == "s"
        assert tf.no_op(name="s").name == "s/s"


def test_default_scope_name():
    with tf.name_scope(None, "default") as scope:
        assert scope == "default/"
    with tf.name_scope("given", "default") as scope:
        assert scope == "given/"


def test_name_scope_takes_the_graph_of_its_values():
    other = tf.Graph()
    with other.as_default():
        x = tf.constant(1)
    with tf.name_scope("s", values=[x]):
        assert tf.no_op().graph is other
    y = tf.constant(1)
    with pytest.raises(ValueError, match="same graph"):
        with tf.name_scope("s", values=[x, y]):
            pass


@pytest.mark.parametrize("name", ["_a", "a b", "a:0", "a^"])
def test_bad_scope_names(name):
    with pytest.raises(ValueError, match="not a valid scope name"):
        with tf.name_scope(name):
            pass


def test_underscore_is_allowed_inside_a_scope():
    with tf.name_scope("a"), tf.name_scope("_b") as scope:
        assert scope == "a/_b/"


def test_a_scope_ends_after_an_exception(graph):
    with pytest.raises(KeyError):
        with tf.name_scope("s"), tf.device("/cpu:0"), tf.control_dependencies([tf.no_op()]):
            raise KeyError
    op = tf.no_op(name="x")
    assert (op.name, op.device, op.control_inputs) == ("x", "", [])


# ---- Control dependencies


def test_control_dependencies_accumulate():
    a, b, c = tf.no_op(name="a"), tf.constant(1, name="b"), tf.no_op(name="c")
    with tf.control_dependencies([a, b]):
        inner = tf.no_op()
        assert inner.control_inputs == [a, b.op]
        with tf.control_dependencies([c, a]):
            both = tf.no_op()
    assert sorted(names(*both.control_inputs)) == ["a", "b", "c"]
    assert tf.no_op().control_inputs == []


def test_none_clears_outer_control_dependencies():
    a, b = tf.no_op(name="a"), tf.no_op(name="b")
    with tf.control_dependencies([a]):
        with tf.control_dependencies(None):
            assert tf.no_op().control_inputs == []
            with tf.control_dependencies([b]):
                assert tf.no_op().control_inputs == [b]
        assert tf.no_op().control_inputs == [a]


def test_implied_control_inputs_are_left_out():
    a = tf.no_op(name="a")
    with tf.control_dependencies([a]):
        x = tf.constant(1)
        y = tf.identity(x)  # waits for a through x
        z = tf.constant(2)
    assert x.op.control_inputs == [a]
    assert y.op.control_inputs == []
    assert z.op.control_inputs == [a]


def test_a_direct_input_is_no_control_input():
    x, a = tf.constant(1), tf.no_op(name="a")
    with tf.control_dependencies([x, a]):
        assert tf.identity(x).op.control_inputs == [a]


def test_control_inputs_by_name_and_of_other_kinds():
    x = tf.constant(1, name="x")
    v = tf.Variable(1.0, name="v")
    slices = tf.IndexedSlices(tf.constant([1.0], name="values"), tf.constant([0]))
    with tf.control_dependencies(["x", "x:0", v, slices]):
        found = tf.no_op().control_inputs
    assert sorted(names(*found)) == ["v", "values", "x"]
    assert x.op in found


def test_bad_control_inputs():
    with pytest.raises(TypeError, match="Can not convert a int into a Tensor or Operation"):
        tf.control_dependencies([1])
    with tf.Graph().as_default():
        foreign = tf.no_op()
    with pytest.raises(ValueError, match="is not an element of this graph"):
        tf.control_dependencies([foreign])
    with pytest.raises(KeyError, match="refers to an Operation not in the graph"):
        tf.control_dependencies(["nope"])


# ---- Devices


def test_device_scopes_merge():
    with tf.device("/job:worker/task:1"):
        with tf.device("/cpu:0"):
            assert tf.no_op().device == "/job:worker/task:1/device:CPU:0"
        with tf.device("/job:ps"):
            assert tf.no_op().device == "/job:ps/task:1"
        with tf.device(None):
            assert tf.no_op().device == ""
            with tf.device("/gpu:2"):
                assert tf.no_op().device == "/device:GPU:2"
        assert tf.no_op().device == "/job:worker/task:1"


def test_device_functions():
    seen = []

    def choose(op):
        seen.append((op.type, op.device))
        return "/cpu:1" if op.type == "NoOp" else None if op.type == "Const" else ""

    with tf.device("/job:a"), tf.device(choose):
        assert tf.no_op().device == "/job:a/device:CPU:1"
    assert seen == [("NoOp", "")]
    with tf.device(lambda op: "/job:b" + op.device), tf.device("/cpu:0"):
        assert tf.no_op().device == "/job:b/device:CPU:0"


@pytest.mark.parametrize("text", ["/task:x", "/cpu:0/gpu:0/nonsense", "/device:CPU:x"])
def test_bad_device(text):
    with pytest.raises(ValueError):
        with tf.device(text):
            tf.no_op()


def test_colocation():
    with tf.device("/cpu:0"):
        a = tf.constant(1, name="a")
    with tf.device("/cpu:1"), tf.colocate_with(a):
        b = tf.constant(2, name="b")
        with tf.device("/job:x"):
            pass
    assert b.op.get_attr("_class") == [b"loc:@a"]
    assert b.device == "/device:CPU:0"
    assert b.op.colocation_groups() == [b"loc:@a"]
    with tf.colocate_with(b):
        c = tf.constant(3)
    assert c.op.colocation_groups() == [b"loc:@a"]  # one group, whichever member is named
    assert tf.no_op(name="d").colocation_groups() == [b"loc:@d"]


def test_colocation_nests_and_can_be_left():
    a, b = tf.constant(1, name="a"), tf.constant(1, name="b")
    with tf.colocate_with(a):
        with tf.colocate_with(b.op):
            both = tf.no_op()
        with tf.colocate_with(b, ignore_existing=True):
            only_b = tf.no_op()
        with tf.colocate_with(None, ignore_existing=True):
            free = tf.no_op(name="free")
    assert both.colocation_groups() == [b"loc:@a", b"loc:@b"]
    assert only_b.colocation_groups() == [b"loc:@b"]
    assert free.colocation_groups() == [b"loc:@free"]


def test_device_functions_see_the_whole_operation():
    seen = []
    with tf.device(lambda op: seen.append((op.name, op.outputs[0].shape.as_list(), op.outputs[0].dtype)) or "/cpu:1"):
        with tf.name_scope("a"):
            x = tf.identity(tf.zeros([2, 3]), name="x")
    assert x.device == "/device:CPU:1"
    assert seen[-1] == ("a/x", [2, 3], tf.float32)


def test_changes_of_a_variable_are_placed_with_it():
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    with tf.device("/cpu:0"):
        op = tf.raw_ops.AssignAdd(ref=v._ref(), value=2.0).op
    assert op.device == "/device:CPU:1" and op.get_attr("_class") == [b"loc:@v"]


def test_containers():
    def container(op):
        return op.get_attr("container")

    with tf.container("box"):
        v = tf.Variable(1.0)
        raw = tf.raw_ops.VariableV2(shape=[], dtype=tf.float32).op
        own = tf.raw_ops.VariableV2(shape=[], dtype=tf.float32, container="own", shared_name="s").op
        with tf.container(""):
            none = tf.get_variable("none", [])
    assert [container(op) for op in (v.op, raw, own, none.op)] == [b"box", b"box", b"own", b""]
    assert own.get_attr("shared_name") == b"s"


def test_colocation_with_an_unknown_op():
    with pytest.raises(KeyError):
        with tf.colocate_with("nope"):
            pass


# ---- Containers


def test_container():
    with tf.container("c"):
        inner = tf.Variable(1.0)
        with tf.container("d"):
            deeper = tf.Variable(1.0)
    outer = tf.Variable(1.0)
    assert [v.op.get_attr("container") for v in (inner, deeper, outer)] == [b"c", b"d", b""]


# ---- Collections


def test_collections(graph):
    tf.add_to_collection("k", 1)
    tf.add_to_collection("k", 2)
    tf.add_to_collections(["k", "l", "k"], 3)
    assert tf.get_collection("k") == [1, 2, 3]
    assert tf.get_collection("l") == [3]
    assert tf.get_collection("nothing") == []
    got = tf.get_collection("k")
    got.append(9)
    assert tf.get_collection("k") == [1, 2, 3]  # a copy
    tf.get_collection_ref("k").append(4)
    assert tf.get_collection("k") == [1, 2, 3, 4]
    assert sorted(graph.get_all_collection_keys()) == ["k", "l"]
    graph.clear_collection("k")
    assert tf.get_collection("k") == []


def test_collection_scope_is_a_regular_expression_on_names():
    for name in ("a/x", "a/y", "b/x"):
        tf.add_to_collection("k", tf.no_op(name=name))
    tf.add_to_collection("k", 7)  # has no name
    assert names(*tf.get_collection("k", "a/")) == ["a/x", "a/y"]
    assert names(*tf.get_collection("k", ".*x")) == ["a/x", "b/x"]
    assert names(*tf.get_collection("k", "x")) == []  # matches from the start


def test_add_to_collections_takes_one_name():
    tf.get_default_graph().add_to_collections("abc", 1)
    assert tf.get_collection("abc") == [1]


# ---- Finalize


def test_finalized_graph_is_read_only(graph):
    x = tf.constant(1.0)
    v = tf.Variable(1.0)
    init = tf.global_variables_initializer()
    assert not graph.finalized
    graph.finalize()
    assert graph.finalized
    for change in (lambda: tf.no_op(), lambda: x + 1, lambda: tf.add_to_collection("a", 1)):
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified."):
            change()
    with tf.Session() as session:
        session.run(init)
        assert session.run([x, v]) == [1.0, 1.0]


# ---- Default graphs


def test_default_graph_stack():
    outer = tf.get_default_graph()
    g = tf.Graph()
    with g.as_default() as entered:
        assert entered is g is tf.get_default_graph()
        with outer.as_default():
            assert tf.get_default_graph() is outer
        assert tf.constant(1).graph is g
        with pytest.raises(AssertionError):
            tf.reset_default_graph()
    assert tf.get_default_graph() is outer


def test_default_graph_is_per_thread():
    seen = []
    mine = tf.get_default_graph()

    def look():
        seen.append(tf.get_default_graph())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen[0] is not mine


def test_reset_default_graph_in_a_fresh_thread():
    found = []

    def work():
        first = tf.get_default_graph()
        tf.reset_default_graph()
        found.append(tf.get_default_graph() is not first)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [True]


# ---- Looking things up


def test_as_graph_element_finds(graph):
    x = tf.constant(1, name="x")
    v = tf.Variable(2.0, name="v")
    assert graph.as_graph_element("x:0") is x
    assert graph.as_graph_element("x") is x.op
    assert graph.as_graph_element(x) is x
    assert graph.as_graph_element(x.op) is x.op
    assert graph.as_graph_element(v) is graph.get_tensor_by_name("v:0")
    assert graph.get_operation_by_name("x") is x.op
    assert graph.get_operations()[0] is x.op


LOOKUP_ERRORS = [
    ("nope", {}, KeyError, "The name 'nope' refers to an Operation not in the graph."),
    (
        "nope:0",
        {},
        KeyError,
        "The name 'nope:0' refers to a Tensor which does not exist. The operation, 'nope', does not exist in the "
        "graph.",
    ),
    (
        "x:5",
        {},
        KeyError,
        "The name 'x:5' refers to a Tensor which does not exist. The operation, 'x', exists but only has 1 outputs.",
    ),
    ("a:b:c", {}, ValueError, "The name 'a:b:c' looks a like a Tensor name, but is not a valid one."),
    ("x:y", {}, ValueError, 'Tensor names must be of the form "<op_name>:<output_index>".'),
    (
        "x",
        {"allow_operation": False},
        ValueError,
        "The name 'x' refers to an Operation, not a Tensor. Tensor names must be of the form "
        '"<op_name>:<output_index>".',
    ),
    (
        "nope",
        {"allow_operation": False},
        ValueError,
        "The name 'nope' looks like an (invalid) Operation name, not a Tensor.",
    ),
    ("x:0", {"allow_tensor": False}, ValueError, "Name 'x:0' appears to refer to a Tensor, not a Operation."),
    (3, {}, TypeError, "Can not convert a int into a Tensor or Operation."),
    (3, {"allow_tensor": False}, TypeError, "Can not convert a int into a Operation."),
    (None, {}, TypeError, "Can not convert a NoneType into a Tensor or Operation."),
]


@pytest.mark.parametrize("what, options, error, text", LOOKUP_ERRORS)
def test_as_graph_element_errors(graph, what, options, error, text):
    tf.constant(1, name="x")
    with pytest.raises(error) as caught:
        graph.as_graph_element(what, **options)
    assert text in str(caught.value.args[0])


def test_as_graph_element_of_the_wrong_kind_or_graph(graph):
    x = tf.constant(1)
    with pytest.raises(TypeError, match="Tensor into a Operation"):
        graph.as_graph_element(x, allow_tensor=False)
    with pytest.raises(TypeError, match="Operation into a Tensor"):
        graph.as_graph_element(x.op, allow_operation=False)
    other = tf.Graph()
    with pytest.raises(ValueError, match=r'Tensor Tensor\("Const:0".* is not an element of this graph'):
        other.as_graph_element(x)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        other.as_graph_element(x.op)


def test_get_by_name_checks_types(graph):
    with pytest.raises(TypeError, match="Tensor names are strings"):
        graph.get_tensor_by_name(tf.constant(1))
    with pytest.raises(TypeError, match="Operation names are strings"):
        graph.get_operation_by_name(3)


def test_inputs_of_another_graph():
    with tf.Graph().as_default():
        x = tf.constant(1)
    y = tf.constant(2)
    with pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(x, y)


# ---- Operations and tensors


def test_creation_line(graph):
    def user_function():
        return tf.constant(1.0) * 2.0

    op = user_function().op
    assert __file__ in op.creation_line and "user_function" in op.creation_line
    file, line, function, _ = op.traceback[-1]
    assert (file, function) == (__file__, "user_function")
    with open(__file__, encoding="utf-8") as source:
        assert "tf.constant(1.0) * 2.0" in source.read().splitlines()[line - 1]


def test_tensors_are_hashed_by_identity():
    x, y = tf.constant(1), tf.constant(1)
    assert len({x, y, x}) == 2
    assert x == x and x != y
    assert (x == 1) is False
    for misuse in (bool, len, iter):
        with pytest.raises(TypeError):
            misuse(x)


def test_consumers_and_values():
    x = tf.constant(1.0)
    y = x * x
    z = tf.identity(x)
    assert x.consumers() == [y.op, y.op, z.op]  # once for each use
    assert y.op.inputs[0] is x and y.op.inputs[1] is x
    assert y.op.values() == (y,)
    assert y.consumers() == []


def test_get_attr_errors():
    with pytest.raises(ValueError, match="has no attr named 'nope'"):
        tf.constant(1).op.get_attr("nope")


def test_set_shape():
    x = tf.placeholder(tf.float32)
    x.set_shape([None, 3])
    x.set_shape([2, None])
    assert x.shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="not compatible|incompatible"):
        x.set_shape([4, 3])


def test_texts():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    assert str(x) == 'Tensor("x:0", shape=(?, 2), dtype=float32)'
    assert repr(x) == "<tf.Tensor 'x:0' shape=(?, 2) dtype=float32>"
    assert str(tf.placeholder(tf.int32, name="y")) == 'Tensor("y:0", dtype=int32)'
    assert repr(x.op) == "<tf.Operation 'x' type=Placeholder>"
    text = str(x.op)
    assert 'name: "x"' in text and 'op: "Placeholder"' in text


# ---- Threads


def test_eight_threads_add_ops_to_one_graph(graph):
    count, errors = 200, []

    def work(index):
        try:
            with graph.as_default(), tf.name_scope(f"thread{index}"), tf.device(f"/cpu:{index}"):
                for _ in range(count):
                    x = tf.constant(index, name="same")
                    y = tf.identity(x, name="same")
                    assert x.op.name.startswith(f"thread{index}/same")
                    assert y.device.endswith(f"CPU:{index}") and y.op.inputs[0] is x
        except Exception as error:  # noqa: BLE001  shown below
            errors.append(error)

    def shared():
        try:
            with graph.as_default():
                for _ in range(count):
                    tf.no_op(name="shared")
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=shared) for _ in range(4)]
    threads += [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    ops = graph.get_operations()
    found = [op.name for op in ops]
    assert len(set(found)) == len(found)
    expected = {"shared"} | {f"shared_{i}" for i in range(1, 4 * count)}
    assert expected <= set(found)
    assert [op._id for op in ops] == list(range(1, len(ops) + 1))


def test_scopes_belong_to_their_thread(graph):
    inside, outside = threading.Event(), []

    def work():
        with graph.as_default():
            outside.append(tf.no_op(name="x"))

    with tf.name_scope("s"), tf.device("/cpu:0"), tf.control_dependencies([tf.no_op()]):
        inside.set()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert outside[0].name == "x"
    assert outside[0].device == ""
    assert outside[0].control_inputs == []
