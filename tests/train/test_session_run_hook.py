"""The classes of hooks: what they hold, and what a hook does by default."""

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
