"""Hooks that most programs use: when to stop, what to log, summaries, checks, feeds."""

import time

import numpy as np

from tfcore.framework import errors, protos
from tfcore.framework.graph.graph import get_default_graph
from tfcore.platform import tf_logging
from tfcore.summary import FileWriterCache
from tfcore.train import training_util
from tfcore.train.hooks.hook_timers import NeverTriggerTimer, SecondOrStepTimer
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook

_LONGEST_PAUSE = 0.5  # seconds between looks at the global step


def global_step_for(hook):
    """The global step of the default graph, which a hook needs.

    Raises:
      RuntimeError: There is none.
    """
    step = training_util.get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {type(hook).__name__}.")
    return step


def read_of_global_step_for(hook):
    """A read of the global step, which a hook needs, from before the step increments it (`read_of_global_step`).

    Raises:
      RuntimeError: There is none.
    """
    global_step_for(hook)
    return training_util.read_of_global_step()


class StopAtStepHook(SessionRunHook):
    """Ends the loop at a step.

    Args:
      num_steps: How many steps to run, from the global step when the session is created.
      last_step: The global step at which to stop.

    Raises:
      ValueError: Both are given, or none.
      RuntimeError: When the session is made: the graph has no global step.
    """

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    @property
    def last_step(self):
        """The global step at which the loop ends; None: it is not known before the session is made."""
        return self._last_step

    def begin(self):
        self._global_step = global_step_for(self)

    def after_create_session(self, session, coord):
        if self._last_step is None:  # a session that replaces another one has the same goal
            self._last_step = session.run(self._global_step) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        # The step may have read the variable before or after the increment.
        if run_values.results + 1 >= self._last_step:
            if run_context.session.run(self._global_step) >= self._last_step:
                run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors.

    Args:
      tensors: A list of tensors or names of tensors, or a dict from tags to these.
      every_n_iter: Steps between logs.
      every_n_secs: Seconds between logs.
      at_end: Whether to log at the end, too; the other two may be missing then.
      formatter: Function that makes a line of a dict from tags to values (optional).

    Raises:
      ValueError: It is not clear when to log, or `every_n_iter` is not positive. When the session is made: a tensor is
        of another graph, or a name is that of an operation with several outputs.
      KeyError: When the session is made: the graph has no tensor of a name.
    """

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tag_order = sorted(tensors)
        else:
            self._tag_order = tensors
            tensors = {item: item for item in tensors}
        self._tensors = tensors
        self._formatter = formatter
        self._timer = NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._log_at_end = at_end

    def begin(self):
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _tensor_of(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context):
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values):
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter:
                tf_logging.info("%s", self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]}" for tag in self._tag_order)
        tf_logging.info("%s", text if elapsed is None else f"{text} ({elapsed:.3f} sec)")


def _tensor_of(value):
    """The tensor of the default graph that a tensor or a name stands for; the name of an operation is its output's."""
    graph = get_default_graph()
    if not isinstance(value, str):
        if getattr(value, "graph", None) is not graph:
            raise ValueError(f"Passed {value} should have graph attribute that is equal to current graph {graph}.")
        return value
    if ":" in value:
        return graph.as_graph_element(value)
    tensor = graph.as_graph_element(value + ":0")
    if len(tensor.op.outputs) > 1:
        raise ValueError(f"Name {value} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return tensor


class StepCounterHook(SessionRunHook):
    """Logs the number of global steps per second, and writes it as a summary.

    Args:
      every_n_steps: Steps between logs.
      every_n_secs: Seconds between logs.
      output_dir: Folder for the summaries (optional).
      summary_writer: A `FileWriter` to use instead (optional).

    Raises:
      ValueError: Both `every_n_steps` and `every_n_secs` are given, or none.
      RuntimeError: When the session is made: the graph has no global step.
    """

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step = None

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step = global_step_for(self)
        self._summary_tag = self._global_step.op.name + "/sec"

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        seen = run_values.results
        if self._timer.should_trigger_for_step(seen + 1):
            step = run_context.session.run(self._global_step)
            if self._timer.should_trigger_for_step(step):
                elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(step)
                if elapsed_time:
                    self._log_and_record(elapsed_steps, elapsed_time, step)
        if seen == self._last_global_step:
            tf_logging.log_first_n(
                tf_logging.WARN,
                "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be "
                "stable): %s vs previous value: %s. You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                5,
                seen,
                self._last_global_step,
            )
        self._last_global_step = seen

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = protos.Summary.Value(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(protos.Summary(value=[value]), global_step)
        tf_logging.info("%s: %g", self._summary_tag, rate)


class NanLossDuringTrainingError(RuntimeError):
    """The loss is NaN."""

    def __str__(self):
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends the loop when the loss is NaN.

    Args:
      loss_tensor: The `Tensor`.
      fail_on_nan_loss: Whether `NanLossDuringTrainingError` is raised then; otherwise the loop ends with a warning.
    """

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if not np.any(np.isnan(run_values.results)):
            return
        text = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            tf_logging.error(text)
            raise NanLossDuringTrainingError
        tf_logging.warning(text)
        run_context.request_stop()


class SummarySaverHook(SessionRunHook):
    """Writes summaries.

    Args:
      save_steps: Steps between summaries.
      save_secs: Seconds between summaries.
      output_dir: Folder for the event file (optional).
      summary_writer: A `FileWriter` to use instead (optional).
      scaffold: A `Scaffold`, whose `summary_op` is written.
      summary_op: A scalar `Tensor` of type string, a serialized Summary, or a list of these.

    Raises:
      ValueError: Both `scaffold` and `summary_op` are given, or none; the same of `save_steps` and `save_secs`.
      RuntimeError: When the session is made: the graph has no global step.
    """

    def __init__(
        self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None
    ):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._global_step = read_of_global_step_for(self)

    def before_run(self, run_context):
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests = {"global_step": self._global_step}
        if self._request_summary and self._summary_ops():
            requests["summary"] = self._summary_ops()
        return SessionRunArgs(requests)

    def after_run(self, run_context, run_values):
        if not self._summary_writer:
            return
        step = run_values.results["global_step"] + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step)
        if self._next_step is None:
            self._summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session=None):
        if self._summary_writer:
            self._summary_writer.flush()

    def _summary_ops(self):
        op = self._scaffold.summary_op if self._summary_op is None else self._summary_op
        return op if op is None or isinstance(op, list) else [op]


class GlobalStepWaiterHook(SessionRunHook):
    """Waits, before the first step, until the global step reaches `wait_until_step`, so that workers start one by one.

    Args:
      wait_until_step: The global step to wait for.

    Raises:
      RuntimeError: When the session is made: the graph has no global step.
    """

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step = global_step_for(self)

    def before_run(self, run_context):
        if self._worker_is_started:
            return
        if self._wait_until_step > 0:
            self._wait(run_context.session)
        self._worker_is_started = True

    def _wait(self, session):
        tf_logging.info("Waiting for global step %d before starting training.", self._wait_until_step)
        pause, logged = 0.01, 0
        while (step := session.run(self._global_step)) < self._wait_until_step:
            if step - logged > 1000:
                tf_logging.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    step,
                )
                logged = step
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


class FinalOpsHook(SessionRunHook):
    """Computes something at the end.

    Args:
      final_ops: What to compute, as in `Session.run`; None for nothing.
      final_ops_feed_dict: Values for placeholders (optional).
    """

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values = None

    @property
    def final_ops_values(self):
        """The values, after the end; None before."""
        return self._final_ops_values

    def end(self, session):
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            tf_logging.warning(
                "FinalOpsHook: the final operations have read past the end of the input. They should only read "
                "variables: of a metric, take the value and not the update."
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds each step what a function returns.

    Args:
      feed_fn: Function that returns a dict, as for `feed_dict`.
    """

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
