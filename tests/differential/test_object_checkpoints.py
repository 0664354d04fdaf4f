"""Object-based checkpoints go to TensorFlow, which restores and saves them in a graph and eagerly, and come back."""

import os
import subprocess

import pytest

import tfcore as tf
from tests.differential import peer
from tests.differential.object_programs import PROGRAMS
from tests.differential.test_checkpoints import read_all
from tfcore.framework import protos

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "object_checkpoint_worker.py")
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


def described(prefix):
    """The values, and what the graph of objects says without the numbers of nodes and the order of children."""
    values = read_all(prefix)
    graph = protos.TrackableObjectGraph.FromString(values.pop(GRAPH)[2])
    names = {0: ""}
    todo = [0]
    for number in todo:
        for child in sorted(graph.nodes[number].children, key=lambda c: c.local_name):
            if child.node_id not in names:
                names[child.node_id] = f"{names[number]}.{child.local_name}"
                todo.append(child.node_id)
    children = {(names[n], c.local_name, names[c.node_id]) for n in todo for c in graph.nodes[n].children}
    slots = {
        (names[n], s.slot_name, names[s.original_variable_node_id], _attributes(graph.nodes[s.slot_variable_node_id]))
        for n in todo
        for s in graph.nodes[n].slot_variables
    }
    return values, children, slots, {names[n]: _attributes(graph.nodes[n]) for n in todo}


def _attributes(node):
    return tuple((a.name, a.checkpoint_key) for a in node.attributes)


@pytest.mark.skipif(peer.python() is None, reason=peer.NOT_INSTALLED)
def test_there_and_back(tmp_path):
    for program in PROGRAMS:
        with tf.Graph().as_default(), tf.Session() as session:
            objects, train = program(tf)
            operations = train()
            checkpoint = tf.train.Checkpoint(**objects)
            checkpoint.restore(None).initialize_or_restore()
            session.run(operations or [])
            checkpoint.write(tmp_path / "ours" / program.__name__)
    done = subprocess.run([peer.python(), WORKER, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == [program.__name__ for program in PROGRAMS]
    for program in PROGRAMS:
        name = program.__name__
        ours = described(str(tmp_path / "ours" / name))
        assert described(str(tmp_path / "graph" / name)) == ours, name
        assert described(str(tmp_path / "eager" / name)) == ours, name
        restores_what_tensorflow_trained(program, str(tmp_path / "new" / name))


def restores_what_tensorflow_trained(program, prefix):
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.restore(prefix)
        objects, train = program(tf)
        for name, value in objects.items():
            setattr(checkpoint, name, value)
        train()
        status.assert_consumed().run_restore_ops()
        copy = checkpoint.write(prefix + "-copy", session)
    found, expected = described(copy), described(prefix)
    assert found == expected
