"""The debugger as hooks of a `MonitoredSession`."""

import tfcore as tf
from tfcore.as_tensorflow.debug.local_cli import LocalCLIDebugWrapperSession
from tfcore.as_tensorflow.debug.wrappers import DumpingDebugWrapperSession
from tfcore.framework import protos


class _DebugHook(tf.train.SessionRunHook):
    """Watches the steps of a session as a wrapper of the session does."""

    def __init__(self):
        self._wrapper, self._watched = None, None

    def _wrap(self, session):
        raise NotImplementedError

    def before_run(self, run_context):
        if self._wrapper is None:
            self._wrapper = self._wrap(run_context.session)
        self._wrapper.increment_run_call_count()
        args = run_context.original_args
        self._watched = self._wrapper.start(args.fetches, args.feed_dict)
        if self._watched is None:
            return None
        options = protos.RunOptions()
        self._watched.options.watch(options, run_context.session.graph, self._watched.urls)
        return tf.train.SessionRunArgs(None, options=options)

    def after_run(self, run_context, run_values):
        if self._watched is not None:
            self._wrapper.end(self._watched, run_values.run_metadata, None)


class LocalCLIDebugHook(_DebugHook):
    """Asks on the terminal before and after steps, see `LocalCLIDebugWrapperSession`.

    Args:
      ui_type: "readline" or "curses"; both are a plain prompt.
      dump_root: A folder for the values of a step, empty or new (optional).
      thread_name_filter: Accepted for compatibility; has no effect.
      config_file_path: Accepted for compatibility; has no effect.
    """

    def __init__(self, ui_type="readline", dump_root=None, thread_name_filter=None, config_file_path=None):
        super().__init__()
        self._arguments = {"ui_type": ui_type, "dump_root": dump_root}
        self._filters = {}

    def add_tensor_filter(self, filter_name, tensor_filter):
        """See `LocalCLIDebugWrapperSession.add_tensor_filter`."""
        self._filters[filter_name] = tensor_filter
        if self._wrapper is not None:
            self._wrapper.add_tensor_filter(filter_name, tensor_filter)

    def _wrap(self, session):
        wrapper = LocalCLIDebugWrapperSession(session, **self._arguments)
        for name, function in self._filters.items():
            wrapper.add_tensor_filter(name, function)
        return wrapper


class DumpingDebugHook(_DebugHook):
    """Writes the values of each step to files, see `DumpingDebugWrapperSession`.

    Args:
      session_root: The folder.
      watch_fn: Function of the fetches and feeds of a step that returns `WatchOptions` (optional).
      thread_name_filter: Accepted for compatibility; has no effect.
    """

    def __init__(self, session_root, watch_fn=None, thread_name_filter=None):
        super().__init__()
        self._arguments = session_root, watch_fn

    def _wrap(self, session):
        return DumpingDebugWrapperSession(session, *self._arguments)
