"""Random pipelines of tf.data have the elements that they have in TensorFlow, in the same order."""

import json
import os
import subprocess

import pytest

import tfcore as tf
from tests.differential.peer import NOT_INSTALLED, python
from tests.differential.pipelines import draw, worker

# TFCORE_TEST_EFFORT=20 runs more than a thousand.
PIPELINES = round(60 * float(os.environ.get("TFCORE_TEST_EFFORT", "1")))


def test_pipelines():
    if python() is None:
        pytest.skip(NOT_INSTALLED)
    texts = [draw.draw(seed) for seed in range(PIPELINES)]
    done = subprocess.run(
        [python(), worker.__file__],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=60 + PIPELINES * 2,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    wrong = []
    for text, expected in zip(texts, json.loads(done.stdout)):
        found = worker.run(tf, text)
        if found != expected:
            wrong.append(f"{text}\n  TensorFlow {expected}\n  tfcore     {found}")
    assert not wrong, f"{len(wrong)} of {len(texts)} differ\n" + "\n".join(wrong[:10])
