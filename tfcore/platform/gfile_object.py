"""GFile: a file that is opened when it is first read or written, as in TensorFlow."""

import contextlib
import io

from tfcore.compat import as_bytes, as_str_any
from tfcore.framework import errors
from tfcore.platform.file_system import explained, file_system_of, refuse, text_of

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file of this machine, or of another system such as gs:// or s3:// (with the package fsspec).

    The file is opened, and so its errors are raised, when it is first read or written. Reading and writing have
    separate positions. Each mode but "a" and "a+" empties the file when it is first written.

    Args:
      name: The path, a string or `os.PathLike`.
      mode: One of "r", "w", "a", "r+", "w+", "a+"; with a "b", reading returns bytes.

    Raises:
      tf.errors.InvalidArgumentError: There is no such mode.

    Example:

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lines")
    >>> with tf.gfile.GFile(path, "w") as file:
    ...     file.write("one\\n")
    ...     file.write("two\\n")
    >>> [line for line in tf.gfile.GFile(path)]
    ['one\\n', 'two\\n']
    """

    def __init__(self, name, mode="r"):
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        kind = mode.replace("b", "")
        if kind not in _MODES:
            refuse(errors.InvalidArgumentError, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._readable = kind not in ("w", "a")
        self._writable = kind != "r"
        self._appends = kind[0] == "a"
        self._reader = self._writer = None

    @property
    def name(self):
        """The path, as it was given."""
        return self._name

    @property
    def mode(self):
        """The mode, as it was given."""
        return self._mode

    def _explained(self):
        return explained(text_of(self._name))

    def _open(self, mode):
        path = text_of(self._name)
        return file_system_of(path).open(path, mode)

    def _read_from(self):
        if self._reader is None:
            if not self._readable:
                refuse(errors.PermissionDeniedError, "File isn't open for reading")
            self._reader = self._open("rb")
        return self._reader

    def _write_to(self):
        if self._writer is None:
            if not self._writable:
                refuse(errors.PermissionDeniedError, "File isn't open for writing")
            self._writer = self._open("ab" if self._appends else "wb")
        return self._writer

    def _value(self, content):
        return content if self._binary else as_str_any(content)

    def size(self):
        """The number of bytes in the file.

        Returns:
          An int.
        """
        path = text_of(self._name)
        return file_system_of(path).stat(path)[0]

    def write(self, file_content):
        """Writes at the end of what was written.

        Args:
          file_content: A string or bytes.

        Raises:
          tf.errors.OpError: The file cannot be opened or written.
          TypeError: It is neither.
        """
        with self._explained():
            self._write_to().write(as_bytes(file_content))

    def read(self, n=-1):
        """Reads from the position on.

        Args:
          n: Number of bytes; -1 for all that are left.

        Returns:
          A string, or bytes in a binary mode.

        Raises:
          tf.errors.OpError: The file cannot be opened.
          tf.errors.InvalidArgumentError: `n` is below -1.
        """
        if n < -1:
            refuse(errors.InvalidArgumentError, f"Can't read a negative number of bytes: {n}")
        with self._explained():
            content = self._read_from().read(n)
        return self._value(content)

    def seek(self, offset=None, whence=0, position=None):
        """Sets the position for reading.

        Args:
          offset: Number of bytes from the beginning; from `whence`, if given.
          whence: 0 for the beginning of the file, 1 for the present position, 2 for the end.
          position: Another name of `offset`.

        Raises:
          tf.errors.InvalidArgumentError: `whence` is none of these, or the position would be negative.
          tf.errors.OutOfRangeError: The position would be behind the end; it is the end then.
          TypeError: There is no offset, or there are two.
        """
        file = self._read_from()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        if whence not in (0, 1, 2):
            text = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            refuse(errors.InvalidArgumentError, text)
        start = (0, file.tell(), self.size() if whence == 2 else 0)[whence]
        place = start + (position if offset is None else offset)
        if place < 0:
            refuse(errors.InvalidArgumentError, f"Seeking to a negative position: {place}")
        if place > file.seek(0, io.SEEK_END):
            refuse(errors.OutOfRangeError, "reached end of file")
        file.seek(place)

    def readline(self):
        """Reads the next line. Carriage returns are left out.

        Returns:
          A string, or bytes in a binary mode, with the end of the line; empty at the end of the file.
        """
        with self._explained():
            line = self._read_from().readline()
        return self._value(line.replace(b"\r", b""))

    def readlines(self):
        """Reads all lines that are left.

        Returns:
          A list of what `readline` returns.
        """
        return list(self)

    def tell(self):
        """The position: of reading if the mode allows it, else of writing.

        Returns:
          An int.
        """
        return (self._read_from() if self._readable else self._write_to()).tell()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self):
        """Reads the next line.

        Returns:
          What `readline` returns.

        Raises:
          StopIteration: The file ends here.
        """
        return next(self)

    def flush(self):
        """Hands what was written to the operating system.

        Raises:
          tf.errors.OpError: It cannot be written.
        """
        if self._writer is not None:
            with self._explained():
                self._writer.flush()

    def close(self):
        """Closes the file. What was written is in the file then.

        Raises:
          tf.errors.OpError: It cannot be written; the file is closed all the same.
        """
        reader, writer = self._reader, self._writer
        self._reader = self._writer = None
        with self._explained(), contextlib.ExitStack() as stack:
            for file in (reader, writer):
                if file is not None:
                    stack.callback(file.close)

    def seekable(self):
        """Whether there is a position to set.

        Returns:
          True.
        """
        return True
