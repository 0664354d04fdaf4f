"""The command that shows and runs SavedModels."""

import os
import re

import numpy as np
import pytest

import tfcore as tf
from tests.saved_model.test_fixtures import FOLDER
from tfcore.tools import saved_model_cli

LINEAR = os.path.join(FOLDER, "linear")


@pytest.fixture
def command(capsys):
    def run(*args, status=0):
        assert saved_model_cli.main(args) == status
        captured = capsys.readouterr()
        return captured.err if status else captured.out

    return run


@pytest.fixture
def pair(tmp_path):
    """A model with two inputs and two outputs; one output needs an operation that prints."""
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder(tf.float32, [None], name="a"), tf.placeholder(tf.float32, name="b")
        with tf.control_dependencies([tf.print("run")]):
            total = tf.add(a, b, name="total")
        tf.saved_model.simple_save(session, tmp_path / "m", {"a": a, "b": b}, {"sum": total, "a2": 2.0 * a})
    return str(tmp_path / "m")


def test_show(command):
    assert command("show", "--dir", LINEAR).splitlines()[1:] == ["'serve'", "'gpu, serve'"]
    keys = command("show", "--dir", LINEAR, "--tag_set", "serve")
    assert keys.splitlines()[1:3] == ['SignatureDef key: "classify"', 'SignatureDef key: "regress"']
    shown = command("show", "--dir", LINEAR, "--tag_set", "serve", "--signature_def", "serving_default")
    assert shown == (
        "The given SavedModel SignatureDef contains the following input(s):\n"
        "  inputs['x'] tensor_info:\n"
        "      dtype: DT_FLOAT\n"
        "      shape: (-1, 4)\n"
        "      name: x:0\n"
        "The given SavedModel SignatureDef contains the following output(s):\n"
        "  outputs['y'] tensor_info:\n"
        "      dtype: DT_FLOAT\n"
        "      shape: (-1, 2)\n"
        "      name: y:0\n"
        "Method name is: tensorflow/serving/predict\n"
    )
    everything = command("show", "--dir", LINEAR, "--all")
    assert "\nsignature_def['serving_default']:\n" in everything and everything.count("dtype: DT_FLOAT") == 6
    assert "MatMul" in command("show", "--dir", LINEAR, "--tag_set", "serve,gpu", "--list_ops")
    assert "StatelessWhile" in command("show", "--dir", os.path.join(FOLDER, "functions"), "--all")
    assert "shape: unknown_rank" in command("show", "--dir", os.path.join(FOLDER, "functions"), "--all")


def test_run(command, pair, tmp_path):
    np.save(tmp_path / "a.npy", np.float32([1, 2]))
    np.savez(tmp_path / "ab.npz", a=np.float32([3, 4]), b=np.float32(5))
    np.savez(tmp_path / "b.npz", only=np.float32(7))
    base = ("run", "--dir", pair, "--tag_set", "serve", "--signature_def", "serving_default")
    shown = command(*base, "--inputs", f"a={tmp_path}/a.npy;b={tmp_path}/b.npz")
    assert "Result for output key a2:\n[2. 4.]\nResult for output key sum:\n[8. 9.]\n" in shown
    out = str(tmp_path / "new" / "out")
    shown = command(*base, "--inputs", f"a={tmp_path}/ab.npz[a]; b={tmp_path}/ab.npz[b]", "--outdir", out)
    assert f"Output sum is saved to {out}/sum.npy" in shown
    assert np.load(f"{out}/sum.npy").tolist() == [8, 9]
    assert "already exists" in command(*base, "--input_exprs", "a=[1.0];b=1", "--outdir", out, status=1)
    command(*base, "--input_exprs", "a=np.ones(3);b=1", "--outdir", out, "--overwrite")
    assert np.load(f"{out}/sum.npy").tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "inputs, error",
    [
        ("a", "format is incorrect"),
        ("a={0}/none.npy", "none.npy"),
        ("a={0}/ab.npz;b={0}/ab.npz[b]", "more than one ndarrays \\(a, b\\)"),
        ("a={0}/ab.npz[c]", "does not contain variable with name c"),
        ("a={0}/a.npy[a]", r"has a single array, which has no name: leave out \[a\]"),
        ("a={0}/a.npy", "No values for the inputs b"),
        ("a={0}/a[.npy", r"a\[\.npy"),
        ("a={0}/ab.npz[]", r"ab\.npz\[\]"),
        ("a={0}/empty.npy", "empty.npy has no arrays that can be read"),
        ("a={0}/bad.npz", "bad.npz has no arrays that can be read"),
        ("a={0}/objects.npy", "objects.npy has no arrays that can be read"),
        ("c={0}/a.npy", '"c" is not a valid input key. Please choose from "a", "b"; the subcommand show'),
    ],
)
def test_inputs_that_are_none(command, pair, tmp_path, inputs, error):
    np.save(tmp_path / "a.npy", np.float32([1, 2]))
    np.savez(tmp_path / "ab.npz", a=np.float32([3, 4]), b=np.float32(5))
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "bad.npz").write_bytes(b"PK\3\4garbage")
    np.save(tmp_path / "objects.npy", np.array(["a"], object))
    base = ("run", "--dir", pair, "--tag_set", "serve", "--signature_def", "serving_default")
    shown = command(*base, "--inputs", inputs.format(tmp_path), status=1)
    assert re.search(error, shown), shown


def test_output_files_stay_in_the_folder(command, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string, name="x")
        for i, key in enumerate(["../out", "a/b", "..", "fine"]):
            tf.saved_model.simple_save(session, tmp_path / str(i), {"x": x}, {key: tf.identity(x)})
    out = str(tmp_path / "new" / "folder")
    end = ("--tag_set", "serve", "--signature_def", "serving_default", "--outdir", out)
    for i in range(2):
        given = ("run", "--dir", str(tmp_path / str(i)), *end, "--input_exprs", "x=['a']")
        assert "its key is not the name of a file" in command(*given, status=1)
    assert not os.path.exists(tmp_path / "new")
    command("run", "--dir", str(tmp_path / "2"), *end, "--input_exprs", "x='text'")
    assert os.listdir(out) == ["...npy"] and np.load(f"{out}/...npy") == b"text"
    # Strings are saved so that they can be inputs again.
    given = ("run", "--dir", str(tmp_path / "3"), *end, "--overwrite")
    command(*given, "--input_exprs", "x=['a', 'long']")
    assert np.load(f"{out}/fine.npy").tolist() == [b"a", b"long"]
    assert "[b'a' b'long']" in command(*given, "--inputs", f"x={out}/fine.npy")
    assert "ends with a zero byte" in command(*given, "--input_exprs", "x=np.array([b'a\\0'], object)", status=1)
    assert "not valid" in command(*given, "--input_exprs", "x=(", status=1)
    assert command(*given, "--input_exprs", "x=object()", status=1)


def test_errors(command, pair):
    base = ("run", "--dir", pair, "--tag_set", "serve", "--signature_def")
    assert 'Could not find signature "f"' in command(*base, "f", status=1)
    assert "is not valid: 1/0: division" in command(*base, "serving_default", "--input_exprs", "a=1/0", status=1)
    assert "could not be found" in command("show", "--dir", pair, "--tag_set", "x", status=1)
    assert "does not exist" in command("show", "--dir", "/no/such/folder", status=1)


def test_scan(command, pair):
    assert "contains the following denylisted ops: PrintV2" in command("scan", "--dir", pair)
    assert "does not contain" in command("scan", "--dir", pair, "--op_denylist", "ReadFile", "--tag_set", "serve")
