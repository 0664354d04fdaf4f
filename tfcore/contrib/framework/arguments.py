"""Default arguments for functions within a block: `with arg_scope([conv2d], padding="VALID"):`."""

import contextlib
import functools
import inspect

_scopes = [{}]  # {key of a function: its default arguments}, the innermost last
_functions = {}  # {key of a decorated function: names of its optional arguments}


def arg_scope_func_key(function):
    return getattr(function, "_key_op", str(function))


def current_arg_scope():
    """The default arguments that are in force.

    Returns:
      A dict that `arg_scope` takes.
    """
    return _scopes[-1]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Sets default arguments of functions within a block. Inner blocks override outer ones, and calls override both.

    Args:
      list_ops_or_scope: A list of functions decorated with `add_arg_scope`; or a dict, as an outer `arg_scope` yields
        it, to use again.
      **kwargs: The default arguments; none with a dict.

    Yields:
      The dict of all default arguments in force.

    Raises:
      TypeError: The first argument is neither a list nor a dict.
      ValueError: A function is not decorated, or there are arguments with a dict.

    Example:

    >>> layers = tf.contrib.layers
    >>> with tf.contrib.framework.arg_scope([layers.fully_connected], activation_fn=tf.nn.sigmoid):
    ...     y = layers.fully_connected(tf.zeros([1, 2]), 3)
    >>> y.op.type
    'Sigmoid'
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling adictionary, kwargs must be empty.")
        scope = list_ops_or_scope.copy()
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
        scope = current_arg_scope().copy()
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                name = (getattr(function, "__module__", None), getattr(function, "__name__", str(function)))
                raise ValueError("%s is not decorated with @add_arg_scope", name)
            scope[arg_scope_func_key(function)] = {**scope.get(arg_scope_func_key(function), {}), **kwargs}
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.pop()


def add_arg_scope(func):
    """Decorator: lets `arg_scope` set default arguments of a function.

    Args:
      func: The function.

    Returns:
      The function with the arguments of the current `arg_scope`.

    Raises:
      TypeError: `func` is not a function.
    """

    @functools.wraps(func)
    def with_defaults(*args, **kwargs):
        defaults = current_arg_scope().get(with_defaults._key_op)
        return func(*args, **{**defaults, **kwargs}) if defaults else func(*args, **kwargs)

    with_defaults._key_op = arg_scope_func_key(func)
    parameters = inspect.signature(func).parameters.values()
    _functions[with_defaults._key_op] = tuple(p.name for p in parameters if p.default is not p.empty)
    return with_defaults


def has_arg_scope(func):
    """Whether a function is decorated with `add_arg_scope`.

    Args:
      func: The function.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return arg_scope_func_key(func) in _functions


def arg_scoped_arguments(func):
    """The arguments of a decorated function that `arg_scope` can set.

    Args:
      func: The function.

    Returns:
      A tuple of strings.

    Raises:
      AssertionError: The function is not decorated.
    """
    assert has_arg_scope(func)
    return _functions[arg_scope_func_key(func)]
