"""What replicas have instead of one value: PerReplica, and how structures of them are made and taken apart."""

import collections.abc
import copy
import enum

from tfcore.variables.variables import Variable


class ReduceOp(enum.Enum):
    """How the values of replicas are combined."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def of(value):
        """The ReduceOp that an argument means: one, or its name in any case.

        Args:
          value: A `ReduceOp`, a string, or a `tf.VariableAggregation`.

        Returns:
          A `ReduceOp`.

        Raises:
          ValueError: There is no such operation.
        """
        name = getattr(value, "name", value)
        if isinstance(name, str) and name.upper() in ReduceOp.__members__:
            return ReduceOp[name.upper()]
        raise ValueError(f"reduce_op must be one of {[op.name for op in ReduceOp]}, but got {value!r}")


class DistributedValues:
    """What has a value for each replica.

    Args:
      values: A value for each replica, in order.
    """

    def __init__(self, values):
        self._values = tuple(values)

    @property
    def values(self):
        """The values, in the order of the replicas."""
        return self._values

    def __repr__(self):
        lines = (f"  {i}: {value!r}" for i, value in enumerate(self._values))
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


class PerReplica(DistributedValues):
    """The values that replicas have of one thing, see `DistributedValues`."""


def regroup(values):
    """One structure from those of all replicas. A leaf that is the same object everywhere stays what it is.

    Raises:
      ValueError: The structures differ.
    """
    first = values[0]
    if isinstance(first, tuple | list):
        _check(values, type(first), len)
        return _rebuilt(first, range(len(first)), [regroup(parts) for parts in zip(*values)])
    if isinstance(first, collections.abc.Mapping):
        _check(values, collections.abc.Mapping, lambda mapping: set(mapping))
        return _rebuilt(first, list(first), [regroup([mapping[key] for mapping in values]) for key in first])
    if all(value is first or (isinstance(first, str) and value == first) for value in values):
        return first
    return PerReplica(values)


def _check(values, kind, form):
    for value in values:
        if not isinstance(value, kind) or form(value) != form(values[0]):
            raise ValueError(f"The replicas have values of different structures: {values[0]!r} and {value!r}")


def select(replica, structure):
    """The part of a structure that belongs to one replica, by its number."""
    if isinstance(structure, PerReplica):
        return structure.values[replica]
    if isinstance(structure, tuple | list):
        return _rebuilt(structure, range(len(structure)), [select(replica, item) for item in structure])
    if isinstance(structure, collections.abc.Mapping) and not isinstance(structure, Variable):
        return _rebuilt(structure, list(structure), [select(replica, value) for value in structure.values()])
    return structure


def _rebuilt(structure, keys, items):
    """A structure of the same type with other items. Constructors of derived classes may take anything, so what can be
    changed is copied."""
    if type(structure) in (tuple, list):
        return type(structure)(items)
    if isinstance(structure, list | dict):
        structure = copy.copy(structure)
        for key, item in zip(keys, items):
            structure[key] = item
        return structure
    if all(item is structure[key] for key, item in zip(keys, items)):
        return structure
    if hasattr(structure, "_fields"):
        return type(structure)._make(items)
    return type(structure)(items if isinstance(structure, tuple) else zip(keys, items))
