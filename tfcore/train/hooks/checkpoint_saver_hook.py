"""CheckpointSaverHook: saves a checkpoint now and then, and tells listeners."""

import os
import time

from tfcore.framework import errors, protos
from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.io import meta_graph
from tfcore.io.graph_files import write_graph
from tfcore.platform import tf_logging
from tfcore.summary import FileWriterCache
from tfcore.train.checkpoints.saver import Saver
from tfcore.train.hooks.background_save import BackgroundSave, options_of_save
from tfcore.train.hooks.basic_session_run_hooks import global_step_for
from tfcore.train.hooks.checkpoint_interval import BestIntervalTimer
from tfcore.train.hooks.hook_timers import SecondOrStepTimer
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook


class CheckpointSaverListener:
    """Base class of what a `CheckpointSaverHook` tells about its work. The methods do nothing here."""

    def begin(self):
        """Called once, before there is a session."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is saved.

        Args:
          session: The `Session`.
          global_step_value: The global step.
        """

    def after_save(self, session, global_step_value):
        """Called when a checkpoint has been saved.

        Args:
          session: The `Session`.
          global_step_value: The global step.

        Returns:
          True to end the loop, except at the first checkpoint and the last.
        """

    def end(self, session, global_step_value):
        """Called at the end of the session.

        Args:
          session: The `Session`.
          global_step_value: The global step.
        """


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints: when a session is created, every so many steps or seconds, and at the end.

    Args:
      checkpoint_dir: Folder of the checkpoints.
      save_secs: Seconds between checkpoints; "auto": as many as lose the least time, by what checkpoints cost and how
        often tasks fail (`checkpoint_interval.py`).
      save_steps: Steps between checkpoints.
      saver: A `Saver` (optional).
      checkpoint_basename: Beginning of the names of the checkpoints.
      scaffold: A `Scaffold`, which has the saver (optional). Without both, the collection SAVERS has it.
      listeners: A list of `CheckpointSaverListener`s (optional).
      save_graph_def: Whether to save the graph, too.
      in_background: Whether training continues while a checkpoint is written, except for the first and the last; the
        save then has the lowest priority (`in_background` of `Saver.save`). The session waits until all tasks have
        fixed the values of their variables, so that all of a checkpoint is of the step in its name, unless others
        change variables meanwhile. `after_save` is called in the first step after the checkpoint is complete; if saving
        failed, its error is raised in that step. The next checkpoint begins when this one is complete. The end of the
        session waits for it.
      mean_time_between_failures: For "auto", seconds between failures of any task, on average; by default estimated
        from those that happen.

    Raises:
      ValueError: Both `saver` and `scaffold` are given; both `save_secs` and `save_steps`, or none;
        `mean_time_between_failures` is not positive, or given without "auto".
      RuntimeError: When the session is made: the graph has no global step; without `saver` and `scaffold`, the
        collection SAVERS is empty or has several.
    """

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
        save_graph_def=True,
        in_background=False,
        mean_time_between_failures=None,
    ):
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = _timer(save_secs, save_steps, mean_time_between_failures)
        self._in_background = in_background
        self._background = None  # the checkpoint that is being written
        self._coord = None
        self._pace = _Pace()
        self._had_session = False
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def

    def begin(self):
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step = global_step_for(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        if self._had_session:
            self._forget_background()
            if isinstance(self._timer, BestIntervalTimer):
                self._timer.note_failure()
        self._had_session = True
        self._coord = coord
        step = session.run(self._global_step)
        graph = get_default_graph()
        if self._save_graph_def:
            write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(
            meta_graph.export_meta_graph(graph=graph, saver_def=saver.saver_def if saver else None)
        )
        # So that a failure before the first interval is over does not lose the initial values.
        self._save(session, step)
        self._timer.update_last_triggered_step(step)
        self._pace.pause()

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        self._pace.note_run(self._background is not None)
        if self._background is not None and self._background.is_over and self._finish_background(run_context.session):
            run_context.request_stop()
        if self._background is None and self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._global_step)
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._in_background:
                    self._begin_background(run_context.session, step)
                elif self._save(run_context.session, step):
                    run_context.request_stop()
        self._pace.pause()

    def end(self, session):
        if self._background is not None:
            self._finish_background(session)
        step = session.run(self._global_step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Saves a checkpoint; returns whether a listener asks for the end."""
        start = time.monotonic()
        self._before_save(session, step)
        self._write(session, step)
        self._note_cost(time.monotonic() - start)
        return self._after_save(session, step)

    def _begin_background(self, session, step):
        self._pace.begin()
        start = time.monotonic()
        self._before_save(session, step)
        saver = self._get_saver()
        snapshots = saver.snapshots_per_save(session.graph) if isinstance(saver, Saver) else 0
        self._background = BackgroundSave(lambda: self._write(session, step, **options_of_save(saver)), snapshots)
        if self._coord is not None:  # the thread has ended before another session restores variables
            self._coord.register_thread(self._background.thread)
        self._background_step = step
        self._background.wait_for_snapshots()
        self._blocked = time.monotonic() - start

    def _finish_background(self, session):
        """Waits for the end; returns whether a listener asks for the end of training."""
        ended, self._background = self._background, None
        ended.finish()
        self._note_cost(self._blocked + self._pace.lost())
        return self._after_save(session, self._background_step)

    def _forget_background(self):
        """The session is another one: what was being saved may have failed with the one before."""
        ended, self._background = self._background, None
        try:
            if ended is not None:
                ended.finish()
        except (errors.AbortedError, errors.UnavailableError, errors.CancelledError, RuntimeError) as error:
            # RuntimeError: it was closed before the save began.
            tf_logging.warning("A checkpoint was not saved, as the session was lost: %s", error)

    def _note_cost(self, seconds):
        if isinstance(self._timer, BestIntervalTimer):
            self._timer.note_cost(seconds)

    def _write(self, session, step, **options):
        saver = self._get_saver()
        saver.save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def, **options)

    def _before_save(self, session, step):
        for listener in self._listeners:
            listener.before_save(session, step)
        tf_logging.info("Saving checkpoints for %d into %s.", step, self._save_path)

    def _after_save(self, session, step):
        log = protos.SessionLog(status=protos.SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                tf_logging.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
                stop = True
        return stop

    def _get_saver(self):
        if self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            savers = get_default_graph().get_collection(GraphKeys.SAVERS)
            if not savers:
                raise RuntimeError(
                    f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or provide a "
                    "saver or scaffold."
                )
            if len(savers) > 1:
                raise RuntimeError(
                    f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing "
                    "it to the constructor."
                )
            self._saver = savers[0]
        return self._saver


def _timer(save_secs, save_steps, mean_time_between_failures):
    if save_secs == "auto":
        if save_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        return BestIntervalTimer(mean_time_between_failures)
    if mean_time_between_failures is not None:
        raise ValueError('mean_time_between_failures is for save_secs="auto"')
    return SecondOrStepTimer(save_secs, save_steps)


class _Pace:
    """What steps take while a checkpoint is written, beside those before."""

    def __init__(self):
        self._since = None
        self._usual = [0.0, 0]  # seconds, steps
        self._saving = [0.0, 0]

    def begin(self):
        self._saving = [0.0, 0]

    def note_run(self, saving):
        if self._since is not None:
            totals = self._saving if saving else self._usual
            totals[0] += time.monotonic() - self._since
            totals[1] += 1

    def pause(self):
        """The time until now is not that of a step."""
        self._since = time.monotonic()

    def lost(self):
        """The seconds by which the steps of the last checkpoint were slower than usual."""
        (seconds, steps), (usual_seconds, usual_steps) = self._saving, self._usual
        return max(0.0, seconds - steps * usual_seconds / usual_steps) if usual_steps else 0.0
