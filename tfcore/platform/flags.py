"""The namespaces tf.flags and tf.app.flags: absl's flags, which are parsed when a program first reads one.

The functions that define flags also take the parameter names of TensorFlow's first releases, and FLAGS has what it had
then.
"""

import functools
import sys
import warnings

from absl import flags as _flags
from absl.flags import *  # noqa: F403

from tfcore.framework.lazy import lazy_names
from tfcore.platform import tf_decorator

_flags.disclaim_key_flags()  # those of the callers are meant

__all__ = [*_flags.__all__, "tf_decorator"]

__getattr__, __dir__ = lazy_names(globals(), {})

_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_old_names(define):
    def wrapper(*args, **kwargs):
        for old, new in _OLD_NAMES.items():
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
                warnings.warn(f"The argument {old} of tf.flags is deprecated: use {new}.", stacklevel=2)
        return define(*args, **kwargs)

    return tf_decorator.make_decorator(define, wrapper)


class _ParsedOnAccess:
    """absl's FLAGS, except that reading a flag first parses the command line."""

    def __init__(self, values):
        object.__setattr__(self, "_values", values)

    def __getattribute__(self, name):
        values = object.__getattribute__(self, "_values")
        if name == "__class__":
            return object.__getattribute__(self, name)
        if name == "__dict__":  # as in TensorFlow 1.0 to 1.4
            return {"__flags": values.flag_values_dict(), "__parsed": values.is_parsed()}
        if name == "_parse_flags":
            return functools.partial(_parse_flags, values)
        if not name.startswith("__") and name in values and not values.is_parsed():
            values(sys.argv)
        return getattr(values, name)

    def __setattr__(self, name, value):
        setattr(object.__getattribute__(self, "_values"), name, value)

    def __delattr__(self, name):
        delattr(object.__getattribute__(self, "_values"), name)


def _parse_flags(values, args=None):
    """Of TensorFlow 1.0 to 1.4: parses the flags that are known, and returns the other arguments."""
    return values(sys.argv if args is None else [sys.argv[0], *args], known_only=True)[1:]


def _delegate(name):
    def method(self, *args, **kwargs):
        return getattr(object.__getattribute__(self, "_values"), name)(*args, **kwargs)

    method.__name__ = name
    return method


# Python looks these up in the class.
for _name in ("call", "contains", "delitem", "dir", "getitem", "iter", "len", "setitem", "str"):
    setattr(_ParsedOnAccess, f"__{_name}__", _delegate(f"__{_name}__"))

FLAGS = _ParsedOnAccess(_flags.FLAGS)
DEFINE_string = _with_old_names(_flags.DEFINE_string)
DEFINE_boolean = DEFINE_bool = _with_old_names(_flags.DEFINE_boolean)
DEFINE_float = _with_old_names(_flags.DEFINE_float)
DEFINE_integer = _with_old_names(_flags.DEFINE_integer)
