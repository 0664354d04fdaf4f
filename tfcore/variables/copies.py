"""How copies of a variable on several devices would be kept in step: accepted, and without effect.

Also `Reference`, by which sets and dicts hold variables.
"""

import enum


class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are combined."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates of copies of a variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


def is_trainable(trainable, synchronization):
    """The default of `trainable`: True, unless the synchronization is ON_READ."""
    if synchronization is VariableSynchronization.ON_READ:
        if trainable:
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. "
                "You have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
            )
        return False
    return True if trainable is None else trainable


class Reference:
    """A hashable reference to an object; references to the same object are equal."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def deref(self):
        return self._wrapped

    def __hash__(self):
        return id(self._wrapped)

    def __eq__(self, other):
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __repr__(self):
        return f"<Reference wrapping {self._wrapped!r}>"
