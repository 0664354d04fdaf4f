"""Supervisor: what programs used before monitored sessions: it saves, writes summaries, starts and stops threads."""

import contextlib
import os
import time

from tfcore.framework import errors, protos
from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.framework.types import dtypes
from tfcore.io import meta_graph
from tfcore.io.graph_files import write_graph
from tfcore.platform import tf_logging
from tfcore.summary import FileWriter, merge_all
from tfcore.train import training_util
from tfcore.train.checkpoints.saver import Saver
from tfcore.train.hooks.background_save import options_of_save
from tfcore.train.sessions.scaffold import Scaffold
from tfcore.train.sessions.session_manager import SessionManager
from tfcore.train.threads.coordinator import Coordinator, LooperThread
from tfcore.variables import variable_collections


class Supervisor:
    """Prepares sessions for training, and runs services in threads: checkpoints, summaries, queue runners.

    The chief initializes the variables or restores them from the latest checkpoint of `logdir`; the other tasks wait
    until they are initialized. The graph is finalized. Operations that are not given are taken from a collection of the
    graph, or made; None means none.

    Args:
      graph: The `Graph`; the default graph by default.
      ready_op: `Tensor` with the names of variables that are not initialized; by default all variables are checked.
      ready_for_local_init_op: The same, for what `local_init_op` needs; by default nothing.
      is_chief: Whether this task is the chief.
      init_op: Operation that initializes the model if there is no checkpoint; by default it initializes all global
        variables.
      init_feed_dict: Values that `init_op` is fed (optional).
      local_init_op: Operation that runs in each new session; by default it initializes local variables and tables.
      logdir: Folder for checkpoints and summaries (optional).
      summary_op: Scalar `Tensor` of type string, a Summary; by default all of the collection SUMMARIES are merged.
      saver: A `Saver`; by default one for all global variables, unless there are none.
      global_step: The global step, a `Tensor`; by default that of the graph, if there is one.
      save_summaries_secs: Seconds from summary to summary; 0 for none.
      save_model_secs: Seconds from checkpoint to checkpoint; 0 for none.
      recovery_wait_secs: Seconds between looks whether the model is ready, at most.
      stop_grace_secs: Seconds that threads get to end.
      checkpoint_basename: Beginning of the names of the checkpoints.
      session_manager: A `SessionManager` to use instead of one with the operations above (optional).
      summary_writer: A `FileWriter`; by default the chief makes one for `logdir`.
      init_fn: Function of the session, called after `init_op` (optional).
      local_init_run_options: `RunOptions` for `local_init_op` (optional).

    Raises:
      ValueError: In a task that is not the chief, a variable has no device.

    Example:

    >>> v = tf.Variable(1.0)
    >>> with tf.train.Supervisor().managed_session() as sess:
    ...     print(sess.run(v))
    1.0
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph=None,
        ready_op=USE_DEFAULT,
        ready_for_local_init_op=USE_DEFAULT,
        is_chief=True,
        init_op=USE_DEFAULT,
        init_feed_dict=None,
        local_init_op=USE_DEFAULT,
        logdir=None,
        summary_op=USE_DEFAULT,
        saver=USE_DEFAULT,
        global_step=USE_DEFAULT,
        save_summaries_secs=120,
        save_model_secs=600,
        recovery_wait_secs=30,
        stop_grace_secs=120,
        checkpoint_basename="model.ckpt",
        session_manager=None,
        summary_writer=USE_DEFAULT,
        init_fn=None,
        local_init_run_options=None,
    ):
        self._graph = get_default_graph() if graph is None else graph
        with self._graph.as_default():
            self._ready_op = _found(ready_op, GraphKeys.READY_OP, variable_collections.report_uninitialized_variables)
            self._ready_for_local_init_op = _found(ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP)
            self._init_op = _found(init_op, GraphKeys.INIT_OP, variable_collections.global_variables_initializer)
            self._local_init_op = _found(local_init_op, GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
            self._saver = _found(saver, GraphKeys.SAVERS, _default_saver)
            self._summary_op = _found(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = _found(global_step, GraphKeys.GLOBAL_STEP, _default_global_step)
        self._init_feed_dict = init_feed_dict
        self._init_fn = init_fn
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(logdir, checkpoint_basename) if self._logdir else None
        self._summary_writer = None
        self._graph_added_to_summary = False
        if is_chief:
            made = summary_writer is Supervisor.USE_DEFAULT
            self._summary_writer = summary_writer if not made else FileWriter(logdir) if logdir else None
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._check_devices()
        self._graph.finalize()

    def _check_devices(self):
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ("Variable", "VariableV2") and not op.device:
                raise ValueError(f"When using replicas, all Variables must have their device set: {op}")

    # ---- Properties

    @property
    def is_chief(self):
        """Whether this task is the chief."""
        return self._is_chief

    @property
    def session_manager(self):
        """The `SessionManager`."""
        return self._session_manager

    @property
    def coord(self):
        """The `Coordinator` of the threads."""
        return self._coord

    @property
    def init_op(self):
        """Operation that initializes the model, or None."""
        return self._init_op

    @property
    def init_feed_dict(self):
        """Values that `init_op` is fed, or None."""
        return self._init_feed_dict

    @property
    def ready_op(self):
        """`Tensor` with the names of variables that are not initialized, or None."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self):
        """`Tensor` with the names of variables that `local_init_op` needs and that are not initialized, or None."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self):
        """The `FileWriter` of the chief, or None."""
        return self._summary_writer

    @property
    def summary_op(self):
        """Scalar `Tensor` of type string, a Summary, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self):
        """Seconds from summary to summary; None in tasks that are not the chief."""
        return self._save_summaries_secs

    @property
    def global_step(self):
        """The global step, or None."""
        return self._global_step

    @property
    def saver(self):
        """The `Saver`, or None."""
        return self._saver

    @property
    def save_model_secs(self):
        """Seconds from checkpoint to checkpoint; None in tasks that are not the chief."""
        return self._save_model_secs

    @property
    def save_path(self):
        """Beginning of the paths of checkpoints, or None."""
        return self._save_path

    # ---- Sessions

    @contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """A `with` block with a session, in which threads run; at its end they are stopped and the session is closed.

        An exception of the block, or of a thread, is raised at the end; OutOfRangeError only ends the block.

        Args:
          master: Target of the session: "" or that of a `tf.train.Server`.
          config: A `ConfigProto` (optional).
          start_standard_services: Whether to start the services and the queue runners.
          close_summary_writer: Whether to close the summary writer at the end.

        Yields:
          The `Session`.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    with contextlib.suppress(errors.OpError):  # what `stop` raises says more
                        sess.close()

    def prepare_or_wait_for_session(
        self,
        master="",
        config=None,
        wait_for_checkpoint=False,
        max_wait_secs=7200,
        start_standard_services=True,
    ):
        """Makes a session that is ready: the chief restores or initializes, the others wait for the chief.

        Args:
          master: Target of the session: "" or that of a `tf.train.Server`.
          config: A `ConfigProto` (optional).
          wait_for_checkpoint: Whether the chief waits until there is a checkpoint.
          max_wait_secs: Seconds to wait, at most.
          start_standard_services: Whether to start the services and the queue runners.

        Returns:
          The `Session`.

        Raises:
          RuntimeError: The model was not ready afterwards.
          tf.errors.OpError: An operation failed; DeadlineExceededError if the chief took too long.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            self.start_queue_runners(sess)
        return sess

    def _write_graph(self):
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            saver_def = self._saver.saver_def if self._saver else None
            self._summary_writer.add_meta_graph(meta_graph.export_meta_graph(graph=self._graph, saver_def=saver_def))
            self._graph_added_to_summary = True

    # ---- Threads

    def start_standard_services(self, sess):
        """Starts the threads that save checkpoints, write summaries and count steps.

        Args:
          sess: The `Session`.

        Returns:
          A list of threads; None, with a warning, without `logdir`.

        Raises:
          RuntimeError: This task is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            tf_logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            step = training_util.global_step(sess, self._global_step)
            self._summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.START), step)
        threads = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(_SummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(_StepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(_CheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def start_queue_runners(self, sess, queue_runners=None):
        """Starts the threads of queue runners.

        Args:
          sess: The `Session`.
          queue_runners: A list of `QueueRunner`s; by default those of the graph.

        Returns:
          A list of threads.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls a function until the supervisor stops.

        Args:
          timer_interval_secs: Seconds from call to call; None to call without a pause.
          target: The function.
          args: A list of its arguments (optional).
          kwargs: A dict of its keyword arguments (optional).

        Returns:
          The `LooperThread`.
        """
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops the threads, and closes the summary writer.

        Args:
          threads: Threads to wait for besides those of the supervisor (optional).
          close_summary_writer: Whether to close the summary writer.
          ignore_live_threads: Whether threads that do not end in time are only logged.

        Raises:
          RuntimeError: Threads did not end in time.
          Exception: The first error that was passed to `request_stop`.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.STOP))
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex=None):
        """Asks all threads to stop.

        Args:
          ex: The exception that is the reason (optional).
        """
        self._coord.request_stop(ex=ex)

    def should_stop(self):
        """Whether a stop was requested.

        Returns:
          A bool.
        """
        return self._coord.should_stop()

    def stop_on_exception(self):
        """Passes any exception in a `with` block to `request_stop`; the program continues after the block.

        Returns:
          A context manager.
        """
        return self._coord.stop_on_exception()

    def wait_for_stop(self):
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess, summary, global_step=None):
        """Writes a summary that the program has computed.

        Args:
          sess: The `Session`.
          summary: A Summary, or bytes, as a summary operation returns them.
          global_step: The number of the step; by default the value of the global step.

        Raises:
          RuntimeError: There is no summary writer.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = training_util.global_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _found(given, collection, make=lambda: None):
    """What was given, or else the first item of a collection, or else a new one, which is added."""
    if given is not Supervisor.USE_DEFAULT:
        return given
    graph = get_default_graph()
    found = graph.get_collection(collection)
    if found:
        if len(found) > 1:
            tf_logging.info("Found %d %s operations. Returning the first one.", len(found), collection)
        return found[0]
    made = make()
    if made is not None:
        graph.add_to_collection(collection, made)
    return made


def _default_saver():
    return Saver() if variable_collections.global_variables() else None


def _default_global_step():
    try:
        step = get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return step
    tf_logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None


class _ServiceThread(LooperThread):
    """Base class of the threads of a supervisor."""

    def __init__(self, supervisor, sess, interval):
        super().__init__(supervisor.coord, interval)
        self._supervisor = supervisor
        self._writer = supervisor.summary_writer
        self._sess = sess


class _SummaryThread(_ServiceThread):
    """Writes summaries."""

    def __init__(self, supervisor, sess):
        super().__init__(supervisor, sess, supervisor.save_summaries_secs)

    def run_loop(self):
        step = self._supervisor.global_step
        fetches = [self._supervisor.summary_op] + ([] if step is None else [step])
        summary, *steps = self._sess.run(fetches)
        self._writer.add_summary(summary, *steps)


class _StepCounterThread(_ServiceThread):
    """Writes and logs the number of steps per second."""

    def __init__(self, supervisor, sess):
        super().__init__(supervisor, sess, supervisor.save_summaries_secs)
        self._tag = f"{supervisor.global_step.op.name}/sec"

    def _look(self):
        return time.monotonic(), training_util.global_step(self._sess, self._supervisor.global_step)

    def start_loop(self):
        self._last = self._look()

    def run_loop(self):
        (last_time, last_step), (now, step) = self._last, self._look()
        self._last = now, step
        rate = (step - last_step) / (now - last_time) if now > last_time else float("inf")
        self._writer.add_summary(protos.Summary(value=[protos.Summary.Value(tag=self._tag, simple_value=rate)]), step)
        tf_logging.log_first_n(tf_logging.INFO, "%s: %g", 10, self._tag, rate)


class _CheckpointThread(_ServiceThread):
    """Saves checkpoints."""

    def __init__(self, supervisor, sess):
        super().__init__(supervisor, sess, supervisor.save_model_secs)

    def run_loop(self):
        step, path = self._supervisor.global_step, self._supervisor.save_path
        tf_logging.info("Saving checkpoint to path %s", path)
        saver = self._supervisor.saver
        saver.save(self._sess, path, global_step=step, **options_of_save(saver))
        if self._writer and step is not None:
            log = protos.SessionLog(status=protos.SessionLog.CHECKPOINT, checkpoint_path=path)
            self._writer.add_session_log(log, training_util.global_step(self._sess, step))


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=""):
    """Calls a function until the supervisor stops; again with a new session after AbortedError.

    Args:
      supervisor: A `Supervisor`.
      train_step_fn: Function of the session and the further arguments, which ends the loop by
        `supervisor.request_stop()`.
      args: A list of further arguments (optional).
      kwargs: A dict of keyword arguments (optional).
      master: Target of the sessions: "" or that of a `tf.train.Server`.

    Raises:
      Exception: What the function raises, except AbortedError.

    Example:

    >>> step = tf.train.get_or_create_global_step()
    >>> train = tf.assign_add(step, 1)
    >>> supervisor = tf.train.Supervisor()
    >>> def train_step(sess):
    ...     if sess.run(train) == 3:
    ...         supervisor.request_stop()
    >>> tf.train.basic_train_loop(supervisor, train_step)
    """
    while True:
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
            return
        except errors.AbortedError as error:
            tf_logging.info("Training continues with a new session after: %s", error)
