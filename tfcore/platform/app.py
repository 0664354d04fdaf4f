"""The namespace tf.app: the entry point of programs, with absl."""

import sys

from absl import app as _app

from tfcore.framework.lazy import lazy_names
from tfcore.platform import flags

__all__ = ["flags", "run"]

__getattr__, __dir__ = lazy_names(globals(), {})


def run(main=None, argv=None):
    """Parses the flags, runs `main(argv)` with the arguments that remain, and ends the process.

    Arguments that no flag defines are passed on to `main`.

    Args:
      main: A function of a list of strings; `main` of the main module by default.
      argv: The command line, a list of strings with the program first; `sys.argv` by default.

    Raises:
      SystemExit: `main` has returned, or a flag has a wrong value.
      AttributeError: There is no `main`.
    """
    _app.run(main or sys.modules["__main__"].main, argv=argv, flags_parser=_parse)


def _parse(argv):
    return flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
