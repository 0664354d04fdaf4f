"""Checkpoints by folder, initial values from checkpoints, safetensors, and the program that shows checkpoints."""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import tfcore as tf
from tests.fixtures.checkpoints import values
from tfcore.tools import inspect_checkpoint

FIXTURES = pathlib.Path(values.__file__).parent


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def saved(tmp_path):
    """A folder with a checkpoint of old/a, old/b, old/parts."""
    with tf.Graph().as_default(), tf.Session() as session, tf.variable_scope("old"):
        tf.get_variable("a", initializer=[1.0, 2.0])
        tf.get_variable("b", initializer=3)
        two = tf.fixed_size_partitioner(2)
        tf.get_variable("parts", [5, 2], initializer=tf.ones_initializer(), partitioner=two)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "m"))
    return tmp_path


def test_folders(saved):
    assert tf.train.list_variables(saved) == [("old/a", [2]), ("old/b", []), ("old/parts", [5, 2])]
    assert tf.train.load_variable(str(saved), "old/a").tolist() == [1, 2]
    assert tf.train.load_checkpoint(str(saved / "m")).has_tensor("old/b")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(FIXTURES)


def test_iterator(saved):
    found = tf.train.checkpoints_iterator(str(saved), timeout=0)
    assert next(found) == str(saved / "m")
    assert list(found) == []
    calls = []
    assert list(tf.train.checkpoints_iterator(str(saved), timeout=0, timeout_fn=lambda: calls.append(1) or True)) == [
        str(saved / "m")
    ]
    assert calls == [1]


def initialized(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_initial_values_by_name_variable_and_scope(saved):
    with tf.variable_scope("new"):
        a, b = tf.get_variable("a", [2]), tf.get_variable("b", [], tf.int32)
    three = tf.fixed_size_partitioner(3)
    parts = tf.get_variable("other", [5, 2], initializer=tf.zeros_initializer(), partitioner=three)
    c = tf.get_variable("c", [2])
    tf.train.init_from_checkpoint(saved, {"old/a": a, "old/b": "new/b", "old/parts": "other"})
    tf.train.init_from_checkpoint(str(saved / "m"), [("old/a", c)])
    found = initialized([a, b, tf.convert_to_tensor(parts), c])
    assert found[0].tolist() == found[3].tolist() == [1, 2] and found[1] == 3 and (found[2] == 1).all()


def test_several_variables_begin_with_one_value(saved):
    """tensorflow/tensorflow#40404"""
    a, b = tf.get_variable("a", [2]), tf.get_variable("b", [2])
    tf.train.init_from_checkpoint(saved, {"old/a": [a, b]})
    assert [value.tolist() for value in initialized([a, b])] == [[1, 2], [1, 2]]


def test_initial_values_of_scopes(saved):
    with tf.variable_scope("new"):
        a, b = tf.get_variable("a", [2]), tf.get_variable("b", [], tf.int32)
        five = tf.fixed_size_partitioner(5)
        parts = tf.get_variable("parts", [5, 2], initializer=tf.zeros_initializer(), partitioner=five)
    tf.train.init_from_checkpoint(saved, {"old/": "new/"})
    found = initialized([a, b, tf.convert_to_tensor(parts)])
    assert found[0].tolist() == [1, 2] and found[1] == 3 and (found[2] == 1).all()


def test_wrong_initial_values(saved):
    a = tf.get_variable("a", [3])
    for mapping, text in (
        ({"old/none": a}, "Tensor old/none is not found in"),
        ({"old/a": a}, r"Shape of variable a:0 \(\(3,\)\) doesn't match with shape of tensor old/a \(\[2\]\)"),
        ({"old/a": "scope/"}, "should map to scope only"),
        ({"old/a": "b"}, "should map to scope only .* no variable of the name 'b'"),
        ({"old/a": [a, a]}, r"Shape of variable a:0"),
        ({"old/": "/"}, r"Shape of variable a:0"),
        ({"/": "/"}, r"Tensor a \(a in /\) is not found"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.train.init_from_checkpoint(saved, mapping)


def test_warm_start(saved):
    with tf.variable_scope("old"):
        a = tf.get_variable("a", [2])
        two = tf.fixed_size_partitioner(2)
        parts = tf.get_variable("parts", [5, 2], initializer=tf.zeros_initializer(), partitioner=two)
    other = tf.get_variable("other", [2])
    tf.train.warm_start(saved, "old.*")
    tf.train.warm_start(saved, [other], var_name_to_prev_var_name={"other": "old/a"})
    found = initialized([a, tf.convert_to_tensor(parts), other])
    assert found[0].tolist() == found[2].tolist() == [1, 2] and (found[1] == 1).all()
    with pytest.raises(ValueError, match=r"were not used: \['misspelled'\]"):
        tf.train.warm_start(saved, "old/a", var_name_to_prev_var_name={"misspelled": "x"})


@pytest.mark.parametrize("axis", [0, 1])
def test_warm_start_with_vocabularies(tmp_path, axis):
    (tmp_path / "old").write_text("apple\nbanana\nguava\norange\n")
    (tmp_path / "new").write_text("orange\nguava\nbanana\napple\nraspberry\nunused\n")
    old = np.arange(8.0).reshape(4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(old if axis == 0 else old.T, name="v")
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    w = tf.get_variable("v", [6, 2] if axis == 0 else [2, 6], tf.float64)
    info = tf.train.VocabInfo(
        str(tmp_path / "new"), 5, 1, str(tmp_path / "old"), backup_initializer=tf.constant_initializer(9), axis=axis
    )
    tf.train.warm_start(path, None, {"v": info})
    expected = np.concatenate([old[[3, 2, 1, 0]], np.full((2, 2), 9)])
    np.testing.assert_array_equal(initialized(w), expected if axis == 0 else expected.T)
    rest = tf.get_variable("rest", [2], initializer=tf.ones_initializer())  # None: those with vocabularies only
    tf.train.warm_start(path, None, {"v": info}, {"rest": "not in the checkpoint"})
    assert initialized(rest).tolist() == [1, 1]
    with pytest.raises(ValueError, match="old has 4 words, not 5"):
        tf.train.warm_start(path, None, {"v": info._replace(old_vocab_size=5)})
    with pytest.raises(ValueError, match="only supported values for the axis argument are 0 and 1"):
        tf.train.VocabInfo("a", 1, 0, "b", axis=2)


def test_only_newlines_end_the_words_of_vocabularies(tmp_path):
    (tmp_path / "old").write_bytes("a\u2028b\nc\x85d\ne f\x0c\n".encode() + b"\xff\n")
    (tmp_path / "new").write_bytes(b"\xff\r\n" + "e f\x0c\r\nc\x85d\r\na\u2028b".encode())
    old = np.arange(8.0).reshape(4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.Variable(old, name="v").initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    w = tf.get_variable("v", [4, 2], tf.float64)
    tf.train.warm_start(path, None, {"v": tf.train.VocabInfo(str(tmp_path / "new"), 4, 0, str(tmp_path / "old"))})
    np.testing.assert_array_equal(initialized(w), old[::-1])


# ---- safetensors


def test_safetensors_there_and_back(tmp_path):
    names = [n for n in values.tensors() if "string" not in n and n != "number/complex128"] + ["bfloat16"]
    tf.train.checkpoint_to_safetensors(str(FIXTURES / "types"), tmp_path / "m.safetensors", names)
    again = tf.train.safetensors_to_checkpoint(tmp_path / "m.safetensors", tmp_path / "m")
    one, other = tf.train.load_checkpoint(str(FIXTURES / "types")), tf.train.load_checkpoint(again)
    assert sorted(other.get_variable_to_shape_map()) == sorted(names)
    for name in names:
        a, b = one.get_tensor(name), other.get_tensor(name)
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_other_libraries_read_and_write_them(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    tf.train.checkpoint_to_safetensors(str(FIXTURES / "types"), tmp_path / "m", ["scalar", "number/float32", "empty"])
    found = library.load_file(tmp_path / "m")
    assert found["scalar"] == 2.5 and found["empty"].shape == (0, 3)
    assert found["number/float32"].tobytes() == values.number("float32").tobytes()
    library.save_file({"a": np.arange(6).reshape(2, 3), "b": np.float32([1])}, tmp_path / "n", {"format": "np"})
    path = tf.train.safetensors_to_checkpoint(tmp_path / "n", tmp_path / "n")
    assert tf.train.list_variables(path) == [("a", [2, 3]), ("b", [1])]
    assert tf.train.load_variable(path, "a").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_wrong_safetensors(tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match="can't hold tensor 'strings' of type string"):
        tf.train.checkpoint_to_safetensors(str(FIXTURES / "types"), tmp_path / "m", ["strings"])
    with pytest.raises(tf.errors.NotFoundError, match="Key none not found"):
        tf.train.checkpoint_to_safetensors(str(FIXTURES / "types"), tmp_path / "m", ["none"])
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    changes = [{"shape": [3]}, {"data_offsets": [0, 99]}, {"shape": [-2]}, {"data_offsets": [8, 0]}, {"dtype": 1}]
    for header in (b"", b"[]", b"{", {"a": 1}, *({"a": {**entry, **change}} for change in changes)):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        (tmp_path / "bad").write_bytes(len(text).to_bytes(8, "little") + text + bytes(8) if header else b"")
        with pytest.raises(tf.errors.DataLossError, match="bad is not a safetensors file, or damaged"):
            tf.train.safetensors_to_checkpoint(tmp_path / "bad", tmp_path / "m")
    second = {"dtype": "U8", "shape": [4], "data_offsets": [8, 12]}
    for header, size, problem in (
        ({"a": entry, "b": second}, 13, "its tensors have 12 bytes, but there are 13"),
        ({"a": entry, "b": second}, 11, "its tensors have 12 bytes, but there are 11"),
        ({"a": entry, "b": {**second, "data_offsets": [9, 13]}}, 13, "data of tensor 'b' begins at byte 9, not 8"),
        ({"a": entry, "b": {**second, "data_offsets": [4, 8]}}, 8, "data of tensor 'b' begins at byte 4, not 8"),
    ):
        text = json.dumps(header).encode()
        (tmp_path / "bad").write_bytes(len(text).to_bytes(8, "little") + text + bytes(size))
        with pytest.raises(tf.errors.DataLossError, match=problem):
            tf.train.safetensors_to_checkpoint(tmp_path / "bad", tmp_path / "m", ["a"])
    text = json.dumps({"a": {**entry, "dtype": "F8_E4M3"}}).encode()
    (tmp_path / "bad").write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    with pytest.raises(tf.errors.UnimplementedError, match="has the type F8_E4M3"):
        tf.train.safetensors_to_checkpoint(tmp_path / "bad", tmp_path / "m")


# ---- The program


def test_inspection(saved, capsys):
    assert inspect_checkpoint.main([str(saved)]) == 0
    assert capsys.readouterr().out == (
        "old/a (float32) [2]\nold/b (int32) []\nold/parts (float32) [5, 2]\n# 3 tensors, 13 elements\n"
    )
    assert inspect_checkpoint.main(["--file_name", str(saved / "m"), "--tensor_name", "old/a"]) == 0
    assert capsys.readouterr().out == "tensor_name:  old/a\n[1. 2.]\n"
    assert inspect_checkpoint.main([str(saved), "--all_tensors"]) == 0
    assert "old/b (int32) []\n3\n" in capsys.readouterr().out
    assert inspect_checkpoint.main([str(saved / "none")]) == 1
    assert "Failed to find any matching files" in capsys.readouterr().err


def test_inspection_finds_damage(tmp_path):
    for path in FIXTURES.glob("types*"):
        shutil.copy(path, tmp_path)
    data = tmp_path / "types.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1] + b"?")
    command = [sys.executable, "-m", "tfcore.tools.inspect_checkpoint", str(tmp_path / "types"), "--verify"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "Checksum does not match" in done.stdout and ", 1 damaged" in done.stdout
