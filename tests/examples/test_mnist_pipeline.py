"""The example with files, an input pipeline and checkpoints: it sees each digit once in an epoch, whatever stops it."""

import random
import subprocess
import sys
import time

import pytest

import tfcore as tf
from tests.distributed import mpi
from tfcore.examples import mnist_pipeline
from tfcore.testing.drawing import EFFORT

pytestmark = pytest.mark.alone

KILLS = max(1, int(2 * EFFORT))
PROGRAM = "tfcore.examples.mnist_pipeline"


def test_training(tmp_path, capsys):
    accuracy = mnist_pipeline.main(["--folder", str(tmp_path), "--epochs", "1"])
    out = capsys.readouterr().out
    assert "10000 digits of the sample in the package, 1 epochs: 157 steps" in out
    assert "each digit was seen 1 to 1 times" in out
    assert f"test accuracy: {accuracy:.2%}" in out and accuracy > 0.9
    # Started again, it has nothing left to do.
    assert mnist_pipeline.main(["--folder", str(tmp_path), "--epochs", "1"]) == accuracy
    assert "each digit was seen 1 to 1 times" in capsys.readouterr().out


def test_killed_at_any_moment_it_goes_on_with_what_it_has_not_seen(tmp_path):
    epochs = max(2, KILLS // 2)
    arguments = ["--epochs", str(epochs), "--batch", "48", "--save-steps", "9", "--seed", "3"]
    command = [sys.executable, "-m", PROGRAM, "--folder", str(tmp_path), *arguments]
    moments = random.Random(1)
    kills = 0
    while True:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
            try:
                text, _ = program.communicate(timeout=None if kills == KILLS else moments.uniform(0.5, 5))
                break
            except subprocess.TimeoutExpired:
                program.kill()
                kills += 1
    assert program.returncode == 0, text
    assert kills and f"each digit was seen {epochs} to {epochs} times" in text


def test_another_number_of_workers_goes_on(tmp_path):
    program = ["-m", PROGRAM, "--folder", str(tmp_path), "--sync", "replicas", "--backup", "1", "--save-steps", "5"]
    with mpi.Job([*program, "--epochs", "2"], 4) as job:
        while time.monotonic() < job.end and step_of(tmp_path) < 20:
            time.sleep(0.05)
    saved = step_of(tmp_path)
    assert saved >= 20
    job = mpi.run([*program, "--epochs", "2"], 3)
    assert job.code == 0, job.text
    assert job.lines(f"continues after step {saved}")
    (line,) = job.lines("each digit was seen ")
    least, most = int(line.split()[4]), int(line.split()[6])
    assert 1 <= least <= most <= 4, line  # twice, without what was begun in the end, and with what was begun before it
    (line,) = job.lines("test accuracy: ")
    assert float(line.split()[-1].rstrip("%")) > 90


def step_of(folder):
    path = tf.train.latest_checkpoint(str(folder / "checkpoints"))
    return int(path.rpartition("-")[2]) if path else 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epochs", "0"], "argument --epochs: must be at least 1"),
        (["--backup", "1"], "argument --backup: must not be negative, and needs --sync replicas"),
        (["--data", "no/such/place"], "There is no train-images"),
        (["--model", "conv"], "unrecognized arguments: --model conv"),
    ],
)
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        mnist_pipeline.main(arguments)
    assert message in f"{caught.value}{capsys.readouterr().err}"
