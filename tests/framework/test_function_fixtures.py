"""Graphs with functions that TensorFlow wrote run here with the values that TensorFlow computed."""

import glob
import os

import numpy as np
import pytest

import tfcore as tf

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "functions")
GRAPHS = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(FOLDER, "*.pb")))


def load(name):
    with np.load(os.path.join(FOLDER, name + ".npz")) as data:
        feeds = {k + ":0": data[k] for k in data.files if not k.startswith("output:")}
        outputs = {k.partition(":")[2]: data[k] for k in data.files if k.startswith("output:")}
    return feeds, outputs


def check(feeds, outputs):
    with tf.Session() as session:
        found = session.run({name: name for name in outputs}, feeds)
    for name, expected in outputs.items():
        assert found[name].dtype == expected.dtype and found[name].shape == expected.shape
        np.testing.assert_allclose(found[name], expected, rtol=1e-5, atol=1e-6, err_msg=name)


def test_there_are_graphs():
    assert len(GRAPHS) >= 8


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_tensorflow(name):
    feeds, outputs = load(name)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(os.path.join(FOLDER, name + ".pb"), name="")
        check(feeds, outputs)
        again = graph.as_graph_def()
    original = tf.train.read_graph(os.path.join(FOLDER, name + ".pb"))
    assert {f.signature.name: f for f in again.library.function} == {
        f.signature.name: f for f in original.library.function
    }
    assert list(again.library.gradient) == list(original.library.gradient)
    with tf.Graph().as_default():
        tf.import_graph_def(again, name="")
        check(feeds, outputs)
