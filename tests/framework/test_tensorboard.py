"""TensorBoard's graph plugin takes exported graphs: scopes, shapes, devices, edges that it can follow."""

import json

import numpy as np
import pytest

import tfcore as tf

pytest.importorskip("tensorboard")


@pytest.fixture
def served(tmp_path):
    """Function from a GraphDef to the GraphDef that TensorBoard's front end is sent."""
    from google.protobuf import text_format
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.graph import graphs_plugin

    def serve(graph_def):
        with tf.summary.FileWriter(str(tmp_path / "run")) as writer:
            writer.add_graph(graph_def)
        multiplexer = plugin_event_multiplexer.EventMultiplexer()
        multiplexer.AddRunsFromDirectory(str(tmp_path))
        multiplexer.Reload()
        provider = data_provider.MultiplexerDataProvider(multiplexer, str(tmp_path))
        plugin = graphs_plugin.GraphsPlugin(base_plugin.TBContext(logdir=str(tmp_path), data_provider=provider))
        context = _request_context()
        assert plugin.info_impl(context, "")["run"]["run_graph"]
        text, kind = plugin.graph_impl(
            context, "run", None, False, "", limit_attr_size=1024, large_attrs_key="_too_large"
        )
        assert kind == "text/x-protobuf"
        return text_format.Parse(text, tf.GraphDef())

    return serve


def _request_context():
    from tensorboard import context

    return context.RequestContext()


def test_graph_is_drawn(served):
    with tf.Graph().as_default() as graph:
        with tf.name_scope("input"):
            x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="x")
        with tf.variable_scope("conv"), tf.device("/cpu:0"):
            w = tf.get_variable("w", [3, 3, 1, 4])
            y = tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"))
        large = tf.constant(np.zeros([500, 500], np.float32), name="large")
        loss = tf.reduce_mean(y) + tf.reduce_sum(large)
        tf.train.AdamOptimizer().minimize(loss)
    shown = served(graph.as_graph_def(add_shapes=True))
    nodes = {node.name: node for node in shown.node}
    assert nodes.keys() == {op.name for op in graph.get_operations()}
    assert {"input/x", "conv/w", "conv/Relu"} <= nodes.keys()
    assert [d.size for d in nodes["conv/Relu"].attr["_output_shapes"].list.shape[0].dim] == [-1, 8, 8, 4]
    assert nodes["conv/w"].device == "/device:CPU:0"
    assert "value" not in nodes["large"].attr and nodes["large"].attr["_too_large"].list.s == [b"value"]
    for node in shown.node:
        for text in node.input:
            assert text.lstrip("^").partition(":")[0] in nodes


def test_json_of_attributes_is_valid(served):
    """Viewers that read GraphDefs by protobuf's JSON form get finite, well-formed values."""
    from google.protobuf import json_format

    with tf.Graph().as_default() as graph:
        tf.constant(np.array([np.inf, np.nan]), name="c")
        tf.constant([b"\xff\x00", b"text"], name="s")
    data = json.loads(json_format.MessageToJson(graph.as_graph_def(add_shapes=True)))
    assert [n["name"] for n in data["node"]] == ["c", "s"]
