"""Evaluation of a checkpoint, and what ends it."""

from tfcore.contrib.training.train_op import get_or_create_eval_step
from tfcore.ops.state.state import assign_add
from tfcore.platform import tf_logging as logging
from tfcore.train.hooks.basic_session_run_hooks import FinalOpsHook
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook
from tfcore.train.sessions.monitored_session import MonitoredSession
from tfcore.train.sessions.session_creator import ChiefSessionCreator


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
    hooks = list(hooks or [])
    if eval_ops is not None:
        update = assign_add(get_or_create_eval_step(), 1)
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(update)
        if isinstance(eval_ops, dict):
            eval_ops = {**eval_ops, "update_eval_step": update}
        else:
            eval_ops = [*(eval_ops if isinstance(eval_ops, (list, tuple)) else [eval_ops]), update]
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=checkpoint_path)
    with MonitoredSession(creator, [*hooks, final]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    return final.final_ops_values
