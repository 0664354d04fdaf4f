"""Which objects a checkpoint of objects (`tf.train.Checkpoint`) saves: variables, and what has variables below it.

A class takes part by an attribute or property `_checkpoint_dependencies`: pairs of a name and an object. Lists, tuples
and dicts take part as they are.
"""


def is_trackable(value):
    """Whether checkpoints follow references to a value."""
    return isinstance(value, (list, tuple, dict)) or hasattr(type(value), "_checkpoint_dependencies")


def checkpoint_dependencies(value):
    """The objects that a trackable one refers to.

    Args:
      value: A trackable object.

    Returns:
      A dict from names to objects, in a fixed order.

    Raises:
      ValueError: It is a dict that has such an object under a key that is no string.
    """
    if isinstance(value, dict):
        return _of_dict(value)
    if isinstance(value, (list, tuple)):
        pairs = list(zip(getattr(value, "_fields", ()), value))  # a named tuple has names like a dict, too
        pairs += [(str(index), item) for index, item in enumerate(value)]
    else:
        pairs = value._checkpoint_dependencies
    return {name: item for name, item in pairs if is_trackable(item)}


def _of_dict(value):
    found = {key: item for key, item in value.items() if is_trackable(item)}
    for key in found:
        if not isinstance(key, str):
            raise ValueError(
                f"Unable to save the object {value}: the dictionary contains a non-string key, {key!r}, which maps to "
                "a trackable object or mutable data structure.\n\nIf you don't need this dictionary checkpointed, wrap "
                "it in a non-trackable object; it will be subsequently ignored."
            )
    return found


class AutoTrackable:
    """Base class of objects whose attributes are in checkpoints."""

    @property
    def _checkpoint_dependencies(self):
        return list(vars(self).items())
