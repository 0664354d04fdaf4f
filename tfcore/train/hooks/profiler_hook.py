"""ProfilerHook: traces a step now and then."""

import os

from tfcore.client.timeline import Timeline
from tfcore.framework import protos
from tfcore.platform import gfile, tf_logging
from tfcore.summary import FileWriterCache
from tfcore.train.hooks.basic_session_run_hooks import read_of_global_step_for
from tfcore.train.hooks.hook_timers import SecondOrStepTimer
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook


class ProfilerHook(SessionRunHook):
    """Traces a step now and then: writes `timeline-STEP.json`, for a browser, and an event for TensorBoard.

    Args:
      save_steps: Steps between traces.
      save_secs: Seconds between traces.
      output_dir: Folder for the files.
      show_dataflow: Whether timelines have arrows for the tensors that operations exchange.
      show_memory: Whether timelines show the memory of tensors.

    Raises:
      ValueError: Both `save_steps` and `save_secs` are given, or none.
      RuntimeError: When the session is made: the graph has no global step.
    """

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._output_dir = output_dir
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        self._summary_writer = FileWriterCache.get(self._output_dir or ".")
        self._next_step = None
        self._global_step = read_of_global_step_for(self)

    def before_run(self, run_context):
        # The first step is not traced: it includes what happens only once.
        self._traced = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE) if self._traced else None
        return SessionRunArgs(self._global_step, options=options)

    def after_run(self, run_context, run_values):
        if self._next_step is None:
            self._timer.update_last_triggered_step(run_values.results)
        step = run_values.results + 1
        if self._traced:
            step = run_context.session.run(self._global_step)
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
        self._next_step = step + 1

    def _save(self, step, run_metadata):
        path = self._output_file.format(step)
        tf_logging.info("Saving timeline for %d into '%s'.", step, path)
        timeline = Timeline(run_metadata.step_stats)
        with gfile.Open(path, "w") as file:
            file.write(timeline.generate_chrome_trace_format(self._show_dataflow, self._show_memory))
        self._summary_writer.add_run_metadata(run_metadata, f"step_{step}")
