"""A training loop, and one that tries again after failures."""

import contextlib
import time

from tfcore.framework import errors
from tfcore.platform import tf_logging as logging
from tfcore.train.sessions.monitored_training_session import MonitoredTrainingSession


def train(
    train_op,
    logdir,
    master="",
    is_chief=True,
    scaffold=None,
    hooks=None,
    chief_only_hooks=None,
    save_checkpoint_secs=600,
    save_summaries_steps=100,
    config=None,
    max_wait_secs=7200,
    run_metadata=None,
):
    """Runs a training step until a hook, or the end of the input, ends the loop.

    Args:
      train_op: The step: a `Tensor` that returns the loss, such as that of `create_train_op`.
      logdir: The folder of checkpoints and summaries; None for none, if the task is not the chief.
      master: Target of the session: "" or that of a `tf.train.Server`.
      is_chief: Whether the task initializes variables and saves.
      scaffold: A `Scaffold` (optional).
      hooks: A list of `SessionRunHook`s (optional).
      chief_only_hooks: Hooks of the chief alone (optional).
      save_checkpoint_secs: Seconds between two checkpoints.
      save_summaries_steps: Steps between two summaries.
      config: A `ConfigProto` (optional).
      max_wait_secs: How long other tasks wait for the chief.
      run_metadata: A `RunMetadata` that gets what is known of the last step (optional).

    Returns:
      The value of `train_op` in the last step, None if there was none.

    Raises:
      ValueError: The chief has no folder.
    """
    if logdir is None and is_chief:
        raise ValueError("logdir cannot be None when is_chief=True")
    loss = None
    with MonitoredTrainingSession(
        master,
        is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss


class FailureTolerator:
    """Forgives errors, and waits after each of them before it lets the program try again.

    Args:
      limit: The number of errors that is no longer forgiven.
      init_delay: Seconds to wait after the first error.
      backoff_factor: By what the wait grows with each further error.
      forgive_after_seconds: Errors older than this, without the waits, are forgotten.
      handled_exceptions: A sequence of classes; by default `tf.errors.AbortedError` alone.
    """

    def __init__(
        self, limit=5, init_delay=5.0, backoff_factor=2.0, forgive_after_seconds=6000, handled_exceptions=None
    ):
        self._limit, self._delay, self._factor = limit, init_delay, backoff_factor
        self._window, self._failures, self._waited = forgive_after_seconds, [], 0.0
        self._handled = (errors.AbortedError,) if handled_exceptions is None else tuple(handled_exceptions)

    def _recent(self):
        now = time.monotonic() - self._waited
        return now, [at for at in self._failures if now - at < self._window]

    @contextlib.contextmanager
    def forgive(self):
        """A context whose errors are forgiven. It begins with the wait for those before.

        Returns:
          A context manager.
        """
        _, self._failures = self._recent()
        if self._failures:
            wait = self._delay * self._factor ** (len(self._failures) - 1)
            logging.warning("Sleeping for %f seconds before resuming", wait)
            time.sleep(wait)
            self._waited += wait
        try:
            yield
        except self._handled:
            now, recent = self._recent()
            self._failures = [*recent, now]
            if len(self._failures) >= self._limit:
                raise
            logging.warning("Forgiving an exception", exc_info=True)
