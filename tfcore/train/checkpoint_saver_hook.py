"""CheckpointSaverHook: saves a checkpoint now and then, and tells listeners."""

import os

from tfcore.framework import proto
from tfcore.framework.graph import GraphKeys, get_default_graph
from tfcore.framework.graph_io import write_graph
from tfcore.io import meta_graph
from tfcore.platform import tf_logging
from tfcore.summary import FileWriterCache
from tfcore.train.basic_session_run_hooks import global_step_for
from tfcore.train.hook_timers import SecondOrStepTimer
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ["CheckpointSaverHook", "CheckpointSaverListener"]


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
      save_secs: Seconds between checkpoints.
      save_steps: Steps between checkpoints.
      saver: A `Saver` (optional).
      checkpoint_basename: Beginning of the names of the checkpoints.
      scaffold: A `Scaffold`, which has the saver (optional). Without both, the collection SAVERS has it.
      listeners: A list of `CheckpointSaverListener`s (optional).
      save_graph_def: Whether to save the graph, too.

    Raises:
      ValueError: Both `saver` and `scaffold` are given; both `save_secs` and `save_steps`, or none.
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
    ):
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def

    def begin(self):
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step = global_step_for(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
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

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        if self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._global_step)
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._save(run_context.session, step):
                    run_context.request_stop()

    def end(self, session):
        step = session.run(self._global_step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Saves a checkpoint; returns whether a listener asks for the end."""
        for listener in self._listeners:
            listener.before_save(session, step)
        tf_logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        log = proto.SessionLog(status=proto.SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
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
