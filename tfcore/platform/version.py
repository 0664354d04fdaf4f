"""The namespace tf.version: what this package is, and the version of the graph files that it writes."""

import platform
import sys

from tfcore.framework.exchange.graph_def import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from tfcore.framework.lazy import lazy_names

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]

__getattr__, __dir__ = lazy_names(globals(), {})

VERSION = sys.modules[__name__.partition(".")[0]].__version__
GIT_VERSION = f"v{VERSION}"
COMPILER_VERSION = platform.python_compiler()  # extensions are built with the compiler of the interpreter
