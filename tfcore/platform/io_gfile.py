"""The namespace tf.io.gfile: files and folders, here and behind schemes such as gs:// (see file_system.py)."""

import collections
import posixpath

from tfcore.framework import errors
from tfcore.framework.lazy import lazy_names
from tfcore.platform.file_system import copy as _copy
from tfcore.platform.file_system import file_system_of, matches, refuse, text_of
from tfcore.platform.file_system import join as _join
from tfcore.platform.gfile_object import GFile

__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

__getattr__, __dir__ = lazy_names(globals(), {})

FileStatistics = collections.namedtuple("FileStatistics", ["length", "mtime_nsec", "is_directory"])


def _found(path):
    """(the file system, the path as a string)"""
    path = text_of(path)
    return file_system_of(path), path


def exists(path):
    """Whether there is a file or folder.

    Args:
      path: A path.

    Returns:
      A bool.

    Raises:
      TypeError: It is not a path.
      tf.errors.OpError: The file system cannot be asked.
    """
    files, path = _found(path)
    return files.exists(path)


def isdir(path):
    """Whether there is a folder.

    Args:
      path: A path.

    Returns:
      A bool.

    Raises:
      TypeError: It is not a path.
      tf.errors.OpError: The file system cannot be asked.
    """
    files, path = _found(path)
    return files.is_directory(path)


def listdir(path):
    """The names of what is in a folder, in no special order.

    Args:
      path: Path of the folder.

    Returns:
      A list of strings, without the folder.

    Raises:
      tf.errors.NotFoundError: There is no such folder.
    """
    files, path = _found(path)
    if not files.is_directory(path):
        refuse(errors.NotFoundError, f"Could not find directory {path}")
    return files.list(path)


def stat(path):
    """What is known about a file or folder.

    Args:
      path: A path.

    Returns:
      An object with attributes `length`, `mtime_nsec` (an int, the time of the last change) and `is_directory`.

    Raises:
      tf.errors.NotFoundError: There is none.
    """
    files, path = _found(path)
    return FileStatistics(*files.stat(path))


def mkdir(path):
    """Creates a folder; no effect if it exists.

    Args:
      path: Path of the folder. The folder above it must exist.

    Raises:
      tf.errors.NotFoundError: The folder above does not exist.
      tf.errors.AlreadyExistsError: There is a file of this name.
    """
    files, path = _found(path)
    if not files.is_directory(path):
        files.make_directory(path)


def makedirs(path):
    """Creates a folder, and all above it that do not exist; no effect if it exists.

    Args:
      path: Path of the folder.

    Raises:
      tf.errors.FailedPreconditionError: A part of the path is a file.
    """
    files, path = _found(path)
    above = path.rstrip("/")
    while above and not above.endswith(":/") and not files.is_directory(above):
        if files.exists(above):
            refuse(errors.FailedPreconditionError, f"{above} is not a directory")
        above = above.rpartition("/")[0]
    files.make_directories(path)


def remove(path):
    """Deletes a file.

    Args:
      path: Path of the file.

    Raises:
      tf.errors.NotFoundError: There is none.
      tf.errors.FailedPreconditionError: It is a folder.
    """
    files, path = _found(path)
    files.remove(path)


def rmtree(path):
    """Deletes a folder with all that is in it, or a file.

    Args:
      path: Path of the folder.

    Raises:
      tf.errors.NotFoundError: There is none.
    """
    files, path = _found(path)
    if not files.exists(path):
        refuse(errors.NotFoundError, f"{path} not found")
    if files.is_directory(path):
        files.remove_tree(path)
    else:
        files.remove(path)


def copy(src, dst, overwrite=False):
    """Copies a file. A file that is copied onto itself stays as it is.

    Args:
      src: Path of the file.
      dst: Path of the copy; not that of a folder.
      overwrite: Whether a file that exists is replaced.

    Raises:
      tf.errors.AlreadyExistsError: The target exists, and `overwrite` is false.
      tf.errors.NotFoundError: There is no such file, or no folder for the copy.
      tf.errors.OpError: One of them is a folder.
    """
    _check_target(dst, overwrite)
    if isdir(src) and not isdir(dst):
        refuse(errors.InvalidArgumentError, f"{text_of(src)}; Is a directory")
    _copy(text_of(src), text_of(dst))


def rename(src, dst, overwrite=False):
    """Renames or moves a file or folder.

    Args:
      src: Its path.
      dst: Its new path.
      overwrite: Whether a file that exists is replaced.

    Raises:
      tf.errors.AlreadyExistsError: The target exists, and `overwrite` is false.
      tf.errors.NotFoundError: There is nothing of this name, or no folder for the target.
      tf.errors.UnimplementedError: The two are on different file systems.
    """
    _check_target(dst, overwrite)
    files, src = _found(src)
    dst = text_of(dst)
    if files != file_system_of(dst):
        refuse(errors.UnimplementedError, f"Renaming {src} to {dst} not implemented")
    files.rename(src, dst)


def _check_target(path, overwrite):
    if not overwrite and exists(path):
        refuse(errors.AlreadyExistsError, "file already exists")


def glob(pattern):
    """The paths that match a pattern: `*` and `?` for any characters but "/", `[abc]`, `[a-z]` and `[^a]` for one.

    Args:
      pattern: A string, or several in a list.

    Returns:
      A list of strings. Files whose names begin with a dot match, too.

    Raises:
      tf.errors.OpError: A folder cannot be read.
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes)) or hasattr(pattern, "__fspath__") else pattern
    return [path for each in patterns for path in matches(text_of(each))]


def join(path, *paths):
    """Joins parts of a path with "/"; an absolute part drops what precedes it.

    Args:
      path: The first part.
      *paths: The others.

    Returns:
      A string.

    Raises:
      TypeError: A part is not a path.

    Example:

    >>> tf.io.gfile.join("gs://bucket", "folder", "file")
    'gs://bucket/folder/file'
    """
    return posixpath.join(text_of(path), *map(text_of, paths))


def walk(top, topdown=True, onerror=None):
    """Goes through a folder and all below it.

    Args:
      top: Path of the folder; nothing is found if there is none.
      topdown: Whether a folder comes before those in it.
      onerror: A function that gets the errors of reading folders; they are dropped by default.

    Yields:
      Tuples of the path of a folder, the list of the names of folders in it, and that of the names of files.

    Raises:
      TypeError: It is not a path.
    """
    top = text_of(top)
    try:
        names = listdir(top)
    except errors.OpError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(_join(top, name))]
    here = top, folders, [name for name in names if name not in set(folders)]
    if topdown:
        yield here
    for name in folders:
        yield from walk(_join(top, name), topdown, onerror)
    if not topdown:
        yield here


def get_registered_schemes():
    """The schemes that paths may begin with; "" stands for paths without one.

    Returns:
      A list of strings.
    """
    schemes = ["", "file"]
    try:
        from fsspec import available_protocols
    except ImportError:
        return schemes
    return sorted({*schemes, *available_protocols()})
