"""`tf.variable_creator_scope`: functions that stand between a program and the creation of its variables."""

import contextlib
import functools
import inspect

from tfcore.framework import behavior
from tfcore.framework.functions.func_graph import shares_with_bodies
from tfcore.framework.graph.graph import get_default_graph


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    """A context manager in which a function creates the variables.

    Args:
      variable_creator: A function `creator(next_creator, **kwargs)` that returns a variable. `next_creator(**kwargs)`
        is that of the outer block, or `tf.Variable`; `kwargs` are all arguments of `tf.Variable`.

    Yields:
      None.

    Raises:
      TypeError: When a variable is created, `variable_creator` is not callable.

    Example:

    >>> def untrainable(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(untrainable):
    ...     v = tf.get_variable("fixed", [2])
    >>> v.trainable
    False
    """
    scopes = get_default_graph().scopes
    with scopes.replaced(creators=(*scopes.creators, variable_creator)):
        yield


@shares_with_bodies
def _share_creators(graph, outer):
    """A function's body creates variables as the graph around it does."""
    graph.scopes.creators = outer.scopes.creators


def through_creators(create, arguments):
    """What the creators of the open scopes make of a function that creates a variable, and of its arguments."""
    for creator in get_default_graph().scopes.creators:
        create = functools.partial(creator, create)
    return create(**arguments)


class CreatedInScopes(type):
    """The metaclass of Variable: a call goes through the creators of the open scopes."""

    def __call__(cls, *args, **kwargs):
        if not get_default_graph().scopes.creators:
            return super().__call__(*args, **kwargs)
        arguments = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        arguments.apply_defaults()
        del arguments.arguments["self"]
        return through_creators(super().__call__, arguments.arguments)


def asks_for_resource(cls, args, kwargs):
    """Whether the arguments of a call of Variable, or else the variable scope or the program, ask for a resource
    variable."""
    given = dict(zip(_parameters(cls), args), **kwargs)
    if given.get("variable_def") is not None:
        return getattr(given["variable_def"], "is_resource", False)
    wanted = given.get("use_resource")
    if wanted is None:
        state = get_default_graph().scopes.variables  # of variable_scope.py
        wanted = None if state is None else state.current.use_resource
    return behavior.resource_variables_enabled() if wanted is None else bool(wanted)


@functools.cache
def _parameters(cls):
    return tuple(inspect.signature(cls.__init__).parameters)[1:]
