"""The files of a SavedModel: the message `saved_model.pb` or `saved_model.pbtxt`, assets, and the folders.

A folder is a SavedModel once it has the message, so the message is written last, when everything else is on the disk.
"""

import os

from tfcore import compat
from tfcore.framework import errors, protos
from tfcore.framework.exchange.graph_io import sync, write_atomically
from tfcore.platform import io_gfile
from tfcore.platform.file_system import LOCAL, explained, file_system_of
from tfcore.saved_model import constants

_CHUNK_BYTES = 1 << 20
_MAX_MESSAGE_BYTES = 2**31 - 1  # of protocol buffers


def path_of(export_dir, *names):
    """A path below the folder of a SavedModel, a string."""
    return os.path.join(compat.as_str(os.fspath(export_dir)), *map(compat.as_str, names))


def variables_path(export_dir):
    """The prefix of the checkpoint with the variables."""
    return path_of(export_dir, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)


def local_path(export_dir):
    """The path of a folder to write to, a string. UnimplementedError: it is not on this machine."""
    path = path_of(export_dir)
    if file_system_of(path) is not LOCAL:
        raise errors.UnimplementedError(
            None, None, f"SavedModels are written to folders of this machine only, not to '{path}'."
        )
    return path.removeprefix("file://")


def make_folder(path):
    """Makes a folder, and those above it, so that they survive a crash."""
    missing = []
    path = os.path.abspath(path)
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    with explained(missing[0] if missing else path):
        for folder in reversed(missing):
            os.makedirs(folder, exist_ok=True)
            sync(os.path.dirname(folder))


def copy_asset(source, export_dir, name):
    """Copies a file into the folder of assets, unless one of this name is there. NotFoundError: no such file."""
    folder = path_of(export_dir, constants.ASSETS_DIRECTORY)
    make_folder(folder)
    target = os.path.join(folder, compat.as_str(name))
    if os.path.exists(target):
        return
    if not io_gfile.exists(source):
        raise errors.NotFoundError(None, None, f"{compat.as_str(source)}; No such file or directory")

    def write(temporary):
        with io_gfile.GFile(source, "rb") as given, open(temporary, "wb") as copy:
            while chunk := given.read(_CHUNK_BYTES):
                copy.write(chunk)

    with explained(target):
        write_atomically(target, write)


def write_saved_model(saved_model, export_dir, as_text=False):
    """Writes the message; everything else must have been written. Returns its path.

    Raises:
      ValueError: the message would be larger than 2 GB.
      tf.errors.OpError: the file can't be written.
    """
    if as_text:
        data, name = str(saved_model).encode(), constants.SAVED_MODEL_FILENAME_PBTXT
    else:
        data, name = _serialized(saved_model), constants.SAVED_MODEL_FILENAME_PB
    path = path_of(export_dir, name)

    def write(temporary):
        with open(temporary, "wb") as file:
            file.write(data)

    make_folder(path_of(export_dir))
    with explained(path):
        sync(path_of(export_dir))  # the names of the other folders
        write_atomically(path, write)
    return path


def _serialized(saved_model):
    from google.protobuf.message import EncodeError

    try:
        data = saved_model.SerializeToString(deterministic=True)
    except EncodeError:  # some implementations fail, others write what none can read
        data = None
    if data is None or len(data) > _MAX_MESSAGE_BYTES:
        raise ValueError(
            f"The graphs of the SavedModel take more than the {_MAX_MESSAGE_BYTES} bytes of a protocol buffer. Keep "
            "large values in variables, or feed them, instead of constants."
        )
    return data


def parse_saved_model(export_dir):
    """The SavedModel of a folder. OSError: there is no file of it, or none that can be parsed."""
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    binary = path_of(export_dir, constants.SAVED_MODEL_FILENAME_PB)
    text = path_of(export_dir, constants.SAVED_MODEL_FILENAME_PBTXT)
    path = binary if io_gfile.exists(binary) else text
    if not io_gfile.exists(path):
        raise OSError(
            f"SavedModel file does not exist at: {path_of(export_dir)}/"
            f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
        )
    with io_gfile.GFile(path, "rb") as file:
        data = file.read()
    try:
        if path == binary:
            return protos.SavedModel.FromString(data)
        return text_format.Parse(data.decode(), protos.SavedModel())
    except (DecodeError, text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {path}: {error}.") from None
