"""Decorators that log a warning when something deprecated is used."""

import functools
import inspect
import logging
import re

__all__ = ["deprecated", "deprecated_arg_values", "deprecated_args"]

_warned = set()


def _check(date, instructions):
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def _warn(function, what, date, instructions, warn_once):
    if warn_once and (function, what) in _warned:
        return
    _warned.add((function, what))
    caller = inspect.currentframe().f_back.f_back
    logging.getLogger("tensorflow").warning(
        "From %s:%s: %s(from %s)%s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
        caller.f_code.co_filename,
        caller.f_lineno,
        function.__qualname__ + " " if not what else f"calling {function.__qualname__} ",
        function.__module__,
        f" with {what}" if what else "",
        "in a future version" if date is None else f"after {date}",
        instructions,
    )


def deprecated(date, instructions, warn_once=True):
    """Decorator: logs a warning when the function is called.

    Args:
      date: When it will be removed, as YYYY-MM-DD; None for some time.
      instructions: What to use instead.
      warn_once: Whether only the first call is logged.

    Returns:
      The decorator.

    Raises:
      ValueError: The date is not of this form, or there are no instructions.
    """
    _check(date, instructions)

    def decorate(function):
        @functools.wraps(function)
        def warning(*args, **kwargs):
            _warn(function, "", date, instructions, warn_once)
            return function(*args, **kwargs)

        return warning

    return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Decorator: logs a warning when some arguments of the function are given.

    Args:
      date: When they will be removed, as YYYY-MM-DD; None for some time.
      instructions: What to use instead.
      *deprecated_arg_names_or_tuples: Names of arguments, or pairs (name, value that causes no warning).
      **kwargs: `warn_once`: whether only the first call is logged; True by default.

    Returns:
      The decorator.

    Raises:
      ValueError: An argument is not one of the function.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    if set(kwargs) - {"warn_once"}:
        raise ValueError(f"Illegal argument to deprecated_args: {kwargs}")
    allowed = {entry[0]: entry[1:] for entry in map(_as_entry, deprecated_arg_names_or_tuples)}

    def decorate(function):
        signature = inspect.signature(function)
        missing = sorted(set(allowed) - set(signature.parameters))
        if missing:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: {missing}. Found next "
                f"arguments: {list(signature.parameters)}."
            )

        @functools.wraps(function)
        def warning(*args, **named):
            given = signature.bind_partial(*args, **named).arguments
            for name, values in allowed.items():
                if name in given and not any(given[name] is v or _equal(given[name], v) for v in values):
                    _warn(function, name, date, instructions, kwargs.get("warn_once", True))
            return function(*args, **named)

        return warning

    return decorate


def _as_entry(name_or_tuple):
    return name_or_tuple if isinstance(name_or_tuple, tuple) else (name_or_tuple,)


def _equal(a, b):
    """Whether two values are equal; arrays and tensors are never."""
    same = a == b
    return same if isinstance(same, bool) else False


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Decorator: logs a warning when arguments of the function have certain values.

    Args:
      date: When the values will be refused, as YYYY-MM-DD; None for some time.
      instructions: What to use instead.
      warn_once: Whether only the first call is logged.
      **deprecated_kwargs: The values by argument.

    Returns:
      The decorator.

    Raises:
      ValueError: There are no values.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def warning(*args, **named):
            bound = signature.bind_partial(*args, **named)
            bound.apply_defaults()
            for name, value in deprecated_kwargs.items():
                if name in bound.arguments and _equal(bound.arguments[name], value):
                    _warn(function, f"{name}={value}", date, instructions, warn_once)
            return function(*args, **named)

        return warning

    return decorate
