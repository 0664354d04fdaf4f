"""Scaffolds, and MonitoredTrainingSession: which hooks it has, and training that continues where it was."""

import pytest

import tfcore as tf
from tests.summary.test_file_writer import read, scalars


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g
    tf.summary.FileWriterCache.clear()


def counter():
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1)


def kinds(session):
    return [type(hook).__name__ for hook in session._hooks]


# ---- Scaffold


def test_what_a_scaffold_makes(graph):
    v = tf.Variable(1.0, name="v")
    local = tf.Variable(2.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.summary.scalar("s", v)
    scaffold = tf.train.Scaffold()
    assert scaffold.init_op is scaffold.saver is scaffold.summary_op is scaffold.init_fn is None
    assert scaffold.finalize() is scaffold and graph.finalized
    with tf.Session() as sess:
        assert list(sess.run(scaffold.ready_for_local_init_op)) == [b"v"]
        sess.run(scaffold.init_op)
        assert list(sess.run(scaffold.ready_for_local_init_op)) == [] and list(sess.run(scaffold.ready_op)) == [
            b"local"
        ]
        sess.run(scaffold.local_init_op)
        assert list(sess.run(scaffold.ready_op)) == [] and sess.run(local) == 2.0
        assert tf.Summary.FromString(sess.run(scaffold.summary_op)).value[0].tag == "s"
    assert scaffold.saver.saver_def.sharded
    keys = ("INIT_OP", "READY_OP", "READY_FOR_LOCAL_INIT_OP", "LOCAL_INIT_OP", "SUMMARY_OP", "SAVERS")
    made = [tf.get_collection(getattr(tf.GraphKeys, key)) for key in keys]
    names = ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op", "saver")
    assert made == [[getattr(scaffold, name)] for name in names]
    again = tf.train.Scaffold().finalize()  # finds them
    assert [getattr(again, name) for name in names] == [items[0] for items in made]


def test_a_graph_without_variables():
    scaffold = tf.train.Scaffold().finalize()
    with tf.Session() as sess:
        assert list(sess.run(scaffold.ready_op)) == [] and scaffold.summary_op is None


def test_a_collection_with_two_items():
    for _ in range(2):
        tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver(allow_empty=True))
    with pytest.raises(RuntimeError, match=r'More than one item in the collection "savers".*tf.Scaffold\(saver=item'):
        tf.train.Scaffold().finalize()


def test_what_is_given_to_a_scaffold():
    calls = []
    given = {
        "init_op": tf.no_op(),
        "init_feed_dict": {"a": 1},
        "ready_op": tf.constant([], tf.string),
        "ready_for_local_init_op": tf.constant([], tf.string),
        "local_init_op": tf.no_op(),
        "local_init_feed_dict": {"b": 2},
        "summary_op": tf.constant(""),
        "saver": tf.train.Saver(allow_empty=True),
    }
    first = tf.train.Scaffold(init_fn=lambda *args: calls.append(args), **given)
    other = tf.no_op()
    second = tf.train.Scaffold(init_op=other, copy_from_scaffold=first)
    for scaffold in (first, second):
        scaffold.finalize()
        scaffold.init_fn("session")
        for name, value in given.items():
            expected = other if scaffold is second and name == "init_op" else value
            assert getattr(scaffold, name) is expected
    assert calls == [(first, "session"), (second, "session")]
    with pytest.raises(TypeError, match="copy_from_scaffold is not a Scaffold instance"):
        tf.train.Scaffold(copy_from_scaffold=3)


def test_a_scaffold_initializes_a_session():
    start = tf.placeholder(tf.float32, [])
    v = tf.Variable(start, name="v")
    w = tf.Variable(0.0, name="w")
    scaffold = tf.train.Scaffold(
        init_op=v.initializer,
        init_feed_dict={start: 3.0},
        init_fn=lambda scaffold, session: session.run(w.initializer),
        local_init_op=w.assign_add(start),
        local_init_feed_dict={start: 4.0},
    )
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)) as sess:
        assert sess.run([v, w]) == [3.0, 4.0]


def test_a_scaffold_saves_by_the_keys_of_objects(tmp_path):
    def model(name):
        with tf.variable_scope(name):
            step, v = tf.train.get_or_create_global_step(), tf.get_variable("v", initializer=1.0)
            parts = tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer)
        optimizer = tf.train.AdamOptimizer(0.1)
        update = optimizer.minimize(tf.square(v) + tf.reduce_sum(parts), step)
        return tf.train.Checkpoint(step=step, v=v, w=parts, optimizer=optimizer), update, v

    values = []
    for name in ("first", "second"):  # the names in the graph do not matter
        with tf.Graph().as_default():
            checkpoint, update, v = model(name)
            scaffold = tf.train.Scaffold(saver=checkpoint)
            hooks, folder = [tf.train.StopAtStepHook(num_steps=2)], str(tmp_path)
            with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, scaffold=scaffold, hooks=hooks) as sess:
                values.append(sess.run(v))
                while not sess.should_stop():
                    sess.run(update)
                assert isinstance(scaffold.saver, tf.train.Saver) and scaffold.saver.saver_def.sharded
                values.append(scaffold.saver.last_checkpoints[-1][-12:])
    assert values[0] == 1.0 and values[2] < 0.9 and [values[1], values[3]] == ["model.ckpt-0", "model.ckpt-2"]
    path = tf.train.latest_checkpoint(str(tmp_path))
    assert path.endswith("model.ckpt-4") and tf.train.load_variable(path, "step/.ATTRIBUTES/VARIABLE_VALUE") == 4
    with tf.Graph().as_default(), tf.Session() as sess:
        checkpoint, _, v = model("third")
        checkpoint.restore(path).assert_nontrivial_match().run_restore_ops(sess)
        assert sess.run(v) < values[2]


# ---- MonitoredTrainingSession


def test_hooks_of_the_chief(tmp_path):
    counter()
    own, chiefs = tf.train.SessionRunHook(), tf.train.NanTensorHook(tf.constant(1.0))
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=[own], chief_only_hooks=[chiefs]
    ) as sess:
        names = ["NanTensorHook", "StepCounterHook", "SummarySaverHook", "CheckpointSaverHook", "SessionRunHook"]
        assert kinds(sess) == names
        assert sess._hooks[1]._timer._every_steps == sess._hooks[2]._timer._every_steps == 100
        assert sess._hooks[3]._timer._every_secs == 600 and sess._hooks[3]._timer._every_steps is None


@pytest.mark.parametrize(("arguments", "expected"), [
    ({}, []),
    ({"summary_dir": "s"}, ["StepCounterHook", "SummarySaverHook"]),
    ({"summary_dir": "s", "log_step_count_steps": None, "save_summaries_steps": None}, []),
    ({"summary_dir": "s", "log_step_count_steps": 0, "save_summaries_steps": 0}, []),
    ({"summary_dir": "s", "log_step_count_steps": 5, "save_summaries_secs": None}, ["StepCounterHook"]),
    ({"checkpoint_dir": "c", "save_checkpoint_secs": None}, ["StepCounterHook", "SummarySaverHook"]),
    ({"checkpoint_dir": "c", "save_checkpoint_steps": 0, "save_summaries_steps": None}, ["StepCounterHook"]),
])  # fmt: skip
def test_which_hooks_there_are(tmp_path, monkeypatch, arguments, expected):
    monkeypatch.chdir(tmp_path)
    counter()
    with tf.train.MonitoredTrainingSession(**arguments) as sess:
        assert kinds(sess) == expected


@pytest.mark.parametrize(("arguments", "steps", "secs"), [
    ({"save_checkpoint_secs": 7}, None, 7),
    ({"save_checkpoint_steps": 8}, 8, None),
    ({"save_checkpoint_steps": 8, "save_checkpoint_secs": None}, 8, None),
    ({"save_checkpoint_steps": None, "save_checkpoint_secs": 9}, None, 9),
])  # fmt: skip
def test_intervals(tmp_path, arguments, steps, secs):
    counter()
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_graph_def=False, **arguments) as sess:
        timer = sess._hooks[-1]._timer
        assert (timer._every_steps, timer._every_secs) == (steps, secs) and not sess._hooks[-1]._save_graph_def
    with pytest.raises(ValueError, match="Can not provide both every_secs and every_steps"):
        tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_secs=1, save_checkpoint_steps=1)


def test_a_worker_waits_and_has_no_hooks_of_the_chief(tmp_path):
    v = tf.Variable(1.0, name="v")
    with pytest.raises(tf.errors.DeadlineExceededError, match="Variables not initialized: v"):
        tf.train.MonitoredTrainingSession(is_chief=False, max_wait_secs=0)
    tf.get_default_graph()._unsafe_unfinalize()
    scaffold = tf.train.Scaffold(ready_for_local_init_op=tf.constant([], tf.string), local_init_op=v.initializer)
    with tf.train.MonitoredTrainingSession(
        is_chief=False,
        checkpoint_dir=str(tmp_path),
        scaffold=scaffold,
        hooks=[tf.train.SessionRunHook()],
        chief_only_hooks=[tf.train.NanTensorHook(v)],
    ) as sess:
        assert kinds(sess) == ["SessionRunHook"] and sess.run(v) == 1.0
    assert list(tmp_path.iterdir()) == []


def train(folder, last_step, fail=None):
    """The values of the global step that a process of training sees."""
    with tf.Graph().as_default():
        step, increment = counter()
        with tf.control_dependencies([increment]):
            tf.summary.scalar("step", step.read_value())
        hooks = [tf.train.StopAtStepHook(last_step=last_step)] + ([fail] if fail else [])
        seen = []
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=4, save_summaries_steps=5
        ) as sess:
            while not sess.should_stop():
                seen.append(int(sess.run(increment)))
    tf.summary.FileWriterCache.clear()
    return seen


def test_training_goes_on_where_it_was(tmp_path):
    assert train(str(tmp_path), 6) == [1, 2, 3, 4, 5, 6]
    assert train(str(tmp_path), 9) == [7, 8, 9]
    assert tf.train.load_variable(str(tmp_path), "global_step") == 9
    summaries = [entry for events in read(tmp_path) for entry in scalars(events) if entry[1] == "step"]
    assert len(summaries) >= 2 and all(step == value for step, _, value in summaries)


def test_a_lost_session_goes_on_from_the_last_checkpoint(tmp_path):
    class Fail(tf.train.SessionRunHook):
        steps = 0

        def before_run(self, run_context):
            self.steps += 1
            if self.steps == 7:
                raise tf.errors.UnavailableError(None, None, "a task is gone")

    assert train(str(tmp_path), 9, Fail()) == [1, 2, 3, 4, 5, 6, 5, 6, 7, 8, 9]


def test_a_program_that_dies_goes_on_from_the_last_checkpoint(tmp_path):
    class Fail(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if run_context.session.run("global_step:0") == 6:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(str(tmp_path), 9, Fail())
    assert train(str(tmp_path), 7) == [5, 6, 7]
