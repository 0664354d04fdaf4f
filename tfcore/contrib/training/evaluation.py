"""Evaluation of a checkpoint, and what ends it."""

from tfcore.contrib.training.train_op import get_or_create_eval_step
from tfcore.ops.state.state import assign_add
from tfcore.platform import tf_logging as logging
from tfcore.summary.file_writer import FileWriterCache
from tfcore.summary.summaries import merge_all
from tfcore.train.checkpoints.checkpoint_utils import checkpoints_iterator
from tfcore.train.hooks.basic_session_run_hooks import FinalOpsHook
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook
from tfcore.train.sessions.monitored_session import MonitoredSession
from tfcore.train.sessions.session_creator import ChiefSessionCreator
from tfcore.train.training_util import get_or_create_global_step, global_step


class StopAfterNEvalsHook(SessionRunHook):
    """A hook that ends the loop after a number of steps of an evaluation.

    Whoever uses it sets the tensor that counts the steps by `_set_evals_completed_tensor`.

    Args:
      num_evals: The number of steps; None for no limit.
      log_progress: Whether to log each step; of twenty steps or more, each tenth part.
    """

    def __init__(self, num_evals, log_progress=True):
        self._num_evals = num_evals
        self._evals_completed = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else num_evals // 10

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._evals_completed = updated_eval_step

    def before_run(self, run_context):
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context, run_values):
        completed, total = run_values.results["evals_completed"], self._num_evals
        if self._log_progress:
            if total is None:
                logging.info("Evaluation [%d]", completed)
            elif completed % self._log_frequency == 0 or completed == total:
                logging.info("Evaluation [%d/%d]", completed, total)
        if total is not None and completed >= total:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path,
    master="",
    scaffold=None,
    eval_ops=None,
    feed_dict=None,
    final_ops=None,
    final_ops_feed_dict=None,
    hooks=None,
    config=None,
):
    """Evaluates a checkpoint: runs `eval_ops` until a hook, or the end of the input, ends the loop.

    Args:
      checkpoint_path: Prefix of the checkpoint.
      master: Target of the session: "" or that of a `tf.train.Server`.
      scaffold: A `Scaffold` (optional).
      eval_ops: What each step runs: a tensor or operation, or a list or dict of these; None for no steps.
      feed_dict: Values for placeholders (optional).
      final_ops: What is computed at the end, as in `Session.run` (optional).
      final_ops_feed_dict: Values for placeholders of `final_ops` (optional).
      hooks: A list of `SessionRunHook`s, such as a `StopAfterNEvalsHook` (optional).
      config: A `ConfigProto` (optional).

    Returns:
      The values of `final_ops`.

    Raises:
      ValueError: There is no such checkpoint.
    """
    hooks, eval_ops = list(hooks or []), _counted(eval_ops, hooks)
    return _evaluate(
        checkpoint_path, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config
    )


def _counted(eval_ops, hooks):
    """The operations of a step, which also counts the steps, for hooks that end the loop after a number of them."""
    if eval_ops is not None:
        update = assign_add(get_or_create_eval_step(), 1)
        for hook in hooks or ():
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(update)
        if isinstance(eval_ops, dict):
            eval_ops = {**eval_ops, "update_eval_step": update}
        else:
            eval_ops = [*(eval_ops if isinstance(eval_ops, (list, tuple)) else [eval_ops]), update]
    return eval_ops


def _evaluate(path, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config):
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=path)
    with MonitoredSession(creator, [*hooks, final]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir,
    master="",
    scaffold=None,
    eval_ops=None,
    feed_dict=None,
    final_ops=None,
    final_ops_feed_dict=None,
    eval_interval_secs=60,
    hooks=None,
    config=None,
    max_number_of_evaluations=None,
    timeout=None,
    timeout_fn=None,
):
    """Evaluates each new latest checkpoint of a folder, as `evaluate_once` does.

    Args:
      checkpoint_dir: The folder.
      master: Target of the session: "" or that of a `tf.train.Server`.
      scaffold: A `Scaffold` (optional).
      eval_ops: What each step runs: a tensor or operation, or a list or dict of these; None for no steps.
      feed_dict: Values for placeholders (optional).
      final_ops: What is computed at the end of an evaluation, as in `Session.run` (optional).
      final_ops_feed_dict: Values for placeholders of `final_ops` (optional).
      eval_interval_secs: The least time between two evaluations, in seconds.
      hooks: A list of `SessionRunHook`s, such as a `StopAfterNEvalsHook` (optional).
      config: A `ConfigProto` (optional).
      max_number_of_evaluations: How many; None for no limit.
      timeout: How many seconds to wait for the next checkpoint; None: any time.
      timeout_fn: Called after the timeout: the loop ends if it returns True. Without it, the timeout ends it.

    Returns:
      The values of `final_ops` in the last evaluation, None if there was none.

    Raises:
      tf.errors.OpError: An evaluation failed.
    """
    hooks, values = list(hooks or []), None
    eval_ops = _counted(eval_ops, hooks)
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for done, path in enumerate(paths, 1):
        logging.info("Starting evaluation of %s", path)
        values = _evaluate(path, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config)
        if max_number_of_evaluations is not None and done >= max_number_of_evaluations:
            break
    return values


class SummaryAtEndHook(SessionRunHook):
    """A hook that writes summaries at the end of a session, such as an evaluation.

    Args:
      log_dir: The folder of the event file; or
      summary_writer: a `FileWriter`.
      summary_op: The summary; by default all of the graph, merged.
      feed_dict: Values for placeholders (optional).

    Raises:
      ValueError: There is neither a folder nor a writer.
    """

    def __init__(self, log_dir=None, summary_writer=None, summary_op=None, feed_dict=None):
        if log_dir is None and summary_writer is None:
            raise ValueError("Must pass either log_dir or summary_writer.")
        self._log_dir, self._writer, self._feed_dict = log_dir, summary_writer, feed_dict
        self._given_op = self._summary_op = summary_op

    def begin(self):
        """Finds the summaries and the global step of the graph, which may be another one for each session."""
        if self._given_op is None:
            self._summary_op = merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session, coord):
        """Opens the event file.

        Args:
          session: The `Session`.
          coord: Its `Coordinator`.
        """
        if self._writer is None:
            self._writer = FileWriterCache.get(self._log_dir)

    def end(self, session):
        """Writes the summaries.

        Args:
          session: The `Session`.
        """
        step = global_step(session, self._global_step)
        if self._summary_op is not None:
            self._writer.add_summary(session.run(self._summary_op, self._feed_dict), step)
        self._writer.flush()
