"""SavedModels that TensorFlow wrote."""

import os
import random
import shutil

import pytest

import tfcore as tf

EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", 1))
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "saved_models")


def call(session, model, key, scope=None, **inputs):
    """Runs a signature by the names of its inputs; returns a dict by the names of its outputs."""
    signature = model.signature_def[key]
    assert set(signature.inputs) == set(inputs)

    def tensor(info):
        return tf.saved_model.get_tensor_from_tensor_info(info, session.graph, scope)

    feeds = {tensor(signature.inputs[name]): value for name, value in inputs.items()}
    return session.run({name: tensor(info) for name, info in signature.outputs.items()}, feeds)


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.mark.parametrize("scope", [None, "a/b"])
def test_variables_tables_and_files(session, scope):
    model = tf.saved_model.load(session, ["serve"], os.path.join(FOLDER, "linear"), import_scope=scope)
    assert call(session, model, "serving_default", scope, x=[[1, 0, 0, 0], [1, 1, 1, 1]])["y"].tolist() == [
        [0, 1],
        [12, 16],
    ]
    assert call(session, model, "words", scope, words=["yes", "maybe"])["ids"].tolist() == [1, -1]
    assert [v.op.name for v in tf.global_variables(scope)] == [
        f"{scope + '/' if scope else ''}w/part_{i}" for i in range(2)
    ]
    assert all(tf.saved_model.is_valid_signature(signature) for signature in model.signature_def.values())


def test_the_graph_with_other_tags_has_no_main_operation(session):
    model = tf.saved_model.load(session, {"gpu", "serve"}, os.path.join(FOLDER, "linear"))
    assert call(session, model, "serving_default", x=[[0, 0, 0, 1]])["y"].tolist() == [[6, 7]]
    assert list(model.signature_def) == ["serving_default"]


def test_text_and_sparse_inputs(session):
    model = tf.saved_model.load(session, ["serve"], os.path.join(FOLDER, "text"))
    value = tf.SparseTensorValue([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])
    assert call(session, model, "serving_default", x=value)["y"].tolist() == [[0, 5, 0], [0, 0, 6]]


def test_functions_of_tensorflow_2(session):
    model = tf.saved_model.load(session, ["serve"], os.path.join(FOLDER, "functions"))
    found = call(session, model, "serving_default", x=[[1, 2], [3, 4]])
    assert found["y"].tolist() == [[2, 2, 0], [5, 6, 0]] and found["sum"] == 10
    assert call(session, model, "even", n=7)["s"] == 12


def test_variables_of_tensorflow_2(session):
    model = tf.saved_model.load(session, ["serve"], os.path.join(FOLDER, "counter"))
    assert call(session, model, "serving_default", x=[10, 20])["total"].tolist() == [11, 22]
    assert call(session, model, "serving_default", x=[10, 20])["total"].tolist() == [21, 42]


def test_a_layer_of_tensorflow_2(session):
    model = tf.saved_model.load(session, ["serve"], os.path.join(FOLDER, "dense"))
    assert call(session, model, "serving_default", x=[[1, 1, 1], [0, 0, 1]])["y"].tolist() == [[9.5, 3], [5.5, 0]]


def test_the_functions_that_save_and_restore_in_tensorflow_2(session, tmp_path):
    """They tell by a regular expression whether the folder is in a cloud's storage."""
    model = tf.saved_model.load(session, ["serve"], os.path.join(FOLDER, "counter"))
    saver, path = model.saver_def, str(tmp_path / "folder" / "saved")
    (tmp_path / "folder").mkdir()
    call(session, model, "serving_default", x=[10, 20])
    returned = session.run(saver.save_tensor_name, {saver.filename_tensor_name: path})
    reader = tf.train.load_checkpoint(path)
    assert returned == path.encode() and sorted(os.listdir(tmp_path / "folder")) == [
        "saved.data-00000-of-00001",
        "saved.index",
    ]
    assert reader.get_tensor("total/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [11, 22]
    assert reader.has_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")
    assert call(session, model, "serving_default", x=[1, 1])["total"].tolist() == [12, 23]
    session.run(saver.restore_op_name, {saver.filename_tensor_name: path})
    assert call(session, model, "serving_default", x=[0, 0])["total"].tolist() == [11, 22]


@pytest.mark.parametrize("name", ["linear", "functions"])
def test_damaged_bytes_are_errors(name, tmp_path):
    """A file with wrong bytes, or a part of one, loads or is refused; nothing else happens."""
    folder = shutil.copytree(os.path.join(FOLDER, name), tmp_path / name)
    path, rng, refused = folder / "saved_model.pb", random.Random(name), 0
    whole = path.read_bytes()
    for _ in range(int(40 * EFFORT) or 5):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 5])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)
        try:
            with tf.Graph().as_default(), tf.Session() as session:
                tf.saved_model.load(session, ["serve"], folder)
        except (OSError, ValueError, KeyError, RuntimeError, TypeError, tf.errors.OpError):
            refused += 1
    assert refused
