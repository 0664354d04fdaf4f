"""Monitored sessions: call hooks around each step, stop the threads of the program, and replace sessions that fail."""

import inspect
import threading
import time

from tfcore.client.metadata import RunMetadata
from tfcore.client.session import BaseSession
from tfcore.framework import errors, protos
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.platform import tf_logging
from tfcore.train.session_run_hook import CleanUpHook, SessionRunArgs, SessionRunContext, SessionRunValues
from tfcore.train.sessions import cluster_state
from tfcore.train.sessions.session_creator import ChiefSessionCreator
from tfcore.train.threads import queue_runner
from tfcore.train.threads.coordinator import Coordinator

_PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)
_LONGEST_PAUSE = 0.2  # seconds between attempts: a task that was lost is often back in one
_CANCEL_SECONDS = 0.1  # between looks for steps that wait for a thread that was preempted
_HOPELESS_ATTEMPTS = 8  # as the news that a task has come back may take a while


class StepContext:
    """What a function that `run_step_fn` calls gets.

    Args:
      session: The `Session`.
      run_with_hooks_fn: The method `run` that calls the hooks.
    """

    def __init__(self, session, run_with_hooks_fn):
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self):
        """The `Session`, whose `run` calls no hooks."""
        return self._session

    def run_with_hooks(self, *args, **kwargs):
        """Runs a step as `MonitoredSession.run` does, with the same arguments; call it once."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self):
        """Ends the loop: raises StopIteration, which the `with` block of the session catches."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _MonitoredSession:
    """What `MonitoredSession` and `SingularMonitoredSession` have in common."""

    StepContext = StepContext

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph = get_default_graph()
        self._graph_was_finalized = self._graph.finalized
        self._hooks = hooks or []
        self._preemption_errors = _PREEMPTION_ERRORS if should_recover else ()
        self._stop_grace_period_secs = stop_grace_period_secs
        self._sess = None  # the _CoordinatedSession; None if it has failed and could not be replaced
        self._closed = False
        for hook in self._hooks:
            hook.begin()
        self._session_creator = session_creator or ChiefSessionCreator()
        self._create_session()

    # ---- Steps

    @property
    def graph(self):
        """The graph; None if the session is closed."""
        return None if self._tf_sess() is None else self._tf_sess().graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Runs a step, with what the hooks add to it.

        If the step ends because a task of the cluster was lost or has come back, a new session replaces the old one,
        and the step is run again; unless it has failed several times in a row and no lost task may come back.

        Args:
          fetches: What to compute, as in `Session.run`.
          feed_dict: Values for placeholders and other tensors (optional).
          options: A `RunOptions` (optional).
          run_metadata: A `RunMetadata` to fill (optional).

        Returns:
          The values of `fetches`.

        Raises:
          RuntimeError: The session is closed, a hook has asked for the end, or hooks and the program feed the same
            tensor.
          tf.errors.OpError: An operation failed.
        """
        # The first attempt is the same as in `_repeat`, without the cost of a closure: nearly all steps end here.
        if self._sess is not None:
            try:
                return self._sess.run(fetches, feed_dict, options, run_metadata)
            except Exception as error:
                if not self._is_preemption(error):
                    raise
                self._discard_session(error)
        return self._repeat(lambda session: session.run(fetches, feed_dict, options, run_metadata))

    def run_step_fn(self, step_fn):
        """Runs a function that may run several steps, with and without hooks.

        Args:
          step_fn: Function with the one argument `step_context`, a `StepContext`; or such a method.

        Returns:
          What `step_fn` returns.

        Raises:
          ValueError: `step_fn` has other positional arguments.
          StopIteration: `step_fn` has called `request_stop`.
        """
        parameters = inspect.signature(step_fn).parameters.values()
        names = tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )
        return self._repeat(lambda session: step_fn(StepContext(session.tf_session, session.run)))

    def _repeat(self, step):
        """Calls `step` with the session, and again with a new one for as long as sessions fail, as `_Attempts` says."""
        attempts = _Attempts()
        while True:
            if self._closed:
                raise RuntimeError("Session is already closed.")
            if self._sess is None:
                self._create_session()
            try:
                return step(self._sess)
            except Exception as error:
                if not self._is_preemption(error):
                    raise
                attempts.note_failure(error)
                self._discard_session(error)

    def should_stop(self):
        """Whether the loop shall end: a hook or a thread has asked for it, or the session is closed."""
        if self._sess is None:
            return True
        try:
            return self._sess.should_stop()
        except Exception as error:
            if self._is_preemption(error):
                self._discard_session(error)
                self._create_session()
                return False
            if self._preemption_errors:
                return True  # `close` raises the error
            raise

    # ---- Sessions that fail

    def _is_preemption(self, error):
        """Whether a new session may help after an error."""
        if not self._preemption_errors or self._sess is None:  # a function of steps may have closed it
            return False
        return self._sess.is_preemption(error) or self._sess.is_consequence(error)

    def _discard_session(self, error):
        tf_logging.info(
            "An error was raised. This may be due to a preemption in a connected worker or parameter server. The "
            "current session will be closed and a new session will be created. Error: %s",
            error,
        )
        self._close_session(replaced=True)

    def _create_session(self):
        """Makes a session, again and again until it works, as `_Attempts` says."""
        attempts = _Attempts()
        while True:
            try:
                with self._graph.as_default():
                    session = self._session_creator.create_session()
                    recovers = bool(self._preemption_errors)
                    self._sess = _CoordinatedSession(session, self._hooks, self._stop_grace_period_secs, recovers)
                return
            except self._preemption_errors as error:
                attempts.note_failure(error)
                tf_logging.info(
                    "An error was raised while a session was being created. This may be due to a preemption of a "
                    "connected worker or parameter server. A new session will be created. Error: %s",
                    error,
                )

    def _close_session(self, replaced=False):
        session, self._sess = self._sess, None
        try:
            session.close(replaced)
        except Exception as error:
            if not (self._preemption_errors and session.is_preemption(error)):
                raise
            tf_logging.error(
                "An error occurred when attempting to close the session. This may be due to a preemption in a "
                "connected worker or parameter server. Error: %s",
                error,
            )

    # ---- The end

    def close(self):
        """Calls the hooks' `end`, stops the threads, and closes the session.

        Raises:
          RuntimeError: It is closed already.
          Exception: The error of a thread.
        """
        self._close_internal()

    def _close_internal(self, exception_type=None):
        if self._closed:
            raise RuntimeError("Session is already closed.")
        try:
            if exception_type is None and self._sess is not None:
                self._sess.begin_end()
                for hook in self._hooks:
                    hook.end(self._tf_sess())
        finally:
            self._closed = True
            try:
                if self._sess is not None:
                    self._close_session()
            finally:
                if not self._graph_was_finalized:
                    self._graph._unsafe_unfinalize()

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type in (errors.OutOfRangeError, StopIteration):  # the end of the input, or of the loop
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _is_closed(self):
        return self._closed

    def _tf_sess(self):
        """The `Session`; None if there is none at present."""
        return None if self._sess is None else self._sess.tf_session


class MonitoredSession(_MonitoredSession):
    """A session that calls hooks around each step, starts queue runners, and recovers from the loss of tasks.

    When a step ends with AbortedError or UnavailableError, the session is closed, a new one is created, and the step is
    run again. At the end of the `with` block the session is closed; OutOfRangeError, the end of the input, and
    StopIteration end the block without an error. The graph is finalized meanwhile.

    Args:
      session_creator: A `SessionCreator`; a `ChiefSessionCreator` by default.
      hooks: A list of `SessionRunHook`s (optional).
      stop_grace_period_secs: Seconds that threads get to end when the session is closed.

    Example:

    >>> step = tf.train.get_or_create_global_step()
    >>> train = tf.assign_add(step, 1)
    >>> with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
    ...     while not sess.should_stop():
    ...         print(sess.run(train))
    1
    2
    3
    """

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A `MonitoredSession` that does not recover: errors of lost tasks are raised.

    `raw_session` returns the underlying `Session`, as savers need it.

    Args:
      hooks: A list of `SessionRunHook`s (optional).
      scaffold: A `Scaffold` (optional).
      master: Target of the session: "" or that of a `tf.train.Server`.
      config: A `ConfigProto` (optional).
      checkpoint_dir: Folder whose latest checkpoint is restored, if there is one (optional).
      stop_grace_period_secs: Seconds that threads get to end when the session is closed.
      checkpoint_filename_with_path: Prefix of the checkpoint to restore instead (optional).

    Example:

    >>> import tempfile
    >>> saver = tf.train.Saver([tf.Variable(1.0)])
    >>> with tf.train.SingularMonitoredSession() as sess:
    ...     path = saver.save(sess.raw_session(), tempfile.mkdtemp() + "/model")
    >>> tf.train.checkpoint_exists(path)
    True
    """

    def __init__(
        self,
        hooks=None,
        scaffold=None,
        master="",
        config=None,
        checkpoint_dir=None,
        stop_grace_period_secs=120,
        checkpoint_filename_with_path=None,
    ):
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self):
        """The underlying `Session`.

        Returns:
          A `Session`; None if it is closed.
        """
        return self._tf_sess()


class _Attempts:
    """Attempts to make a session or to run a step: pauses between them, and an end if lost tasks won't come back."""

    def __init__(self):
        self._pause = 0.05
        self._hopeless = 0  # attempts in a row that nothing could help

    def note_failure(self, error):
        """Pauses before the next attempt; raises `error` if there shall be none."""
        self._hopeless = 0 if cluster_state.may_recover() else self._hopeless + 1
        if self._hopeless == _HOPELESS_ATTEMPTS:
            raise error
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)


class _SessionCoordinator(Coordinator):
    """Knows whether another session will replace that of the threads.

    Queues stay open then, as those of a cluster outlive sessions. What waits for them is cancelled in the meantime.

    Args:
      session: The `Session`.
      may_be_replaced: Function from the error of a thread to whether another session will replace this one.
    """

    def __init__(self, session, may_be_replaced):
        super().__init__(clean_stop_exception_types=[])
        self._session = session
        self._may_be_replaced = may_be_replaced
        self._decision_lock = fork_safe(threading.Lock())  # guards what follows; no step is cancelled after a decision
        self._replaced = False
        self._decided = fork_safe(threading.Event())

    def decide(self, replaced):
        """Says whether another session replaces this one; the first call counts."""
        with self._decision_lock:
            if not self._decided.is_set():
                self._replaced = replaced
                self._decided.set()

    def reported_error(self):
        """The error of a thread; None if there is none."""
        with self._lock:
            return self._error

    def _wait_for_end(self, session):
        if session is not self._session or not isinstance(session, BaseSession):  # one of a hook, or one that wraps it
            return True
        error = self.reported_error()
        if not self._decided.is_set() and (error is None or not self._may_be_replaced(error)):
            return True
        while not self._decided.wait(_CANCEL_SECONDS):  # the program may begin another step at any time
            with self._decision_lock:
                if not self._decided.is_set():
                    session._cancel_steps()
        return not self._replaced


class HookedSession:
    """A session whose steps run hooks, without threads or recovery; TensorFlow's _HookedSession, for tf.estimator.

    Args:
      sess: The `Session`.
      hooks: A list of `SessionRunHook`s.
    """

    def __init__(self, sess, hooks):
        self._sess = sess
        self._hooks = hooks
        self._stop_requested = False  # by a hook
        self._no_options, self._no_metadata = protos.RunOptions(), RunMetadata()  # of steps without any

    @property
    def graph(self):
        return self._sess.graph

    def should_stop(self):
        """Whether a hook has asked for the end."""
        return self._stop_requested

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """A step with hooks. RuntimeError: one has asked for the end."""
        if self._stop_requested:
            raise RuntimeError("Run called even after should_stop requested.")
        if not self._hooks:
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        return self._run_with_hooks(fetches, feed_dict, options, run_metadata)

    def close(self):
        """Closes the session."""
        self._sess.close()

    def _run_with_hooks(self, fetches, feed_dict, options, run_metadata):
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        requests, feeds, options = self._call_before_run(context, feed_dict, options)
        asked = [request.fetches for request in requests if request.fetches is not None]
        if options is None and run_metadata is None:  # the fast path; the metadata would be empty in any case
            value, results = self._sess.run((fetches, asked), feeds)
            options, run_metadata = self._no_options, self._no_metadata
        else:
            options = protos.RunOptions() if options is None else options
            run_metadata = RunMetadata() if run_metadata is None else run_metadata
            value, results = self._sess.run((fetches, asked), feeds, options, run_metadata)
        results = iter(results)
        for hook, request in zip(self._hooks, requests):
            result = None if request.fetches is None else next(results)
            hook.after_run(context, SessionRunValues(result, options, run_metadata))
        self._stop_requested = self._stop_requested or context.stop_requested
        return value

    def _call_before_run(self, context, feed_dict, options):
        """What each hook asks for, and what is fed and the options, those of the hooks included."""
        requests, feeds = [], {}
        for hook in self._hooks:
            request = hook.before_run(context)
            requests.append(_NOTHING if request is None else request)
            if request is None:
                continue
            if request.feed_dict:
                _check_disjoint(feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                feeds.update(request.feed_dict)
            if request.options is not None:
                options = _merged_options(options, request.options)
        if not feeds:
            return requests, feed_dict, options
        if feed_dict:
            _check_disjoint(feed_dict, feeds, "Same tensor is fed by a SessionRunHook and user.")
            feeds.update(feed_dict)
        return requests, feeds, options


class _CoordinatedSession(HookedSession):
    """A session with the threads that were started for it, and its hooks.

    Args:
      tf_session: The `Session`.
      hooks: A list of `SessionRunHook`s.
      stop_grace_period_secs: Seconds that threads get to end.
      recovers: Whether another session replaces it after the loss of a task.
    """

    def __init__(self, tf_session, hooks, stop_grace_period_secs, recovers):
        super().__init__(tf_session, hooks)
        self._stop_grace_period_secs = stop_grace_period_secs
        self._changes = cluster_state.changes(tf_session)
        self._coord = _SessionCoordinator(tf_session, lambda error: recovers and self.is_preemption(error))
        try:
            if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
                queue_runner.start_queue_runners(tf_session, self._coord)
            for hook in hooks:
                hook.after_create_session(tf_session, self._coord)
        except BaseException as error:
            lost = recovers and (self.is_preemption(error) or self.is_consequence(error))
            try:
                self.close(replaced=lost)
            except Exception as other:  # noqa: BLE001
                tf_logging.vlog(1, "Ignored exception: %s", other)
            if lost and not isinstance(error, _PREEMPTION_ERRORS):
                text = f"A task was lost while the session was being created: {error}"
                raise errors.AbortedError(None, None, text) from error
            raise error

    @property
    def tf_session(self):
        return self._sess

    def is_preemption(self, error):
        """Whether an error is due to the loss of a task."""
        if isinstance(error, _PREEMPTION_ERRORS):
            return True
        # A task was lost and has come back since the session was made: its variables are gone.
        lost = isinstance(error, errors.FailedPreconditionError)
        return lost and cluster_state.changes(self._sess) != self._changes

    def is_consequence(self, error):
        """Whether an operation may have failed because a thread was preempted, and the steps that wait for it ended."""
        reported = self._coord.reported_error()
        return isinstance(error, errors.OpError) and reported is not None and self.is_preemption(reported)

    def should_stop(self):
        """Whether a thread or a hook has asked for the end. Raises the error of a thread."""
        self._coord.raise_requested_exception()
        return self._coord.should_stop() or self._stop_requested

    def begin_end(self):
        """To be called before the hooks' `end`, whose steps must not end if a thread is preempted."""
        self._coord.decide(replaced=False)

    def close(self, replaced=False):
        """Stops the threads; closes the session, and its queues unless another session replaces it.

        Raises:
          Exception: The error of a thread, if it was reported before.
        """
        self._coord.decide(replaced)
        self._coord.request_stop()
        try:
            if replaced:
                self._close_tf_session()  # ends the steps of the threads, as nothing closes the queues
        finally:
            try:
                self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
            finally:
                self._close_tf_session()
                for hook in self._hooks:
                    if isinstance(hook, CleanUpHook):
                        hook.clean_up()

    def _close_tf_session(self):
        try:
            self._sess.close()
        except errors.OpError as error:  # that of a thread says more
            tf_logging.vlog(1, "Ignored exception: %s", error)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """A step with hooks."""
        try:
            return super().run(fetches, feed_dict, options, run_metadata)
        except _PREEMPTION_ERRORS:
            raise
        except Exception:
            # If a thread was preempted, what the step met is a consequence, such as a queue that was closed.
            try:
                self._coord.raise_requested_exception()
            except Exception as error:
                if self.is_preemption(error):
                    raise
            raise  # the step's own error


_NOTHING = SessionRunArgs(None)


def _check_disjoint(feeds, others, text):
    both = [key for key in feeds if key in others]
    if both:
        raise RuntimeError(f"{text} Conflict(s): {both}")


def _merged_options(options, more):
    """A `RunOptions` with what both ask for: the longest time limit, the finest trace."""
    result = protos.RunOptions()
    if options is not None:
        result.CopyFrom(options)
    for name in ("trace_level", "timeout_in_ms", "inter_op_thread_pool", "output_partition_graphs"):
        setattr(result, name, max(getattr(result, name), getattr(more, name)))
    for name in ("report_tensor_allocations_upon_oom", "check_numerics"):
        setattr(result, name, getattr(result, name) or getattr(more, name, False))
    result.debug_options.debug_tensor_watch_opts.extend(more.debug_options.debug_tensor_watch_opts)
    if more.debug_options.reset_disk_byte_usage:
        result.debug_options.reset_disk_byte_usage = True
    return result
