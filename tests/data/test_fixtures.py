"""Pipelines that TensorFlow wrote as GraphDefs have TensorFlow's elements here."""

import json
import os

import numpy as np
import pytest

import tfcore as tf

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "datasets")
KINDS = ("initializable", "one_shot", "by_handle")


def load(folder, kind):
    """dict from names to (GraphDef, name of the initializer or "", elements)."""
    with np.load(os.path.join(folder, kind + ".npz")) as data:
        return {
            name: (tf.GraphDef.FromString(data[name].tobytes()), *json.loads(str(data[name + ":elements"])))
            for name in data.files
            if ":" not in name
        }


def read(session, outputs, n):
    found = []
    while len(found) < n:
        try:
            values = session.run(outputs)
        except tf.errors.OutOfRangeError:
            break
        found.append(
            [
                np.asarray(v).astype(str if isinstance(v, bytes) or v.dtype == object else v.dtype).tolist()
                for v in values
            ]
        )
    return found


def check(graph_def, initializer, expected, most=40):
    """A pipeline of a fixture; those with files find them in the working directory."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        if initializer:
            session.run(initializer)
        outputs = [f"output{i}:0" for i in range(len(expected[0]))]
        assert read(session, outputs, most) == expected
        again = graph.as_graph_def()
    assert {f.signature.name for f in again.library.function} == {f.signature.name for f in graph_def.library.function}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_files()


def make_files():
    with open("lines.txt", "wb") as file:
        file.write(b"one,1\ntwo,2\n")
    with tf.python_io.TFRecordWriter("records") as writer:
        for i in range(3):
            writer.write(b"record %d" % i)


FIXTURES = {kind: load(FOLDER, kind) for kind in KINDS}


def test_there_are_fixtures():
    assert len(FIXTURES["initializable"]) == len(FIXTURES["one_shot"]) >= 40 and FIXTURES["by_handle"]
    ops = set()
    for graphs in FIXTURES.values():
        for graph_def, _, _ in graphs.values():
            nodes = [*graph_def.node, *(n for f in graph_def.library.function for n in f.node_def)]
            ops.update(n.op for n in nodes)
    assert {
        *("OptionsDataset", "RewriteDataset", "ShuffleAndRepeatDataset", "ShuffleDatasetV3", "CacheDatasetV2"),
        *("IteratorToStringHandle", "IteratorFromStringHandleV2", "OneShotIterator", "MakeIterator"),
        *("MapAndBatchDataset", "LegacyParallelInterleaveDatasetV2", "ParallelBatchDataset", "ParallelMapDatasetV2"),
    } <= ops


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in FIXTURES[kind]])
def test_pipelines_of_tensorflow(files, kind, name):
    check(*FIXTURES[kind][name])
