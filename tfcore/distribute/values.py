"""What replicas have instead of one value: PerReplica, and how structures of them are made and taken apart."""

import collections.abc
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


class PerReplica:
    """The values that replicas have of one thing.

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
        return "PerReplica:{\n" + ",\n".join(lines) + "\n}"


def regroup(values):
    """One structure from those of all replicas. A leaf that is the same object everywhere stays what it is.

    Raises:
      ValueError: The structures differ.
    """
    first = values[0]
    if isinstance(first, tuple | list):
        _check(values, type(first), len)
        items = [regroup(parts) for parts in zip(*values)]
        return type(first)._make(items) if hasattr(first, "_fields") else type(first)(items)
    if isinstance(first, collections.abc.Mapping):
        _check(values, collections.abc.Mapping, lambda mapping: set(mapping))
        return type(first)((key, regroup([mapping[key] for mapping in values])) for key in first)
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
        items = [select(replica, item) for item in structure]
        return type(structure)._make(items) if hasattr(structure, "_fields") else type(structure)(items)
    if isinstance(structure, collections.abc.Mapping) and not isinstance(structure, Variable):
        return type(structure)((key, select(replica, value)) for key, value in structure.items())
    return structure
