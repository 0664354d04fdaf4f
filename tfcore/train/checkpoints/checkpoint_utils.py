"""Reads checkpoints by their folder, waits for new ones, and initializes variables from them."""

import os
import time
from collections.abc import Mapping

from tfcore.core.threads import progress
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.graph import device
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.ops.checkpoint.checkpoint import RestoreV2
from tfcore.ops.state import state
from tfcore.platform import io_gfile, tf_logging
from tfcore.train.checkpoints.checkpoint_management import latest_checkpoint
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variable_scope import variables_by_name
from tfcore.variables.variables import Variable


def prefix_of(ckpt_dir_or_file):
    path = os.fspath(ckpt_dir_or_file)
    return latest_checkpoint(path) if io_gfile.isdir(path) else path


def load_checkpoint(ckpt_dir_or_file):
    """Opens a checkpoint.

    Args:
      ckpt_dir_or_file: Its prefix, or a folder, whose latest checkpoint it is.

    Returns:
      A `CheckpointReader`.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.NotFoundError: There is no such checkpoint.
    """
    prefix = prefix_of(ckpt_dir_or_file)
    if prefix is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return NewCheckpointReader(prefix)


def load_variable(ckpt_dir_or_file, name):
    """Reads a variable.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder.
      name: The variable's name; ":0" at its end is ignored.

    Returns:
      A NumPy array, or bytes for a scalar of type string.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.NotFoundError: There is no such checkpoint or variable.
      tf.errors.DataLossError: It is damaged.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file):
    """Lists the variables of a checkpoint.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder.

    Returns:
      A list of tuples of a name and a shape, which is a list; ordered by name.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.NotFoundError: There is no such checkpoint.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None):
    """Waits until a folder has another latest checkpoint.

    Args:
      checkpoint_dir: The folder.
      last_checkpoint: The prefix of the latest one so far (optional).
      seconds_to_sleep: How often to look.
      timeout: How many seconds to wait; None: any time.

    Returns:
      The prefix of a checkpoint; None after the timeout.

    Raises:
      TypeError: The folder is not a path.
    """
    until = None if timeout is None else time.monotonic() + timeout
    with progress.work(f"waiting for a new checkpoint in {checkpoint_dir}"):
        while True:
            found = latest_checkpoint(checkpoint_dir)
            if found is not None and found != last_checkpoint:
                return found
            if until is not None and time.monotonic() + seconds_to_sleep > until:
                return None
            time.sleep(seconds_to_sleep)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields each new latest checkpoint of a folder as it appears.

    Args:
      checkpoint_dir: The folder.
      min_interval_secs: The least time between two, in seconds; checkpoints in between are left out.
      timeout: How many seconds to wait for the next one; None: any time.
      timeout_fn: Called after the timeout and after each checkpoint; the iterator ends if it returns True. Without it,
        it ends after the timeout.

    Yields:
      The prefix of a checkpoint, a string.

    Raises:
      TypeError: The folder is not a path.
    """
    last = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if found is not None:
            start = time.monotonic()
            last = found
            yield found
            time.sleep(max(0, start + min_interval_secs - time.monotonic()))
        elif timeout_fn is None:
            return
        if timeout_fn is not None and timeout_fn():
            return


# ---- Initial values


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Makes the initializers of variables read a checkpoint.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder.
      assignment_map: A dict, or a list of pairs, from names in the checkpoint to variables: a `Variable`, its name, the
        list of the parts of a partitioned one, or a list of several variables. "scope/" maps to a name scope of the
        graph, which stands for all its variables; "/" is the root.

    Raises:
      ValueError: The folder has no checkpoint; the checkpoint lacks a variable, or one has another shape.
      tf.errors.NotFoundError: There is no such checkpoint.

    Example:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.Session() as sess:
    ...     v = tf.Variable([1.0, 2.0], name="old")
    ...     sess.run(v.initializer)
    ...     path = tf.train.Saver().save(sess, folder + "/model")
    ...     w = tf.get_variable("new", [2])
    ...     tf.train.init_from_checkpoint(path, {"old": w})
    ...     sess.run(w.initializer)
    ...     sess.run(w)
    array([1., 2.], dtype=float32)
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    prefix = prefix_of(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    known = variables_by_name()
    for name, target in sorted(pairs, key=lambda pair: pair[0]):
        variable = target if _is_variable(target) else _find(target, known)
        if variable is not None:
            _initialize(variable, name, prefix, shapes, ckpt_dir_or_file)
        else:
            _initialize_scope(target, name, prefix, shapes, ckpt_dir_or_file, known)


def _is_variable(value):
    if isinstance(value, (list, tuple)):
        return all(isinstance(v, Variable) for v in value)
    return isinstance(value, (Variable, PartitionedVariable))


def _find(name, known):
    """The variable of a name, or the list of its parts."""
    if name in known:
        return known[name]
    parts = []
    while (part := f"{name}/part_{len(parts)}") in known:
        parts.append(known[part])
    return parts or None


def _initialize_scope(target, name, prefix, shapes, shown, known):
    scope = target.rpartition("/")[0]
    if not name.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {name}. Should be 'scope/': "
            f"'other_scope/'. The graph has no variable of the name {target!r}, so it was taken for a scope."
        )
    start = scope + "/" if scope else ""
    found = sorted({v.partition("/part_")[0] for v in known if v.startswith(start)})
    for variable in found:
        wanted = ("" if name == "/" else name) + variable[len(start) :]
        if wanted not in shapes:
            raise ValueError(f"Tensor {wanted} ({variable[len(start) :]} in {name}) is not found in {shown} checkpoint")
        _initialize(_find(variable, known), wanted, prefix, shapes, shown)


def _initialize(variable, name, prefix, shapes, shown):
    if name not in shapes:
        raise ValueError(f"Tensor {name} is not found in {shown} checkpoint {shapes}")
    if isinstance(variable, Variable):
        if not variable.get_shape().is_compatible_with(shapes[name]):
            raise ValueError(
                f"Shape of variable {variable.name} ({variable.get_shape()}) doesn't match with shape of tensor {name} "
                f"({shapes[name]}) from checkpoint reader."
            )
        _set_initializer(variable, name, prefix, "")
        return
    full_name = None
    for part in variable:
        info = part._save_slice_info
        if info is None:
            _initialize(part, name, prefix, shapes, shown)
            continue
        if full_name not in (None, info.full_name):
            raise ValueError(f"Slices must all be from the same tensor: {full_name} != {info.full_name}")
        full_name = info.full_name
        if list(info.full_shape) != shapes[name]:
            raise ValueError(
                f"Shape of variable {full_name} ({info.full_shape}) doesn't match with shape of tensor {name} "
                f"({shapes[name]}) from checkpoint reader."
            )
        _set_initializer(part, name, prefix, info.spec)
    tf_logging.debug("Initialize variable %s from checkpoint %s with %s", full_name, prefix, name)


def _set_initializer(variable, name, prefix, spec):
    where = DeviceSpec.from_string(variable.device or "")
    cpu = DeviceSpec(where.job, where.replica, where.task, "CPU", 0).to_string()
    with variable.graph.as_default(), device(cpu):
        value = RestoreV2(prefix, [name], [spec], dtypes=[variable.dtype.base_dtype], name="checkpoint_initializer")[0]
    value.set_shape(variable.get_shape())
    initializer = state.assign(variable, value, validate_shape=variable.get_shape().is_fully_defined())
    variable._set_initial_value(value, initializer.op)
