"""Frozen GraphDefs that TensorFlow wrote run here with the values that TensorFlow computed."""

import glob
import os

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework.exchange.graph_def import LEFT_OUT_AT_DEFAULT
from tfcore.framework.exchange.import_checks import NEWER_ATTRS
from tfcore.testing import cpu_level, cpu_levels

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "frozen")
NETS = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(FOLDER, "*.pb")))
ULPS = 64  # of the largest value of an output: sums in another order, through a few layers


def load(net):
    with np.load(os.path.join(FOLDER, net + ".npz")) as data:
        feeds = {k: data[k] for k in data.files if not k.startswith("output:")}
        outputs = {k.partition(":")[2]: data[k] for k in data.files if k.startswith("output:")}
    return feeds, outputs


def test_there_are_nets():
    assert len(NETS) >= 30
    assert sum(os.path.getsize(os.path.join(FOLDER, f)) for f in os.listdir(FOLDER)) < 1_500_000


@pytest.mark.parametrize("net", NETS)
def test_frozen(net):
    feeds, outputs = load(net)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(os.path.join(FOLDER, net + ".pb"), name="")
        for name, expected in outputs.items():
            assert graph.get_tensor_by_name(name).shape.is_compatible_with(expected.shape)
        for level in cpu_levels():
            with cpu_level(level), tf.Session() as sess:
                found = sess.run(
                    {name: name for name in outputs}, {name + ":0": value for name, value in feeds.items()}
                )
            for name, expected in outputs.items():
                compare(found[name], expected, f"{name} at {level}", half=net.endswith("half"))


def compare(found, expected, what, half):
    assert found.dtype == expected.dtype and found.shape == expected.shape, what
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, what)
        return
    eps = np.finfo(np.float16 if half else expected.dtype).eps
    bound = ULPS * eps * max(1e-3, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound, err_msg=what)


@pytest.mark.parametrize("net", NETS)
def test_exported_again(net):
    """What was imported exports as what it was, up to attributes that one of the two does not have."""
    graph_def = tf.train.read_graph(os.path.join(FOLDER, net + ".pb"))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        again = {node.name: node for node in graph.as_graph_def().node}
    assert again.keys() == {node.name for node in graph_def.node}
    for node in graph_def.node:
        copy = again[node.name]
        assert (copy.op, list(copy.input), copy.device) == (node.op, list(node.input), node.device)
        for key, value in node.attr.items():
            if key == "value":
                np.testing.assert_array_equal(tf.make_ndarray(copy.attr[key].tensor), tf.make_ndarray(value.tensor))
            elif key != "_output_shapes" and key not in NEWER_ATTRS:
                assert (key in copy.attr or key in LEFT_OUT_AT_DEFAULT) and copy.attr.get(key, value) == value, (
                    node.name,
                    key,
                )
