"""Sessions that wrap another one and watch its steps."""

import os
import re
import threading
import time
from typing import Any, NamedTuple

import tfcore as tf
from tfcore.as_tensorflow.debug.dump import FEEDS_FILE, FETCHES_FILE
from tfcore.as_tensorflow.debug.watch import WatchOptions
from tfcore.client.session import BaseSession
from tfcore.framework import errors, protos
from tfcore.framework.graph.default_session import DefaultSession
from tfcore.framework.types import nest
from tfcore.train.sessions.monitored_session import StepContext


class Watched(NamedTuple):
    """How a step is watched. urls: of folders for the values. options: WatchOptions. state: of the wrapper."""

    urls: list
    options: WatchOptions
    state: Any = None


class BaseDebugWrapperSession:
    """A session that passes its steps on to another one, and may watch them.

    It passes for a session of the other's class, as `Saver.save` and others want one.

    Args:
      sess: The `tf.Session` or `MonitoredSession`.
      thread_name_filter: A regular expression; steps of threads with other names are not watched (optional).
      pass_through_operrors: Accepted for compatibility: errors of steps are always raised.

    Raises:
      TypeError: It is something else.
    """

    def __init__(self, sess, thread_name_filter=None, pass_through_operrors=False):
        if not isinstance(sess, BaseSession) and not hasattr(sess, "run_step_fn"):
            raise TypeError(f"Expected type tf.Session or tf.train.MonitoredSession; got type {type(sess)}")
        self._sess = sess
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None
        self._count = 0
        self._default = []  # contexts in which it is the default session

    @property
    def __class__(self):
        return type(self._sess)

    def __getattr__(self, name):
        if name == "_sess":  # of an object that was not initialized
            raise AttributeError(name)
        return getattr(self._sess, name)

    @property
    def session(self):
        return self._sess

    @property
    def run_call_count(self):
        return self._count

    def increment_run_call_count(self):
        """Counts a step."""
        self._count += 1

    # ---- What the subclasses define

    def start(self, fetches, feed_dict):
        """Before a step. Returns: how it is watched, a Watched, or None."""
        raise NotImplementedError

    def end(self, watched, metadata, error):
        """After a step that was watched, with its RunMetadata, and its error or None."""

    # ---- Steps

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """As `tf.Session.run`."""
        call = self._sess.run

        def step(options, metadata):
            return call(fetches, feed_dict=feed_dict, options=options, run_metadata=metadata)

        return self._step(step, fetches, feed_dict, options, run_metadata)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """As `tf.Session.make_callable`."""
        runner = self._sess.make_callable(fetches, feed_list=feed_list, accept_options=True)

        def call(*values, options=None, run_metadata=None):
            feeds = dict(zip(feed_list or (), values))
            return self._step(
                lambda options, metadata: runner(*values, options=options, run_metadata=metadata),
                fetches,
                feeds,
                options,
                run_metadata,
            )

        return call

    def _step(self, step, fetches, feed_dict, options, metadata):
        """Runs `step(options, metadata)`."""
        self.increment_run_call_count()
        ignored = self._threads and not self._threads.match(threading.current_thread().name)
        watched = None if ignored or _is_empty(fetches) else self.start(fetches, feed_dict)
        if watched is None:
            return step(options, metadata)
        options = _copy_of(options)
        metadata = tf.RunMetadata() if metadata is None else metadata
        watched.options.watch(options, self._sess.graph, watched.urls)
        try:
            value = step(options, metadata)
        except errors.OpError as error:
            self.end(watched, metadata, error)
            raise
        self.end(watched, metadata, None)
        return value

    def run_step_fn(self, step_fn):
        """As `MonitoredSession.run_step_fn`."""
        return step_fn(StepContext(self._sess, self.run))

    def partial_run_setup(self, fetches, feeds=None):
        raise NotImplementedError("partial_run_setup is not implemented for debug-wrapper sessions.")

    def partial_run(self, handle, fetches, feed_dict=None):
        raise NotImplementedError("partial_run is not implemented for debug-wrapper sessions.")

    # ---- Contexts

    def as_default(self):
        """Within the `with` block this is the thread's default session."""
        return DefaultSession(self)

    def __enter__(self):
        self._default.append(self.as_default())
        return self._default[-1].__enter__()

    def __exit__(self, *exc):
        self._default.pop().__exit__(*exc)

    def should_stop(self):
        """As `MonitoredSession.should_stop`."""
        if hasattr(self._sess, "should_stop"):
            return self._sess.should_stop()
        raise ValueError(
            f"The wrapped session {self._sess!r} does not have a method called 'should_stop'. Do you intend to wrap a "
            "tf.MonitoredSession instead?"
        )


def _copy_of(options):
    copy = protos.RunOptions()
    if options is not None:
        copy.CopyFrom(protos.as_message(protos.RunOptions, options))
    return copy


def _is_empty(fetches):
    return not nest.flatten(fetches) if isinstance(fetches, (list, tuple, dict)) else False


class DumpingDebugWrapperSession(BaseDebugWrapperSession):
    """Writes the values of each step to a folder of its own, for `DebugDumpDir`.

    Args:
      sess: The session.
      session_root: The folder, which is empty or does not exist; a step's is "run_TIME_NUMBER" below it.
      watch_fn: Function of the fetches and feeds of a step that returns `WatchOptions` (optional).
      thread_name_filter: See `BaseDebugWrapperSession`.
      pass_through_operrors: Accepted for compatibility; has no effect.

    Raises:
      TypeError: `watch_fn` is not a function.
      ValueError: The folder is a file, or not empty.
    """

    def __init__(self, sess, session_root, watch_fn=None, thread_name_filter=None, pass_through_operrors=None):
        super().__init__(sess, thread_name_filter)
        if watch_fn is not None and not callable(watch_fn):
            raise TypeError("watch_fn is not callable")
        self._watch_fn = watch_fn
        self._root = checked_folder(session_root, "session_root")
        os.makedirs(self._root, exist_ok=True)
        self._lock, self._n_folders = threading.Lock(), 0

    def start(self, fetches, feed_dict):
        options = WatchOptions() if self._watch_fn is None else self._watch_fn(fetches, feed_dict)
        if isinstance(options, tuple):  # as in the first versions
            options = WatchOptions(*options)
        with self._lock:
            number, self._n_folders = self._n_folders, self._n_folders + 1
        folder = os.path.join(self._root, f"run_{time.time_ns() // 1000}_{number}")
        os.mkdir(folder)
        keys = list(feed_dict) if feed_dict else feed_dict
        for name, value in ((FETCHES_FILE, fetches), (FEEDS_FILE, keys)):
            event = protos.Event()
            event.log_message.message = repr(value)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(event.SerializeToString())
        return Watched([f"file://{folder}"], options)


def checked_folder(path, name):
    """The path of a folder for dumps. ValueError: it is a file, or not empty."""
    path = os.path.expanduser(path)
    if os.path.isfile(path):
        raise ValueError(f"{name} path points to a file: {path}")
    if os.path.isdir(path) and os.listdir(path):
        raise ValueError(f"{name} path points to a non-empty directory: {path}")
    return path


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(
            f"tf_debug.{name}: tfcore sends no tensors to servers. LocalCLIDebugWrapperSession shows them on the "
            "terminal, DumpingDebugWrapperSession writes them to files."
        )

    return type(name, (), {"__init__": refuse, "__doc__": "Refused: it sends tensors to a server."})


GrpcDebugWrapperSession = _refused("GrpcDebugWrapperSession")
TensorBoardDebugWrapperSession = _refused("TensorBoardDebugWrapperSession")
GrpcDebugHook = _refused("GrpcDebugHook")
TensorBoardDebugHook = _refused("TensorBoardDebugHook")
