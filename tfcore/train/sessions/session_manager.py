"""SessionManager: makes sessions whose variables are initialized or restored, and waits for those of other tasks."""

import time

import numpy as np

from tfcore.client.session import Session
from tfcore.core.threads import progress
from tfcore.framework import errors
from tfcore.framework.graph.graph import get_default_graph
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.platform import tf_logging
from tfcore.train import training_util
from tfcore.train.checkpoints import checkpoint_management
from tfcore.train.sessions import cluster_state
from tfcore.train.sessions.preparation import Preparation

_FIRST_PAUSE = 0.1  # seconds between attempts
_PAUSE_SHARE = 0.1  # of the time waited so far: later pauses, up to what the user has given

_has_prepared = False  # whether a manager of this process has prepared a session


class SessionManager:
    """Makes sessions that are ready for training.

    One task, the chief, initializes variables or restores them from a checkpoint (`prepare_session`); the others wait
    until it has (`wait_for_session`).

    Variables that have outlived the loss of other tasks are neither initialized nor restored: if the chief has prepared
    a session before, or is the process that replaces the former chief, and all variables are initialized still, it
    continues with them, unless the last checkpoint has a greater global step. If the former chief died while it was
    restoring or initializing variables, or called the `init_fn`, all of this is done again. If only one parameter
    server has lost its variables, all are restored, so that they fit together.

    Args:
      local_init_op: Operation that initializes what belongs to this session alone, such as local variables and tables;
        it runs in each new session (optional).
      ready_op: `Tensor` with the names of variables that are not initialized; the model is ready when there are none.
        Or an `Operation` that fails with FailedPreconditionError as long as there are some. None: it always is.
      ready_for_local_init_op: The same for `local_init_op`: it runs when this finds nothing (optional).
      graph: The `Graph`; the default graph by default.
      recovery_wait_secs: Seconds between attempts, at most; the first ones follow each other faster.
      local_init_run_options: `RunOptions` for `local_init_op` (optional).
      local_init_feed_dict: Values that `local_init_op` is fed (optional).

    Raises:
      ValueError: There is a `ready_for_local_init_op` and no `local_init_op`.

    Example:

    >>> v = tf.Variable(1.0)
    >>> manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    >>> with manager.prepare_session("", init_op=tf.global_variables_initializer()) as sess:
    ...     print(sess.run(v))
    1.0
    """

    def __init__(
        self,
        local_init_op=None,
        ready_op=None,
        ready_for_local_init_op=None,
        graph=None,
        recovery_wait_secs=30,
        local_init_run_options=None,
        local_init_feed_dict=None,
    ):
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op "
                f"[{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict
        self._has_prepared = False
        self._preparation = Preparation(self._graph)

    def prepare_session(
        self,
        master,
        init_op=None,
        saver=None,
        checkpoint_dir=None,
        checkpoint_filename_with_path=None,
        wait_for_checkpoint=False,
        max_wait_secs=7200,
        config=None,
        init_feed_dict=None,
        init_fn=None,
    ):
        """Makes a session, and restores its variables or else initializes them, unless they have outlived a loss.

        Args:
          master: Target of the session: "" or that of a `tf.train.Server`.
          init_op: Operation that initializes the model if there is no checkpoint (optional).
          saver: A `Saver`, which restores (optional).
          checkpoint_dir: Folder whose latest checkpoint is restored, if there is one.
          checkpoint_filename_with_path: Prefix of the checkpoint to restore instead.
          wait_for_checkpoint: Whether to wait until there is a checkpoint in `checkpoint_dir`.
          max_wait_secs: Seconds to wait for one, at most; after that the model is initialized.
          config: A `ConfigProto` (optional).
          init_feed_dict: Values that `init_op` is fed (optional).
          init_fn: Function of the session, called after `init_op` (optional).

        Returns:
          The `Session`.

        Raises:
          RuntimeError: There is nothing that initializes the model, or it has not made the model ready.
          ValueError: Both `checkpoint_dir` and `checkpoint_filename_with_path` are given.
          tf.errors.OpError: An operation failed; the checkpoint does not fit.
        """
        sess = self._surviving(master, saver, checkpoint_dir, checkpoint_filename_with_path, config)
        if sess is None:
            self._preparation.begin(master, config)
            sess, restored = self._restored(
                master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
            )
            with _closing_on_error(sess):
                if not restored:
                    self._initialize(sess, init_op, init_feed_dict, init_fn)
                self._preparation.end(master, config)
        with _closing_on_error(sess):
            tried = f"Init op: {_name_of(init_op)}, init fn: {init_fn}"
            message = self._run_local_init_op(sess)
            if message:
                raise RuntimeError(
                    f"Init operations did not make model ready for local_init.  {tried}, error: {message}"
                )
            message = _missing(sess, self._ready_op, "Model not ready")
            if message:
                tried += f", local_init_op: {_name_of(self._local_init_op)}"
                raise RuntimeError(f"Init operations did not make model ready.  {tried}, error: {message}")
        self._note_prepared()
        return sess

    def recover_session(
        self,
        master,
        saver=None,
        checkpoint_dir=None,
        checkpoint_filename_with_path=None,
        wait_for_checkpoint=False,
        max_wait_secs=7200,
        config=None,
    ):
        """Makes a session, and restores its variables if there is a checkpoint.

        Args:
          master: Target of the session: "" or that of a `tf.train.Server`.
          saver: A `Saver`, which restores (optional).
          checkpoint_dir: Folder whose latest checkpoint is restored.
          checkpoint_filename_with_path: Prefix of the checkpoint to restore instead.
          wait_for_checkpoint: Whether to wait until there is a checkpoint in `checkpoint_dir`.
          max_wait_secs: Seconds to wait for one, at most.
          config: A `ConfigProto` (optional).

        Returns:
          The `Session`, and whether a checkpoint was restored and has made the model ready.

        Raises:
          ValueError: Both `checkpoint_dir` and `checkpoint_filename_with_path` are given.
          tf.errors.OpError: An operation failed; the checkpoint does not fit.
        """
        self._preparation.begin(master, config)
        sess, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        with _closing_on_error(sess):
            self._preparation.end(master, config)
            message, what = self._run_local_init_op(sess), " for local init"
            if restored and not message:
                message, what = _missing(sess, self._ready_op, "Model not ready"), ""
        if not restored:
            return sess, False
        source = checkpoint_dir or checkpoint_filename_with_path
        if message:
            tf_logging.info("Restoring model from %s did not make model ready%s: %s", source, what, message)
            return sess, False
        tf_logging.info("Restored model from %s", source)
        return sess, True

    def wait_for_session(self, master, config=None, max_wait_secs=float("Inf")):
        """Makes a session when the model is ready, that is, when another task has initialized or restored it.

        Args:
          master: Target of the session: that of a `tf.train.Server`.
          config: A `ConfigProto` (optional).
          max_wait_secs: Seconds to wait at most; None for no limit.

        Returns:
          The `Session`.

        Raises:
          tf.errors.DeadlineExceededError: The model was not ready in time.
          tf.errors.OpError: An operation failed.
        """
        limit = float("Inf") if max_wait_secs is None else max_wait_secs
        pauses = _pauses(self._recovery_wait_secs, limit)
        with progress.work("waiting until another task has initialized or restored the variables") as work:
            while True:
                sess = Session(master, graph=self._graph, config=config)
                with _closing_on_error(sess):
                    not_ready_local, not_ready = self._run_local_init_op(sess), None
                    if not not_ready_local:
                        not_ready = _missing(sess, self._ready_op, "Model not ready")
                        if not not_ready and self._preparation.is_under_way(master, config):
                            not_ready = "Variables are being initialized or restored"
                        if not not_ready:
                            return sess
                _close(sess)
                why = not_ready_local or not_ready
                work.what = self._for_the_chief(why, master)
                tf_logging.info(
                    "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                    not_ready_local,
                    not_ready,
                )
                if not next(pauses, False):
                    raise errors.DeadlineExceededError(
                        None, None, f"Session was not ready after waiting {limit} secs: {why}"
                    )

    def _for_the_chief(self, why, master):
        """What this process waits for, as a text."""
        text = f"waiting for the chief. {why}"
        if not cluster_state.has_others():
            return f"{text}. This process works alone, so it has to be the chief (is_chief=True)"
        if master == cluster_state.own_target() and not self._preparation.has_distant_variables():
            return (
                f"{text}. They belong to this task, so the chief does not initialize them: place them on another one, "
                "by tf.train.replica_device_setter(cluster=...)"
            )
        return text

    # ---- Variables that outlive other tasks

    def _note_prepared(self):
        global _has_prepared
        self._has_prepared = _has_prepared = True

    def _surviving(self, master, saver, checkpoint_dir, path, config):
        """A new session if all of its variables have outlived the loss of a task; None otherwise."""
        replaces = cluster_state.took_over() and not _has_prepared and not path
        ready_op = self._ready_for_local_init_op if self._ready_for_local_init_op is not None else self._ready_op
        if ready_op is None or not (replaces or self._has_prepared and cluster_state.has_others()):
            return None
        state = checkpoint_management.get_checkpoint_state(checkpoint_dir) if checkpoint_dir else None
        latest = path or (state and state.model_checkpoint_path)
        if not self._preparation.is_done(master, config):
            return None
        sess = Session(master, graph=self._graph, config=config)
        with _closing_on_error(sess):
            if _missing(sess, ready_op, "Model not ready") or self._is_behind(sess, saver and latest):
                _close(sess)
                return None
        if saver and state:
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        tf_logging.info("All variables have outlived the tasks that were lost; continuing with them.")
        return sess

    def _is_behind(self, sess, path):
        """Whether the global step is before that of a checkpoint: what was saved must not be lost."""
        step = training_util.get_global_step(self._graph)
        if step is None or not path or not checkpoint_management.checkpoint_exists(path):
            return False
        reader = NewCheckpointReader(path)
        return reader.has_tensor(step.op.name) and sess.run(step) < reader.get_tensor(step.op.name)

    # ---- Restoring and initializing

    def _initialize(self, sess, init_op, feed_dict, init_fn):
        if init_op is None and not init_fn and self._local_init_op is None:
            raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
        if init_op is not None:
            sess.run(init_op, feed_dict=feed_dict)
        if init_fn:
            init_fn(sess)

    def _restored(self, master, saver, checkpoint_dir, path, wait_for_checkpoint, max_wait_secs, config):
        """A new session, and whether a checkpoint was restored."""
        if checkpoint_dir and path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        sess = Session(master, graph=self._graph, config=config)
        with _closing_on_error(sess):
            if not saver or not (checkpoint_dir or path):
                return sess, False
            if path:
                saver.restore(sess, path)
                return sess, True
            with progress.work(f"waiting for a checkpoint in {checkpoint_dir}"):
                state = checkpoint_management.get_checkpoint_state(checkpoint_dir)
                pauses = _pauses(self._recovery_wait_secs, max_wait_secs)
                while not (state and state.model_checkpoint_path):
                    if not wait_for_checkpoint or not next(pauses, False):
                        return sess, False
                    tf_logging.info("Waiting for checkpoint to be available.")
                    state = checkpoint_management.get_checkpoint_state(checkpoint_dir)
            saver.restore(sess, state.model_checkpoint_path)
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
            return sess, True

    def _run_local_init_op(self, sess):
        """Runs `local_init_op` if the model is ready for it; otherwise returns why it is not."""
        if self._local_init_op is None:
            return None
        message = _missing(sess, self._ready_for_local_init_op, "Model not ready for local init")
        if not message:
            tf_logging.info("Running local_init_op.")
            sess.run(self._local_init_op, self._local_init_feed_dict, self._local_init_run_options)
            tf_logging.info("Done running local_init_op.")
        return message


def _missing(sess, op, what):
    """What is not initialized according to a `ready_op`, as a text; None if the model is ready."""
    if op is None:
        return None
    try:
        value = sess.run(op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            tf_logging.warning("%s : error [%s]", what, error)
            raise
        return str(error)
    # An integer is what such operations returned before they returned names.
    if value is None or value.dtype == np.int32 or value.size == 0:
        return None
    return "Variables not initialized: " + ", ".join(name.decode() for name in value)


def _name_of(op):
    return "None" if op is None else getattr(op, "name", op)


def _pauses(longest, limit):
    """Pauses between attempts, short ones first: an iterator that sleeps, and ends when `limit` seconds are over."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < limit:
        time.sleep(min(max(_FIRST_PAUSE, _PAUSE_SHARE * waited), longest, limit - waited))
        yield True


class _closing_on_error:  # noqa: N801  a `with` block
    """Closes a session that nobody will get."""

    def __init__(self, sess):
        self._sess = sess

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is not None:
            _close(self._sess)


def _close(sess):
    try:
        sess.close()
    except errors.OpError as error:  # of a task that is gone
        tf_logging.vlog(1, "Ignored exception: %s", error)
