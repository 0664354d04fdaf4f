"""Operations to run when a SavedModel is loaded: `tf.saved_model.main_op`."""

from tfcore.framework.graph.graph import control_dependencies
from tfcore.ops.control_flow.control import group
from tfcore.variables.variable_collections import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)

__all__ = ["main_op", "main_op_with_restore"]


def main_op():
    """Adds an operation that initializes all variables and tables of the default graph.

    Returns:
      An `Operation`.
    """
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


def main_op_with_restore(restore_op_name):
    """Adds an operation that initializes all variables and tables, and then restores.

    Args:
      restore_op_name: The `Operation` or `Tensor` that restores.

    Returns:
      An `Operation`.

    Raises:
      TypeError: `restore_op_name` is neither.
    """
    with control_dependencies([main_op()]):
        return group(restore_op_name)
