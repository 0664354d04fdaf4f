"""What ends an evaluation."""

from tfcore.platform import tf_logging as logging
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ["StopAfterNEvalsHook"]


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
