"""Decorators for what will be removed: a call logs a warning, the first time or each time.

They belong to `tf.contrib.framework`, and to `tensorflow.python.util.deprecation`.
"""

import contextlib
import inspect
import re
import sys

from tfcore.platform import tf_decorator, tf_logging

_DATE = re.compile(r"20\d\d-[01]\d-[0123]\d")
_silencers = []  # one item for each open `silence` block, of any thread


def deprecated(date, instructions, warn_once=True):
    """Decorator: calls of a function, or of a class's constructor, log a warning.

    Args:
      date: When it will be removed, "YYYY-MM-DD", or None.
      instructions: What to use instead.
      warn_once: Whether only the first call does.

    Returns:
      A decorator.

    Raises:
      ValueError: The date has another form, or there are no instructions.
    """
    _check(date, instructions)

    def decorate(target):
        if isinstance(target, type):
            # A wrapped object.__init__ would refuse the arguments of the class's own __new__.
            makes = target.__init__ is object.__init__ and target.__new__ is not object.__new__
            name = "__new__" if makes else "__init__"
            wrapped = _warn(getattr(target, name), target, lambda bound: [()], date, instructions, warn_once)
            setattr(target, name, staticmethod(wrapped) if makes else wrapped)
            return target
        return _warn(target, target, lambda bound: [()], date, instructions, warn_once)

    return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Decorator: calls that pass certain arguments log a warning.

    Args:
      date: When they will be removed, "YYYY-MM-DD", or None.
      instructions: What to use instead.
      *deprecated_arg_names_or_tuples: Names of arguments, or pairs of a name and a value that does not warn.
      **kwargs: `warn_once`, whether only the first such call does; True by default.

    Returns:
      A decorator.

    Raises:
      ValueError: The date has another form, there are no instructions or names, or the function has no such argument.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once = kwargs.pop("warn_once", True)
    if kwargs:
        raise ValueError(f"Illegal argument passed to deprecated_args: {kwargs}")
    allowed = {pair[0]: pair[1:] for pair in map(_as_tuple, deprecated_arg_names_or_tuples)}

    def given(arguments):
        """Those of the deprecated arguments that a call passes."""
        for name, fine in allowed.items():
            if name in arguments and not (fine and _same(arguments[name], fine[0])):
                yield (name,)

    def decorate(function):
        known = inspect.signature(function).parameters
        missing = [name for name in allowed if name not in known]
        if missing:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: {missing}. Expected "
                f"arguments from the following list: {list(known)}."
            )
        return _warn(function, function, given, date, instructions, warn_once)

    return decorate


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Decorator: calls that pass certain values of arguments, also by default, log a warning.

    Args:
      date: When they will be removed, "YYYY-MM-DD", or None.
      instructions: What to use instead.
      warn_once: Whether only the first such call does.
      **deprecated_kwargs: The values by the names of their arguments.

    Returns:
      A decorator.

    Raises:
      ValueError: The date has another form, or there are no instructions or values.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def given(arguments):
        for name, value in deprecated_kwargs.items():
            if name in arguments and _same(arguments[name], value):
                yield name, value

    return lambda function: _warn(function, function, given, date, instructions, warn_once, defaults=True)


def _check(date, instructions):
    if date is not None and not _DATE.match(date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions! Specify the `instructions` argument.")


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _same(a, b):
    if a is b:
        return True
    equal = a == b
    return isinstance(equal, bool) and equal  # arrays compare element by element


def _warn(function, what, find, date, instructions, warn_once, defaults=False):
    """`function`, which logs a warning for each tuple (name, value), (name,) or () that `find` yields."""
    if not callable(function):
        raise ValueError(f"{function} is not a function. If this is a property, apply @deprecated after @property.")
    try:
        signature = inspect.signature(function)
    except ValueError:  # C code without one; `find` needs none then
        signature = inspect.signature(lambda *args, **kwargs: None)
    warned = set()
    when = "in a future version" if date is None else f"after {date}"

    def wrapper(*args, **kwargs):
        if not _silencers:
            bound = signature.bind_partial(*args, **kwargs)
            if defaults:
                bound.apply_defaults()
            for found in find(bound.arguments):
                if found[:1] in warned:
                    continue
                if warn_once:
                    warned.add(found[:1])
                name = f"{getattr(what, '__qualname__', what)} (from {what.__module__})"
                if found:
                    name = f"calling {name} with {'='.join(map(str, found))}"
                tf_logging.warning(
                    "From %s: %s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                    _caller(), name, when, instructions,
                )  # fmt: skip
        return function(*args, **kwargs)

    notice = f"DEPRECATED: it will be removed {when}.\n{instructions}"
    doc = f"{function.__doc__}\n\n{notice}" if function.__doc__ else notice
    decorated = tf_decorator.make_decorator(function, wrapper, "deprecated", doc)
    decorated.__doc__ = doc
    return decorated


def _caller():
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """The value of an argument that has a new and an old name.

    Args:
      new_name: The new name.
      new_value: What was passed by it, None if nothing.
      old_name: The old name.
      old_value: What was passed by it, None if nothing.

    Returns:
      The value.

    Raises:
      ValueError: Both were passed.
    """
    if old_value is not None:
        if new_value is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
        return old_value
    return new_value


def rewrite_argument_docstring(old_doc, old_argument, new_argument):
    """A docstring with another name of an argument.

    Args:
      old_doc: The docstring.
      old_argument: The name in it.
      new_argument: The new name.

    Returns:
      A string.

    Raises:
      Nothing.
    """
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")


@contextlib.contextmanager
def silence():
    """A context manager in which nothing warns."""
    _silencers.append(None)
    try:
        yield
    finally:
        _silencers.pop()
