"""MonitoredTrainingSession: a monitored session with the hooks that training needs."""

import os

from tfcore.train.hooks.basic_session_run_hooks import StepCounterHook, StopAtStepHook, SummarySaverHook
from tfcore.train.hooks.checkpoint_saver_hook import CheckpointSaverHook
from tfcore.train.sessions.monitored_session import MonitoredSession
from tfcore.train.sessions.scaffold import Scaffold
from tfcore.train.sessions.session_creator import ChiefSessionCreator, WorkerSessionCreator

USE_DEFAULT = object()


def MonitoredTrainingSession(  # noqa: N802  TensorFlow's name
    master="",
    is_chief=True,
    checkpoint_dir=None,
    scaffold=None,
    hooks=None,
    chief_only_hooks=None,
    save_checkpoint_secs=USE_DEFAULT,
    save_summaries_steps=USE_DEFAULT,
    save_summaries_secs=USE_DEFAULT,
    config=None,
    stop_grace_period_secs=120,
    log_step_count_steps=100,
    max_wait_secs=7200,
    save_checkpoint_steps=USE_DEFAULT,
    summary_dir=None,
    save_graph_def=True,
    save_in_background=False,
    mean_time_between_failures=None,
    progress_bar=None,
    time_report=None,
):
    """Makes a `MonitoredSession` for training.

    The chief initializes the variables or restores them from the latest checkpoint of `checkpoint_dir`, saves
    checkpoints, and writes summaries; the other tasks wait until the variables are initialized. All continue when a
    task is lost and comes back.

    Args:
      master: Target of the session: "" or that of a `tf.train.Server`.
      is_chief: Whether this task is the chief.
      checkpoint_dir: Folder of the checkpoints; None for no checkpoints.
      scaffold: A `Scaffold` (optional).
      hooks: A list of `SessionRunHook`s (optional).
      chief_only_hooks: A list of hooks that only the chief has (optional).
      save_checkpoint_secs: Seconds between checkpoints, or "auto" (`CheckpointSaverHook`); 600 if neither this nor
        `save_checkpoint_steps` is given. None or 0 for one of them, without a value for the other, means that no
        checkpoints are saved.
      save_summaries_steps: Steps between summaries; 100 if neither this nor `save_summaries_secs` is given. None or 0
        for one of them, without a value for the other, means that no summaries are written.
      save_summaries_secs: Seconds between summaries; see `save_summaries_steps`.
      config: A `ConfigProto` (optional).
      stop_grace_period_secs: Seconds that threads get to end when the session is closed.
      log_step_count_steps: Steps after which the number of steps per second is logged; None for never.
      max_wait_secs: Seconds that other tasks wait for the chief, at most.
      save_checkpoint_steps: Steps between checkpoints; see `save_checkpoint_secs`.
      summary_dir: Folder for summaries; by default `checkpoint_dir`.
      save_graph_def: Whether checkpoints include the graph.
      save_in_background: Whether training continues while a checkpoint is written (`CheckpointSaverHook`).
      mean_time_between_failures: For "auto", seconds between failures of any task, on average; by default estimated.
      progress_bar: Whether the chief shows the step, the loss, the steps per second and, with a `StopAtStepHook`, the
        time left (`ProgressBarHook`); by default if `TFCORE_PROGRESS_BAR` is set, and not to 0.
      time_report: At the end, reports where the time of this many last steps went (`TimeReportHook`); True: 100. By
        default `TFCORE_TIME_REPORT`.

    Returns:
      A `MonitoredSession`.

    Raises:
      ValueError: Both steps and seconds between checkpoints, or between summaries, are given.
      RuntimeError: A hook needs a global step, as those for checkpoints and summaries do, and the graph has none; or
        nothing makes the model ready.
      tf.errors.OpError: An operation failed; the checkpoint does not fit; the chief was not there in time.

    Example:

    >>> import tempfile
    >>> step = tf.train.get_or_create_global_step()
    >>> train = tf.assign_add(step, 1)
    >>> folder = tempfile.mkdtemp()
    >>> with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(5)]) as sess:
    ...     while not sess.should_stop():
    ...         last = sess.run(train)
    >>> print(last, tf.train.latest_checkpoint(folder)[-12:])
    5 model.ckpt-5
    """
    scaffold = scaffold or Scaffold()
    hooks = [*(hooks or []), *_time_report_hooks(time_report)]
    if not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks, stop_grace_period_secs)
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    summary_dir = summary_dir or checkpoint_dir
    all_hooks = list(chief_only_hooks or [])
    if summary_dir and log_step_count_steps and log_step_count_steps > 0:
        all_hooks.append(StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
    steps, secs = _interval(save_summaries_steps, save_summaries_secs, default=(100, None))
    if summary_dir and (steps or secs):
        all_hooks.append(SummarySaverHook(scaffold=scaffold, save_steps=steps, save_secs=secs, output_dir=summary_dir))
    steps, secs = _interval(save_checkpoint_steps, save_checkpoint_secs, default=(None, 600))
    if checkpoint_dir and (steps or secs):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=steps,
                save_secs=secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
                in_background=save_in_background,
                mean_time_between_failures=mean_time_between_failures,
            )
        )
    all_hooks.extend(hooks)
    if progress_bar is None:
        progress_bar = os.environ.get("TFCORE_PROGRESS_BAR", "0") not in ("", "0")
    if progress_bar:
        from tfcore.train.hooks.progress_bar_hook import ProgressBarHook  # here: few programs need tqdm

        stop = [hook for hook in all_hooks if isinstance(hook, StopAtStepHook)]
        all_hooks.append(ProgressBarHook(last_step=stop[0] if stop else None))
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)


def _time_report_hooks(steps):
    if steps is None:
        steps = int(os.environ.get("TFCORE_TIME_REPORT") or 0)
    if not steps:
        return []
    from tfcore.train.hooks.time_report_hook import TimeReportHook  # here: few programs need it

    return [TimeReportHook() if steps is True else TimeReportHook(steps)]


def _interval(steps, secs, default):
    """The steps and the seconds from one time to the next; None for what was not given, or is not positive."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default
    return _positive(steps), _positive(secs)


def _positive(value):
    if value is USE_DEFAULT or value is None:
        return None
    return value if value == "auto" or value > 0 else None
