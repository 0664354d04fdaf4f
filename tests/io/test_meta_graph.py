"""MetaGraphDef: collections, scopes, devices, default attributes; and everything that can be wrong with one."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework import protos
from tfcore.io.meta_graph import import_scoped_meta_graph, register_proto_function


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def build():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.device("/cpu:0"), tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=np.ones([2, 2], np.float32))
        b = tf.get_variable("b", initializer=np.zeros(2, np.float32), trainable=False)
        y = tf.nn.relu(tf.matmul(x, w) + b, name="y")
    return x, w, b, y


def test_graph_and_collections_come_back(graph):
    x, w, b, y = build()
    for value in (y, y.op):
        tf.add_to_collection("nodes", value)
    tf.add_to_collection("text", "hi")
    tf.add_to_collection("ints", 2**40)
    tf.add_to_collection("floats", 1.5)
    data = tf.train.export_meta_graph().SerializeToString()
    with tf.Graph().as_default() as g:
        assert import_scoped_meta_graph(tf.MetaGraphDef.FromString(data))[1:] == ("", None)
        again = g.get_collection
        assert again("nodes") == [g.get_tensor_by_name("net/y:0"), g.get_operation_by_name("net/y")]
        assert (again("text"), again("ints"), again("floats")) == ([b"hi"], [2**40], [1.5])
        assert [v.name for v in tf.global_variables()] == ["net/w:0", "net/b:0"]
        assert tf.trainable_variables() == [tf.global_variables()[0]]
        assert not tf.global_variables()[1].trainable
        (loss,) = [tf.reduce_sum(again("nodes")[0])]
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train, {"x:0": [[1, 2]]})
            np.testing.assert_array_equal(sess.run(tf.trainable_variables()[0]), [[0.5, 0.5], [0, 0]])
        assert g.as_graph_def().node[: len(graph.as_graph_def().node)] == graph.as_graph_def().node


@pytest.mark.parametrize("as_text", [False, True])
def test_files(graph, tmp_path, as_text):
    build()
    path = str(tmp_path / "m.meta")
    meta = tf.train.export_meta_graph(path, as_text=as_text)
    with tf.Graph().as_default():
        assert import_scoped_meta_graph(path, return_elements=["net/y:0"])[2][0].name == "net/y:0"
        assert tf.train.export_meta_graph() == meta


def test_contents(graph):
    build()
    tf.add_to_collection("keep", 1)
    saver = tf.train.SaverDef(save_tensor_name="save/Const:0")
    info = tf.MetaGraphDef.MetaInfoDef(tags=["serve"])
    meta = tf.train.export_meta_graph(meta_info_def=info, saver_def=saver, collection_list=["keep", "none"])
    assert meta.saver_def == saver and meta.meta_info_def.tags == ["serve"]
    assert list(meta.collection_def) == ["keep"]
    assert [op.name for op in meta.meta_info_def.stripped_op_list.op] == sorted(
        {op.type for op in graph.get_operations()}
    )
    assert "_output_shapes" in meta.graph_def.node[0].attr


def test_default_attributes_are_stripped_and_come_back(graph):
    build()
    meta = tf.train.export_meta_graph(strip_default_attrs=True)
    matmul = next(n for n in meta.graph_def.node if n.op == "MatMul")
    assert meta.meta_info_def.stripped_default_attrs and "transpose_a" not in matmul.attr and "T" in matmul.attr
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(meta)
        assert g.as_graph_def() == graph.as_graph_def()


def test_devices_are_cleared(graph):
    build()
    assert any(n.device for n in tf.train.export_meta_graph().graph_def.node)
    assert not any(n.device for n in tf.train.export_meta_graph(clear_devices=True).graph_def.node)
    meta = tf.train.export_meta_graph()
    before = meta.SerializeToString(deterministic=True)
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(meta, clear_devices=True)
        assert not any(op.device for op in g.get_operations())
    assert meta.SerializeToString(deterministic=True) == before


def test_import_scope(graph):
    build()
    tf.add_to_collection("y", graph.get_tensor_by_name("net/y:0"))
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as g:
        for scope in ("a", "a_1"):
            import_scoped_meta_graph(meta, import_scope="a")
            assert g.get_collection("y")[-1].name == scope + "/net/y:0"
            assert tf.global_variables()[-1].name == scope + "/net/b:0"
            assert g.get_operation_by_name(scope + "/net/w/Assign").colocation_groups() == [
                f"loc:@{scope}/net/w".encode()
            ]
        assert len(tf.global_variables()) == 4


def test_import_into_an_open_scope(graph):
    build()
    tf.add_to_collection("y", graph.get_tensor_by_name("net/y:0"))
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as g, tf.name_scope("a"), tf.name_scope("b") as scope:
        import_scoped_meta_graph(meta, import_scope=scope)
        assert {op.name[:8] for op in g.get_operations()} == {"a/b/net/", "a/b/x"}
        assert g.get_collection("y")[0].name == "a/b/net/y:0"
        assert tf.global_variables()[-1].name == "a/b/net/b:0"


def test_export_scope(graph):
    build()
    tf.no_op(name="network")  # begins like the scope, but is not in it
    meta = tf.train.export_meta_graph(export_scope="net")
    names = [n.name for n in meta.graph_def.node]
    assert "y" in names and "w/read" in names and not {"x", "network", "work"} & set(names)
    assert meta.collection_def["unbound_inputs"].bytes_list.value == [b"$unbound_inputs_x"]
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [None, 2])
        with pytest.raises(ValueError, match=r"Graph contains unbound inputs: \$unbound_inputs_x. Must provide"):
            import_scoped_meta_graph(meta)
        import_scoped_meta_graph(meta, import_scope="n", input_map={"$unbound_inputs_x": x})
        assert [v.name for v in tf.global_variables()] == ["n/w:0", "n/b:0"]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run("n/y:0", {x: [[1, 2]]}).tolist() == [[3, 3]]
        assert "unbound_inputs" not in g.get_all_collection_keys()


def test_collections_are_restored_by_choice(graph):
    build()
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(meta, restore_collections_predicate=lambda key: key == "trainable_variables")
        assert g.get_all_collection_keys() == ["trainable_variables"]


def test_members_without_a_proto_are_left_out(graph):
    tf.add_to_collection("odd", object())
    tf.add_to_collection("mixed", 1)
    tf.add_to_collection("mixed", "a")
    with pytest.warns(UserWarning, match="Collection '(odd|mixed)' is not exported"):
        assert not tf.train.export_meta_graph().collection_def


def test_registered_proto_functions(graph):
    register_proto_function(
        "answers",
        tf.NameAttrList,
        lambda member, export_scope=None: tf.NameAttrList(name=str(member)),
        lambda message, import_scope=None: (int(message.name), import_scope),
    )
    tf.add_to_collection("answers", 42)
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(meta, import_scope="s")
        assert g.get_collection("answers") == [(42, "s")]
    with pytest.raises(TypeError, match="to_proto must be callable"):
        register_proto_function("answers", to_proto=3)


def test_extraneous_savers(graph):
    build()
    meta = tf.train.export_meta_graph()
    for scope in ("save", "save_1"):
        meta.graph_def.node.add(name=scope + "/SaveV2", op="SaveV2")
        meta.graph_def.node.add(name=scope + "/Const", op="Const")
    saver = tf.train.SaverDef(save_tensor_name="save_1/control:0", restore_op_name="save_1/all")
    kept = tf.train.export_meta_graph(graph_def=meta.graph_def, saver_def=saver, clear_extraneous_savers=True)
    names = {n.name for n in kept.graph_def.node}
    assert "save_1/Const" in names and "save/Const" not in names and "net/y" in names
    tf.add_to_collection("savers", tf.train.Saver())
    kept = tf.train.export_meta_graph(graph_def=meta.graph_def, saver_def=saver, clear_extraneous_savers=True)
    assert list(kept.collection_def["savers"].bytes_list.value) == [saver.SerializeToString()]


def test_strings_in_collections_are_names(graph):
    build()
    for text in ("net/y", "other", "^net/y", b"net/y", b"\xff"):
        tf.add_to_collection(f"text of {text!r}", text)
    exported = tf.train.export_meta_graph()
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(exported, import_scope="in")
        found = [g.get_collection(f"text of {text!r}") for text in ("net/y", "other", "^net/y", b"net/y", b"\xff")]
        assert found == [["in/net/y"], ["in/other"], ["^in/net/y"], ["in/net/y"], [b"\xff"]]
    exported = tf.train.export_meta_graph(export_scope="net", graph=graph)
    assert sorted(key for key in exported.collection_def if "text" in key) == [
        "text of 'net/y'",
        "text of b'\\xff'",
        "text of b'net/y'",
    ]


def test_variables_of_graphs_before_1_9(graph):
    """They do not say which are trainable; that is known from the collection alone."""
    build()
    exported = tf.train.export_meta_graph()
    exported.meta_info_def.tensorflow_version = "1.8.0"
    for key in ("variables", "trainable_variables"):
        values = exported.collection_def[key].bytes_list.value
        for i, value in enumerate(values):
            variable = protos.VariableDef.FromString(value)
            variable.trainable = False
            values[i] = variable.SerializeToString()
    with tf.Graph().as_default():
        import_scoped_meta_graph(exported)
        assert [v.trainable for v in tf.global_variables()] == [True, False]
        assert tf.trainable_variables() == tf.global_variables()[:1]


def as_tensorflow_builds(update, use):
    """`use` takes the one read of a variable after `update`, as the graphs of TensorFlow have it."""
    v = tf.Variable([1.0, 2.0], name="v")
    read = v.value()
    with tf.control_dependencies([update(v)]):
        tf.identity(use(read), name="out")
    exported = tf.train.export_meta_graph()
    exported.meta_info_def.tensorflow_git_version = "v1.15.0-rc3-22-g590d6eef7e"
    return exported


def value_of_out(exported, scope):
    with tf.Graph().as_default() as g, tf.Session() as sess:
        import_scoped_meta_graph(exported, import_scope=scope)
        sess.run(tf.global_variables_initializer())
        return sess.run(g.get_tensor_by_name((scope + "/" if scope else "") + "out:0")).tolist()


@pytest.mark.parametrize("scope", [None, "in"])
def test_reads_of_graphs_of_tensorflow_see_updates(graph, scope):
    """There the value of `v/read` is the memory of the variable; constraints and moving averages depend on that."""

    def non_negative(w):  # the second use waits for the update by its other input alone
        return w * tf.cast(w >= 0.0, tf.float32)

    exported = as_tensorflow_builds(lambda v: tf.assign_sub(v, [3.0, 1.0]), non_negative)
    before = exported.SerializeToString(deterministic=True)
    assert value_of_out(exported, scope) == [0.0, 1.0]
    assert exported.SerializeToString(deterministic=True) == before
    exported.meta_info_def.ClearField("tensorflow_git_version")
    assert value_of_out(exported, scope) == [1.0, 2.0]


def test_other_reads_of_graphs_of_tensorflow_stay(graph):
    """What does not come after an update of the same variable, and reads that are not the variable's own."""
    u = tf.Variable(5.0, name="u")
    exported = as_tensorflow_builds(
        lambda v: tf.group(u.assign_add(1.0), tf.is_variable_initialized(v)), lambda r: 2 * r
    )
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(exported)
        assert [op.name for op in g.get_operations()] == [op.name for op in graph.get_operations()]


@pytest.mark.parametrize("name", ["v/read:0", b"v/read", "AssignSub:0"])
def test_inputs_of_graphs_of_tensorflow_can_be_mapped(graph, name):
    v = tf.Variable([1.0, 2.0], name="v")
    read = v.value()
    tf.multiply(read, tf.assign_sub(v, [3.0, 1.0]), name="out")
    exported = tf.train.export_meta_graph()
    values = []
    for version in ("", "v1.15.0"):
        exported.meta_info_def.tensorflow_git_version = version
        with tf.Graph().as_default(), tf.Session() as sess:
            import_scoped_meta_graph(exported, input_map={name: tf.constant([7.0, 8.0])})
            sess.run(tf.global_variables_initializer())
            values.append([sess.run("out:0").tolist(), sess.run("v:0").tolist()])
    assert values[0] == values[1]


def test_merges_wait_for_one_input_alone(graph):
    """A read that waited for the branch that is not taken would not run."""
    v = tf.Variable([1.0, 2.0], name="v")
    sub = tf.assign_sub(v, [3.0, 1.0])
    taken = tf.raw_ops.Switch(data=tf.identity(sub), pred=False)[1]
    merged = tf.raw_ops.Merge(inputs=[v.value(), tf.identity(taken)])
    tf.identity(merged[0], name="out")
    exported = tf.train.export_meta_graph()
    exported.meta_info_def.tensorflow_git_version = "v1.15.0"
    assert value_of_out(exported, None) in ([1.0, 2.0], [-2.0, 1.0])


def test_malformed_collections_leave_the_graph_alone(graph):
    build()
    meta = tf.train.export_meta_graph()
    for key, kind, value, text in (
        ("variables", "bytes_list", b"\xff\xff", "Collection 'variables' has a malformed VariableDef"),
        ("mine", "node_list", "gone:0", "Collection 'mine' has nodes that are not in the graph: gone:0"),
    ):
        bad = tf.MetaGraphDef()
        bad.CopyFrom(meta)
        getattr(bad.collection_def[key], kind).value.append(value)
        with tf.Graph().as_default() as g, pytest.raises(ValueError, match=text):
            import_scoped_meta_graph(bad)
        assert not g.get_operations() and not g.get_all_collection_keys()


def test_arguments(graph, tmp_path):
    with pytest.raises(TypeError, match="graph_def must be of type GraphDef"):
        tf.train.export_meta_graph(graph_def=3)
    with pytest.raises(TypeError, match="saver_def must be of type SaverDef"):
        tf.train.export_meta_graph(saver_def=3)
    with pytest.raises(tf.errors.UnimplementedError, match="save_debug_info"):
        tf.train.export_meta_graph(save_debug_info=True)
    with pytest.raises(FileNotFoundError):
        import_scoped_meta_graph(str(tmp_path / "none"))
    (tmp_path / "bad").write_bytes(b"\xff\xff")
    with pytest.raises(OSError, match="as a binary MetaGraphDef"):
        import_scoped_meta_graph(str(tmp_path / "bad"))


# ---- Conditionals and loops


def build_loops():
    p, x = tf.placeholder(tf.bool, [], name="p"), tf.constant(2.0, name="x")

    def body(i, a):
        inner = lambda: tf.while_loop(lambda b: b < x * 9.0, lambda b: b + x, [a], back_prop=False)  # noqa: E731
        return i + 1, tf.cond(i % 2 < 1, lambda: a * x, inner)

    loop = tf.while_loop(
        lambda i, a: i < 6, body, [0, 1.0], maximum_iterations=5, parallel_iterations=3, swap_memory=True
    )
    return tf.cond(p, lambda: loop[1] * x, lambda: x, name="choice")


def context_of(graph, name):
    return graph.get_operation_by_name(name)._get_control_flow_context()


@pytest.mark.parametrize("scope", [None, "again"])
def test_contexts_come_back(graph, scope):
    result = build_loops()
    meta = tf.train.export_meta_graph()
    assert {k: len(v.bytes_list.value) for k, v in meta.collection_def.items()} == {
        "while_context": 1,
        "cond_context": 2,
    }
    with tf.Graph().as_default() as g:
        import_scoped_meta_graph(meta, import_scope=scope)
        prefix = scope + "/" if scope else ""
        for op in graph.get_operations():
            old, new = op._get_control_flow_context(), context_of(g, prefix + op.name)
            assert (old is None) == (new is None), op.name
            if old is None:
                continue
            assert (type(new), new.name) == (type(old), prefix + old.name) and new.pivot.name == prefix + old.pivot.name
            assert new._values == {prefix + name for name in old._values}
            assert {k: t.name for k, t in new._external_values.items()} == {
                prefix + k: prefix + t.name for k, t in old._external_values.items()
            }
            assert g.is_fetchable(g.get_operation_by_name(prefix + op.name)) == graph.is_fetchable(op)
            if old.IsWhileContext():
                for part in ("maximum_iterations", "pivot_for_pred", "pivot_for_body"):
                    old_part, new_part = getattr(old, part), getattr(new, part)
                    assert getattr(new_part, "name", None) == (None if old_part is None else prefix + old_part.name)
                for part in ("parallel_iterations", "back_prop", "swap_memory"):
                    assert getattr(new, part) == getattr(old, part)
                assert [t.name for t in new.loop_exits] == [prefix + t.name for t in old.loop_exits]
                assert [t.name for t in new.loop_enters] == [prefix + t.name for t in old.loop_enters]
        x, again = g.get_tensor_by_name(prefix + "x:0"), g.get_tensor_by_name(prefix + result.name)
        slope = tf.gradients(again, x)[0]
        assert tf.train.export_meta_graph(export_scope=scope).collection_def["while_context"].bytes_list.value
        with tf.Session() as sess:
            found = sess.run([again, slope], {prefix + "p:0": True})
    slope = tf.gradients(result, graph.get_tensor_by_name("x:0"))[0]
    with tf.Session() as sess:
        assert sess.run([result, slope], {"p:0": True}) == found


def test_contexts_are_written_the_same_again(graph):
    build_loops()
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        import_scoped_meta_graph(meta)
        assert tf.train.export_meta_graph() == meta


def test_two_copies_of_a_loop_have_frames_of_their_own(graph):
    result = build_loops()
    graph_def = graph.as_graph_def()
    with tf.Graph().as_default() as g, tf.Session() as sess:
        copies = [tf.import_graph_def(graph_def, name=n, return_elements=[result.name])[0] for n in ("a", "b", "")]
        frames = {op.get_attr("frame_name") for op in g.get_operations() if op.type == "Enter"}
        assert len(frames) == 6 and b"a/while/while_context" in frames
        assert sess.run(copies, {"a/p:0": True, "b/p:0": False, "p:0": True}) == [144.0, 2.0, 144.0]


def test_imported_loops_have_shapes():
    def body(i, a, b, c):
        return i + 1, tf.concat([a, a], 0), b * 2.0, tf.cond(i > 1, lambda: c[1:], lambda: c)

    with tf.Graph().as_default() as g:
        tf.while_loop(lambda i, *_: i < 3, body, [0, tf.zeros([2, 3]), tf.ones([4]), tf.zeros([1])],
                      [None, tf.TensorShape([None, 3]), None, tf.TensorShape([None])])  # fmt: skip
        graph_def = g.as_graph_def()
        exits = [op.name for op in g.get_operations() if op.type == "Exit"]
    tensors = tf.import_graph_def(graph_def, name="", return_elements=[f"{name}:0" for name in exits])
    assert [t.shape.as_list() for t in tensors] == [[], [None, 3], [4], [None]]


def test_a_loop_is_imported_into_a_loop_and_a_branch(graph):
    with tf.Graph().as_default() as g:
        result = build_loops()
        graph_def = g.as_graph_def()
    p = tf.placeholder(tf.bool, [])

    def load():
        return tf.import_graph_def(graph_def, {"p:0": p}, [result.name])[0]

    _, total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + load()), [0, 0.0])
    chosen = tf.cond(p, load, lambda: 1.0)
    with tf.Session() as sess:
        assert sess.run([total, chosen], {p: True}) == [432.0, 144.0]
        assert sess.run([total, chosen], {p: False}) == [6.0, 1.0]
