"""What a plain install does without extras: python -I tests/plain_install.py

Checkpoints, summaries, graphs, SavedModels and traces, written and read again. `tests/wheel.py` runs it in a new
environment that has nothing but tfcore, and `test_wheel.py` here, with tensorboard out of reach.
"""

import importlib.util
import json
import os
import tempfile

import tfcore as tf


def model():
    """Adds `y = v + x` to the default graph; returns x, y and the operation that sets v to 3."""
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    return x, tf.add(v, x, name="y"), tf.assign(v, 3.0)


def value_of_y(session):
    return session.run("y:0", {"x:0": 1.0})


def checkpoint(folder):
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(device_count={"CPU": 1})) as session:
        *_, assign = model()
        session.run(assign)
        prefix = tf.train.Saver().save(session, os.path.join(folder, "model"), global_step=7)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(prefix + ".meta").restore(session, tf.train.latest_checkpoint(folder))
        assert value_of_y(session) == 4


def events(folder):
    with tf.Graph().as_default() as graph, tf.Session() as session, tf.summary.FileWriter(folder, graph) as writer:
        writer.add_summary(session.run(tf.summary.scalar("loss", 0.5)), 1)
    (name,) = os.listdir(folder)
    with open(os.path.join(folder, name), "rb") as file:
        assert b"loss" in file.read()


def graph_def(folder):
    with tf.Graph().as_default() as graph:
        model()
        for as_text in (False, True):
            tf.train.write_graph(graph, folder, f"graph{as_text}", as_text)
    for as_text in (False, True):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(os.path.join(folder, f"graph{as_text}"), name="")
            assert "y" in [node.name for node in graph.as_graph_def().node]


def saved_model(folder):
    path = os.path.join(folder, "model")
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, assign = model()
        session.run(assign)
        tf.saved_model.simple_save(session, path, {"x": x}, {"y": y})
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.load(session, [tf.saved_model.tag_constants.SERVING], path)
        assert list(loaded.signature_def["serving_default"].inputs) == ["x"] and value_of_y(session) == 4


def trace(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        _, y, assign = model()
        session.run(assign)
        metadata = tf.RunMetadata()
        session.run(y, {"x:0": 1.0}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    metadata.write_timeline(os.path.join(folder, "timeline.json"))
    with open(os.path.join(folder, "timeline.json")) as file:
        assert json.load(file)["traceEvents"]
    assert tf.RunMetadata.FromString(metadata.SerializeToString()).step_stats == metadata.step_stats


def main():
    try:
        there = importlib.util.find_spec("tensorboard") is not None
    except ValueError:  # it was put out of reach
        there = False
    if there:
        raise SystemExit("tensorboard can be imported, so this would show nothing")
    for part in (checkpoint, events, graph_def, saved_model, trace):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    print("checkpoints, events, graphs, SavedModels and traces work")


if __name__ == "__main__":
    main()
