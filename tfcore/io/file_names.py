"""Names of files that are found once."""

from tfcore.framework.graph.graph import GraphKeys, name_scope
from tfcore.ops.io.files import matching_files
from tfcore.variables.variables import Variable


def match_filenames_once(pattern, name=None):
    """A local variable with the names of files that match a pattern when it is initialized.

    Args:
      pattern: A pattern, or a vector of patterns; see `tf.matching_files`.
      name: A name for the operations (optional).

    Returns:
      The variable, a vector of strings.

    Raises:
      ValueError: `pattern` has more than one dimension.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            name=scope,
            initial_value=matching_files(pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
