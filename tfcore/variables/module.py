"""tf.Module: an object that finds the variables and modules below it."""

import functools
import re

from tfcore.framework.graph.graph import name_scope
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.trackable import AutoTrackable
from tfcore.variables.variables import Variable

_NAME = re.compile(r"^[A-Za-z_]\w*$")
_INNER_WORD = re.compile(r"(.)([A-Z][a-z]+)")
_LAST_WORD = re.compile(r"([a-z0-9])([A-Z])")


class Module(AutoTrackable):
    """Base class of objects that have variables and other modules as attributes, also in lists, tuples and dicts.

    Args:
      name: Name of the module, a valid Python identifier. By default that of the class in snake case.

    Raises:
      ValueError: The name is not an identifier.

    Example:

    >>> class Dense(tf.Module):
    ...     def __init__(self, size, name=None):
    ...         super().__init__(name)
    ...         self.w = tf.Variable(tf.ones([size]), name="w")
    ...
    ...     @tf.Module.with_name_scope
    ...     def __call__(self, x):
    ...         return x * self.w
    >>> layer = Dense(2)
    >>> layer.name, [v.name for v in layer.variables]
    ('dense', ['w:0'])
    >>> layer(tf.ones([2])).name
    'dense/mul:0'
    """

    # Attributes in which no variables are looked for; subclasses may add theirs.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset()

    def __init__(self, name=None):
        if name is None:
            name = _LAST_WORD.sub(r"\1_\2", _INNER_WORD.sub(r"\1_\2", type(self).__name__)).lower()
        if not _NAME.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self):
        """The name given to the constructor."""
        return self._name

    @property
    def name_scope(self):
        """The name scope of the module, for a `with` statement."""
        return name_scope(self._scope_name)

    @property
    def variables(self):
        """All variables of the module and the modules below it, a tuple."""
        return tuple(self._flatten(predicate=_is_variable, expand=True))

    @property
    def trainable_variables(self):
        """The variables that are trained, a tuple."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self):
        """The variables that are not trained, a tuple."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self):
        """All modules below this one, a tuple."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Module)))

    def _flatten(self, predicate, expand=False, seen=None):
        """The values that satisfy `predicate`, each once: first the attributes, by name, then those of each module."""
        seen = {id(self)} if seen is None else seen
        found, modules = [], []
        attributes = vars(self)
        for key in sorted(set(attributes) - self._TF_MODULE_IGNORED_PROPERTIES):
            for value in _leaves(attributes[key]):
                if id(value) in seen:
                    continue
                seen.add(id(value))
                if predicate(value):
                    found.extend(value if expand and isinstance(value, PartitionedVariable) else [value])
                if isinstance(value, Module):
                    modules.append(value)
        for module in modules:
            found += module._flatten(predicate, expand, seen)
        return found

    @classmethod
    def with_name_scope(cls, method):
        """Decorator: a method runs in the name scope of its module.

        Args:
          method: A method of a `Module`.

        Returns:
          The decorated method.
        """

        @functools.wraps(method)
        def in_scope(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return in_scope


def _is_variable(value):
    return isinstance(value, (Variable, PartitionedVariable))


def _leaves(value):
    """The values in nested lists, tuples and dicts; dicts in the order of their keys where these can be sorted."""
    if isinstance(value, dict):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
