"""Loaders of import hooks: one hands over a module that is already there, one changes a module once it is loaded."""

import importlib.abc
import importlib.machinery
import sys


class Alias(importlib.abc.Loader):
    """Hands over a module that is already there, under another name.

    Args:
      module: The module.
      keeps: Whether what importlib writes into the module stays: its name, package and loader.
    """

    def __init__(self, module, keeps=False):
        self._module = module
        self._keeps = keeps
        self._own = {name: getattr(module, name, None) for name in ("__spec__", "__loader__", "__package__")}

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        if not self._keeps:
            vars(module).update(self._own)


class Changing(importlib.abc.Loader):
    """Loads a module as its own loader does, then calls a function with it.

    Args:
      loader: The module's own loader.
      change: The function.
    """

    def __init__(self, loader, change):
        self._loader = loader
        self._change = change

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._change(module)


def own_spec(hook, fullname, path=None, target=None):
    """The spec of a module, as the other hooks find it; None: there is none."""
    others = (finder for finder in sys.meta_path if finder is not hook and hasattr(finder, "find_spec"))
    return next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)


def alias(fullname, module, keeps=False):
    """The spec of a module that stands for another."""
    return importlib.machinery.ModuleSpec(fullname, Alias(module, keeps), is_package=True)
