"""The module scipy.misc, where SciPy has none any more."""

import sys

from tfcore.as_tensorflow.old_code.importing import Lookup
from tfcore.as_tensorflow.old_code.names import NAMES

__getattr__ = Lookup(sys.modules[__name__], NAMES["scipy.misc"])
