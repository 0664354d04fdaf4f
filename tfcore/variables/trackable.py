"""Which objects an object-based checkpoint (`tf.train.Checkpoint`) saves: variables, and what has variables below it.

A class takes part by an attribute or property `_checkpoint_dependencies`: pairs of a name and an object. Lists, tuples
and dicts take part as they are. An object with state that checkpoints can't save says so by a property
`_is_lost_by_checkpoints`: references to it are errors.
"""


def is_trackable(value):
    """Whether checkpoints follow references to a value."""
    return isinstance(value, (list, tuple, dict)) or hasattr(type(value), "_checkpoint_dependencies")


def refuse(value, path=""):
    """Raises the error about a value that checkpoints can't save.

    Args:
      value: The value.
      path: How it is reached, if it is not given to `tf.train.Checkpoint` itself.

    Raises:
      ValueError: In any case.
    """
    if getattr(value, "_is_lost_by_checkpoints", False):
        raise ValueError(
            f"tf.train.Checkpoint can't save mutable tables yet: {value}{path and f' at {path}'}. If it is made with "
            "checkpoint=False, checkpoints leave it out."
        )
    raise ValueError(
        "`Checkpoint` was expecting a trackable object (an object derived from `Trackable`), got "
        f"{value}{path and f' at {path}'}. If you believe this object should be trackable (i.e. it is part of the "
        "TensorFlow Python API and manages state), please open an issue."
    )


def checkpoint_dependencies(value, path=""):
    """The objects that a trackable one refers to.

    Args:
      value: A trackable object.
      path: What precedes the names of the objects in messages.

    Returns:
      A dict from names to objects, in a fixed order.

    Raises:
      ValueError: It is a dict that has such an object under a key that is not a string, or it refers to an object whose
        state checkpoints should have but can't save.
    """
    if isinstance(value, dict):
        return _of_dict(value, path)
    if isinstance(value, (list, tuple)):
        pairs = list(zip(getattr(value, "_fields", ()), value))  # a named tuple has names like a dict, too
        pairs += [(str(index), item) for index, item in enumerate(value)]
    else:
        pairs = value._checkpoint_dependencies
    return _trackable(pairs, path)


def _trackable(pairs, path):
    found = {}
    for name, item in pairs:
        if hasattr(type(item), "_is_lost_by_checkpoints") and item._is_lost_by_checkpoints:
            refuse(item, f"{path}{name}")
        if is_trackable(item):
            found[name] = item
    return found


def _of_dict(value, path):
    found = _trackable(value.items(), path)
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
