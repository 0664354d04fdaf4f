"""Files of TensorFlow's records, read and written without a graph."""

import io
import os
import threading
import zlib

from tfcore.compat import as_bytes
from tfcore.core.registry.records import RecordFile, frame
from tfcore.framework import errors
from tfcore.framework.fork_safety import fork_safe
from tfcore.platform import tf_logging
from tfcore.platform.file_system import explained, file_system_of, text_of
from tfcore.platform.record_options import TFRecordOptions

_BUFFER = 1 << 18  # bytes


def tf_record_iterator(path, options=None):
    """Iterates over the records of a file.

    Args:
      path: Path of the file.
      options: A `TFRecordOptions`: how the file is compressed (optional).

    Returns:
      An iterator over `bytes`. It raises DataLossError, with the offset, where the file is damaged.

    Raises:
      tf.errors.NotFoundError: There is no such file.
      ValueError: `options` has no valid compression.
    """
    compression = TFRecordOptions.get_compression_type_string(options)
    return RecordFile(os.fsencode(text_of(path)), compression.encode())


class TFRecordWriter:
    """Writes a file of records. A `with` statement closes it.

    Args:
      path: Path of the file; what it had is lost.
      options: A `TFRecordOptions` or the name of a compression (optional).

    Raises:
      tf.errors.OpError: The file can't be written.
      ValueError: `options` has no valid compression.

    Example:

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/numbers.tfrecord"
    >>> with tf.python_io.TFRecordWriter(name) as writer:
    ...     for i in range(3):
    ...         writer.write(str(i).encode())
    >>> print(list(tf.python_io.tf_record_iterator(name)))
    [b'0', b'1', b'2']
    """

    def __init__(self, path, options=None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._path = text_of(path)
        self._flush_mode = zlib.Z_SYNC_FLUSH if options.flush_mode is None else options.flush_mode
        self._compressor = options.compressor()
        self._process = os.getpid()
        self._file = None
        self._lock = fork_safe(threading.Lock())  # guards the file
        self._opened = file_system_of(self._path).open(self._path, "wb")
        self._file = io.BufferedWriter(self._opened, _BUFFER)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        if getattr(self, "_file", None) is not None and self._process == os.getpid():
            try:
                self.close()
            except errors.OpError as error:  # an exception would only be printed
                tf_logging.error("Can't close %s: %s", self._path, error.message)

    def _open_file(self):
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer not initialized or previously closed")
        return self._file

    def write(self, record):
        """Appends a record.

        Args:
          record: `bytes`, or a string, which is encoded as UTF-8.

        Raises:
          TypeError: It is neither.
          tf.errors.FailedPreconditionError: The writer is closed.
          tf.errors.OpError: The file can't be written.
        """
        data = frame(as_bytes(record))
        try:
            with self._lock:
                self._open_file().write(self._compressor.compress(data) if self._compressor else data)
        except OSError as error:
            with explained(self._path):  # which costs more than a write
                raise error

    def flush(self):
        """Hands over to the system what was written, so that readers see it.

        Raises:
          tf.errors.FailedPreconditionError: The writer is closed.
          tf.errors.OpError: The file can't be written.
        """
        with self._lock, explained(self._path):
            file = self._open_file()
            if self._compressor:
                file.write(self._compressor.flush(self._flush_mode))
            file.flush()
            self._opened.flush()

    def close(self):
        """Closes the file. Does nothing if it is closed.

        Raises:
          tf.errors.OpError: The file can't be written.
        """
        with self._lock, explained(self._path):
            file, self._file = self._file, None
            if file is None:
                return
            with file:
                if self._compressor:
                    file.write(self._compressor.flush())
