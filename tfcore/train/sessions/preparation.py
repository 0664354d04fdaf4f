"""Whether variables of other tasks are being initialized or restored: a note on one of these tasks.

A chief that dies while it restores leaves old values beside new ones, all of them initialized. Its replacement finds
the note and restores again, instead of continuing with what is there; the other tasks wait meanwhile. The note is a
variable beside those of the model, in a graph of its own: if its task is lost, so are variables of the model, which
says the same.
"""

import contextlib

from tfcore.client.session import Session
from tfcore.framework import errors
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.graph import Graph, GraphKeys, device
from tfcore.train.sessions import cluster_state
from tfcore.variables.variables import Variable

_NAME = "tfcore_preparation"


class Preparation:
    """The note about the variables of a graph; there is none if all of them belong to this task.

    Args:
      graph: The `Graph` of the model.
    """

    def __init__(self, graph):
        self._model = graph
        self._graph = None  # that of the note
        self._where = None  # the device of the note

    def is_done(self, master, config):
        """Whether variables were prepared, and the task with the note has not been replaced since. True without a note.

        Raises:
          tf.errors.OpError: The task with the note is lost.
        """
        return not self._exists() or self._read(master, config) is False

    def is_under_way(self, master, config):
        """Whether variables are being prepared, or whoever did that has died.

        Raises:
          tf.errors.OpError: The task with the note is lost.
        """
        return self._exists() and self._read(master, config) is True

    def begin(self, master, config):
        """Notes that variables are about to be prepared; it stays noted until `end`, whatever becomes of this process.

        Raises:
          tf.errors.OpError: The task with the note is lost.
        """
        self._write(master, config, True)

    def end(self, master, config):
        """Notes that all variables are prepared.

        Raises:
          tf.errors.OpError: The task with the note is lost.
        """
        self._write(master, config, False)

    def _read(self, master, config):
        """What the note says; None if this process of the task has got none."""
        with self._session(master, config) as sess:
            try:
                return bool(sess.run(self._is_under_way))
            except errors.FailedPreconditionError:
                return None

    def _write(self, master, config, is_under_way):
        if self._exists():
            with self._session(master, config) as sess:
                sess.run(self._writes[is_under_way])

    def _exists(self):
        if not cluster_state.has_others():
            return False
        if self._graph is None:
            self._where = self._find_task()
            if self._where is not None:
                self._build()
        return self._graph is not None

    def has_distant_variables(self):
        """Whether the model has variables that belong to another task."""
        return self._find_task() is not None

    def _find_task(self):
        """The device of the first variable, by name, that belongs to another task; None if there is none."""
        own = cluster_state.own_task()
        for variable in sorted(self._model.get_collection(GraphKeys.GLOBAL_VARIABLES), key=lambda v: v.name):
            spec = DeviceSpec.from_string(variable.device or "")
            if spec.job is not None and (spec.job, spec.task or 0) != own:
                return DeviceSpec(spec.job, spec.replica, spec.task or 0, "CPU", 0).to_string()
        return None

    def _build(self):
        self._graph = Graph()
        with self._graph.as_default(), device(self._where):
            self._is_under_way = Variable(False, trainable=False, collections=[], name=_NAME)
            self._writes = {value: self._is_under_way.assign(value).op for value in (True, False)}

    @contextlib.contextmanager
    def _session(self, master, config):
        sess = Session(master, graph=self._graph, config=config)
        try:
            yield sess
        except errors.UnavailableError:  # the note is not an operation of the user's
            text = f"{cluster_state.described(self._where)}. It has variables of the model."
            raise errors.UnavailableError(None, None, text) from None
        finally:
            with contextlib.suppress(errors.OpError):  # of a task that is gone
                sess.close()
