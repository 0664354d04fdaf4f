"""The command that freezes graphs, from all kinds of files."""

import re

import pytest

import tfcore as tf
from tfcore.tools import freeze_graph


@pytest.fixture(autouse=True)
def model(tmp_path):
    """y = 2 * x + 10 in all kinds of files; u is not initialized by the checkpoint."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, name="x")
        with tf.device("/cpu:0"):
            v = tf.get_variable("v", initializer=2.0)
            w = tf.get_variable("w", initializer=10.0)
        y = tf.add(x * v, w, name="y")
        u = tf.get_variable("u", initializer=100.0)
        tf.add(y, u, name="z")
        saver = tf.train.Saver([v, w])
        session.run(tf.global_variables_initializer())
        saver.save(session, str(tmp_path / "m"))
        tf.train.write_graph(session.graph, tmp_path, "graph.pbtxt")
        tf.train.write_graph(saver.as_saver_def(), tmp_path, "saver.pb", as_text=False)
        tf.saved_model.simple_save(session, tmp_path / "saved", {"x": x}, {"y": y})


def freeze(folder, **options):
    """The value of y (or z) of a frozen graph for x = 1, and the names of its nodes."""
    output = options.get("output_node_names", "y")
    given = {"output_graph": str(folder / "frozen.pb"), "output_node_names": output, **options}
    assert freeze_graph.main([f"--{key}={value}" for key, value in given.items()]) == 0
    frozen = tf.train.read_graph(folder / "frozen.pb")
    assert not [n.op for n in frozen.node if n.op.startswith(("Variable", "Save", "Assign"))]
    with tf.Graph().as_default(), tf.Session() as session:
        (tensor,) = tf.import_graph_def(frozen, {"x": 1.0}, [f"{output}:0"])
        return session.run(tensor), frozen


def test_graph_and_checkpoint(tmp_path):
    value, frozen = freeze(tmp_path, input_graph=tmp_path / "graph.pbtxt", input_checkpoint=tmp_path / "m")
    assert value == 12
    assert sorted(n.name for n in frozen.node) == ["mul", "v", "v/read", "w", "w/read", "x", "y"]
    assert not any(n.device for n in frozen.node)


def test_saver(tmp_path):
    given = {"input_graph": tmp_path / "graph.pbtxt", "input_checkpoint": tmp_path / "m"}
    value, frozen = freeze(tmp_path, input_saver=tmp_path / "saver.pb", clear_devices="False", **given)
    assert value == 12 and {n.device for n in frozen.node if n.name == "v"} == {"/device:CPU:0"}


def test_meta_graph_with_an_initializer(tmp_path):
    given = {"input_meta_graph": tmp_path / "m.meta", "input_checkpoint": tmp_path / "m", "input_binary": "true"}
    assert freeze(tmp_path, output_node_names="z", initializer_nodes="u/Assign", **given)[0] == 112


def test_saved_model(tmp_path):
    assert freeze(tmp_path, input_saved_model_dir=tmp_path / "saved", output_node_names="z")[0] == 112


@pytest.mark.parametrize(
    "options", [{"variable_names_whitelist": "v"}, {"variable_names_blacklist": "w"}, {"variable_names_denylist": "w"}]
)
def test_some_variables(tmp_path, options):
    options = {"input_meta_graph": tmp_path / "m.meta", "input_checkpoint": tmp_path / "m", **options}
    command = [f"--{key}={value}" for key, value in options.items()]
    assert freeze_graph.main([*command, "--output_node_names=y", f"--output_graph={tmp_path}/part.pb"]) == 0
    kinds = {n.name: n.op for n in tf.train.read_graph(tmp_path / "part.pb").node}
    assert (kinds["v"], kinds["w"]) == ("Const", "VariableV2")


@pytest.mark.parametrize(
    "options, error",
    [
        ({"input_graph": "graph.pbtxt", "input_checkpoint": "none"}, "Input checkpoint '.*none' doesn't exist!"),
        ({"input_graph": "none.pb", "input_checkpoint": "m"}, "Input graph file '.*none.pb' does not exist!"),
        ({"input_graph": "m.index", "input_checkpoint": "m"}, "Cannot parse file .*m.index"),
        ({"input_checkpoint": "m"}, "There is no graph"),
        ({"input_saved_model_dir": "none"}, "SavedModel file does not exist"),
        ({"input_meta_graph": "m.meta", "input_checkpoint": "m", "output_node_names": "q"}, "q is not in graph"),
        ({"input_meta_graph": "m.meta", "input_checkpoint": "m", "output_node_names": "z"}, "uninitialized value u"),
        ({"input_meta_graph": "m.meta", "input_checkpoint": "m", "output_node_names": ""}, "supply the name of a node"),
    ],
)
def test_errors(tmp_path, options, error, capsys):
    given = {key: value if key == "output_node_names" else tmp_path / value for key, value in options.items()}
    given = {"output_node_names": "y", "output_graph": tmp_path / "frozen.pb", **given}
    assert freeze_graph.main([f"--{key}={value}" for key, value in given.items()]) == 1
    assert re.search(error, capsys.readouterr().err)
    assert not (tmp_path / "frozen.pb").exists()


def test_a_graph_is_not_frozen_twice(tmp_path):
    _, frozen = freeze(tmp_path, input_graph=tmp_path / "graph.pbtxt", input_checkpoint=tmp_path / "m")
    arguments = (None, str(tmp_path / "m"), "y", None, None, "", True, "")
    with pytest.raises(ValueError, match="No variables were found in this model"):
        freeze_graph.freeze_graph_with_def_protos(frozen, *arguments)


def test_partitioned_variables_need_a_saved_model(tmp_path):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.get_variable("p", initializer=tf.ones([4]), partitioner=tf.fixed_size_partitioner(2))
        y = tf.identity(tf.convert_to_tensor(v), name="y")
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "parts"))
        tf.saved_model.simple_save(session, tmp_path / "parts_saved", {"x": y}, {"y": y})
        graph_def = graph.as_graph_def()
    with pytest.raises(ValueError, match="partition variables cannot be converted"):
        freeze_graph.freeze_graph_with_def_protos(graph_def, None, prefix, "y", None, None, "", True, "")
    frozen = freeze_graph.freeze_graph(
        "", "", False, "", "y", "", "", "", True, "", input_saved_model_dir=tmp_path / "parts_saved"
    )
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.import_graph_def(frozen, {}, ["y:0"])[0]).tolist() == [1] * 4


def test_resource_variables_by_their_names(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, name="x")
        v = tf.get_variable("r", initializer=[3.0, 4.0], use_resource=True)
        tf.identity(x * v, name="y")
        session.run(v.initializer)
        tf.train.Saver().save(session, str(tmp_path / "r"), write_meta_graph=False)
        tf.train.write_graph(session.graph, tmp_path, "r.pbtxt")
    value, frozen = freeze(tmp_path, input_graph=tmp_path / "r.pbtxt", input_checkpoint=tmp_path / "r")
    assert value.tolist() == [3, 4] and not [n.op for n in frozen.node if "Handle" in n.op or "Read" in n.op]
