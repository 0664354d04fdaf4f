"""A session that asks on the terminal before and after steps: the command line of TensorFlow's debugger."""

import math
import os
import shutil
import sys
import tempfile
import threading
import weakref
from typing import Any, NamedTuple

from tfcore.as_tensorflow.debug.commands import Commands
from tfcore.as_tensorflow.debug.dump import DebugDumpDir, has_inf_or_nan
from tfcore.as_tensorflow.debug.watch import WatchOptions
from tfcore.as_tensorflow.debug.wrappers import BaseDebugWrapperSession, Watched, checked_folder


class RunRequest(NamedTuple):
    """What the user has asked for.

    Attributes:
      steps_before: how many steps run unwatched first. watches: whether the next one is watched, and asks again.
      filter: the name of the filter that a step has to pass to stop. exclude: a regular expression for operations that
        the filter leaves out. options: WatchOptions.
    """

    steps_before: float
    watches: bool
    filter: str | None = None
    exclude: str | None = None
    options: Any = None


class _Run(NamedTuple):
    number: int
    fetches: Any
    feeds: Any


UNWATCHED = RunRequest(math.inf, False)


class LocalCLIDebugWrapperSession(BaseDebugWrapperSession):
    """Asks for commands on the standard input before a step and after it; `help` lists them.

    At the end of the input all further steps run without.

    Args:
      sess: The `tf.Session` or `MonitoredSession`.
      dump_root: A folder for the values of a step, empty or new (optional).
      log_usage: Accepted for compatibility; has no effect.
      ui_type: "readline" or "curses"; both are a plain prompt.
      thread_name_filter: A regular expression; steps of threads with other names are not watched (optional).
      config_file_path: Accepted for compatibility; has no effect.

    Raises:
      TypeError: `sess` is not a session.
      ValueError: `dump_root` is a file, or not empty; or `ui_type` is another string.
    """

    def __init__(
        self,
        sess,
        dump_root=None,
        log_usage=True,
        ui_type="readline",
        thread_name_filter=None,
        config_file_path=False,
    ):
        super().__init__(sess, thread_name_filter)
        if ui_type not in ("readline", "curses"):
            raise ValueError(f"Unknown UI type: {ui_type!r}; valid ones are 'readline' and 'curses'")
        if dump_root:
            self._root = checked_folder(dump_root, "dump_root")
        else:
            self._root = tempfile.mkdtemp(prefix="tfdbg_")
            weakref.finalize(self, shutil.rmtree, self._root, True)
        self._filters = {"has_inf_or_nan": has_inf_or_nan}
        self._request = None
        self._asking = threading.RLock()  # of the prompt and _request: one thread asks at a time

    def add_tensor_filter(self, filter_name, tensor_filter):
        """Adds a filter, which the commands `run -f` and `lt -f` name.

        Args:
          filter_name: Its name.
          tensor_filter: Function of a `DebugTensorDatum` and its value, which returns whether it passes.
        """
        self._filters[filter_name] = tensor_filter

    def start(self, fetches, feed_dict):
        with self._asking:
            run = _Run(self.run_call_count, fetches, feed_dict)
            if self._request is None:
                self._request = self._ask("run-start", run, None, "run_info")
            request = self._request
            if request.steps_before > 0:
                self._request = request._replace(steps_before=request.steps_before - 1)
                return None
            if not request.watches:
                self._request = None
                return None
        os.makedirs(self._root, exist_ok=True)
        folder = tempfile.mkdtemp(dir=self._root)  # of its own: other threads run steps at the same time
        return Watched([f"file://{folder}"], request.options or WatchOptions(), (request, run, folder))

    def end(self, watched, metadata, error):
        request, run, folder = watched.state
        try:
            self._show(request, run, DebugDumpDir(folder, metadata.partition_graphs), error)
        finally:
            shutil.rmtree(folder)

    def _show(self, request, run, dump, error):
        """After a watched step: asks how to go on, unless it is one that the filter lets pass."""
        dump.set_python_graph(self._sess.graph)
        command = "lt"
        if error is None and request.filter:
            if not dump.find(self._filters[request.filter], first_n=1, exclude_node_names=request.exclude):
                return
            command = f"lt -f {request.filter}" + (f" -fenn '{request.exclude}'" if request.exclude else "")
        with self._asking:
            if error is not None:
                print(f"!!!!!! An error occurred during the run !!!!!!\n{error}\n", flush=True)
            self._request = self._ask("run-end", run, dump, command)

    def _ask(self, when, run, dump, command):
        """Prints what `command` says and reads commands until one says how to go on. Returns: a RunRequest."""
        feeds = f"{len(run.feeds)} feed(s)" if run.feeds else "0 feeds"
        print(f"{when}: run #{run.number}: {_described(run.fetches)}; {feeds}")
        commands = Commands(dump, self._filters, run.fetches, run.feeds)
        commands.do(command)
        while True:
            print("\ntfdbg> ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                print("end of input: further steps run without the debugger", flush=True)
                return UNWATCHED
            asked = commands.do(line)
            if asked is not None:
                return _request_of(asked)


def _request_of(asked):
    """asked: the arguments of the command `run`."""
    if asked.no_debug:
        return RunRequest(asked.times - 1, False)
    patterns = asked.node_name_filter, asked.op_type_filter, asked.tensor_dtype_filter
    options = WatchOptions(None, *(pattern or None for pattern in patterns))
    return RunRequest(
        asked.times - 1, True, asked.till_filter_pass or None, asked.filter_exclude_node_names or None, options
    )


def _described(fetches):
    if isinstance(fetches, (list, tuple, dict)):
        return f"{len(fetches)} fetches"
    return f"1 fetch ({getattr(fetches, 'name', fetches)})"
