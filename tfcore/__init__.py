"""tfcore: TensorFlow 1's dataflow graphs on a small native runtime. `import tfcore as tf`.

The public namespace: all ops are defined, and the names that names.txt lists are published.
"""

import importlib as _importlib
import os as _os
import sys as _sys
import types as _types

import tfcore.ops as _ops
from tfcore.framework import errors as _errors
from tfcore.framework.definitions.op_def import registered_ops as _registered_ops
from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.framework.lazy import public_names as _public_names
from tfcore.framework.lazy import publish as _publish

__version__ = "0.1.0"
VERSION = __version__

# Without names or ops, these would import the code for functions and type specifications.
_LATE = ("tfcore.ops.gradients.function", "tfcore.ops.state.tensor_array_spec")


def _define_ops():
    """Imports the modules of all families."""
    for family in sorted(_os.listdir(_ops.__path__[0])):
        folder = _os.path.join(_ops.__path__[0], family)
        for file in sorted(_os.listdir(folder)) if _os.path.isdir(folder) else ():
            path = f"tfcore.ops.{family}.{file.removesuffix('.py')}"
            if file.endswith(".py") and file != "__init__.py" and path not in _LATE:
                _importlib.import_module(path)


def _raw_ops():
    raw = _types.ModuleType("tfcore.raw_ops", "Every registered op by its type: tf.raw_ops.MatMul(a=..., b=...).")
    raw.__getattr__, raw.__dir__ = _lazy_names(vars(raw), {})
    vars(raw).update((op_def.name, op_def) for op_def in _registered_ops())
    _sys.modules[raw.__name__] = raw
    return raw


_define_ops()
_publish(globals(), "tf")
raw_ops = _raw_ops()
_sys.modules["tfcore.errors"] = _errors
# `from tfcore import *` gives what is there, and messages such as ConfigProto. It imports no further packages.
_MESSAGES = [name for name, target in _public_names()["tf"].items() if target.startswith("late framework.protos:")]
__all__ = sorted({*_MESSAGES, *(name for name in globals() if not name.startswith("_"))})

import tfcore.distributed.task.registration  # noqa: E402
