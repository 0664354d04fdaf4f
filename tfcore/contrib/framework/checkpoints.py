"""Checkpoints as `tf.contrib.framework` reads them: variables with their values, and `tf.train`'s functions."""

from tfcore.contrib.framework.variables import get_variable_full_name
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.ops.array.constants import placeholder
from tfcore.ops.control_flow.control import group
from tfcore.platform import tf_logging
from tfcore.train.checkpoints import checkpoint_utils
from tfcore.train.checkpoints.saver import Saver


def load_checkpoint(filepattern):
    """`tf.train.load_checkpoint`.

    Args:
      filepattern: The checkpoint's prefix, or a folder.

    Returns:
      A `CheckpointReader`.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.NotFoundError: There is no such checkpoint.
    """
    return checkpoint_utils.load_checkpoint(filepattern)


def load_variable(checkpoint_dir, name):
    """`tf.train.load_variable`.

    Args:
      checkpoint_dir: The checkpoint's prefix, or a folder.
      name: The variable's name.

    Returns:
      A NumPy array, or bytes for a scalar of type string.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.NotFoundError: There is no such checkpoint or variable.
    """
    return checkpoint_utils.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir):
    """`tf.train.list_variables`.

    Args:
      checkpoint_dir: The checkpoint's prefix, or a folder.

    Returns:
      A list of tuples of a name and a shape, which is a list; ordered by name.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.NotFoundError: There is no such checkpoint.
    """
    return checkpoint_utils.list_variables(checkpoint_dir)


def init_from_checkpoint(checkpoint_dir, assignment_map):
    """`tf.train.init_from_checkpoint`.

    Args:
      checkpoint_dir: The checkpoint's prefix, or a folder.
      assignment_map: A dict, or a list of pairs, from names in the checkpoint to variables or scopes.

    Raises:
      ValueError: The folder has no checkpoint; the checkpoint lacks a variable, or one has another shape.
      tf.errors.NotFoundError: There is no such checkpoint.
    """
    checkpoint_utils.init_from_checkpoint(checkpoint_dir, assignment_map)


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """An operation that sets variables to the values of a checkpoint, which are read now.

    Args:
      model_path: Path of the checkpoint.
      var_list: A list of `Variable`s, or a dict from names in the checkpoint to `Variable`s or to lists of the
        parts of one.
      ignore_missing_vars: Whether variables that the checkpoint lacks are left out, with a warning.

    Returns:
      The `Operation`, and the dict to feed when it runs.

    Raises:
      ValueError: The checkpoint lacks a variable, or has another shape.
      tf.errors.OpError: The checkpoint cannot be read.
    """
    reader = NewCheckpointReader(model_path)
    feeds, updates = {}, []
    for name, parts in _parts_by_name(var_list).items():
        if not reader.has_tensor(name):
            text = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(text)
            tf_logging.warning(text)
            continue
        value = reader.get_tensor(name)
        for var in parts:
            fed = placeholder(var.dtype.base_dtype, var.shape, name=f"placeholder/{var.op.name}")
            updates.append(var.assign(fed))
            feeds[fed] = _value_of_part(name, var, value)
    return group(*updates), feeds


def _parts_by_name(var_list):
    found = {}
    if isinstance(var_list, (list, tuple)):
        for var in var_list:
            found.setdefault(get_variable_full_name(var), []).append(var)
    else:
        for name, value in var_list.items():
            found[name] = value if isinstance(value, (list, tuple)) else [value]
    return found


def _value_of_part(name, var, value):
    part = var._get_save_slice_info()
    if part:
        return value[tuple(slice(n, n + size) for n, size in zip(part.var_offset, part.var_shape))]
    if var.shape != value.shape:
        raise ValueError(
            f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], rh_shape: [{var.shape}]"
        )
    return value


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """A function of a session that sets variables to the values of a checkpoint.

    Args:
      model_path: Path of the checkpoint.
      var_list: A list of `Variable`s, or a dict from names in the checkpoint to `Variable`s.
      ignore_missing_vars: Whether variables that the checkpoint lacks are left out, with a warning.
      reshape_variables: Whether variables may have other shapes than in the checkpoint, with as many elements.

    Returns:
      A function that takes a `Session`; None if the checkpoint has none of the variables.

    Raises:
      ValueError: There are no variables in `var_list`.
      tf.errors.OpError: The checkpoint cannot be read; from the function: it lacks a variable.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        var_list = _in_checkpoint(model_path, var_list)
    if not var_list:
        tf_logging.warning("No Variables to restore")
        return None
    saver = Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def _in_checkpoint(model_path, var_list):
    reader = NewCheckpointReader(model_path)
    if not isinstance(var_list, dict):
        var_list = {var.op.name: var for var in var_list}
    for name in var_list:
        if not reader.has_tensor(name):
            tf_logging.warning("Variable %s missing in checkpoint %s", name, model_path)
    return {name: var for name, var in var_list.items() if reader.has_tensor(name)}
