"""A checkpoint that a thread writes while training continues."""

import inspect
import threading
import time

from tfcore.core.runtime import SnapshotWatch
from tfcore.platform import tf_logging


def options_of_save(saver):
    """The keyword arguments with which a saver saves in the background; none if its `save` lacks `in_background`."""
    return {"in_background": True} if "in_background" in inspect.signature(saver.save).parameters else {}


class BackgroundSave:
    """Calls a function that saves a checkpoint, on a thread.

    Args:
      save: The function.
      snapshots: How many operations take snapshots of variables for it, in all tasks of the session.
    """

    def __init__(self, save, snapshots):
        self._save = save
        self._snapshots = snapshots
        self._watch = SnapshotWatch()
        self._error = None
        self.seconds = None  # that it took
        self.thread = threading.Thread(target=self._run, name="tfcore-save")
        self.thread.start()

    def _run(self):
        start = time.monotonic()
        self._watch.begin()
        try:
            self._save()
        except BaseException as error:  # noqa: BLE001  raised by `finish`
            self._error = error
            tf_logging.error("A checkpoint could not be saved: %s", error)
        finally:
            self.seconds = time.monotonic() - start
            self._watch.end()

    def wait_for_snapshots(self):
        """Waits until all values to save are fixed, or saving has ended."""
        while not self._watch.wait(self._snapshots, 0.1):  # meanwhile signals are handled
            pass

    @property
    def is_over(self):
        """Whether the function has returned or raised an error."""
        return not self.thread.is_alive()

    def finish(self):
        """Waits for the end, and raises the error of the function."""
        self.thread.join()
        if self._error is not None:
            error, self._error = self._error, None
            raise error
