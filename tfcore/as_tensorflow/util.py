"""What programs use of tensorflow.python.util.*, besides what has a module of its own."""

import collections.abc as collections_abc  # noqa: F401  a name of util.compat
import contextlib
import functools
import importlib
import inspect
import os
import re
import sys
import types

from tfcore.platform import tf_decorator


def path_to_str(path):
    """A path as a str, or what it is if it is none."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def tf_export(*args, **kwargs):
    """Decorator: leaves the function as it is. Nothing is exported from here."""

    def export(function):
        return function

    export.export_constant = lambda module_name, name: None
    return export


keras_export = estimator_export = tf_export


def do_not_convert(func=None, run_as=None, return_dtypes=None):
    """Decorator: leaves the function as it is, as all others: nothing converts functions to graphs."""
    return (lambda function: function) if func is None else func


def hide_attribute_from_api(value):
    """The value. In TensorFlow the attribute of a class is not part of the public API."""
    return value


def deprecated_endpoints(*args):
    """Decorator: leaves the function as it is. In TensorFlow the public names `args` of it are deprecated."""
    return lambda function: function


def contextmanager(target):
    """contextlib.contextmanager, as a decorator that `tf_decorator.unwrap` sees."""
    return tf_decorator.make_decorator(target, contextlib.contextmanager(target), "contextmanager")


def should_use_result(fn=None, warn_in_eager=False, error_in_function=False):
    """Decorator: leaves the function as it is. TensorFlow warns if its result is not used."""
    return (lambda function: function) if fn is None else fn


def add_dispatch_support(target=None, iterable_parameters=None):
    """Decorator: leaves the function as it is."""
    return (lambda function: function) if target is None else target


def dispatch_for_types(op, *types):
    """Decorator: leaves the function as it is."""
    return lambda function: function


def keyword_args_only(func):
    """Decorator: the function takes only keyword arguments."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        if args:
            raise ValueError(
                f"The function {func.__name__} only accepts keyword arguments. Do not pass positional arguments."
            )
        return func(**kwargs)

    return tf_decorator.make_decorator(func, wrapper)


def kwarg_only(f):
    """Decorator: the function takes only keyword arguments."""

    def wrapper(*args, **kwargs):
        if args:
            raise TypeError(
                f"{f.__name__} only takes keyword args (possible keys: {list(inspect.signature(f).parameters)})"
            )
        return f(**kwargs)

    return tf_decorator.make_decorator(f, wrapper)


def get_qualified_name(function):
    return getattr(function, "__qualname__", None) or getattr(function, "__name__", str(function))


def validate_callable(func, decorator_name):
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before @{decorator_name} in "
            f"your source code:\n\n@property\n@{decorator_name}\ndef method(...)"
        )


def fn_args(fn):
    """The names of a function's parameters, without `self`; those of an object's call."""
    if isinstance(fn, functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args) :] if name not in (fn.keywords or ()))
    if not inspect.isfunction(fn) and not inspect.ismethod(fn) and not isinstance(fn, type):
        fn = fn.__call__
    return tuple(inspect.signature(fn).parameters)


def has_kwargs(fn):
    """Whether a function takes any keyword arguments."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(fn).parameters.values())


def get_func_name(func):
    """A name of a function for messages."""
    _, func = tf_decorator.unwrap(func)
    if isinstance(func, functools.partial):
        return get_func_name(func.func)
    return getattr(func, "__name__", None) or str(type(func))


def get_func_code(func):
    """The code of a function, None if it has none."""
    return getattr(tf_decorator.unwrap(func)[1], "__code__", None)


def make_all(module_name, doc_string_modules=None):
    """The names that the docstrings of modules list as @@name."""
    found = set()
    for module in doc_string_modules or [sys.modules[module_name]]:
        found |= set(re.findall(r"@@(\w+)", module.__doc__ or ""))
    return sorted(found)


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Does nothing: names that are not public stay where they are."""


def reveal_undocumented(symbol_name, target_module=None):
    """Does nothing: nothing was removed."""


class LazyLoader(types.ModuleType):
    """A module that is imported when it is first used."""

    def __init__(self, local_name, parent_module_globals, name, warning=None):
        super().__init__(name)
        self._local_name = local_name
        self._globals = parent_module_globals

    def __getattr__(self, item):
        module = importlib.import_module(self.__name__)
        self._globals[self._local_name] = module
        return getattr(module, item)

    def __dir__(self):
        return dir(importlib.import_module(self.__name__))
