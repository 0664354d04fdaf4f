"""The file "checkpoint", which says which checkpoints a folder has, and the files of a checkpoint."""

import os
import re
import socket
import threading

from tfcore import compat
from tfcore.framework import errors, protos
from tfcore.framework.exchange.graph_io import write_whole
from tfcore.framework.fork_safety import fork_safe
from tfcore.platform import io_gfile, tf_logging
from tfcore.platform.file_system import LOCAL, explained, file_system_of
from tfcore.train.checkpoints.save_order import deleting

_writing = fork_safe(threading.RLock())  # a signal handler may save while it is held
_left = {}  # path of a file "checkpoint" -> its version as this process left it
_shared = set()  # the paths of those that another process was found to write

_V1, _V2 = 1, 2  # SaverDef.V1, SaverDef.V2
_SHARDS = re.compile(r"-[\d?]+-of-\d+$")  # the end of the prefix of a sharded checkpoint of the first format


def _state_path(save_dir, latest_filename):
    return os.path.join(save_dir, "checkpoint" if latest_filename is None else latest_filename)


def generate_checkpoint_state_proto(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
):
    """Makes a CheckpointState, which lists the checkpoints of a folder.

    Args:
      save_dir: The folder.
      model_checkpoint_path: The latest checkpoint.
      all_model_checkpoint_paths: All checkpoints from oldest to newest; the latest is added if it is not the last one.
      all_model_checkpoint_timestamps: When each was written, in seconds since 1970.
      last_preserved_timestamp: When the last one that is kept for good was written, in seconds since 1970.

    Returns:
      A CheckpointState. Its paths are relative to `save_dir` if both are relative paths.

    Raises:
      ValueError: The number of timestamps is not that of the paths.
    """
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        tf_logging.info("%s is not in all_model_checkpoint_paths. Manually adding it.", model_checkpoint_path)
        paths.append(model_checkpoint_path)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got "
            f"paths {paths} and timestamps {all_model_checkpoint_timestamps})"
        )
    if not os.path.isabs(save_dir):  # what contains the folder's path becomes relative to the folder
        paths = [p if os.path.isabs(p) else os.path.relpath(p, save_dir) for p in paths]
    return protos.CheckpointState(
        model_checkpoint_path=paths[-1],
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp or 0.0,
    )


def update_checkpoint_state(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    latest_filename=None,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
):
    """Writes the file "checkpoint" of a folder; a crash leaves the old file or the new one.

    Args:
      save_dir: The folder.
      model_checkpoint_path: The latest checkpoint.
      all_model_checkpoint_paths: All checkpoints, from oldest to newest (optional).
      latest_filename: Name of the file; "checkpoint" by default.
      all_model_checkpoint_timestamps: When each was written, in seconds since 1970 (optional).
      last_preserved_timestamp: When the last one that is kept for good was written (optional).

    Raises:
      RuntimeError: The latest checkpoint has the path of this file.
      ValueError: The number of timestamps is not that of the paths.
      tf.errors.OpError: The file can't be written.
    """
    with explained(_state_path(save_dir, latest_filename)):
        write_state(
            save_dir,
            model_checkpoint_path,
            all_model_checkpoint_paths,
            latest_filename,
            False,
            all_model_checkpoint_timestamps,
            last_preserved_timestamp,
        )


def write_state(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths,
    latest_filename,
    save_relative_paths,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
):
    """As `update_checkpoint_state`; with `save_relative_paths` the paths are relative to the folder."""
    from google.protobuf import text_format

    if save_relative_paths:

        def relative(path):
            return os.path.relpath(path, save_dir) if os.path.isabs(path) else path

        model_checkpoint_path = relative(model_checkpoint_path)
        all_model_checkpoint_paths = [relative(p) for p in all_model_checkpoint_paths or ()]
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    path = _state_path(save_dir, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a "
            "different save path."
        )
    data = text_format.MessageToString(state).encode()
    files = file_system_of(path)
    if files is not LOCAL:
        files.write_whole(path, data)
        return
    with _writing:
        _notice_others(path)
        write_whole(path, data)
        _left[path] = _version(path)


def _notice_others(path):
    """Warns, once for each file, when another process has written it since this one did."""
    if path in _left and path not in _shared and _version(path) not in (None, _left[path]):
        _shared.add(path)
        tf_logging.warning(
            "Another process has written %s since this one (%d on %s) last did. Each lists and deletes only its own "
            "checkpoints, and training continues from those of the last one: let one process save, or give each "
            "a folder of its own.",
            path,
            os.getpid(),
            socket.gethostname(),
        )


def _version(path):
    """What tells the file from others that are put into its place; None: it is not there."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """Reads the file "checkpoint" of a folder.

    Args:
      checkpoint_dir: The folder.
      latest_filename: Name of the file; "checkpoint" by default.

    Returns:
      A CheckpointState with whole paths; None if there is no such file or it can't be read.

    Raises:
      ValueError: The file names no checkpoint.
    """
    from google.protobuf import text_format

    checkpoint_dir = os.fspath(checkpoint_dir)
    path = _state_path(checkpoint_dir, latest_filename)
    if not io_gfile.exists(path):
        return None
    state = protos.CheckpointState()
    try:
        with io_gfile.GFile(path, "rb") as file:
            text_format.Merge(file.read().decode(), state)
    except (errors.OpError, text_format.ParseError, UnicodeDecodeError) as error:
        tf_logging.warning("%s: %s", type(error).__name__, error)
        tf_logging.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError("Invalid checkpoint state loaded from " + checkpoint_dir)
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    state.all_model_checkpoint_paths[:] = [os.path.join(checkpoint_dir, p) for p in state.all_model_checkpoint_paths]
    return state


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """Finds the latest checkpoint of a folder, by its file "checkpoint".

    Args:
      checkpoint_dir: The folder.
      latest_filename: Name of that file; "checkpoint" by default.

    Returns:
      The checkpoint's prefix, a string; None if there is none.

    Raises:
      ValueError: The file names no checkpoint.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    tf_logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def checkpoint_exists(checkpoint_prefix):
    """Whether there is a checkpoint of either format.

    Args:
      checkpoint_prefix: Its prefix, as `tf.train.Saver.save` returns it.

    Returns:
      A bool.

    Raises:
      TypeError: The prefix is not a path.
    """
    return bool(_main_files(compat.as_str(os.fspath(checkpoint_prefix))))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When checkpoints were written.

    Args:
      checkpoint_prefixes: A list of prefixes.

    Returns:
      A list of floats, seconds since 1970: for each checkpoint that exists.

    Raises:
      TypeError: A prefix is not a path.
    """
    times = []
    for prefix in checkpoint_prefixes:
        found = _main_files(compat.as_str(os.fspath(prefix)))
        if found:
            times.append(io_gfile.stat(found[0]).mtime_nsec / 1e9)
    return times


def _pattern_of(prefix):
    """A pattern for `io_gfile.glob` that matches the prefix as it is.

    That of a sharded checkpoint of the first format ends with "-?????-of-00002", which stands for its files.
    """
    shards = _SHARDS.search(prefix)
    end = shards.start() if shards else len(prefix)
    return re.sub(r"([*?\[\\])", r"\\\1", prefix[:end]) + prefix[end:]


def _main_files(prefix):
    """The index of a checkpoint, or the files of one of the first format; an empty list if there is none."""
    pattern = _pattern_of(prefix)
    return io_gfile.glob(pattern + ".index") or io_gfile.glob(pattern)


def meta_graph_filename(checkpoint_filename, meta_graph_suffix="meta"):
    """The path of the MetaGraphDef beside a checkpoint; "-?????-of-00002" at the end of a pattern is dropped."""
    return _SHARDS.sub("", checkpoint_filename) + "." + meta_graph_suffix


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=_V2, meta_graph_suffix="meta"):
    """Deletes the files of a checkpoint: the graph, the index, and then the data, which nothing names any more.

    Args:
      checkpoint_prefix: Its prefix.
      checkpoint_format_version: SaverDef.V1 or SaverDef.V2.
      meta_graph_suffix: Suffix of the file of its MetaGraphDef.

    Raises:
      tf.errors.OpError: A file can't be deleted.
    """
    _remove_matching(_pattern_of(meta_graph_filename(checkpoint_prefix, meta_graph_suffix)))
    pattern = _pattern_of(checkpoint_prefix)
    if checkpoint_format_version == _V2:
        _remove_matching(pattern + ".index")
        _remove_matching(pattern + ".data-?????-of-?????")
    else:
        _remove_matching(pattern)


def remove_old_checkpoint(prefix, version=_V2, meta_graph_suffix="meta"):
    """`remove_checkpoint` for one that savers keep no longer, unless it is saved again meanwhile. Errors are logged."""
    try:
        with deleting(prefix) as is_old:
            if is_old:
                remove_checkpoint(prefix, version, meta_graph_suffix)
    except errors.OpError as error:  # the new checkpoint is complete all the same
        tf_logging.warning("Ignoring: %s", error)


def _remove_matching(pattern):
    for path in io_gfile.glob(pattern):
        io_gfile.remove(path)
