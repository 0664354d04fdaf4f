"""tensorflow.python.util.tf_inspect: the module `inspect`, which sees through decorators."""

import collections
import inspect
from inspect import *  # noqa: F403

from tfcore.platform import tf_decorator

ArgSpec = collections.namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])
FullArgSpec = inspect.FullArgSpec


def _target(obj):
    return tf_decorator.unwrap(obj)[1]


def getfullargspec(obj):
    """inspect.getfullargspec; for a decorated function what its decorator or its target says."""
    for decorator in tf_decorator.unwrap(obj)[0]:
        if decorator.decorator_argspec is not None:
            return decorator.decorator_argspec
    return inspect.getfullargspec(_target(obj))


def getargspec(obj):
    """The parameters of a function without keyword-only ones, in the form that Python had before 3.11."""
    spec = getfullargspec(obj)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def getcallargs(*func_and_positional, **named):
    """The value of each parameter in a call, by name."""
    function, *positional = func_and_positional
    return inspect.getcallargs(_target(function), *positional, **named)


def _through_decorators(function):
    def wrapper(obj, *args):
        return function(_target(obj), *args)

    wrapper.__name__ = function.__name__
    wrapper.__doc__ = f"inspect.{function.__name__} of what is decorated."
    return wrapper


getfile, getsource, getsourcefile, getsourcelines, getmodule = map(
    _through_decorators,
    [inspect.getfile, inspect.getsource, inspect.getsourcefile, inspect.getsourcelines, inspect.getmodule],
)
isfunction, ismethod, isgeneratorfunction, isbuiltin, isroutine = map(
    _through_decorators,
    [inspect.isfunction, inspect.ismethod, inspect.isgeneratorfunction, inspect.isbuiltin, inspect.isroutine],
)


def isanytargetmethod(obj):
    """Whether a function or one that it decorates is a method."""
    decorators, target = tf_decorator.unwrap(obj)
    return any(map(inspect.ismethod, [*(d.decorated_target for d in decorators), target]))
