"""Checkpoints of many models go to TensorFlow, which restores and saves them, and come back with the same bytes."""

import os
import subprocess

import pytest

import tfcore as tf
from tests.differential import peer
from tests.differential.checkpoint_programs import PROGRAMS

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoint_worker.py")
OPTIONS = {"": {}, "sharded": {"sharded": True}, "v1": {"write_version": 1}}
LACKING = {"bfloat16", "all_types"}  # the first format lacks some of their types


def read_all(prefix):
    reader = tf.train.NewCheckpointReader(prefix)
    types = reader.get_variable_to_dtype_map()
    values = {name: reader.get_tensor(name) for name in types}
    return {name: (types[name], getattr(v, "shape", ()), _bytes(v)) for name, v in values.items()}


def _bytes(value):
    if isinstance(value, bytes):
        return value
    return value.tolist() if value.dtype == object else value.tobytes()


@pytest.mark.skipif(peer.python() is None, reason=peer.NOT_INSTALLED)
def test_there_and_back(tmp_path):
    os.mkdir(tmp_path / "ours")
    os.mkdir(tmp_path / "theirs")
    saved = {}
    for program in PROGRAMS:
        for kind, options in OPTIONS.items():
            if kind == "v1" and program.__name__ in LACKING:
                continue
            name = f"{program.__name__}{kind and '-' + kind}"
            with tf.Graph().as_default(), tf.Session() as session:
                operations = program()
                saver = tf.train.Saver(**options)
                session.run(tf.global_variables_initializer())
                for operation in operations or ():
                    session.run(operation)
                for _ in range(2):  # the second time under other names of data files
                    saved[name] = saver.save(session, str(tmp_path / "ours" / name), write_state=False)
    done = subprocess.run([peer.python(), WORKER, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert sorted(done.stdout.split()) == sorted(saved)
    for name, path in saved.items():
        theirs = path.replace("/ours/", "/theirs/")
        assert read_all(theirs) == read_all(path), name
        with tf.Graph().as_default(), tf.Session() as session:
            tf.train.import_meta_graph(f"{tmp_path}/theirs/{name}.meta").restore(session, theirs)
