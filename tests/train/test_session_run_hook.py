"""The classes of hooks: what they hold, and what a hook does by default."""

import pytest

import tfcore as tf


def test_a_hook_does_nothing_by_default():
    hook = tf.train.SessionRunHook()
    assert hook.begin() is hook.after_create_session(None, None) is hook.before_run(None) is None
    assert hook.after_run(None, None) is hook.end(None) is None


def test_arguments_and_values():
    args = tf.train.SessionRunArgs("fetch")
    assert args == ("fetch", None, None) and args.fetches == "fetch" and args.feed_dict is args.options is None
    assert tf.train.SessionRunArgs([1], {2: 3}, 4)._asdict() == {"fetches": [1], "feed_dict": {2: 3}, "options": 4}
    values = tf.train.SessionRunValues(results=1, options=2, run_metadata=3)
    assert (values.results, values.options, values.run_metadata) == (1, 2, 3)


def test_context():
    args = tf.train.SessionRunArgs(None)
    context = tf.train.SessionRunContext(args, "session")
    assert context.original_args is args and context.session == "session" and not context.stop_requested
    context.request_stop()
    assert context.stop_requested


def test_stop_after_n_evals(caplog):
    hook = tf.contrib.training.StopAfterNEvalsHook(2, log_progress=False)
    hook._set_evals_completed_tensor("step")
    context = tf.train.SessionRunContext(None, None)
    assert hook.before_run(context).fetches == {"evals_completed": "step"}
    hook.after_run(context, tf.train.SessionRunValues({"evals_completed": 1}, None, None))
    assert not context.stop_requested
    hook.after_run(context, tf.train.SessionRunValues({"evals_completed": 2}, None, None))
    assert context.stop_requested


def test_progress_of_evaluations(monkeypatch):
    lines = []
    monkeypatch.setattr(tf.logging, "info", lambda text, *args: lines.append(text % args))
    for count, done in ((None, 7), (3, 1), (40, 3), (40, 4), (45, 45)):
        hook = tf.contrib.training.StopAfterNEvalsHook(count)
        values = tf.train.SessionRunValues({"evals_completed": done}, None, None)
        hook.after_run(tf.train.SessionRunContext(None, None), values)
    assert lines == ["Evaluation [7]", "Evaluation [1/3]", "Evaluation [4/40]", "Evaluation [45/45]"]


def test_evaluate_a_checkpoint(tmp_path):
    with tf.Graph().as_default():
        weight = tf.Variable(1.0, name="weight")
        with tf.Session() as sess:
            weight.load(5.0, sess)
            path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    with tf.Graph().as_default():
        weight, x = tf.Variable(1.0, name="weight"), tf.placeholder(tf.float32, [])
        mean, update = tf.metrics.mean(weight * x)
        for ops in (update, [update], {"update": update}):
            value = tf.contrib.training.evaluate_once(
                path,
                eval_ops=ops,
                feed_dict={x: 2.0},
                final_ops={"mean": mean, "weight": weight},
                hooks=[tf.contrib.training.StopAfterNEvalsHook(3, log_progress=False)],
            )
            assert value == {"mean": 10.0, "weight": 5.0}
        assert tf.contrib.training.evaluate_once(path) is None
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            tf.contrib.training.evaluate_once(path + "x")


def test_the_end_of_the_input_ends_an_evaluation(tmp_path):
    with tf.Graph().as_default():
        weight = tf.Variable(1.0, name="weight")
        with tf.Session() as sess:
            sess.run(weight.initializer)
            path = tf.train.Saver().save(sess, str(tmp_path / "model"))
        left = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        count = left.count_up_to(4)
        assert tf.contrib.training.evaluate_once(path, eval_ops=count, final_ops=left) == 4
