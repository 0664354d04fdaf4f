"""tf.train.write_graph to paths with schemes; tests/framework/test_graph_def.py has the others."""

import os

import pytest

import tfcore as tf


@pytest.mark.parametrize("as_text", [False, True])
def test_a_graph_behind_a_scheme(tmp_path, monkeypatch, as_text):
    pytest.importorskip("fsspec")
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default() as graph:
        tf.constant(2.0, name="c")
        for source in (graph, graph.as_graph_def()):
            path = tf.train.write_graph(source, "memory://graphs/run", "graph.pb", as_text)
            assert path == "memory://graphs/run/graph.pb"
            with tf.io.gfile.GFile(path, "rb") as file:
                tf.io.gfile.copy(path, str(tmp_path / "here"), overwrite=True)
                assert (b'name: "c"' in file.read()) == as_text
            assert tf.train.read_graph("here") == graph.as_graph_def()
    assert os.listdir(tmp_path) == ["here"]  # no folder "memory:"
    tf.io.gfile.rmtree("memory://graphs")


def test_the_scheme_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default() as graph:
        assert tf.io.write_graph(graph, f"file://{tmp_path}/new", "g.pbtxt") == f"{tmp_path}/new/g.pbtxt"
    assert os.listdir(tmp_path) == ["new"] and os.listdir("new") == ["g.pbtxt"]
