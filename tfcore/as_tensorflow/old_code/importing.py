"""Gives modules the names that they have lost: those that are there at once, others when they are imported."""

import ctypes
import functools
import gc
import importlib
import importlib.abc
import importlib.util

from tfcore.as_tensorflow.loaders import Changing, alias, own_spec
from tfcore.as_tensorflow.old_code.names import CHANGED, METHODS, MODULES, NAMES, ONCE_PACKAGES, Gone


def resolve(path):
    """What "module:name.name" is; "." at its start is this package."""
    module, _, names = path.partition(":")
    package = __package__ + module if module.startswith(".") else module
    return functools.reduce(getattr, filter(None, names.split(".")), importlib.import_module(package))


def changed_modules():
    """Names of the modules that lack something."""
    return {"scipy", *NAMES, *CHANGED, *(path.partition(":")[0] for path in METHODS)}


_restored = {}  # (module, function): what it was changed to


def restore(module):
    """Gives an imported module what it has lost. What has it already is not changed again."""
    name = module.__name__
    restore_names(module)
    for function, wrapper in CHANGED.get(name, {}).items():
        before = getattr(module, function)
        if before is not _restored.get((name, function)):
            _restored[name, function] = resolve(wrapper)(before)
            setattr(module, function, _restored[name, function])
    for path, methods in METHODS.items():
        owner = path.partition(":")[0]
        if owner == name:
            _add_methods(resolve(path), methods)


def restore_names(module):
    """Gives an imported module the names that it has lost. Nothing that it still has is changed."""
    lost = NAMES.get(module.__name__, {})
    if module.__name__ == "builtins":  # where Python looks in the dictionary only
        vars(module).update({name: resolve(path) for name, path in lost.items() if not hasattr(module, name)})
    elif lost or module.__name__ == "scipy":
        module.__getattr__ = Lookup(module, lost)


class Lookup:
    """A module's __getattr__: it finds what the module has lost, or asks the one that was there before."""

    def __init__(self, module, lost):
        self._module = module
        self._lost = lost
        self._before = vars(module).get("__getattr__")

    def __call__(self, name):
        path = self._lost.get(name)
        if path is None and self._module.__name__ == "scipy" and not name.startswith("_"):
            path = _of_root(name)
        if path is None and substitute(below := f"{self._module.__name__}.{name}"):
            return importlib.import_module(below)
        if path is None and self._before is not None:
            return self._before(name)
        if path is None or isinstance(path, Gone):
            text = f"module {self._module.__name__!r} has no attribute {name!r}"
            raise AttributeError(f"{text}: use {path}" if path else text, name=name, obj=self._module)
        value = resolve(path)
        setattr(self._module, name, value)
        return value


def _of_root(name):
    """Where a name of NumPy is, which SciPy's root had, too; None: it is a module of SciPy, or nothing."""
    if name in ("rand", "randn"):
        return f"numpy.random:{name}"
    if importlib.util.find_spec(f"scipy.{name}") is None and name in dir(importlib.import_module("numpy")):
        return f"numpy:{name}"
    return None


def _add_methods(kind, methods):
    # A class in C refuses new attributes, but not its dictionary.
    own = gc.get_referents(kind.__dict__)[0]
    for name, path in methods.items():
        if not hasattr(kind, name):
            own[name] = resolve(path)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


class Finder(importlib.abc.MetaPathFinder):
    """Finds modules that are gone, and changes others when they have been imported."""

    def __init__(self):
        self._changed = changed_modules()

    def find_spec(self, fullname, path=None, target=None):
        stands_for = substitute(fullname)
        if stands_for is None and fullname not in self._changed:
            return None
        spec = own_spec(self, fullname, path, target)
        if spec is not None and fullname not in ONCE_PACKAGES:
            if fullname in self._changed:
                spec.loader = Changing(spec.loader, restore)
            return spec
        if isinstance(stands_for, Gone):
            raise ModuleNotFoundError(f"No module named {fullname!r}: use {stands_for}", name=fullname)
        return stands_for and alias(fullname, resolve(stands_for))


def substitute(fullname):
    """The module that stands for one that may be gone, also for one below it; None: it is not in the table."""
    if fullname in MODULES:
        return MODULES[fullname]
    package, _, name = fullname.rpartition(".")
    above = MODULES.get(package)
    return f"{above}.{name}" if above and not isinstance(above, Gone) and not above.startswith(".") else None
