"""The namespace tf.resource_loader: files beside a program's source."""

import os
import sys

from tfcore.framework.lazy import lazy_names

__all__ = [
    "get_data_files_path",
    "get_path_to_datafile",
    "get_root_dir_with_all_resources",
    "load_resource",
    "readahead_file_path",
]

__getattr__, __dir__ = lazy_names(globals(), {})


def _folder_of_caller():
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_code.co_filename))


def get_data_files_path():
    """The folder of the file that calls this function.

    Returns:
      A string.
    """
    return _folder_of_caller()


def get_root_dir_with_all_resources():
    """The folder below which a program's data files are: that of the calling file, as nothing here is built by Bazel.

    Returns:
      A string.
    """
    return _folder_of_caller()


def get_path_to_datafile(path):
    """The path of a file beside the file that calls this function.

    Args:
      path: A path relative to the folder of the calling file.

    Returns:
      A string.

    Raises:
      TypeError: It is not a path.
    """
    return os.path.join(_folder_of_caller(), path)


def load_resource(path):
    """Reads a file beside the file that calls this function.

    Args:
      path: A path relative to the folder of the calling file.

    Returns:
      The contents, as bytes.

    Raises:
      OSError: The file cannot be read.
    """
    with open(os.path.join(_folder_of_caller(), path), "rb") as file:
        return file.read()


def readahead_file_path(path, readahead="128M"):
    """Returns the path as it is, like TensorFlow.

    Args:
      path: A path.
      readahead: Ignored.

    Returns:
      `path`.

    Raises:
      Nothing.
    """
    return path
