"""Where files are: on this machine, or behind a scheme such as gs:// or s3:// that fsspec knows.

Both kinds of file system have the same methods, which take paths as programs write them and raise TensorFlow's errors.
"""

import contextlib
import errno
import functools
import os
import re
import shutil

from tfcore.compat import path_to_bytes
from tfcore.framework import errors

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9.]+)://")  # as in TensorFlow: "C://file" has none
_BLOCK = 1 << 20

_ERRORS = {
    errors.NotFoundError: (errno.ENOENT, errno.ESRCH, errno.ENODEV, errno.ENXIO),
    errors.AlreadyExistsError: (errno.EEXIST,),
    errors.PermissionDeniedError: (errno.EACCES, errno.EPERM, errno.EROFS),
    errors.FailedPreconditionError: (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EBUSY, errno.EBADF),
    errors.InvalidArgumentError: (errno.EINVAL, errno.ENAMETOOLONG, errno.ELOOP, errno.EDOM),
    # TensorFlow makes OutOfRangeError of EFBIG, which monitored sessions take for the end of the input.
    errors.ResourceExhaustedError: (
        *(errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.EDQUOT, errno.ENOMEM, errno.EMLINK, errno.EFBIG),
    ),
    errors.OutOfRangeError: (errno.EOVERFLOW, errno.ESPIPE),
    errors.UnimplementedError: (errno.ENOSYS, errno.ENOTSUP, errno.EXDEV),
    errors.UnavailableError: (errno.ECONNREFUSED, errno.ECONNRESET, errno.EHOSTUNREACH, errno.ENETUNREACH),
    errors.DeadlineExceededError: (errno.ETIMEDOUT,),
}
_BY_CLASS = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    PermissionError: errno.EACCES,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    TimeoutError: errno.ETIMEDOUT,
}
_BY_ERRNO = {number: cls for cls, numbers in _ERRORS.items() for number in numbers}


@contextlib.contextmanager
def explained(path):
    """Turns an OSError into the error that TensorFlow raises for it."""
    try:
        yield
    except OSError as error:
        number = error.errno
        if number is None:  # many of fsspec's have none
            number = next((number for cls, number in _BY_CLASS.items() if isinstance(error, cls)), None)
        text = os.strerror(number) if number else str(error)
        raise _BY_ERRNO.get(number, errors.UnknownError)(None, None, f"{path}; {text}") from error


def refuse(cls, text):
    raise cls(None, None, text)


def text_of(path):
    """A path as a string; bytes that are not UTF-8 are surrogates, as in `os.listdir`.

    Raises:
      InvalidArgumentError: it has a null character, with which no system ends a name.
    """
    text = path if type(path) is str else os.fsdecode(path_to_bytes(path))
    if "\0" in text:
        refuse(errors.InvalidArgumentError, f"{text!r}; embedded null character")
    return text


def file_system_of(path):
    """The file system of a path, which is a string.

    Raises:
      UnimplementedError: fsspec does not know the scheme, or is not installed.
    """
    scheme = _SCHEME.match(path)
    if scheme is None:
        return LOCAL
    return LOCAL if scheme[1] == "file" else _remote(scheme[1], path)


def _explained(method):
    @functools.wraps(method)
    def call(self, path, *rest):
        with explained(path):
            return method(self, path, *rest)

    return call


class LocalFiles:
    """The files of this machine. Paths may begin with file://."""

    @staticmethod
    def _own(path):
        return path.removeprefix("file://")

    @_explained
    def open(self, path, mode):
        if os.path.isdir(self._own(path)):  # Python would only complain when it reads
            raise IsADirectoryError(errno.EISDIR, "")
        return open(self._own(path), mode)

    def exists(self, path):
        return os.path.exists(self._own(path))

    def is_directory(self, path):
        return os.path.isdir(self._own(path))

    @_explained
    def stat(self, path):
        """(length, time of the last change in ns, whether it is a directory)"""
        found = os.stat(self._own(path))
        return found.st_size, found.st_mtime_ns, os.path.isdir(self._own(path))

    @_explained
    def list(self, path):
        return os.listdir(self._own(path))

    @_explained
    def make_directory(self, path):
        os.mkdir(self._own(path))

    @_explained
    def make_directories(self, path):
        os.makedirs(self._own(path), exist_ok=True)

    @_explained
    def remove(self, path):
        os.remove(self._own(path))

    @_explained
    def remove_tree(self, path):
        if os.path.islink(self._own(path)):  # what it leads to stays as it is
            raise NotADirectoryError(errno.ENOTDIR, "")
        shutil.rmtree(self._own(path))

    @_explained
    def rename(self, old, new):
        os.replace(self._own(old), self._own(new))

    def is_same(self, path, other):
        """Whether two paths lead to one file."""
        path, other = self._own(path), self._own(other)
        return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)

    @_explained
    def create_like(self, path, model):
        """Creates a file with the permissions of another one, unless it exists."""
        mode = os.stat(self._own(model)).st_mode & 0o777
        os.close(os.open(self._own(path), os.O_WRONLY | os.O_CREAT, mode))


class RemoteFiles:
    """The files behind a scheme, through a file system of fsspec."""

    def __init__(self, files):
        self._files = files

    def __eq__(self, other):
        return isinstance(other, RemoteFiles) and self._files == other._files

    __hash__ = None

    @_explained
    def open(self, path, mode):
        return self._files.open(path, mode)

    # fsspec's own `exists` and `isdir` take a failure of the network for a file that is not there.
    @_explained
    def exists(self, path):
        return self._kind(path) is not None

    @_explained
    def is_directory(self, path):
        return self._kind(path) == "directory"

    def _kind(self, path):
        try:
            return self._files.info(path)["type"]
        except (FileNotFoundError, NotADirectoryError):
            return None

    @_explained
    def stat(self, path):
        found = self._files.info(path)
        try:
            modified = int(self._files.modified(path).timestamp() * 1e9)
        except (NotImplementedError, FileNotFoundError, KeyError):  # folders of object stores have no time
            modified = 0
        return found.get("size") or 0, modified, found["type"] == "directory"

    @_explained
    def size(self, path):
        """The number of bytes of a file; None if the system does not say it."""
        return self._files.info(path).get("size")

    @_explained
    def write_whole(self, path, data):
        """Writes a file with these bytes, and makes the folders that it needs."""
        self._with_folders(path, lambda: self._files.pipe_file(path, data))

    @_explained
    def write_blocks(self, path, blocks):
        """Writes a file, and makes the folders that it needs. If that fails, a file that was there stays.

        Args:
          path: Where.
          blocks: Its contents, an iterable of bytes.
        """
        folder, slash, name = path.rpartition("/")
        unfinished = f"{folder}{slash}.{os.urandom(6).hex()}-{name}"
        try:
            with self._with_folders(unfinished, lambda: self._files.open(unfinished, "wb")) as file:
                for block in blocks:
                    file.write(block)
            self._files.mv(unfinished, path)
        except BaseException:
            with contextlib.suppress(Exception):
                self._files.rm_file(unfinished)
            raise

    def _with_folders(self, path, write):
        try:
            return write()
        except FileNotFoundError:
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            return write()

    @_explained
    def remove_directory(self, path):
        """Removes a folder that is empty."""
        self._files.rmdir(path)

    @_explained
    def list(self, path):
        return [name.rstrip("/").rsplit("/", 1)[-1] for name in self._files.ls(path, detail=False)]

    @_explained
    def make_directory(self, path):
        self._files.mkdir(path, create_parents=False)

    @_explained
    def make_directories(self, path):
        self._files.makedirs(path, exist_ok=True)

    @_explained
    def remove(self, path):
        self._files.rm_file(path)

    @_explained
    def remove_tree(self, path):
        self._files.rm(path, recursive=True)

    @_explained
    def rename(self, old, new):
        self._files.mv(old, new, recursive=self._kind(old) == "directory")

    def is_same(self, path, other):
        return self._files._strip_protocol(path) == self._files._strip_protocol(other)

    def create_like(self, path, model):
        """Does nothing: what may be done with files is not known here."""


LOCAL = LocalFiles()


def _remote(scheme, path):
    refused = f"File system scheme '{scheme}' not implemented (file: '{path}')"
    try:
        import fsspec
    except ImportError:
        refuse(errors.UnimplementedError, f"{refused}: it needs fsspec. Install it with: pip install 'tfcore[remote]'")
    try:
        return RemoteFiles(fsspec.filesystem(scheme, use_listings_cache=False))
    except (ImportError, ValueError) as error:  # the scheme's own package is missing, or nobody knows the scheme
        raise errors.UnimplementedError(None, None, f"{refused}: {error}") from error


# ---- What works alike on all file systems


def copy(source, target):
    """Copies the bytes of a file, also from one file system to another, and on this machine its permissions.

    A file is not copied onto itself: that would empty it.
    """
    files, others = file_system_of(source), file_system_of(target)
    if files == others and files.is_same(source, target):
        files.open(source, "rb").close()  # refused as any other
        return
    with files.open(source, "rb") as read:
        if files == others:
            files.create_like(target, source)
        with explained(target), others.open(target, "wb") as write:  # closing writes, too
            while block := read.read(_BLOCK):
                write.write(block)


def join(folder, name):
    return name if not folder else f"{folder}{name}" if folder.endswith("/") else f"{folder}/{name}"


def matches(pattern):
    """The paths that match a pattern: `*`, `?`, `[...]` in each part of the path; hidden files count, too."""
    files = file_system_of(pattern)
    head = _SCHEME.match(pattern)
    start = head.end() if head else 0
    first = re.search(r"[*?\[\\]", pattern[start:])
    if first is None:
        return [pattern] if files.exists(pattern) else []
    cut = pattern.rfind("/", 0, start + first.start()) + 1
    found = [pattern[:cut]]
    for part in pattern[cut:].split("/"):
        match = re.compile(_regex(part), re.DOTALL).fullmatch
        deeper = []
        for folder in found:
            if files.is_directory(folder or "."):
                deeper += [join(folder, name) for name in sorted(files.list(folder or ".")) if match(name)]
        found = deeper
    return found


_TOKEN = re.compile(r"\\.|\*|\?|\[[\^!]?\]?[^]]*\]|.", re.S)
_RANGE = re.compile(r"(.)(?:-(.))?", re.S)  # a member of a set: a character, or the first and last of several


def _regex(part):
    """The pattern of one part of a path as a regular expression; a backslash quotes the next character."""
    return "".join(map(_token_regex, _TOKEN.findall(part)))


def _token_regex(token):
    if token in ("*", "?"):
        return ".*" if token == "*" else "."
    if len(token) > 2:  # a set of characters
        negated = token[1] in "^!"
        members = _RANGE.findall(token[1 + negated : -1])
        inside = "".join(f"{re.escape(a)}-{re.escape(b or a)}" for a, b in members if a <= (b or a))
        return f"[{'^' * negated}{inside}]" if inside else "." if negated else "(?!)"
    return re.escape(token[-1])
