"""The module imp of Python before 3.12, by importlib."""

import importlib
import importlib.machinery as machinery
import importlib.util
import os
import sys
import types
from importlib import reload

__all__ = ["find_module", "get_suffixes", "load_module", "load_source", "new_module", "reload"]

PY_SOURCE, PY_COMPILED, C_EXTENSION, PKG_DIRECTORY, C_BUILTIN, PY_FROZEN = 1, 2, 3, 5, 6, 7
_KINDS = (
    (machinery.EXTENSION_SUFFIXES, "rb", C_EXTENSION),
    (machinery.SOURCE_SUFFIXES, "r", PY_SOURCE),
    (machinery.BYTECODE_SUFFIXES, "rb", PY_COMPILED),
)


def new_module(name):
    return types.ModuleType(name)


def get_suffixes():
    return [(suffix, mode, kind) for suffixes, mode, kind in _KINDS for suffix in suffixes]


def acquire_lock():
    """Nothing: Python has a lock for each module."""


release_lock = acquire_lock


def lock_held():
    return False


def load_source(name, pathname, file=None):
    return _load(name, machinery.SourceFileLoader(name, pathname))


def load_compiled(name, pathname, file=None):
    return _load(name, machinery.SourcelessFileLoader(name, pathname))


def load_dynamic(name, path, file=None):
    return _load(name, machinery.ExtensionFileLoader(name, path))


def find_module(name, path=None):
    """(open file or None, path, (suffix, mode, kind))"""
    if path is None and name in sys.builtin_module_names:
        return None, None, ("", "", C_BUILTIN)
    for folder in sys.path if path is None else path:
        base = os.path.join(folder, name)
        if os.path.isfile(os.path.join(base, "__init__.py")):
            return None, base, ("", "", PKG_DIRECTORY)
        for suffix, mode, kind in get_suffixes():
            if os.path.isfile(base + suffix):
                return open(base + suffix, mode), base + suffix, (suffix, mode, kind)
    raise ImportError(f"No module named {name!r}", name=name)


def load_module(name, file, filename, details):
    kind = details[2]
    if kind == PKG_DIRECTORY:
        return load_source(name, os.path.join(filename, "__init__.py"))
    if kind == C_BUILTIN:
        return importlib.import_module(name)
    loads = {PY_SOURCE: load_source, PY_COMPILED: load_compiled, C_EXTENSION: load_dynamic}
    if kind not in loads:
        raise ImportError(f"Don't know how to import {name} (type code {kind})", name=name)
    return loads[kind](name, filename)


def _load(name, loader):
    spec = importlib.util.spec_from_file_location(name, loader.path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
        raise
    return sys.modules[name]
