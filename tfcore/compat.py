"""The namespace tf.compat: strings and bytes, Python's number types, and TensorFlow 1's names as `tf.compat.v1`.

`import tfcore.compat.v1 as tf` is the line of programs that run with TensorFlow 1 and 2; `v1` is the package itself.
"""

import codecs
import datetime
import numbers
import os
import sys

import numpy as np

from tfcore.framework.lazy import lazy_names
from tfcore.framework.types.tensor_shape import dimension_at_index, dimension_value

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_bytes",
    "path_to_str",
    "real_types",
    "v1",
]

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)

v1 = sys.modules[__name__.partition(".")[0]]
sys.modules[f"{__name__}.v1"] = v1

__getattr__, __dir__ = lazy_names(globals(), {})


def as_bytes(bytes_or_text, encoding="utf-8"):
    """Converts a string to bytes.

    Args:
      bytes_or_text: A string, bytes, or a bytearray.
      encoding: Name of the encoding of strings.

    Returns:
      A bytes object.

    Raises:
      TypeError: It is none of these.
      LookupError: There is no such encoding.

    Example:

    >>> tf.compat.as_bytes("ä")
    b'\\xc3\\xa4'
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text, encoding="utf-8"):
    """Converts bytes to a string.

    Args:
      bytes_or_text: A string or bytes.
      encoding: Name of the encoding of bytes.

    Returns:
      A string.

    Raises:
      TypeError: It is neither.
      LookupError: There is no such encoding.
      UnicodeDecodeError: The bytes are not in this encoding.

    Example:

    >>> tf.compat.as_text(b"abc")
    'abc'
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text, encoding="utf-8"):
    """Converts bytes to a string; the same as `as_text`.

    Args:
      bytes_or_text: A string or bytes.
      encoding: Name of the encoding of bytes.

    Returns:
      A string.

    Raises:
      TypeError: It is neither.
      UnicodeDecodeError: The bytes are not in this encoding.
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value, encoding="utf-8"):
    """Converts anything to a string: bytes are decoded, and others become `str(value)`.

    Args:
      value: Any object.
      encoding: Name of the encoding of bytes.

    Returns:
      A string.

    Raises:
      UnicodeDecodeError: The bytes are not in this encoding.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """The string of a path object; all else is returned as it is.

    Args:
      path: An `os.PathLike`, or any other object.

    Returns:
      A string for an `os.PathLike`.

    Raises:
      UnicodeDecodeError: The path is of bytes that are not UTF-8.
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def path_to_bytes(path):
    """The bytes of a path.

    Args:
      path: A string, bytes, or an `os.PathLike`.

    Returns:
      A bytes object.

    Raises:
      TypeError: It is none of these.
    """
    return as_bytes(os.fspath(path) if hasattr(path, "__fspath__") else path)


def forward_compatible(year, month, day):
    """Whether programs need not write graphs that TensorFlow before the given day can read.

    Args:
      year: The year, an int.
      month: The month, 1 to 12.
      day: The day of the month, from 1.

    Returns:
      A bool: whether the day has passed (or a `forward_compatibility_horizon` says so).

    Raises:
      ValueError: There is no such day.
    """
    return _horizon > datetime.date(year, month, day)


class forward_compatibility_horizon:  # noqa: N801  used like a function
    """A context manager in which `forward_compatible` counts from another day.

    Args:
      year: The year, an int.
      month: The month, 1 to 12.
      day: The day of the month, from 1.

    Raises:
      ValueError: There is no such day.
    """

    def __init__(self, year, month, day):
        self._day = datetime.date(year, month, day)

    def __enter__(self):
        global _horizon
        self._before, _horizon = _horizon, self._day

    def __exit__(self, *exc):
        global _horizon
        _horizon = self._before


_horizon = datetime.date(2026, 1, 16)  # that of TensorFlow 2.21, whose op types are known here
