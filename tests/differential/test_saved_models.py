"""SavedModels of many models go to TensorFlow, which loads and writes them, and come back with the same bytes."""

import os
import subprocess

import pytest

import tfcore as tf
from tests.differential import peer
from tests.differential.checkpoint_programs import PROGRAMS
from tests.differential.test_checkpoints import read_all

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "saved_model_worker.py")


def variables(folder):
    return read_all(os.path.join(folder, "variables", "variables"))


def save(program, folder, vocabulary, as_text):
    """Writes a SavedModel with a table, whose entries are in a file, a signature, and two graphs."""
    with tf.Graph().as_default(), tf.Session() as session:
        operations = program()
        table = tf.contrib.lookup.index_table_from_file(vocabulary)
        x = tf.placeholder(tf.string, [None], name="words")
        count = len(tf.global_variables())
        signature = tf.saved_model.predict_signature_def({"words": x}, {"ids": table.lookup(x) + count})
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for operation in operations or ():
            session.run(operation)
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=tf.tables_initializer(),
            strip_default_attrs=as_text,
        )
        builder.add_meta_graph(["serve", "other"], {"serving_default": signature})
        builder.save(as_text=as_text)
    return count


@pytest.mark.skipif(peer.python() is None, reason=peer.NOT_INSTALLED)
def test_there_and_back(tmp_path):
    counts = {}
    vocabulary = tmp_path / "vocabulary.txt"
    vocabulary.write_text("no\nyes\n")
    for place, program in enumerate(PROGRAMS):
        name = program.__name__
        counts[name] = save(program, str(tmp_path / "ours" / name), str(vocabulary), as_text=place % 3 == 0)
    done = subprocess.run([peer.python(), WORKER, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert sorted(done.stdout.split("\n")[:-1]) == sorted(f"{name} {[n + 1, n - 1]}" for name, n in counts.items())
    vocabulary.unlink()  # the models have copies
    for name, count in counts.items():
        ours, theirs = f"{tmp_path}/ours/{name}", f"{tmp_path}/theirs/{name}"
        assert variables(theirs) == variables(ours), name
        with tf.Graph().as_default(), tf.Session() as session:
            model = tf.saved_model.load(session, ["serve"], theirs)
            signature = model.signature_def["serving_default"]
            ids = session.run(signature.outputs["ids"].name, {signature.inputs["words"].name: [b"yes", b"?"]})
            assert ids.tolist() == [count + 1, count - 1]
            saved = tf.train.Saver().save(session, f"{tmp_path}/{name}")
        assert read_all(saved) == variables(ours), name
