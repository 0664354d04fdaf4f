"""QueueRunner: threads that fill a queue. The namespace tf.train.queue_runner."""

import threading
import weakref

from tfcore.client.session import BaseSession
from tfcore.framework import errors, protos
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.io import meta_graph
from tfcore.platform import tf_logging

__all__ = ["QueueRunner", "add_queue_runner", "start_queue_runners"]


class QueueRunner:
    """Fills a queue: for each of some operations, a thread that runs it again and again.

    When an operation fails because the input has ended, its thread ends, and the last one closes the queue, so that
    those who take elements get the rest and then OutOfRangeError. When a stop is requested, the queue is closed and
    operations that wait for room are cancelled. Any other error requests a stop.

    Args:
      queue: A queue.
      enqueue_ops: List of operations that add elements; it may have one of them several times.
      close_op: Operation that closes the queue; by default one is added.
      cancel_op: Operation that closes it and cancels those that wait for room; by default one is added.
      queue_closed_exception_types: A tuple of errors that mean that the input has ended; by default
        `(tf.errors.OutOfRangeError,)`. Add `tf.errors.CancelledError` if several runners fill the queue.
      queue_runner_def: A QueueRunnerDef, in place of all of these: the operations are in the graph.
      import_scope: The name scope that was added to the names in it (optional).

    Raises:
      ValueError: `queue` or `enqueue_ops` is missing, or given together with `queue_runner_def`.
      TypeError: `queue_closed_exception_types` is not a tuple of errors.
      KeyError: The graph lacks an operation of `queue_runner_def`.

    Example:

    >>> queue = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    >>> tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.random_uniform([]))] * 2))
    >>> batch = queue.dequeue_many(3)
    >>> coord = tf.train.Coordinator()
    >>> with tf.Session() as sess:
    ...     threads = tf.train.start_queue_runners(sess, coord)
    ...     print(sess.run(batch).shape)
    ...     coord.request_stop()
    ...     coord.join(threads)
    (3,)
    """

    def __init__(
        self,
        queue=None,
        enqueue_ops=None,
        close_op=None,
        cancel_op=None,
        queue_closed_exception_types=None,
        queue_runner_def=None,
        import_scope=None,
    ):
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._init_from_proto(queue_runner_def, import_scope)
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            _check_error_types(queue_closed_exception_types)
            self._queue = queue
            self._enqueue_ops = enqueue_ops
            self._close_op = queue.close() if close_op is None else close_op
            self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
            self._queue_closed_exception_types = queue_closed_exception_types or (errors.OutOfRangeError,)
        self._lock = fork_safe(threading.Lock())  # guards what follows
        self._runs_per_session = weakref.WeakKeyDictionary()  # session -> number of threads that fill the queue
        self._exceptions_raised = []

    def _init_from_proto(self, queue_runner_def, import_scope):
        queue_runner_def = protos.as_message(protos.QueueRunnerDef, queue_runner_def)
        if not isinstance(queue_runner_def, protos.QueueRunnerDef):
            raise TypeError(f"queue_runner_def must be a QueueRunnerDef: {queue_runner_def}")
        prefix = import_scope.rstrip("/") + "/" if import_scope else ""

        def operation(name):
            return get_default_graph().as_graph_element(prefix + name)

        self._queue = operation(queue_runner_def.queue_name)
        self._enqueue_ops = [operation(name) for name in queue_runner_def.enqueue_op_name]
        self._close_op = operation(queue_runner_def.close_op_name)
        self._cancel_op = operation(queue_runner_def.cancel_op_name)
        codes = queue_runner_def.queue_closed_exception_types or [errors.OUT_OF_RANGE]
        self._queue_closed_exception_types = tuple(errors.exception_type_from_error_code(code) for code in codes)

    # ---- Properties

    @property
    def queue(self):
        """The queue; of a runner that was imported, the operation that makes its handle."""
        return self._queue

    @property
    def enqueue_ops(self):
        """The operations that add elements."""
        return self._enqueue_ops

    @property
    def close_op(self):
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self):
        """The operation that closes the queue and cancels those that wait for room."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self):
        """The errors that mean that the input has ended."""
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self):
        """The errors of threads that had no coordinator to report them to."""
        return self._exceptions_raised

    @property
    def name(self):
        """Name of the queue."""
        return self._queue.name

    # ---- Threads

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """Makes the threads that fill the queue, unless there are some for the session.

        Args:
          sess: The `Session`.
          coord: A `Coordinator`, which stops the threads and gets their errors (optional). One more thread then closes
            the queue when a stop is requested.
          daemon: Whether the program may end while the threads run.
          start: Whether they are started.

        Returns:
          A list of threads; empty if there are threads for the session already.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            sess.note_end(self.name, None)
            self._exceptions_raised = []
        jobs = [(self._run, (sess, op, coord), op.name) for op in self._enqueue_ops]
        if coord is not None:
            jobs.append((self._close_on_stop, (sess, self._cancel_op, coord), "close_on_stop"))
        threads = [
            threading.Thread(target=run, args=args, name=f"QueueRunnerThread-{self.name}-{what}", daemon=daemon)
            for run, args, what in jobs
        ]
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _run(self, sess, enqueue_op, coord):
        """A thread: runs an operation until it fails, or a stop is requested."""
        ended = False
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                enqueue()
        except self._queue_closed_exception_types as error:
            ended = True
            sess.note_end(self.name, error.message)
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
                return
            tf_logging.error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        finally:
            with self._lock:
                self._runs_per_session[sess] -= 1
                last = self._runs_per_session[sess] == 0
            if ended and last:
                _run_ignoring_errors(sess, self._close_op)

    def _close_on_stop(self, sess, cancel_op, coord):  # classes that derive from this one call it
        """A thread: closes the queue when a stop is requested, so that operations that wait for room end.

        Not if another session replaces this one: queues of a cluster outlive both.
        """
        coord.wait_for_stop()
        if coord._wait_for_end(sess):
            _run_ignoring_errors(sess, cancel_op)

    # ---- Protocol buffers

    def to_proto(self, export_scope=None):
        """Describes the runner as a protocol buffer.

        Args:
          export_scope: A name scope to strip from names (optional).

        Returns:
          A QueueRunnerDef, or None if the queue is outside of `export_scope`.
        """
        prefix = export_scope.rstrip("/") + "/" if export_scope else ""
        if not self.name.startswith(prefix):
            return None
        return protos.QueueRunnerDef(
            queue_name=self.name.removeprefix(prefix),
            enqueue_op_name=[op.name.removeprefix(prefix) for op in self._enqueue_ops],
            close_op_name=self._close_op.name.removeprefix(prefix),
            cancel_op_name=self._cancel_op.name.removeprefix(prefix),
            queue_closed_exception_types=map(errors.error_code_from_exception_type, self._queue_closed_exception_types),
        )

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        """Makes a runner for operations that are in the default graph.

        Args:
          queue_runner_def: A QueueRunnerDef.
          import_scope: The name scope that was added to names (optional).

        Returns:
          A `QueueRunner`.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _check_error_types(types):
    if types is None:
        return
    if (
        not isinstance(types, tuple)
        or not types
        or not all(isinstance(t, type) and issubclass(t, errors.OpError) for t in types)
    ):
        raise TypeError(
            f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {types}"
        )


def _run_ignoring_errors(sess, op):
    """Runs an operation that closes a queue; the queue or the session may already be closed."""
    try:
        sess.run(op)
    except Exception as error:  # noqa: BLE001
        tf_logging.vlog(1, "Ignored exception: %s", error)


def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS):
    """Adds a queue runner to a collection of the default graph, for `start_queue_runners`.

    Args:
      qr: A `QueueRunner`.
      collection: Name of the collection.

    Raises:
      TypeError: `collection` is not hashable.
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS):
    """Starts the threads of all queue runners of the session's graph.

    Args:
      sess: The `Session`; the default session by default. A monitored session has started them already.
      coord: A `Coordinator`, which stops the threads and gets their errors (optional).
      daemon: Whether the program may end while the threads run.
      start: Whether the threads are started.
      collection: Name of the collection of queue runners.

    Returns:
      A list of threads.

    Raises:
      ValueError: There is no default session.
      TypeError: `sess` is not a session.
    """
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass "
                "an explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        if hasattr(sess, "run_step_fn"):  # a monitored session
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    runners = sess.graph.get_collection(collection)
    if not runners:
        tf_logging.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the "
            "call to this deprecated function."
        )
    threads = []
    with sess.graph.as_default():
        for runner in runners:
            threads.extend(runner.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return threads


meta_graph.register_proto_function(
    GraphKeys.QUEUE_RUNNERS, "QueueRunnerDef", QueueRunner.to_proto, QueueRunner.from_proto
)
