"""tf.summary.FileWriter: writes summaries, graphs and logs of sessions to event files; one writer for each folder."""

import os
import threading
import time
import warnings

from tfcore import compat
from tfcore.framework import errors, protos
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.graph.graph import Graph, get_default_graph
from tfcore.framework.of_this_process import OfThisProcess
from tfcore.io import meta_graph
from tfcore.summary.event_file import EventFile, close_all


class FileWriter(OfThisProcess):
    """Writes an event file, which TensorBoard shows.

    Args:
      logdir: Path of the folder for the file.
      graph: A `Graph`, or GraphDef, to write (optional).
      max_queue: How many events may wait in memory.
      flush_secs: Seconds after which waiting events are written with the next one.
      graph_def: Old name of `graph`.
      filename_suffix: Text at the end of the file's name (optional).
      session: Not supported.

    Raises:
      ValueError: Both `graph` and `graph_def` are given.
      TypeError: What is given is not a graph.
      tf.errors.UnimplementedError: A `session` is given.
      tf.errors.OpError: The folder or the file can't be written.

    Example:

    >>> import tempfile
    >>> summary = tf.summary.scalar("loss", 0.5)
    >>> with tempfile.TemporaryDirectory() as folder, tf.summary.FileWriter(folder, sess.graph) as writer:
    ...     for step in range(3):
    ...         writer.add_summary(sess.run(summary), step)
    """

    _instead = ". Make one for the same folder in the other process: it writes a file of its own"

    def __init__(
        self,
        logdir,
        graph=None,
        max_queue=10,
        flush_secs=120,
        graph_def=None,
        filename_suffix=None,
        session=None,
    ):
        if session is not None:
            raise errors.UnimplementedError(None, None, "FileWriter can't write in a session (session=...)")
        self._logdir = compat.path_to_str(logdir)
        self._file = EventFile(self._logdir, max_queue, flush_secs, filename_suffix or "")
        self._closed = False
        self._described_tags = set()  # whose metadata are in the file
        self._metadata_tags = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            graph = graph if graph_def is None else graph_def
            definition = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
            self.add_meta_graph(meta_graph.export_meta_graph(graph_def=definition, collection_list=[]))

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        self.close()

    def get_logdir(self):
        """Path of the folder.

        Returns:
          A string.
        """
        return self._logdir

    # ---- Events

    def add_summary(self, summary, global_step=None):
        """Writes a summary.

        Args:
          summary: A Summary, or bytes, as a summary operation returns them.
          global_step: The number of the step (optional).

        Raises:
          google.protobuf.message.DecodeError: The bytes are not a Summary.
        """
        copy = protos.Summary()
        if isinstance(summary, bytes):
            copy.ParseFromString(summary)
        else:
            copy.CopyFrom(protos.as_message(protos.Summary, summary))
        for value in copy.value:  # a tag's metadata are written once
            if value.HasField("metadata"):
                if value.tag in self._described_tags:
                    value.ClearField("metadata")
                self._described_tags.add(value.tag)
        self._add(protos.Event(summary=copy), global_step)

    def add_session_log(self, session_log, global_step=None):
        """Writes that a session started, stopped, or saved a checkpoint.

        Args:
          session_log: A SessionLog.
          global_step: The number of the step (optional).
        """
        self._add(protos.Event(session_log=protos.as_message(protos.SessionLog, session_log)), global_step)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes a graph.

        Args:
          graph: A `Graph`, or GraphDef.
          global_step: The number of the step (optional).
          graph_def: Old name of `graph`.

        Raises:
          ValueError: Both `graph` and `graph_def` are given.
          TypeError: What is given is not a graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph if graph_def is None else graph_def
        if isinstance(given, Graph):
            given = given.as_graph_def(add_shapes=True)
        elif not isinstance(protos.as_message(protos.GraphDef, given), protos.GraphDef):
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
        self._add(protos.Event(graph_def=given.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Writes a MetaGraphDef.

        Args:
          meta_graph_def: The MetaGraphDef.
          global_step: The number of the step (optional).

        Raises:
          TypeError: It is something else.
        """
        if not isinstance(protos.as_message(protos.MetaGraphDef, meta_graph_def), protos.MetaGraphDef):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add(protos.Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Writes what a traced step did.

        Args:
          run_metadata: A `RunMetadata`.
          tag: Name of it, which TensorBoard shows.
          global_step: The number of the step (optional).

        Raises:
          ValueError: The tag was used before.
        """
        if tag in self._metadata_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._metadata_tags.add(tag)
        tagged = protos.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(protos.Event(tagged_run_metadata=tagged), global_step)

    def add_event(self, event):
        """Writes an Event. After `close`, nothing is written, with a warning.

        Args:
          event: The Event.
        """
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is "
                "explicitly reopened.",
                stacklevel=3,
            )
            return
        self._file.add(event)

    def _add(self, event, step):
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    # ---- Files

    def flush(self):
        """Writes the events that wait in memory."""
        if not self._closed:
            self._file.flush()

    def close(self):
        """Writes the events that wait in memory, and closes the file."""
        self._closed = True
        self._file.close()

    def reopen(self):
        """Lets a closed writer write again, to another file of the folder."""
        self._closed = False


class FileWriterCache:
    """One writer for each folder, for those that write to the same one."""

    _cache = {}
    _lock = fork_safe(threading.RLock())

    @staticmethod
    def clear():
        """Closes all writers and forgets them."""
        with FileWriterCache._lock:
            writers, FileWriterCache._cache = list(FileWriterCache._cache.values()), {}
            close_all(writers)

    @staticmethod
    def get(logdir):
        """The writer of a folder; a new one writes the default graph first.

        Args:
          logdir: Path of the folder.

        Returns:
          A `FileWriter`.
        """
        with FileWriterCache._lock:
            key = logdir, os.getpid()  # a forked process has its own
            if key not in FileWriterCache._cache:
                FileWriterCache._cache[key] = FileWriter(logdir, graph=get_default_graph())
            return FileWriterCache._cache[key]
