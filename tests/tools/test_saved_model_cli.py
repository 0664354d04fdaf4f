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
    """A model with two inputs and two outputs, one of which needs an operation that prints."""
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
        ("a={0}/a.npy[a]", "contains a single ndarray"),
        ("a={0}/a.npy", "No values for the inputs b"),
        ("c={0}/a.npy", '"c" is not a valid input key. Please choose from "a", "b"'),
    ],
)
def test_inputs_that_are_none(command, pair, tmp_path, inputs, error):
    np.save(tmp_path / "a.npy", np.float32([1, 2]))
    np.savez(tmp_path / "ab.npz", a=np.float32([3, 4]), b=np.float32(5))
    base = ("run", "--dir", pair, "--tag_set", "serve", "--signature_def", "serving_default")
    shown = command(*base, "--inputs", inputs.format(tmp_path), status=1)
    assert re.search(error, shown), shown


def test_errors(command, pair):
    base = ("run", "--dir", pair, "--tag_set", "serve", "--signature_def")
    assert 'Could not find signature "f"' in command(*base, "f", status=1)
    assert "is not valid: 1/0: division" in command(*base, "serving_default", "--input_exprs", "a=1/0", status=1)
    assert "could not be found" in command("show", "--dir", pair, "--tag_set", "x", status=1)
    assert "does not exist" in command("show", "--dir", "/no/such/folder", status=1)


def test_scan(command, pair):
    assert "contains the following denylisted ops: PrintV2" in command("scan", "--dir", pair)
    assert "does not contain" in command("scan", "--dir", pair, "--op_denylist", "ReadFile", "--tag_set", "serve")
