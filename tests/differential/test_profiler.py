"""tf.profiler of the same graph and the same traced step in both libraries: messages and texts are equal."""

import json
import subprocess

import numpy as np
import pytest

import tfcore as tf
from tests.differential import peer

# Profiles a graph and a step in TensorFlow. A folder has graph.pb, step.pb (RunMetadata), log.pb (OpLogProto) and
# asked.json, [[name, command, options], ...]; NAME.txt and NAME.pb are written for each.
WORKER = """
import json
import os
import sys

import tensorflow.compat.v1 as tf
from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto


def read(folder, name, cls):
    with open(os.path.join(folder, name), "rb") as file:
        return cls.FromString(file.read())


def main(folder):
    step, log = read(folder, "step.pb", tf.RunMetadata), read(folder, "log.pb", OpLogProto)
    with open(os.path.join(folder, "asked.json")) as file:
        asked = json.load(file)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(read(folder, "graph.pb", tf.GraphDef), name="")
        for name, command, options in asked:
            options["output"] = f"file:outfile={folder}/{name}.txt"
            found = tf.profiler.profile(graph, step, log, command, options)
            with open(f"{folder}/{name}.pb", "wb") as file:
                file.write(found.SerializeToString(deterministic=True))


main(sys.argv[1])
"""
Builder = tf.profiler.ProfileOptionBuilder
EVERYTHING = (
    "bytes peak_bytes residual_bytes output_bytes micros params float_ops device op_types occurrence input_shapes"
).split()
# TensorFlow describes both views with the text for one of them.
TEXTS = "The nodes in the model graph are organized by their "
GRAPH, SCOPE = (
    f"graph: {TEXTS}operation input and output.",
    f"scope: {TEXTS}names, which is hierarchical like filesystem.",
)


def traced_step():
    """The RunMetadata of a step of a small network and its gradients."""
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
    with tf.variable_scope("first"):
        kernel = tf.get_variable("kernel", [3, 3, 3, 4])
        y = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"))
    with tf.variable_scope("second"):
        y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        y = tf.matmul(tf.reshape(y, [2, -1]), tf.get_variable("weights", [16, 5]), name="product")
    loss = tf.reduce_mean(tf.square(tf.nn.softmax(y)), name="loss")
    gradients = tf.gradients(loss, tf.trainable_variables())
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run([loss, *gradients], {x: np.ones([2, 8, 8, 3])}, options, metadata)
    return metadata


def asked():
    """(name, command, options)"""
    shown = Builder().with_node_names(show_name_regexes=["second.*", "grad.*"], hide_name_regexes=[".*shape.*"])
    choices = {
        "time": Builder.time_and_memory(),
        "float_ops": Builder.float_operation(),
        "everything": Builder().select(EVERYTHING).order_by("bytes").build(),
        "depth": Builder().with_max_depth(3).select(["params", "cpu_micros"]).order_by("params").build(),
        "names": shown.select(["float_ops"]).build(),
        "start": Builder()
        .with_node_names(start_name_regexes=["second", "loss", "Max.*"], trim_name_regexes=[".*weights"])
        .build(),
        "types": Builder().with_accounted_types(["mine"]).select(["params", "float_ops"]).build(),
        "often": Builder().with_min_occurrence(1).select(["occurrence"]).build(),
    }
    return [(f"{c}_{name}", c, options) for c in ("scope", "graph", "op") for name, options in choices.items()]


@pytest.mark.skipif(peer.python() is None, reason=peer.NOT_INSTALLED)
def test_profiles(tmp_path):
    log = tf.profiler.OpLogProto()
    log.log_entries.add(name="first/kernel", types=["mine"], float_ops=7)
    log.log_entries.add(name="second/product", types=["mine"])
    with tf.Graph().as_default() as graph:
        step = traced_step()
    graph_def = graph.as_graph_def()
    for name, message in (("graph.pb", graph_def), ("step.pb", step), ("log.pb", log)):
        (tmp_path / name).write_bytes(message.SerializeToString())
    (tmp_path / "asked.json").write_text(json.dumps(asked()))
    done = subprocess.run([peer.python(), "-c", WORKER, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    ours = tmp_path / "ours.txt"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        for name, command, options in asked():
            found = tf.profiler.profile(graph, step, log, command, Builder(options).with_file_output(ours).build())
            assert ours.read_text().replace(GRAPH, SCOPE) == (tmp_path / f"{name}.txt").read_text(), name
            assert found == type(found).FromString((tmp_path / f"{name}.pb").read_bytes()), name
