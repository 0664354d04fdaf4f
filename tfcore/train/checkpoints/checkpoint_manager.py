"""tf.train.CheckpointManager: keeps the last checkpoints of a folder, and deletes older ones."""

import os
import time

from tfcore import compat
from tfcore.framework.graph.default_session import get_default_session
from tfcore.platform import tf_logging
from tfcore.platform.file_system import explained
from tfcore.train import training_util
from tfcore.train.checkpoints import checkpoint_management
from tfcore.train.checkpoints.object_saver import session_or_default
from tfcore.train.checkpoints.save_order import changing_lists, until_listed


class CheckpointManager:
    """Saves a `Checkpoint` again and again to one folder, and deletes old ones.

    What it has saved, and when, is in the file "checkpoint" of the folder; a later manager of the same folder
    continues with it.

    Example:

    >>> import os, tempfile
    >>> v = tf.Variable(1.0)
    >>> checkpoint = tf.train.Checkpoint(v=v)
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
    ...     manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    ...     checkpoint.restore(manager.latest_checkpoint).initialize_or_restore()
    ...     for _ in range(3):
    ...         path = manager.save()
    ...     print([os.path.basename(path) for path in manager.checkpoints])
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint,
        directory,
        max_to_keep,
        keep_checkpoint_every_n_hours=None,
        checkpoint_name="ckpt",
        step_counter=None,
        checkpoint_interval=None,
        init_fn=None,
        last_checkpoint_step=None,
    ):
        """Takes over the checkpoints of the folder, if there are any.

        Args:
          checkpoint: The `Checkpoint`.
          directory: The folder.
          max_to_keep: How many checkpoints to keep, an int; None for all.
          keep_checkpoint_every_n_hours: One checkpoint for each such time is kept for good, besides the last ones.
          checkpoint_name: Beginning of the names of the files.
          step_counter: A `Variable`, the number of steps; needed with `checkpoint_interval`.
          checkpoint_interval: How many steps there are between two checkpoints at least; `save` does nothing until
            then. None: it always saves.
          init_fn: A function without arguments that `restore_or_initialize` calls if there is no checkpoint.
          last_checkpoint_step: The step from which on the first interval is counted; None: the first `save` saves.

        Raises:
          ValueError: `max_to_keep` is not positive, there is an interval without a counter, or the folder's file
            "checkpoint" names no checkpoint.
        """
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._last_checkpoint_step = last_checkpoint_step
        self._init_fn = init_fn
        self._checkpoint = checkpoint
        self._directory = compat.as_str(os.fspath(directory))
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._times = {}  # {prefix: when it was written}, oldest first
        self._latest_checkpoint = None
        # A little back: a manager that is made again at once must not take checkpoints for preserved ones.
        self._last_preserved_timestamp = time.time() - 1
        self._recover(checkpoint_management.get_checkpoint_state(self._directory))

    def _recover(self, state):
        if state is None:
            return
        now = time.time()
        self._latest_checkpoint = state.model_checkpoint_path
        self._last_preserved_timestamp = state.last_preserved_timestamp
        if now < self._last_preserved_timestamp:
            tf_logging.warning(
                "time.time() returned a value %f seconds behind the last preserved checkpoint timestamp.",
                self._last_preserved_timestamp - now,
            )
            self._last_preserved_timestamp = now
        paths = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps) or [self._last_preserved_timestamp] * len(paths)
        for path, written in zip(paths, times):
            written = min(written, now)
            if written > self._last_preserved_timestamp:
                self._times[path] = written

    @property
    def checkpoint(self):
        """The `Checkpoint`."""
        return self._checkpoint

    @property
    def directory(self):
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self):
        """How many steps there are between two checkpoints at least; None for any number."""
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self):
        """Prefix of the last checkpoint of the folder; None if there is none."""
        return self._latest_checkpoint

    @property
    def checkpoints(self):
        """List of the prefixes of checkpoints, from oldest to newest, without those that are kept for good."""
        return list(self._times)

    def save(self, checkpoint_number=None, check_interval=True):
        """Writes a checkpoint, and then deletes what is too old.

        Args:
          checkpoint_number: The number in its name: an int, or a `Variable` or `Tensor` of one. By default the save
            counter of the checkpoint, which is incremented in any case.
          check_interval: Whether nothing happens before the interval of steps is over; else only the same step is not
            saved twice.

        Returns:
          Its prefix, a string; None if nothing was saved.

        Raises:
          NotImplementedError: An optimizer's slot can be reached by another way as well.
          RuntimeError: There is no default session.
          ValueError: Something below the checkpoint's object has state that can't be saved.
          tf.errors.FailedPreconditionError: A variable is not initialized.
          tf.errors.OpError: The files can't be written.
        """
        step = self._step()
        last = self._last_checkpoint_step
        if step is not None and last is not None:
            if step == last or (check_interval and step < last + self._checkpoint_interval):
                return None
        count = self._checkpoint._next_number(None, self._prefix)
        if checkpoint_number is None:
            checkpoint_number = count
        elif not isinstance(checkpoint_number, compat.integral_types):
            checkpoint_number = training_util.global_step(get_default_session(), checkpoint_number)
        prefix = f"{self._prefix}-{checkpoint_number}"
        with until_listed(prefix):
            path = self._checkpoint.write(prefix)
            with changing_lists():
                self._list_latest(path)
        self._last_checkpoint_step = step
        return path

    def _list_latest(self, path):
        self._times.pop(path, None)  # one that is saved again is the newest
        self._times[path] = time.time()
        self._latest_checkpoint = path
        # Old checkpoints are deleted when the file names the new one; then it names those that are left.
        self._record_state()
        if self._delete_old():
            self._record_state()

    def restore_or_initialize(self):
        """Restores the latest checkpoint, and initializes variables that it lacks; without one, calls `init_fn`.

        Returns:
          The prefix of the checkpoint; None if there is none.

        Raises:
          RuntimeError: There is no default session.
          tf.errors.OpError: The checkpoint is damaged, or does not fit.
        """
        if self._latest_checkpoint is not None:
            self._checkpoint.restore(self._latest_checkpoint).initialize_or_restore()
            self._last_checkpoint_step = self._step()
        elif self._init_fn is not None:
            self._init_fn()
            tf_logging.info("Customized initialization is done through the passed `init_fn`.")
        return self._latest_checkpoint

    def _step(self):
        """The number of steps; None without an interval."""
        if self._checkpoint_interval is None:
            return None
        session = session_or_default(None, "read the step counter")
        return training_util.global_step(session, self._step_counter)

    def _record_state(self):
        with explained(self._directory):
            checkpoint_management.write_state(
                self._directory,
                self._latest_checkpoint,
                list(self._times),
                None,
                True,
                list(self._times.values()),
                self._last_preserved_timestamp,
            )

    def _delete_old(self):
        """Deletes the checkpoints beyond `max_to_keep`, or keeps them for good. Returns whether there were any."""
        old = list(self._times.items())[: -self._max_to_keep] if self._max_to_keep else []
        for path, written in old:
            del self._times[path]
            hours = self._keep_checkpoint_every_n_hours
            if hours and written - hours * 3600 >= self._last_preserved_timestamp:
                self._last_preserved_timestamp = written
                continue
            checkpoint_management.remove_old_checkpoint(path)
        return bool(old)
