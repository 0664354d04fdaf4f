"""The hooks of tf.train: when each does its work, what it writes, what it needs."""

import gc
import io
import json
import re
import sys

import numpy as np
import pytest
import tqdm

import tfcore as tf
from tests.summary.test_file_writer import read, scalars
from tfcore.train.hooks import hook_timers, progress_bar_hook


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def clock(monkeypatch):
    """The time that timers see; a list with one number."""
    now = [1000.0]
    monkeypatch.setattr(hook_timers, "time", type("Time", (), {"monotonic": staticmethod(lambda: now[0])}))
    return now


@pytest.fixture
def lines(monkeypatch):
    """What is logged."""
    found = []
    for level in ("info", "warning", "error"):
        monkeypatch.setattr(tf.logging, level, lambda text, *args: found.append(text % args))
    return found


def counter():
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1)


def run_steps(hooks, fetch, most=100, **kwargs):
    """The values of a fetch, step by step until a hook asks for the end."""
    values = []
    with tf.train.SingularMonitoredSession(hooks=hooks, **kwargs) as sess:
        while not sess.should_stop() and len(values) < most:
            values.append(sess.run(fetch))
    return values


# ---- Timers


def test_timer_of_steps():
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    assert timer.last_triggered_step() is None and timer.should_trigger_for_step(5)
    assert timer.update_last_triggered_step(5) == (None, None) and timer.last_triggered_step() == 5
    assert [timer.should_trigger_for_step(s) for s in (5, 6, 7, 8, 9)] == [False, False, False, True, True]
    assert timer.update_last_triggered_step(9)[1] == 4
    timer.reset()
    assert timer.should_trigger_for_step(9)


def test_timer_of_seconds(clock):
    timer = tf.train.SecondOrStepTimer(every_secs=2.0)
    assert timer.should_trigger_for_step(1)
    timer.update_last_triggered_step(1)
    clock[0] += 1.5
    assert not timer.should_trigger_for_step(100)
    clock[0] += 1
    assert not timer.should_trigger_for_step(1) and timer.should_trigger_for_step(2)
    assert timer.update_last_triggered_step(2) == (2.5, 1)


def test_arguments_of_timers():
    with pytest.raises(ValueError, match="Either every_secs or every_steps should be provided"):
        tf.train.SecondOrStepTimer()
    with pytest.raises(ValueError, match="Can not provide both"):
        tf.train.SecondOrStepTimer(every_secs=1, every_steps=1)
    never = tf.train.NeverTriggerTimer()
    assert not never.should_trigger_for_step(1) and never.update_last_triggered_step(1) == (None, None)
    assert never.last_triggered_step() is None and never.reset() is None


@pytest.mark.parametrize("make", [
    lambda folder: tf.train.StopAtStepHook(last_step=1),
    lambda folder: tf.train.CheckpointSaverHook(folder, save_steps=1),
    lambda folder: tf.train.StepCounterHook(output_dir=folder),
    lambda folder: tf.train.SummarySaverHook(save_steps=1, output_dir=folder, summary_op=tf.constant("")),
    lambda folder: tf.train.GlobalStepWaiterHook(1),
    lambda folder: tf.train.ProfilerHook(save_steps=1, output_dir=folder),
])  # fmt: skip
def test_hooks_that_need_a_global_step(make, tmp_path):
    hook = make(str(tmp_path))
    with pytest.raises(RuntimeError, match=f"Global step should be created to use {type(hook).__name__}."):
        tf.train.MonitoredSession(hooks=[hook])


# ---- StopAtStepHook


def test_stop_at_a_step():
    _, increment = counter()
    assert run_steps([tf.train.StopAtStepHook(last_step=4)], increment) == [1, 2, 3, 4]
    assert run_steps([tf.train.StopAtStepHook(last_step=4)], tf.no_op(), most=9) == [None] * 9


def test_stop_after_some_steps(tmp_path):
    step, increment = counter()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        step.load(10, sess)
        saver.save(sess, str(tmp_path / "model"))
    values = run_steps([tf.train.StopAtStepHook(num_steps=3)], increment, checkpoint_dir=str(tmp_path))
    assert values == [11, 12, 13]


def test_stop_where_a_step_counts_several():
    step, _ = counter()
    by_three = tf.assign_add(step, 3)
    assert run_steps([tf.train.StopAtStepHook(last_step=8)], by_three) == [3, 6, 9]


def test_a_new_session_has_the_same_goal():
    _, increment = counter()

    class Fail(tf.train.SessionRunHook):
        steps = 0

        def after_run(self, run_context, run_values):
            self.steps += 1
            if self.steps == 3:
                raise tf.errors.AbortedError(None, None, "lost")

    values = []
    with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(num_steps=4), Fail()]) as sess:
        while not sess.should_stop():
            values.append(sess.run(increment))
    assert values == [1, 2, 1, 2, 3, 4]  # no checkpoint


def test_arguments_of_the_stop_hook():
    with pytest.raises(ValueError, match="One of num_steps or last_step must be specified"):
        tf.train.StopAtStepHook()
    with pytest.raises(ValueError, match="Only one of num_steps or last_step can be specified"):
        tf.train.StopAtStepHook(1, 2)


# ---- LoggingTensorHook


def test_log_every_so_many_steps(lines):
    _, increment = counter()
    hook = tf.train.LoggingTensorHook({"b": "two", "a": increment}, every_n_iter=2)
    tf.constant(2, name="two")
    run_steps([hook], increment, most=5)
    assert [line.partition(" (")[0] for line in lines if "a = " in line] == [f"a = {i}, b = 2" for i in (1, 3, 5)]
    assert [line.endswith(" sec)") for line in lines if "a = " in line] == [False, True, True]


def test_log_every_so_many_seconds(lines, clock):
    _, increment = counter()
    hook = tf.train.LoggingTensorHook([increment.name], every_n_secs=1.0)

    class Tick(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            clock[0] += 0.6

    run_steps([hook, Tick()], increment, most=5)
    found = [line for line in lines if increment.name in line]
    assert found == [f"{increment.name} = 1"] + [f"{increment.name} = {i} (1.200 sec)" for i in (3, 5)]


def test_log_at_the_end(lines):
    step, increment = counter()
    run_steps([tf.train.LoggingTensorHook([step], at_end=True)], increment, most=5)
    assert [line for line in lines if line.startswith("<tf.Variable 'global_step")] == [f"{step!r} = 5"]
    del lines[:]
    formatted = tf.train.LoggingTensorHook({"s": step}, every_n_iter=10, at_end=True, formatter=lambda v: f"%{v['s']}")
    run_steps([formatted], increment, most=5)
    assert [line for line in lines if line.startswith("%")][-1] == "%5"


def test_arguments_of_the_logging_hook(graph):
    for wrong in ({}, {"every_n_iter": 1, "every_n_secs": 1}):
        with pytest.raises(ValueError, match="exactly one of every_n_iter and every_n_secs"):
            tf.train.LoggingTensorHook(["t"], **wrong)
    for number in (0, -1):
        with pytest.raises(ValueError, match=f"invalid every_n_iter={number}."):
            tf.train.LoggingTensorHook(["t"], every_n_iter=number)
    tf.unstack(tf.constant([1, 2]), name="two")
    with tf.Graph().as_default():
        foreign = tf.constant(1)
    for tensor, text in (
        ("two", "Name two is ambiguous"),
        (foreign, "equal to current graph"),
        (3, "equal to current"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.train.LoggingTensorHook([tensor], every_n_iter=1).begin()
    with pytest.raises(KeyError, match="missing"):
        tf.train.LoggingTensorHook(["missing"], every_n_iter=1).begin()


# ---- CheckpointSaverHook


class Listener(tf.train.CheckpointSaverListener):
    def __init__(self, stop_at=None):
        self.calls, self.stop_at = [], stop_at

    def begin(self):
        self.calls.append("begin")

    def before_save(self, session, global_step_value):
        self.calls.append(("before", int(global_step_value)))
        assert isinstance(session, tf.Session)

    def after_save(self, session, global_step_value):
        self.calls.append(("after", int(global_step_value)))
        return global_step_value == self.stop_at

    def end(self, session, global_step_value):
        self.calls.append(("end", int(global_step_value)))


def saved(folder):
    return sorted(int(p.stem.rpartition("-")[2]) for p in folder.glob("model.ckpt-*.index"))


def test_save_every_so_many_steps(tmp_path):
    step, increment = counter()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3, scaffold=(scaffold := tf.train.Scaffold()))
    run_steps([hook], increment, most=8, scaffold=scaffold)
    assert saved(tmp_path) == [0, 3, 6, 8]
    assert tf.train.load_variable(str(tmp_path), "global_step") == 8
    assert (tmp_path / "graph.pbtxt").exists() and (tmp_path / "model.ckpt-8.meta").exists()
    tf.summary.FileWriterCache.clear()
    (events,) = read(tmp_path)
    assert [e.step for e in events if e.session_log.status == tf.SessionLog.CHECKPOINT] == [0, 3, 6, 8]
    meta = tf.MetaGraphDef.FromString([e for e in events if e.meta_graph_def][-1].meta_graph_def)
    assert meta.saver_def == scaffold.saver.saver_def and step.op.name in [n.name for n in meta.graph_def.node]


def test_save_every_so_many_seconds(tmp_path, clock):
    _, increment = counter()
    saver = tf.train.Saver()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_secs=2, saver=saver, checkpoint_basename="m")

    class Tick(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            clock[0] += 0.9

    run_steps([hook, Tick()], increment, most=8)
    assert [p.rpartition("-")[2] for p in saver.last_checkpoints] == ["0", "4", "7", "8"]
    assert (tmp_path / "m-8.index").exists()


def test_no_second_checkpoint_of_the_last_step(tmp_path):
    _, increment = counter()
    listener = Listener()
    tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
    run_steps([tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, listeners=[listener])], increment, most=4)
    pairs = [(what, step) for step in (0, 2, 4) for what in ("before", "after")]
    assert listener.calls == ["begin", *pairs, ("end", 4)]


def test_a_listener_ends_the_loop(tmp_path):
    _, increment = counter()
    scaffold, quiet, listener = tf.train.Scaffold(), Listener(), Listener(stop_at=4)
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=scaffold, listeners=[listener, quiet])
    assert run_steps([hook], increment, scaffold=scaffold) == [1, 2, 3, 4]
    assert quiet.calls[-1] == ("end", 4) and ("after", 4) in quiet.calls


def test_without_the_graph(tmp_path):
    _, increment = counter()
    scaffold = tf.train.Scaffold()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=scaffold, save_graph_def=False)
    run_steps([hook], increment, most=2, scaffold=scaffold)
    assert saved(tmp_path) == [0, 2] and not list(tmp_path.glob("*.meta")) and not (tmp_path / "graph.pbtxt").exists()


def test_where_the_saver_comes_from(tmp_path):
    counter()
    with pytest.raises(ValueError, match="You cannot provide both saver and scaffold"):
        tf.train.CheckpointSaverHook(str(tmp_path), 1, saver=tf.train.Saver(), scaffold=tf.train.Scaffold())
    for wrong in ({}, {"save_secs": 1, "save_steps": 1}):
        with pytest.raises(ValueError, match="every_secs"):
            tf.train.CheckpointSaverHook(str(tmp_path), **wrong)
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
    hook.begin()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(RuntimeError, match="No items in collection savers"):
            hook.after_create_session(sess, None)
        for _ in range(2):
            tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
        with pytest.raises(RuntimeError, match="More than one item in collection savers"):
            hook.after_create_session(sess, None)


def test_a_checkpoint_that_cannot_be_written_is_an_error(tmp_path):
    _, increment = counter()
    scaffold = tf.train.Scaffold()

    class Block(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            (tmp_path / "model.ckpt-2.index").mkdir(exist_ok=True)

    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=scaffold)
    with pytest.raises(tf.errors.OpError, match="model.ckpt-2"):
        run_steps([Block(), hook], increment, scaffold=scaffold)
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-0")


# ---- Summaries


def test_steps_per_second(tmp_path, clock, lines):
    _, increment = counter()

    class Tick(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            clock[0] += 0.5

    run_steps([tf.train.StepCounterHook(every_n_steps=4, output_dir=str(tmp_path)), Tick()], increment, most=10)
    tf.summary.FileWriterCache.clear()
    ((first, second),) = [scalars(events) for events in read(tmp_path)]
    assert first == (5, "global_step/sec", 2.0) and second == (9, "global_step/sec", 2.0)
    assert lines.count("global_step/sec: 2") == 2


def test_steps_per_second_by_time(tmp_path, clock):
    _, increment = counter()
    writer = tf.summary.FileWriter(tmp_path)

    class Tick(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            clock[0] += 0.5

    hook = tf.train.StepCounterHook(every_n_steps=None, every_n_secs=1.5, summary_writer=writer)
    run_steps([hook, Tick()], increment, most=8)
    writer.close()
    assert scalars(read(tmp_path)[0]) == [(4, "global_step/sec", 2.0), (7, "global_step/sec", 2.0)]
    for wrong in ({"every_n_secs": 1}, {"every_n_steps": None}):
        with pytest.raises(ValueError, match="exactly one of every_n_steps and every_n_secs"):
            tf.train.StepCounterHook(**wrong)


def test_a_global_step_that_does_not_move(monkeypatch):
    found = []
    monkeypatch.setattr(tf.logging, "log_first_n", lambda level, text, n, *args: found.append((level, text % args)))
    counter()
    run_steps([tf.train.StepCounterHook()], tf.no_op(), most=3)
    assert len(found) == 2 and found[0][0] == tf.logging.WARN
    assert "Current value (could be stable): 0 vs previous value: 0" in found[0][1]


@pytest.mark.parametrize("use_resource", [False, True])
def test_summaries_of_a_scaffold(tmp_path, use_resource):
    tf.get_variable_scope().set_use_resource(use_resource)
    step, increment = counter()
    with tf.control_dependencies([increment]):
        tf.summary.scalar("ten", 10 * step.read_value())
    scaffold = tf.train.Scaffold()
    hook = tf.train.SummarySaverHook(save_steps=3, output_dir=str(tmp_path), scaffold=scaffold)
    run_steps([hook], increment, most=8, scaffold=scaffold)
    (events,) = read(tmp_path)  # `end` has written all
    assert scalars(events) == [(step, "ten", 10.0 * step) for step in (1, 4, 7)]
    assert [e.step for e in events if e.session_log.status == tf.SessionLog.START] == [1]


def test_summaries_of_several_operations(tmp_path, clock):
    _, increment = counter()
    writer = tf.summary.FileWriter(tmp_path)
    several = [tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)]

    class Tick(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            clock[0] += 1

    run_steps([tf.train.SummarySaverHook(None, 2, None, writer, None, several), Tick()], increment, most=4)
    assert scalars(read(tmp_path)[0]) == [(s, t, v) for s in (1, 3) for t, v in (("a", 1.0), ("b", 2.0))]


def test_summaries_without_operations_or_writers(tmp_path):
    _, increment = counter()
    scaffold = tf.train.Scaffold()
    hook = tf.train.SummarySaverHook(save_steps=1, output_dir=str(tmp_path), scaffold=scaffold)
    nowhere = tf.train.SummarySaverHook(save_steps=1, summary_op=tf.constant(""))
    run_steps([hook, nowhere], increment, most=2, scaffold=scaffold)
    assert scalars(read(tmp_path)[0]) == []
    for wrong in ({}, {"scaffold": scaffold, "summary_op": "s"}):
        with pytest.raises(ValueError, match="Exactly one of scaffold or summary_op must be provided"):
            tf.train.SummarySaverHook(save_steps=1, **wrong)


# ---- Others


@pytest.mark.parametrize("number", [np.nan, [1, np.nan]])
def test_nan(number, lines):
    loss = tf.placeholder(tf.float32)
    with pytest.raises(tf.train.NanLossDuringTrainingError, match="^NaN loss during training.$"):
        with tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
            assert sess.run(loss, {loss: np.inf}) == np.inf
            sess.run(loss, {loss: number})
    with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss, fail_on_nan_loss=False)]) as sess:
        sess.run(loss, {loss: number})
        assert sess.should_stop()
    assert lines.count("Model diverged with loss = NaN.") == 2


def test_final_operations():
    step, increment = counter()
    fed = tf.placeholder(tf.int64, [])
    hook = tf.train.FinalOpsHook({"ten times": step * fed}, {fed: 10})
    assert hook.final_ops_values is None
    nothing = tf.train.FinalOpsHook(None)
    run_steps([hook, nothing], increment, most=3)
    assert hook.final_ops_values == {"ten times": 30} and nothing.final_ops_values is None


def test_final_operations_that_read_the_input(lines):
    queue = tf.FIFOQueue(1, tf.int32)
    take, shut = queue.dequeue(), queue.close()
    with pytest.raises(tf.errors.OutOfRangeError):
        with tf.train.SingularMonitoredSession(hooks=[tf.train.FinalOpsHook(take)]) as sess:
            sess.run(shut)
    assert any("past the end of the input" in line for line in lines)


def test_feeds_of_a_function():
    x, numbers = tf.placeholder(tf.int32, []), iter(range(10))
    assert run_steps([tf.train.FeedFnHook(lambda: {x: next(numbers)})], x * x, most=3) == [0, 1, 4]


def test_wait_for_a_global_step(monkeypatch, lines):
    step, increment = counter()
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) in (2, 8):
            step.load(1500 if len(pauses) == 2 else 2000, sess.raw_session())

    fake = type("Time", (), {"sleep": staticmethod(sleep)})
    monkeypatch.setattr("tfcore.train.hooks.basic_session_run_hooks.time", fake)
    with tf.train.SingularMonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(2000)]) as sess:
        assert sess.run(increment) == 2001 and sess.run(increment) == 2002
    assert pauses == [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.5, 0.5]
    assert [line for line in lines if "Current step" in line] == [
        "Waiting for global step 2000 before starting training. Current step is 1500."
    ]
    run_steps([tf.train.GlobalStepWaiterHook(0)], increment, most=1)
    assert len(pauses) == 8


def test_profiles(tmp_path):
    _, increment = counter()
    run_steps([tf.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path))], increment, most=8)
    steps = sorted(int(p.stem.rpartition("-")[2]) for p in tmp_path.glob("timeline-*.json"))
    assert steps == [3, 6]
    events = json.loads((tmp_path / f"timeline-{steps[0]}.json").read_text())["traceEvents"]
    assert any(event.get("args", {}).get("name") == increment.op.name for event in events)
    tf.summary.FileWriterCache.clear()
    tagged = [e for e in read(tmp_path)[0] if e.HasField("tagged_run_metadata")]
    assert [e.tagged_run_metadata.tag for e in tagged] == [f"step_{step}" for step in steps]


# ---- The progress bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def train_with_bar(monkeypatch, stderr, feed=True, **options):
    """Trains for 50 steps; returns what was written."""
    monkeypatch.setattr(sys, "stderr", stderr)
    x = tf.placeholder(tf.float32, [])
    tf.losses.add_loss(x * 2.0)
    _, count = counter()
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(num_steps=50)], **options) as sess:
        while not sess.should_stop():
            sess.run(count, {x: 1.5} if feed else None)
    return stderr.getvalue()


def test_progress_bar_on_a_terminal(monkeypatch):
    monkeypatch.setattr(progress_bar_hook, "_BAR_SECONDS", 0)
    text = train_with_bar(monkeypatch, Terminal(), progress_bar=True)
    assert "/50 [" in text and "loss=3" in text and "step/s" in text and " 50/50 [" in text


def test_progress_as_lines(monkeypatch):
    """Elsewhere than on a terminal, at growing intervals."""
    now = [0.0]

    def tick():
        now[0] += 1
        return now[0]

    monkeypatch.setattr(progress_bar_hook, "time", type("Time", (), {"monotonic": staticmethod(tick)}))
    monkeypatch.setenv("TFCORE_PROGRESS_BAR", "1")
    lines = train_with_bar(monkeypatch, io.StringIO()).splitlines()
    steps = [int(re.search(r"(\d+)/50 \[", line)[1]) for line in lines]
    assert steps[-1] == 50 and 3 <= len(steps) <= 6
    assert all("loss=3" in line for line in lines[:-1])
    gaps = np.diff([0, *steps[:-1]])
    assert all(gaps[1:] > gaps[:-1])


def test_steps_that_do_not_feed_the_loss_do_not_fetch_it(monkeypatch):
    monkeypatch.setattr(progress_bar_hook, "_BAR_SECONDS", 0)
    text = train_with_bar(monkeypatch, Terminal(), feed=False, progress_bar=True)
    assert "50/50 [" in text and "loss" not in text


def in_a_branch(loss):
    def branch():
        tf.losses.add_loss(loss * 2.0)
        return loss

    tf.cond(tf.train.get_or_create_global_step() >= 0, branch, lambda: loss)


def in_a_loop(loss):
    def body(i):
        tf.losses.add_loss(loss * 2.0)
        return i + 1

    tf.while_loop(lambda i: i < 2, body, [0])


@pytest.mark.parametrize(
    "add_losses, shown",
    [
        (lambda: tf.losses.add_loss(tf.constant([1.0, 2.0])), None),
        (lambda: tf.losses.add_loss(tf.placeholder_with_default([1.0, 2.0], None)), None),
        (lambda: [tf.losses.add_loss(tf.ones(n)) for n in (2, 3)], None),
        (lambda: [tf.losses.add_loss(tf.constant(v, t)) for v, t in ((3, tf.float64), (2, tf.int32))], "5"),
        (lambda: [tf.losses.add_loss(tf.constant(1.5, t)) for t in (tf.half, tf.bfloat16)], "3"),
        (lambda: tf.losses.add_loss(tf.placeholder_with_default(4.0, None)), "4"),
        (lambda: tf.losses.add_loss(tf.constant("none")), None),
        (lambda: in_a_branch(tf.constant(1.0)), None),
        (lambda: in_a_loop(tf.constant(1.0)), None),
    ],
)
def test_what_losses_the_progress_bar_shows(monkeypatch, add_losses, shown):
    monkeypatch.setattr(progress_bar_hook, "_BAR_SECONDS", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    add_losses()
    _, count = counter()
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(2)], progress_bar=True) as sess:
        while not sess.should_stop():
            sess.run(count)
    assert set(re.findall(r"loss=([\d.]+)", sys.stderr.getvalue())) == ({shown} if shown else set())


def test_the_progress_bar_does_not_change_steps(monkeypatch):
    """The loss is fetched with training, though its gradient does not need it; a step without it does not dequeue."""
    monkeypatch.setattr(progress_bar_hook, "_BAR_SECONDS", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    queue = tf.FIFOQueue(20, tf.float32, [[]])
    loss = tf.losses.mean_squared_error(queue.dequeue() * tf.Variable(1.0), 0.0)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.0).minimize(loss, step)
    fill, size = queue.enqueue_many([tf.range(2.0, 8.0)]), queue.size()
    with tf.train.MonitoredTrainingSession(progress_bar=True) as sess:
        sess.run(fill)
        for _ in range(3):
            assert sess.run(step) == 0
        assert sess.run(size) == 6 and "loss" not in sys.stderr.getvalue()
        for left in (5, 4):
            sess.run(train)
            assert sess.run(size) == left
    assert set(re.findall(r"loss=(\d+)", sys.stderr.getvalue())) == {"4", "9"}


@pytest.mark.parametrize("where", ["in the block", "in a step", "while the session is made"])
def test_the_progress_bar_is_closed_after_an_error(monkeypatch, where):
    class Fails(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            if where == "while the session is made":
                raise ValueError(where)

    monkeypatch.setattr(sys, "stderr", Terminal())
    _, count = counter()
    fails = tf.placeholder(tf.float32, []) + 1.0
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        bar = progress_bar_hook.ProgressBarHook()
        with tf.train.MonitoredSession(hooks=[bar, Fails()]) as sess:
            sess.run(count)
            if where == "in a step":
                sess.run(fails)
            raise ValueError(where)
    text = sys.stderr.getvalue()
    assert text.endswith("\n") and not tqdm.tqdm._instances
    del bar
    gc.collect()
    assert sys.stderr.getvalue() == text


@pytest.mark.parametrize("value, shown", [("true", True), ("1", True), ("0", False), ("", False)])
def test_the_variable_for_a_progress_bar(monkeypatch, value, shown):
    monkeypatch.setenv("TFCORE_PROGRESS_BAR", value)
    assert bool(train_with_bar(monkeypatch, Terminal())) == shown


def test_no_progress_bar_by_default(monkeypatch):
    assert train_with_bar(monkeypatch, Terminal()) == ""
