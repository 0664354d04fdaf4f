"""Programs of 2016 to 2020 on today's Python: what Python and libraries such as NumPy took away is there again.

`python -m tfcore.as_tensorflow --old-code program.py` runs a program that way. `python -m
tfcore.as_tensorflow.old_code` prints the table of what it restores, which is docs/guide/old_code.md.
"""

import functools
import importlib.util
import re
import sys

from tfcore.as_tensorflow.old_code import h5py_names
from tfcore.as_tensorflow.old_code.importing import Finder, changed_modules, resolve, restore, restore_names, substitute
from tfcore.as_tensorflow.old_code.names import METHODS, NAMES, OLDER_VERSIONS, PACKAGES, SIGNS, Gone

__all__ = ["explain", "install"]

RUN = "Run programs of that age with: python -m tfcore.as_tensorflow --old-code PROGRAM"
_FROM = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_OF_MODULE = re.compile(r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")
_OF_NUMPY = re.compile(r"`np\.(?P<name>\w+)` was removed")


def install():
    """Restores the names in this process: in modules that it has imported, and in others as it imports them.

    A second call has no effect. Processes that this one starts are not affected.
    """
    if is_installed():
        return
    for name in sorted(changed_modules()):
        if name in sys.modules:
            restore(sys.modules[name])
    sys.meta_path.insert(0, Finder())


@functools.cache
def install_for_keras():
    """Restores what Keras needs: names in two modules, and how h5py reads and writes what Keras saves."""
    if is_installed():
        return
    for name in ("collections", "numpy"):
        restore_names(importlib.import_module(name))
    for name in ("h5py._hl.attrs", "h5py"):
        restore(importlib.import_module(name))
    h5py_names.with_files_in_memory(importlib.import_module("h5py").File)


def is_installed():
    return any(isinstance(finder, Finder) for finder in sys.meta_path)


def explain(error):
    """Adds what would help to the text of an error that comes from something that Python or a library has lost."""
    hint = _hint(error)
    if hint is None:
        return
    if isinstance(error, ImportError):
        error.msg = f"{error.msg}\n{hint}"
    elif isinstance(error, UnicodeDecodeError):
        error.reason = f"{error.reason}\n{hint}"
    else:
        error.args = (f"{error}\n{hint}",)
        if isinstance(error, (AttributeError, NameError)):
            error.name = None  # else Python adds a guess


def _hint(error):
    if isinstance(error, ImportError):
        return _hint_of_import(error)
    if isinstance(error, NameError):
        return _hint_of_name("builtins", error.name)
    for sign, advice in OLDER_VERSIONS.items():
        if any(re.search(sign, str(e)) for e in (error, error.__cause__)):
            return advice
    of_module = _OF_MODULE.match(str(error)) or _OF_NUMPY.match(str(error))
    if isinstance(error, AttributeError) and of_module:
        return _hint_of_name(of_module.groupdict().get("module", "numpy"), of_module["name"])
    if is_installed():
        return None
    if isinstance(error, AttributeError):
        lost = any(error.name in methods and _is_of(error.obj, path) for path, methods in METHODS.items())
        lost |= error.name == "decode" and isinstance(error.obj, str) and "h5py" in sys.modules
    else:
        lost = isinstance(error, (TypeError, ValueError)) and any(re.search(sign, str(error)) for sign in SIGNS)
    return RUN if lost else None


def _hint_of_import(error):
    found = _FROM.match(str(error))
    if found:
        return _hint_of_name(found[2], found[1])
    name = error.name or ""
    package = name.partition(".")[0]
    if package in PACKAGES and importlib.util.find_spec(package) is None:
        return f"It is in a package that is not installed: pip install {PACKAGES[package]}"
    stands_for = substitute(name)
    if stands_for is None or is_installed():
        return None
    return f"Use {stands_for}." if isinstance(stands_for, Gone) else RUN


def _hint_of_name(module, name):
    stands_for = NAMES.get(module, {}).get(name) or _of_old_tensorflow(module, name)
    if isinstance(stands_for, Gone):
        return f"Use {stands_for}."
    return RUN if stands_for is not None and not is_installed() else None


def _of_old_tensorflow(module, name):
    package, _, path = module.partition(".")
    if package not in ("tensorflow", "tfcore"):
        return None
    from tfcore.as_tensorflow.old_code import tensorflow_names

    return tensorflow_names.NAMES.get(path, {}).get(name)


def _is_of(value, path):
    return path.partition(":")[0] in sys.modules and isinstance(value, resolve(path))
