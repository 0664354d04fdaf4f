"""Random pipelines of tf.data have the elements that they have in TensorFlow, in the same order."""

import json
import os
import subprocess

import pytest

import tfcore as tf
from tests.data import test_fixtures as fixtures
from tests.differential.peer import NOT_INSTALLED, python
from tests.differential.pipelines import draw, worker

# TFCORE_TEST_EFFORT=20 runs more than a thousand.
PIPELINES = round(60 * float(os.environ.get("TFCORE_TEST_EFFORT", "1")))


def ask(texts, graphs):
    """TensorFlow's answer."""
    done = subprocess.run(
        [python(), worker.__file__],
        input=json.dumps({"texts": texts, "graphs": graphs}),
        capture_output=True,
        text=True,
        timeout=60 + PIPELINES * 3,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def stays_as_written(text):
    """Whether TensorFlow's optimizer, which works on graphs without options, changes nothing: it refuses some repeated
    shuffles (see `worker.as_written`), and shuffles each input of a dataset that is zipped with itself by its own."""
    return ".repeat(0)" not in text and not (".shuffle(" in text and "zip((d, d.skip(1)))" in text)


def test_pipelines():
    """As programs for both libraries, and as graphs that the other one has written."""
    if python() is None:
        pytest.skip(NOT_INSTALLED)
    texts = [draw.draw(seed) for seed in range(PIPELINES)]
    ours = [worker.run(tf, text) for text in texts]
    fit = [stays_as_written(text) for text in texts]
    answer = ask(texts, [[one["graph"], one["names"]] for one, fits in zip(ours, fit) if fits])
    wrong, read = [], iter(answer["graphs"])
    for text, one, theirs, fits in zip(texts, ours, answer["texts"], fit):
        found = {
            "tfcore": one["elements"],
            "tfcore reads TensorFlow's graph": worker.run_graph(tf, theirs["graph"], theirs["names"]),
        }
        if fits:
            found["TensorFlow reads tfcore's graph"] = next(read)
        expected = theirs["elements"]
        wrong += [f"{text}\n  TensorFlow {expected}\n  {who} {x}" for who, x in found.items() if x != expected]
    assert not wrong, f"{len(wrong)} of {3 * len(texts)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_graphs_that_tensorflow_writes_now(tmp_path, monkeypatch, version):
    """Those of the fixtures, as this TensorFlow writes them, and as it does when it behaves like version 1."""
    if python() is None:
        pytest.skip(NOT_INSTALLED)
    generate = os.path.join(fixtures.FOLDER, "generate.py")
    command = [python(), generate, str(tmp_path), version]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    monkeypatch.chdir(tmp_path)
    fixtures.make_files()
    for kind in fixtures.KINDS:
        for graph in fixtures.load(tmp_path, kind).values():
            fixtures.check(*graph)
