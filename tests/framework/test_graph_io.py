"""Graph files: text, binary, and constants that lie beside the graph."""

import os
import threading

import ml_dtypes
import numpy as np
import pytest
from google.protobuf import text_format

import tfcore as tf
from tfcore.framework.exchange import graph_io


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(graph_io, "MAX_INLINE_BYTES", 3000)
    monkeypatch.setattr(graph_io, "MIN_BESIDE_BYTES", 500)


TYPES = [
    np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64,
    np.uint8, np.uint16, np.uint32, np.uint64, np.bool_, np.complex64, np.complex128,
]  # fmt: skip


def add_constants():
    rng = np.random.default_rng(0)
    arrays = [rng.integers(0, 3, [30, 20]).astype(t) for t in TYPES]
    for i, array in enumerate(arrays):
        tf.constant(array, name=f"c{i}")
    tf.constant(np.array(["text" * 200], object), name="text")
    tf.constant(3, name="small")
    return arrays


@pytest.mark.parametrize("as_text", [False, True])
def test_write_and_read(graph, tmp_path, as_text):
    tf.identity(tf.constant([1.0, 2.0]), name="y")
    path = tf.train.write_graph(graph, str(tmp_path / "new" / "folder"), "g", as_text)
    assert os.listdir(tmp_path / "new" / "folder") == ["g"]
    with open(path, "rb") as file:
        data = file.read()
    parsed = text_format.Parse(data, tf.GraphDef()) if as_text else tf.GraphDef.FromString(data)
    assert parsed == graph.as_graph_def() == tf.train.read_graph(path)
    (y,) = tf.import_graph_def(path, return_elements=["y:0"])
    with tf.Session() as sess:
        assert sess.run(y).tolist() == [1, 2]
    with tf.Graph().as_default():
        tf.import_graph_def(tmp_path / "new" / "folder" / "g")


def test_text_is_the_default_and_files_are_replaced(graph, tmp_path):
    path = tf.io.write_graph(graph, tmp_path, "g")
    tf.constant(1)
    assert tf.io.write_graph(graph.as_graph_def(), str(tmp_path), "g") == path
    with open(path) as file:
        assert file.read().startswith("node {")
    assert os.listdir(tmp_path) == ["g"]


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("form", ["graph", "graph_def"])
def test_large_constants_lie_beside(graph, tmp_path, small_limit, form, as_text):
    arrays = add_constants()
    source = graph if form == "graph" else graph.as_graph_def()
    path = tf.train.write_graph(source, str(tmp_path), "g.pb", as_text)
    assert sorted(os.listdir(tmp_path)) == ["g.pb", "g.pb.safetensors"]
    assert os.path.getsize(path) < 16000
    assert tf.train.read_graph(path) == graph.as_graph_def()
    with tf.Graph().as_default() as g:
        values = tf.import_graph_def(path, return_elements=[f"c{i}:0" for i in range(len(arrays))], name="")
        assert g.as_graph_def() == graph.as_graph_def()
        with tf.Session() as sess:
            for value, array in zip(sess.run(values), arrays, strict=True):
                assert value.dtype == array.dtype
                np.testing.assert_array_equal(value, array)


def test_links_permissions_and_pipes_stay(graph, tmp_path):
    tf.constant(1.0, name="one")
    target, link, pipe = (tmp_path / name for name in ("target", "link", "pipe"))
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to("target")
    tf.train.write_graph(graph, tmp_path, "link")
    assert link.is_symlink() and [n.name for n in tf.train.read_graph(target).node] == ["one"]
    assert target.stat().st_mode & 0o777 == 0o600

    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    tf.train.write_graph(graph, tmp_path, "pipe")
    reader.join(60)
    assert received == [target.read_bytes()] and pipe.is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe", "target"]


def test_two_writers_of_one_file(tmp_path):
    path = str(tmp_path / "g.pb")

    def write(content, meanwhile=lambda: None):
        def fill(temporary):
            with open(temporary, "w") as file:
                file.write(content)
            meanwhile()

        graph_io.write_atomically(path, fill)

    write("first", lambda: write("second"))
    with open(path) as file:
        assert file.read() == "first"
    assert os.listdir(tmp_path) == ["g.pb"]


def test_functions_stay_if_values_lie_beside(graph, tmp_path, small_limit):
    add_constants()
    y = tf.Defun(tf.float32, func_name="twice")(lambda x: 2.0 * x)(3.0)
    path = tf.train.write_graph(graph, str(tmp_path), "g.pb", False)
    assert os.path.exists(path + ".safetensors")
    assert tf.train.read_graph(path).library == graph.as_graph_def().library
    with tf.Graph().as_default() as g, tf.Session() as sess:
        tf.import_graph_def(path, name="")
        assert sess.run(g.get_tensor_by_name(y.name)) == 6


def test_values_beside_can_be_read_without_us(graph, tmp_path, small_limit):
    from safetensors.numpy import load_file

    add_constants()
    tf.train.write_graph(graph, str(tmp_path), "g.pb", False)
    stored = load_file(tmp_path / "g.pb.safetensors")
    np.testing.assert_array_equal(stored["c2"], graph.get_operation_by_name("c2").get_attr("value"))
    assert "small" not in stored and "text" not in stored


def test_node_without_its_value_is_refused(graph, tmp_path, small_limit):
    add_constants()
    path = tf.train.write_graph(graph, str(tmp_path), "g.pb", False)
    with open(path, "rb") as file:
        alone = tf.GraphDef.FromString(file.read())
    assert "value" not in next(n for n in alone.node if n.name == "c2").attr  # TensorFlow then refuses the node
    damaged = tf.GraphDef.FromString(alone.SerializeToString())
    del damaged.node[0].attr["_value_shape"]
    for graph_def in (alone, damaged):
        with (
            tf.Graph().as_default(),
            pytest.raises(ValueError, match="value of the constant 'c0' is in the file 'g.pb.safetensors'"),
        ):
            tf.import_graph_def(graph_def)


def test_damaged_values_beside(graph, tmp_path, small_limit):
    from safetensors.numpy import load_file, save_file

    add_constants()
    path = tf.train.write_graph(graph, str(tmp_path), "g.pb", False)
    beside = path + ".safetensors"
    good = load_file(beside)
    for name, array, text in (
        ("c2", good["c2"][:5], "value of type float32 and shape \\(5, 20\\) for the constant 'c2'"),
        ("c2", good["c2"].astype(np.float64), "value of type float64 .* 'c2', which needs float32"),
        ("c2", None, "has no value for the constant 'c2'"),
    ):
        changed = {k: v for k, v in {**good, name: array}.items() if v is not None}
        save_file(changed, beside)
        with pytest.raises(ValueError, match=text):
            tf.import_graph_def(path)
        with pytest.raises(ValueError, match=text):
            tf.train.read_graph(path)
    with open(beside, "wb") as file:
        file.write(b"nonsense")
    with pytest.raises(ValueError, match="g.pb.safetensors"):
        tf.train.read_graph(path)
    os.remove(beside)
    with pytest.raises(OSError, match="values of constants such as 'c0', does not exist"):
        tf.import_graph_def(path)


def test_values_beside_stay_in_the_folder(graph, tmp_path, small_limit):
    add_constants()
    path = tf.train.write_graph(graph, str(tmp_path), "g.pb", False)
    with open(path, "rb") as file:
        graph_def = tf.GraphDef.FromString(file.read())
    graph_def.node[0].attr["_value_file"].s = b"../secret"
    with open(path, "wb") as file:
        file.write(graph_def.SerializeToString())
    with pytest.raises(ValueError, match="'../secret', is not in the graph's folder"):
        tf.import_graph_def(path)


def test_meta_graphs_too(graph, tmp_path, small_limit):
    add_constants()
    tf.add_to_collection("n", 7)
    path = str(tmp_path / "m.meta")
    tf.train.export_meta_graph(path)
    assert sorted(os.listdir(tmp_path)) == ["m.meta", "m.meta.safetensors"]
    with tf.Graph().as_default() as g:
        tf.train.import_meta_graph(path)
        assert g.get_collection("n") == [7]
        assert g.as_graph_def() == graph.as_graph_def()


def test_no_file_and_no_graph(tmp_path):
    with pytest.raises(FileNotFoundError):
        tf.import_graph_def(str(tmp_path / "none"))
    for data in (b"\xff\xfe\x00nonsense", b"node { nam", b'node { name: "a" unknown: 3 }'):
        (tmp_path / "bad").write_bytes(data)
        with pytest.raises(OSError, match="Cannot parse file .*bad: as a binary GraphDef: .*; as text: "):
            tf.train.read_graph(tmp_path / "bad")
