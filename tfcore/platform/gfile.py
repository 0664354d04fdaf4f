"""The namespace tf.gfile: the functions of tf.io.gfile under TensorFlow 1's names."""

from tfcore.framework.lazy import lazy_names
from tfcore.platform import io_gfile as _files
from tfcore.platform.gfile_object import GFile

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]

__getattr__, __dir__ = lazy_names(globals(), {})

FastGFile = Open = GFile


def Copy(oldpath, newpath, overwrite=False):  # noqa: N802
    """Copies a file.

    Args:
      oldpath: Path of the file.
      newpath: Path of the copy; not that of a folder.
      overwrite: Whether a file that exists is replaced.

    Raises:
      tf.errors.AlreadyExistsError: The target exists, and `overwrite` is false.
      tf.errors.NotFoundError: There is no such file, or no folder for the copy.
    """
    _files.copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname):  # noqa: N802
    """Deletes a folder with all that is in it, or a file.

    Args:
      dirname: Path of the folder.

    Raises:
      tf.errors.NotFoundError: There is none.
    """
    _files.rmtree(dirname)


def Exists(filename):  # noqa: N802
    """Whether there is a file or folder.

    Args:
      filename: A path.

    Returns:
      A bool.

    Raises:
      TypeError: It is not a path.
    """
    return _files.exists(filename)


def Glob(filename):  # noqa: N802
    """The paths that match a pattern, see `tf.io.gfile.glob`.

    Args:
      filename: A string, or several in a list.

    Returns:
      A list of strings.

    Raises:
      tf.errors.OpError: A folder cannot be read.
    """
    return _files.glob(filename)


def IsDirectory(dirname):  # noqa: N802
    """Whether there is a folder.

    Args:
      dirname: A path.

    Returns:
      A bool.

    Raises:
      TypeError: It is not a path.
    """
    return _files.isdir(dirname)


def ListDirectory(dirname):  # noqa: N802
    """The names of what is in a folder, in no special order.

    Args:
      dirname: Path of the folder.

    Returns:
      A list of strings, without the folder.

    Raises:
      tf.errors.NotFoundError: There is no such folder.
    """
    return _files.listdir(dirname)


def MakeDirs(dirname):  # noqa: N802
    """Creates a folder, and all above it that do not exist; no effect if it exists.

    Args:
      dirname: Path of the folder.

    Raises:
      tf.errors.FailedPreconditionError: A part of the path is a file.
    """
    _files.makedirs(dirname)


def MkDir(dirname):  # noqa: N802
    """Creates a folder; no effect if it exists.

    Args:
      dirname: Path of the folder. The folder above it must exist.

    Raises:
      tf.errors.NotFoundError: The folder above does not exist.
    """
    _files.mkdir(dirname)


def Remove(filename):  # noqa: N802
    """Deletes a file.

    Args:
      filename: Path of the file.

    Raises:
      tf.errors.NotFoundError: There is none.
      tf.errors.FailedPreconditionError: It is a folder.
    """
    _files.remove(filename)


def Rename(oldname, newname, overwrite=False):  # noqa: N802
    """Renames or moves a file or folder.

    Args:
      oldname: Its path.
      newname: Its new path.
      overwrite: Whether a file that exists is replaced.

    Raises:
      tf.errors.AlreadyExistsError: The target exists, and `overwrite` is false.
      tf.errors.NotFoundError: There is nothing of this name, or no folder for the target.
    """
    _files.rename(oldname, newname, overwrite)


def Stat(filename):  # noqa: N802
    """What is known about a file or folder.

    Args:
      filename: A path.

    Returns:
      An object with attributes `length`, `mtime_nsec` (an int, the time of the last change) and `is_directory`.

    Raises:
      tf.errors.NotFoundError: There is none.
    """
    return _files.stat(filename)


def Walk(top, in_order=True):  # noqa: N802
    """Goes through a folder and all below it.

    Args:
      top: Path of the folder; nothing is found if there is none.
      in_order: Whether a folder comes before those in it.

    Yields:
      Tuples of the path of a folder, the list of the names of folders in it, and that of the names of files.

    Raises:
      TypeError: It is not a path.
    """
    return _files.walk(top, in_order)
