"""Runs programs that import TensorFlow: `import tensorflow as tf` answers with tfcore.

`python -m tfcore.as_tensorflow program.py` runs a program that way; `install` does the same for the running process.
"""

import sys

from tfcore.as_tensorflow import estimator, slim
from tfcore.as_tensorflow.finder import TENSORFLOW_VERSION, Finder

__all__ = ["TENSORFLOW_VERSION", "install"]


def install(old_code=False):
    """From now on `import tensorflow`, and imports of modules below it, find this package in this process.

    A second call has no effect. Processes that this one starts are not affected.

    Args:
      old_code: whether names that Python and libraries such as NumPy took away since 2016 are there again, too.

    Raises:
      RuntimeError: TensorFlow itself was imported before.
    """
    if old_code:
        from tfcore.as_tensorflow import old_code as names

        names.install()
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    if "tensorflow" in sys.modules:
        raise RuntimeError(
            "tfcore.as_tensorflow.install(): this process has imported TensorFlow already. Call install() before any "
            "module that imports it, or run the program by: python -m tfcore.as_tensorflow program.py"
        )
    sys.meta_path[:0] = [Finder(), estimator.Finder(), slim.Finder()]
