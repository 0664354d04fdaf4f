"""tf.train.CheckpointManager: which checkpoints are kept, numbers, and managers that continue with a folder."""

import concurrent.futures
import os

import pytest

import tfcore as tf
from tfcore.train.checkpoints import checkpoint_manager


@pytest.fixture
def checkpoint():
    with tf.Graph().as_default(), tf.Session():
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0, name="v"))
        checkpoint.restore(None).initialize_or_restore()
        yield checkpoint


@pytest.fixture
def clock(monkeypatch):
    """The time that managers see: set `now`."""

    class Clock:
        now = 1e9

        def time(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(checkpoint_manager, "time", clock)
    return clock


def names(paths):
    return [os.path.basename(path) for path in paths]


def files(folder):
    return sorted(name.removesuffix(".index") for name in os.listdir(folder) if name.endswith(".index"))


def test_the_last_ones_are_kept(checkpoint, tmp_path):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "f", 2)
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    paths = [manager.save() for _ in range(4)]
    assert names(paths) == ["ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4"]
    assert manager.latest_checkpoint == paths[-1] == tf.train.latest_checkpoint(tmp_path / "f")
    assert manager.checkpoints == paths[2:] and files(tmp_path / "f") == ["ckpt-3", "ckpt-4"]
    assert sorted(os.listdir(tmp_path / "f"))[0] == "checkpoint"
    state = tf.train.get_checkpoint_state(tmp_path / "f")
    assert list(state.all_model_checkpoint_paths) == paths[2:] and len(state.all_model_checkpoint_timestamps) == 2
    with open(tmp_path / "f" / "checkpoint") as file:
        assert 'all_model_checkpoint_paths: "ckpt-3"' in file.read()  # relative: the folder may be moved


def test_threads_with_one_manager(checkpoint, tmp_path):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 2)
    manager.save()
    session = tf.get_default_session()

    def save(first):
        with session.graph.as_default(), session.as_default():
            for number in range(first, first + 30):
                manager.save(number)

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(save, (1000, 2000, 3000, 4000)))
    assert len(manager.checkpoints) == 2
    assert sorted(names(manager.checkpoints)) == files(tmp_path)
    assert list(tf.train.get_checkpoint_state(tmp_path).all_model_checkpoint_paths) == manager.checkpoints


def test_numbers(checkpoint, tmp_path):
    session = tf.get_default_session()
    step = tf.Variable(70, name="step", dtype=tf.int64)
    session.run(step.initializer)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), None, checkpoint_name="model")
    assert names([manager.save(5), manager.save(step), manager.save()]) == ["model-5", "model-70", "model-3"]
    assert session.run([checkpoint.save_counter, step]) == [3, 70]
    manager.save(5)  # again: now it is the newest
    assert names(manager.checkpoints) == ["model-70", "model-3", "model-5"]


def test_a_folder_that_has_checkpoints(checkpoint, tmp_path):
    first = tf.train.CheckpointManager(checkpoint, tmp_path, 3)
    for _ in range(3):
        first.save()
    second = tf.train.CheckpointManager(checkpoint, tmp_path, 2)
    assert second.latest_checkpoint == first.latest_checkpoint and second.checkpoints == first.checkpoints
    second.save()
    assert names(second.checkpoints) == files(tmp_path) == ["ckpt-3", "ckpt-4"]


def test_checkpoints_of_checkpoint_save_are_not_deleted(checkpoint, tmp_path):
    path = checkpoint.save(tmp_path / "m")
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1)
    assert manager.latest_checkpoint == path and manager.checkpoints == []
    manager.save()
    manager.save()
    assert files(tmp_path) == ["ckpt-3", "m-1"]


def test_one_in_some_hours_is_kept_for_good(checkpoint, tmp_path, clock):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        clock.now += 3600
        manager.save()
    assert files(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6"] and names(manager.checkpoints) == ["ckpt-6"]
    # A new manager knows when the last one was kept.
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=2)
    for _ in range(2):
        clock.now += 3600
        manager.save()
    assert files(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6", "ckpt-8"]


def test_a_clock_that_went_back(checkpoint, tmp_path, clock, caplog):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=1)
    for _ in range(3):
        clock.now += 4000
        manager.save()
    clock.now -= 1e6
    with caplog.at_level("WARNING", logger="tensorflow"):
        manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=1)
    assert "behind the last preserved checkpoint timestamp" in caplog.text
    assert manager.checkpoints == []  # so that none is deleted by mistake
    manager.save()
    assert files(tmp_path) == ["ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4"]


@pytest.mark.parametrize("number", [0, -1])
def test_a_wrong_number_to_keep(checkpoint, tmp_path, number):
    with pytest.raises(ValueError, match=rf"Expected a positive integer or `None` for `max_to_keep`, got {number}\."):
        tf.train.CheckpointManager(checkpoint, tmp_path, number)


def test_an_interval_of_steps(checkpoint, tmp_path):
    session = tf.get_default_session()
    step = checkpoint.step = tf.Variable(0, name="step", dtype=tf.int64)
    session.run(step.initializer)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 3, step_counter=step, checkpoint_interval=10)
    saved = []
    for value in (0, 5, 10, 10, 12, 25):
        session.run(step.assign(value))
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False, False, True]
    assert manager.save(check_interval=False) is None  # this step is saved
    session.run(step.assign(26))
    assert manager.save(check_interval=False) is not None
    # What was restored counts as saved.
    again = tf.train.CheckpointManager(checkpoint, tmp_path, 3, step_counter=step, checkpoint_interval=10)
    session.run(step.assign(0))
    assert again.restore_or_initialize() == manager.latest_checkpoint and session.run(step) == 26
    assert again.save() is None and again.checkpoint_interval == 10
    late = tf.train.CheckpointManager(
        checkpoint, tmp_path, 3, step_counter=step, checkpoint_interval=10, last_checkpoint_step=20
    )
    assert late.save() is None
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 3, checkpoint_interval=10)


def test_a_function_that_initializes(checkpoint, tmp_path):
    calls = []
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 3, init_fn=lambda: calls.append(1))
    assert manager.restore_or_initialize() is None and calls == [1]
    path = manager.save()
    assert manager.restore_or_initialize() == path and calls == [1]
    assert manager.checkpoint is checkpoint and manager.directory == str(tmp_path)


@pytest.mark.parametrize("name", ["run[12]", "run?", "run*", r"run\1"])
def test_folders_whose_names_are_patterns(checkpoint, tmp_path, name):
    """Only their own checkpoints are found and deleted, not those of the folder that the pattern matches."""
    other = tf.train.CheckpointManager(checkpoint, tmp_path / "run1", max_to_keep=5).save(checkpoint_number=1)
    folder = tmp_path / name
    assert not tf.train.checkpoint_exists(folder / "ckpt-1")
    assert tf.train.get_checkpoint_mtimes([str(folder / "ckpt-1")]) == []
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    old, new = (manager.save(checkpoint_number=number) for number in (1, 2))
    assert sorted(os.listdir(folder)) == ["checkpoint", "ckpt-2.data-00000-of-00001", "ckpt-2.index"]
    assert [tf.train.checkpoint_exists(path) for path in (other, old, new)] == [True, False, True]
    assert tf.train.get_checkpoint_mtimes([old, new]) == [os.stat(new + ".index").st_mtime_ns / 1e9]
    assert tf.train.latest_checkpoint(folder) == new
    checkpoint.restore(new).assert_consumed().run_restore_ops()
    saver = tf.train.Saver(max_to_keep=1)
    for step in (8, 9):
        saver.save(tf.get_default_session(), str(folder / "s"), global_step=step)
    assert sorted(f for f in os.listdir(folder) if f.endswith(".meta")) == ["s-9.meta"]
    tf.train.remove_checkpoint(str(folder / "s-9"))
    assert not [f for f in os.listdir(folder) if f.startswith("s-")]
    assert tf.train.checkpoint_exists(other)
