"""The module pipes of Python before 3.13, as far as programs use it."""

from shlex import quote

__all__ = ["quote"]
