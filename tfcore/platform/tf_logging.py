"""The namespace tf.logging: messages of programs, through the standard logger "tensorflow".

The logger has TensorFlow's name, so that `logging.getLogger("tensorflow").setLevel(...)` of existing programs works.
"""

import logging
import sys
import threading
from logging import DEBUG, ERROR, FATAL, INFO, WARN

from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.lazy import lazy_names

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "TaskLevelStatusMessage",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_logger",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]

__getattr__, __dir__ = lazy_names(globals(), {})

_lock = fork_safe(threading.Lock())
_logger = None
_calls = {}  # (file, line) -> how often log_every_n or log_first_n was called there


def get_logger():
    """The logger that all functions of `tf.logging` write to.

    Unless the program has set up logging already, messages go to the standard error output, or to the standard output
    of an interactive session, in which the level is INFO.

    Returns:
      A `logging.Logger` of the name "tensorflow".
    """
    global _logger
    if _logger is None:
        with _lock:
            _logger = _logger or _set_up()
    return _logger


def _set_up():
    logger = logging.getLogger("tensorflow")
    if not logging.getLogger().handlers:
        interactive = hasattr(sys, "ps1") or sys.flags.interactive
        if interactive:
            logger.setLevel(INFO)
        handler = logging.StreamHandler(sys.stdout if interactive else sys.stderr)
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


def log(level, msg, *args, **kwargs):
    """Logs `msg % args`.

    Args:
      level: An int, such as `tf.logging.INFO`.
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: The level is not an int.
    """
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg, *args, **kwargs):
    """Logs `msg % args` at level DEBUG.

    Args:
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: An argument of `**kwargs` is unknown.
    """
    get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg, *args, **kwargs):
    """Logs `msg % args` at level INFO.

    Args:
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: An argument of `**kwargs` is unknown.
    """
    get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warn(msg, *args, **kwargs):
    """Logs `msg % args` at level WARN.

    Args:
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: An argument of `**kwargs` is unknown.
    """
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def warning(msg, *args, **kwargs):
    """Logs `msg % args` at level WARN.

    Args:
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: An argument of `**kwargs` is unknown.
    """
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def error(msg, *args, **kwargs):
    """Logs `msg % args` at level ERROR.

    Args:
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: An argument of `**kwargs` is unknown.
    """
    get_logger().error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg, *args, **kwargs):
    """Logs `msg % args` at level FATAL. The program continues, as in TensorFlow.

    Args:
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: An argument of `**kwargs` is unknown.
    """
    get_logger().fatal(msg, *args, stacklevel=2, **kwargs)


def vlog(level, msg, *args, **kwargs):
    """Logs `msg % args`; the same as `log`.

    Args:
      level: An int, such as `tf.logging.INFO`.
      msg: The text, with a `%` format for each of `args`.
      *args: Values for the text.
      **kwargs: As for `logging.Logger.log`.

    Raises:
      TypeError: The level is not an int.
    """
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def log_if(level, msg, condition, *args):
    """Logs `msg % args` if a condition holds.

    Args:
      level: An int, such as `tf.logging.INFO`.
      msg: The text, with a `%` format for each of `args`.
      condition: Whether to log.
      *args: Values for the text.

    Raises:
      TypeError: The level is not an int.
    """
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_every_n(level, msg, n, *args):
    """Logs `msg % args` at the first and then at every `n`th call from a line.

    Args:
      level: An int, such as `tf.logging.INFO`.
      msg: The text, with a `%` format for each of `args`.
      n: An int.
      *args: Values for the text.

    Raises:
      ZeroDivisionError: `n` is 0.
    """
    if _earlier_calls() % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level, msg, n, *args):
    """Logs `msg % args` at the first `n` calls from a line.

    Args:
      level: An int, such as `tf.logging.INFO`.
      msg: The text, with a `%` format for each of `args`.
      n: An int.
      *args: Values for the text.

    Raises:
      TypeError: The level is not an int.
    """
    if _earlier_calls() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


def _earlier_calls():
    """How often the line that called the caller of this function did so before."""
    frame = sys._getframe(2)
    line = frame.f_code.co_filename, frame.f_lineno
    with _lock:
        count = _calls.get(line, 0)
        _calls[line] = count + 1
    return count


def TaskLevelStatusMessage(msg):  # noqa: N802
    """Logs a message at level ERROR.

    Args:
      msg: The text.

    Raises:
      Nothing.
    """
    get_logger().error(msg, stacklevel=2)


def flush():
    """Does nothing: messages are not buffered. (TensorFlow raises NotImplementedError.)"""


def get_verbosity():
    """The level below which messages are dropped.

    Returns:
      An int, such as `tf.logging.INFO`.
    """
    return get_logger().getEffectiveLevel()


def set_verbosity(v):
    """Sets the level below which messages are dropped.

    Args:
      v: An int, such as `tf.logging.INFO`, or the name of a level.

    Raises:
      ValueError: There is no level of this name.

    Example:

    >>> tf.logging.set_verbosity(tf.logging.ERROR)
    >>> tf.logging.info("dropped")
    >>> tf.logging.get_verbosity() == tf.logging.ERROR
    True
    >>> tf.logging.set_verbosity(tf.logging.WARN)
    """
    get_logger().setLevel(v)
