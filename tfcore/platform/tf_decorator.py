"""`tf.flags.tf_decorator`: decorators that remember what they decorate.

A function that `make_decorator` returns has its target's name, documentation and signature. `unwrap` finds the target.
"""

import inspect
from functools import WRAPPER_ASSIGNMENTS, update_wrapper
from typing import Any, Dict  # noqa: UP035  names that TensorFlow has here, too

from tfcore.framework.lazy import lazy_names

__all__ = ["Any", "Dict", "TFDecorator", "fullargspec_to_signature", "inspect", "make_decorator", "rewrap", "unwrap"]

__getattr__, __dir__ = lazy_names(globals(), {})


class TFDecorator:
    """What a decorator knows of its target: attribute `_tf_decorator` of the function that it returns.

    Args:
      decorator_name: Name of the decorator.
      target: The function that is decorated.
      decorator_doc: What the decorator adds to the documentation.
      decorator_argspec: The `inspect.FullArgSpec` of the decorated function, if not its target's.
    """

    def __init__(self, decorator_name, target, decorator_doc="", decorator_argspec=None):
        self._decorated_target = target
        self._decorator_name = decorator_name
        self._decorator_doc = decorator_doc
        self._decorator_argspec = decorator_argspec
        update_wrapper(self, target, [a for a in WRAPPER_ASSIGNMENTS if a != "__dict__"], ())
        if decorator_argspec is not None:
            self.__signature__ = fullargspec_to_signature(decorator_argspec)
        elif callable(target):
            try:
                self.__signature__ = inspect.signature(target)
            except (TypeError, ValueError):  # C code without a signature
                pass

    def __get__(self, instance, owner):
        return self._decorated_target.__get__(instance, owner)

    def __call__(self, *args, **kwargs):
        return self._decorated_target(*args, **kwargs)

    @property
    def decorated_target(self):
        """The function that is decorated."""
        return self._decorated_target

    @decorated_target.setter
    def decorated_target(self, target):
        self._decorated_target = target

    @property
    def decorator_name(self):
        """Name of the decorator."""
        return self._decorator_name

    @property
    def decorator_doc(self):
        """What the decorator adds to the documentation."""
        return self._decorator_doc

    @property
    def decorator_argspec(self):
        """The `inspect.FullArgSpec` of the decorated function, None for its target's."""
        return self._decorator_argspec


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """Gives a function the name, documentation, signature and attributes of the one that it decorates.

    Args:
      target: The function that is decorated.
      decorator_func: The function that takes its place.
      decorator_name: Name of the decorator; that of the calling function by default.
      decorator_doc: What the decorator adds to the documentation.
      decorator_argspec: The `inspect.FullArgSpec` of the result, if not its target's.

    Returns:
      `decorator_func`.

    Raises:
      AttributeError: `decorator_func` takes no attributes.

    Example:

    >>> def twice(f):
    ...     return tf.flags.tf_decorator.make_decorator(f, lambda *args: 2 * f(*args))
    >>> @twice
    ... def width(text):
    ...     return len(text)
    >>> width("abc"), width.__name__
    (6, 'width')
    """
    if decorator_name is None:
        decorator_name = inspect.currentframe().f_back.f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    for name, value in getattr(target, "__dict__", {}).items():
        decorator_func.__dict__.setdefault(name, value)
    if hasattr(decorator, "__signature__"):
        decorator_func.__signature__ = decorator.__signature__
    if hasattr(target, "__doc__"):
        decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = target
    decorator_func.__original_wrapped__ = target
    return decorator_func


def unwrap(maybe_tf_decorator):
    """Finds what is below all decorators.

    Args:
      maybe_tf_decorator: A function, decorated or not.

    Returns:
      A pair: the list of `TFDecorator`s, the outermost first, and the innermost target.

    Raises:
      Nothing.
    """
    decorators, current = [], maybe_tf_decorator
    while True:
        decorator = current if isinstance(current, TFDecorator) else getattr(current, "_tf_decorator", None)
        if decorator is None:
            return decorators, current
        decorators.append(decorator)
        current = decorator.decorated_target


def rewrap(decorator_func, previous_target, new_target):
    """Puts another function in the place of a decorator's target.

    Args:
      decorator_func: A decorated function.
      previous_target: The function below its decorators that is replaced.
      new_target: The function that takes its place.

    Raises:
      AttributeError: A function on the way takes no attributes.
    """
    current, innermost = decorator_func, None
    while current is not previous_target and hasattr(current, "_tf_decorator"):
        innermost, current = current, current._tf_decorator.decorated_target
    if innermost is None or current is not previous_target:
        return
    innermost._tf_decorator.decorated_target = new_target
    innermost.__wrapped__ = new_target


def fullargspec_to_signature(fullargspec):
    """Converts what `inspect.getfullargspec` returns to an `inspect.Signature`.

    Args:
      fullargspec: An `inspect.FullArgSpec`.

    Returns:
      An `inspect.Signature`.

    Raises:
      ValueError: A parameter with a default precedes one without.
    """
    kinds = inspect.Parameter
    hints = fullargspec.annotations

    def parameter(name, kind, default=inspect.Parameter.empty):
        return kinds(name, kind, default=default, annotation=hints.get(name, kinds.empty))

    defaults = fullargspec.defaults or ()
    required = len(fullargspec.args) - len(defaults)
    found = [
        parameter(name, kinds.POSITIONAL_OR_KEYWORD, defaults[i - required] if i >= required else kinds.empty)
        for i, name in enumerate(fullargspec.args)
    ]
    if fullargspec.varargs:
        found.append(parameter(fullargspec.varargs, kinds.VAR_POSITIONAL))
    given = fullargspec.kwonlydefaults or {}
    found += [parameter(name, kinds.KEYWORD_ONLY, given.get(name, kinds.empty)) for name in fullargspec.kwonlyargs]
    if fullargspec.varkw:
        found.append(parameter(fullargspec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(found)
