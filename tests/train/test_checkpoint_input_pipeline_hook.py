"""CheckpointInputPipelineHook: positions of iterators in checkpoints of their own."""

import os
import types

import pytest

import tfcore as tf

Hook = tf.data.experimental.CheckpointInputPipelineHook


def config(folder, steps=2, secs=None, workers=1, task=("worker", 0)):
    return types.SimpleNamespace(
        model_dir=str(folder),
        save_checkpoints_steps=steps,
        save_checkpoints_secs=secs,
        num_worker_replicas=workers,
        task_type=task[0],
        task_id=task[1],
    )


class StopOrFail(tf.train.SessionRunHook):
    """Ends the loop after some steps, or fails once."""

    def __init__(self, steps, failing=False):
        self.left, self.failing = steps, failing

    def after_run(self, run_context, run_values):
        self.left -= 1
        if self.left == 0 and self.failing:
            raise tf.errors.AbortedError(None, None, "a task is gone")
        if self.left == 0:
            run_context.request_stop()


def train(hook, steps, failing=False):
    """The elements that so many steps see, of a new graph and session."""
    with tf.Graph().as_default():
        iterator = tf.data.Dataset.range(100).make_initializable_iterator()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        element = iterator.get_next()
        step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        found = []
        with tf.train.MonitoredSession(hooks=[hook, StopOrFail(steps, failing)]) as sess:
            while not sess.should_stop() and len(found) < 20:
                found.append(int(sess.run([element, step])[0]))
    return found


def test_training_goes_on_where_it_ended(tmp_path):
    assert train(Hook(config(tmp_path)), 5) == [0, 1, 2, 3, 4]
    assert train(Hook(config(tmp_path)), 3) == [5, 6, 7]
    names = set(os.listdir(tmp_path))
    assert "checkpoint_input" in names and "checkpoint" not in names
    assert {name.partition(".ckpt-")[0] for name in names if ".ckpt-" in name} == {"input"}
    assert not any(name.endswith(".meta") for name in names)
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


def test_steps_after_the_last_save_are_repeated(tmp_path):
    """The fifth step fails, and three were saved."""
    assert train(Hook(config(tmp_path, steps=3)), 5, failing=True)[:8] == [0, 1, 2, 3, 3, 4, 5, 6]


def test_the_first_positions_are_saved_before_the_first_step(tmp_path):
    assert train(Hook(config(tmp_path, steps=100)), 3, failing=True)[:4] == [0, 1, 0, 1]


def test_every_worker_has_its_own(tmp_path):
    workers = [config(tmp_path, workers=2, task=("worker", i)) for i in range(2)]
    assert train(Hook(workers[0]), 2) == [0, 1]
    assert train(Hook(workers[1]), 3) == [0, 1, 2]
    assert train(Hook(workers[0]), 2) == [2, 3]
    assert train(Hook(workers[1]), 1) == [3]
    assert {"checkpoint_input_worker_0", "checkpoint_input_worker_1"} <= set(os.listdir(tmp_path))
    assert any(name.startswith("input_worker_1.ckpt-3") for name in os.listdir(tmp_path))


def test_an_estimator_has_a_config(tmp_path):
    estimator = types.SimpleNamespace(model_dir=str(tmp_path / "its"), config=config(tmp_path / "another"))
    assert train(Hook(estimator), 2) == [0, 1]
    assert os.path.exists(tmp_path / "its" / "checkpoint_input") and not os.path.exists(tmp_path / "another")


def test_shuffles_and_several_iterators_go_on(tmp_path):
    def run(steps):
        with tf.Graph().as_default():
            step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            one = tf.data.Dataset.range(20).shuffle(7, seed=3).make_one_shot_iterator()
            other = tf.data.Dataset.range(50, 90).repeat().prefetch(3).make_initializable_iterator()
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, other.initializer)
            by_handle = tf.data.Iterator.from_string_handle(other.string_handle(), tf.int64, [])
            fetches = [one.get_next(), by_handle.get_next(), step]
            hooks = [Hook(config(tmp_path)), StopOrFail(steps)]
            found = []
            with tf.train.MonitoredSession(hooks=hooks) as sess:
                while not sess.should_stop():
                    found.append(sess.run(fetches)[:2])
            return found

    found = run(8) + run(1) + run(11)
    assert sorted(x for x, _ in found) == list(range(20))
    assert [y for _, y in found] == list(range(50, 70))


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match="'warn', 'ignore', and 'fail'|Received never"):
        Hook(config(tmp_path), "never")
    for steps, secs in ((None, None), (1, 1)):
        with pytest.raises(ValueError):
            Hook(config(tmp_path, steps, secs))
    with tf.Graph().as_default():
        with pytest.raises(RuntimeError, match="Global step should be created to use CheckpointInputPipelineHook"):
            Hook(config(tmp_path)).begin()
        tf.train.create_global_step()
        with pytest.raises(ValueError, match="No variables to save"):
            Hook(config(tmp_path)).begin()
    with pytest.raises(AttributeError, match="num_worker_replicas"):
        Hook(types.SimpleNamespace(model_dir="x"))
