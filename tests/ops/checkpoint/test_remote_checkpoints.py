"""Checkpoints behind schemes, through fsspec."""

import numpy as np
import pytest

import tfcore as tf

fsspec = pytest.importorskip("fsspec")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402

FOLDER = "memory://checkpoints/run"
V1, V2 = tf.train.SaverDef.V1, tf.train.SaverDef.V2


class Full(MemoryFileSystem):
    """Files in memory; those whose names end in one of `refused` can't be written."""

    protocol = "full"
    store = {}
    pseudo_dirs = [""]
    cachable = False
    refused = ()

    def _open(self, path, mode="rb", **options):
        if mode == "wb" and path.endswith(self.refused):
            raise OSError(28, "No space left on device")
        return super()._open(path, mode, **options)


@pytest.fixture
def full():
    fsspec.register_implementation("full", Full, clobber=True)
    yield Full
    Full.refused = ()
    Full.store.clear()


@pytest.fixture(autouse=True)
def empty():
    yield
    if tf.io.gfile.exists(FOLDER):
        tf.io.gfile.rmtree(FOLDER)


@pytest.fixture
def trained():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=np.arange(300000, dtype=np.float32))
        tf.get_variable("names", initializer=[b"a", b"\0" * 9])
        session.run(tf.global_variables_initializer())
        yield session, v


@pytest.mark.parametrize("version, sharded", [(V2, False), (V2, True), (V1, False), (V1, True)])
def test_saved_deleted_and_restored(trained, version, sharded):
    session, v = trained
    saver = tf.train.Saver(max_to_keep=2, write_version=version, sharded=sharded)
    for step in range(3):
        path = saver.save(session, FOLDER + "/m", global_step=step)
        session.run(v.assign(v + 1))
    assert tf.train.latest_checkpoint(FOLDER) == path
    assert all(map(tf.train.checkpoint_exists, saver.last_checkpoints)) and len(saver.last_checkpoints) == 2
    assert not any(name.startswith("m-0") or "temp" in name for name in tf.io.gfile.listdir(FOLDER))
    for step in (1, 2):
        saver.restore(session, f"{FOLDER}/m-{step}" + ("-?????-of-00001" if sharded and version == V1 else ""))
        assert (session.run(v) == np.arange(300000) + step).all()
    assert sorted(tf.train.list_variables(path)) == [("names", [2]), ("v", [300000])]
    with tf.Graph().as_default(), tf.Session() as other:
        tf.train.import_meta_graph(FOLDER + "/m-2.meta").restore(other, path)
        assert other.run("names:0").tolist() == [b"a", b"\0" * 9]


def test_saved_again_to_one_prefix(trained):
    session, v = trained
    saver = tf.train.Saver()
    for _ in range(3):
        path = saver.save(session, FOLDER + "/m")
        session.run(v.assign(v + 1))
    assert len([name for name in tf.io.gfile.listdir(FOLDER) if ".data-" in name]) == 1
    saver.restore(session, path)
    assert session.run(v)[0] == 2


def test_what_cannot_be_written(trained, full):
    """The index comes last, so that there is no checkpoint without its data; the data goes with it."""
    session, _ = trained
    for full.refused in ((".data-00000-of-00001",), (".index",)):
        with pytest.raises(tf.errors.ResourceExhaustedError, match="full://x/m.*No space left on device"):
            tf.train.Saver().save(session, "full://x/m")
        assert not [name for name in full.store if name.endswith((".index", "-00001"))]
    full.refused = ()
    path = tf.train.Saver().save(session, "full://x/m")
    assert tf.train.checkpoint_exists(path)
    full.refused = (".index",)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.train.Saver().save(session, "full://x/m")
    tf.train.Saver().restore(session, path)
    assert not [name for name in full.store if "/." in name]


def test_what_is_not_there_or_damaged(trained):
    session, _ = trained
    saver = tf.train.Saver()
    with pytest.raises(ValueError, match="not a valid checkpoint: memory://checkpoints/run/none"):
        saver.restore(session, FOLDER + "/none")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for memory://none"):
        tf.train.NewCheckpointReader("memory://none")
    path = saver.save(session, FOLDER + "/m")
    data = FOLDER + "/m.data-00000-of-00001"
    with tf.io.gfile.GFile(data, "rb") as file:
        contents = file.read()
    with tf.io.gfile.GFile(data, "wb") as file:
        file.write(contents[:-100])
    with pytest.raises(tf.errors.DataLossError, match="m.data-00000-of-00001"):
        saver.restore(session, path)


def test_a_restore_of_another_system(trained, tmp_path):
    """What was saved here is copied there and restored."""
    session, v = trained
    saver = tf.train.Saver()
    saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
    tf.io.gfile.makedirs(FOLDER)
    for name in ("m.index", "m.data-00000-of-00001"):
        tf.io.gfile.copy(str(tmp_path / name), f"{FOLDER}/{name}")
    session.run(v.assign(v * 0))
    saver.restore(session, FOLDER + "/m")
    assert session.run(v)[-1] == 299999
