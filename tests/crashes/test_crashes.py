"""The machine stops at any instant of a save, the disk is full at any call: no complete checkpoint is ever lost."""

import os
import random
import shutil
import subprocess
import sys
import tempfile

import pytest

import tfcore as tf
from tests.crashes import disk, saving

pytestmark = [pytest.mark.alone, pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses LD_PRELOAD")]
HERE = os.path.dirname(os.path.abspath(__file__))
EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", 1))


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    if "TFCORE_SANITIZE" in os.environ or "LD_PRELOAD" in os.environ:
        pytest.skip("a sanitizer has to be loaded first")
    library = tmp_path_factory.mktemp("recorder") / "recorder.so"
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, f"{HERE}/recorder.c", "-ldl"]
    subprocess.run(command, check=True)
    return str(library)


@pytest.fixture
def memory():
    """A folder for thousands of small files, in memory if the system has such a place."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield folder


def run(recorder, folder, log, *args):
    watched = {"LD_PRELOAD": recorder, "RECORDER_ROOT": str(folder), "RECORDER_LOG": str(log)}
    command = [sys.executable, "-m", "tests.crashes.saving", str(folder), *args]
    root = os.path.dirname(os.path.dirname(HERE))
    done = subprocess.run(command, env={**os.environ, **watched}, cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(folder, least, most):
    """The latest checkpoint of a disk is complete, and none older than the last one that `save` reported."""
    latest = tf.train.latest_checkpoint(folder)
    if latest is None:
        assert least == 0, f"checkpoint {least} is lost"
        return None
    value = saving.value_of(latest)
    assert least <= value <= most
    with open(latest + ".meta", "rb") as file:
        assert tf.MetaGraphDef.FromString(file.read()).saver_def.restore_op_name
    return value


SCENARIOS = [
    "numbered",
    "same",
    "numbered sharded",
    "same sharded",
    "same of two savers at once",
    "numbered background",
    "same background",
    "hook sharded",
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_crash_leaves_the_last_complete_checkpoint(scenario, recorder, tmp_path, memory):
    folder, log = tmp_path / "disk", tmp_path / "log"
    os.mkdir(folder)
    run(recorder, folder, log, scenario, "crash")
    model, rng, least, most, points = disk.Disk(str(folder)), random.Random(scenario), 0, 0, 0
    begun, seen = {None}, set()
    for number, record in enumerate(disk.read_log(log)):
        model.apply(record)
        if record["op"] == "mark":
            what, value = record["text"].split()
            least, most = (int(value), most) if what == "saved" else (least, int(value))
            begun.add(int(value))
        for i, state in enumerate(model.states(rng, int(10 * EFFORT) or 3)):
            left = os.path.join(memory, f"{number}-{i}")
            os.mkdir(left)
            # The list of checkpoints has paths on the disk that crashed.
            if "checkpoint" in state:
                state["checkpoint"] = state["checkpoint"].replace(str(folder).encode(), left.encode())
            disk.put(state, left)
            try:
                seen.add(check(left, least, most))
            except Exception as error:
                raise AssertionError(f"after record {number} ({record['op']}), state {i}: {sorted(state)}") from error
            shutil.rmtree(left)
            points += 1
    assert seen == begun and len(begun) > saving.SAVES
    assert points >= 250 or EFFORT < 1


def test_every_crash_leaves_complete_saved_models(recorder, tmp_path, memory):
    """What has the file of a SavedModel is one, and those that were reported as written are there."""
    folder, log = tmp_path / "disk", tmp_path / "log"
    os.mkdir(folder)
    run(recorder, folder, log, "", "export")
    model, rng, saved, begun, partly = disk.Disk(str(folder)), random.Random(1), 0, 0, 0
    for number, record in enumerate(disk.read_log(log)):
        model.apply(record)
        if record["op"] == "mark":
            what, value = record["text"].split()
            saved, begun = (int(value), begun) if what == "saved" else (saved, int(value))
        for i, state in enumerate(model.states(rng, int(2 * EFFORT) or 2)):
            left = os.path.join(memory, f"{number}-{i}")
            os.mkdir(left)
            disk.put(state, left)
            models = [os.path.join(left, "models", f"m{k}") for k in range(max(saved, 1), begun + 1)]
            found = [saving.number_of_model(path) for path in models]
            whole = list(range(max(saved, 1), begun + 1))
            where = f"after record {number} ({record['op']}), state {i}"
            assert found == whole or (begun > saved and found == [*whole[:-1], None]), where
            partly += found[-1:] == [None]
            shutil.rmtree(left)
    assert saved == saving.SAVES and partly > 10


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("scenario", ["numbered", "same sharded"])
def test_a_disk_that_fails_at_any_call(scenario, error, recorder, tmp_path):
    folder = tmp_path / "disk"
    os.mkdir(folder)
    output = run(recorder, folder, tmp_path / "log", scenario, error)
    assert int(output.split()[-1]) > 15


def test_the_model_notices_what_is_not_synced(tmp_path):
    """A rename before its file is on the disk leaves a file of zeros or nothing."""
    model = disk.Disk("/d")
    for record in (
        {"op": "create", "path": "/d/a", "file": 1},
        {"op": "write", "file": 1, "offset": 0, "data": b"x" * 1000},
        {"op": "rename", "path": "/d/a", "to": "/d/b"},
        {"op": "sync_folder", "path": "/d"},
    ):
        model.apply(record)
    found = {state["b"] for state in model.states(random.Random(1), 40)}
    assert b"" in found and b"x" * 1000 in found and len(found) > 2
    model.apply({"op": "sync", "file": 1})
    assert {state["b"] for state in model.states(random.Random(1), 40)} == {b"x" * 1000}
    with pytest.raises(AssertionError, match="written in place"):
        model.apply({"op": "empty", "path": "/d/b", "file": 1})
