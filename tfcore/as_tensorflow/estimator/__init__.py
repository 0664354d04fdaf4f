"""tensorflow.estimator: the installed package tensorflow-estimator, whose names are imported on first use.

That package imports all of itself at once, also what TPUs and boosted trees need; tfcore lacks these.
"""

import builtins
import functools
import importlib
import importlib.abc
import importlib.metadata
import importlib.util
import os
import re
import types

from tfcore.as_tensorflow.loaders import own_spec

_PACKAGE = "tensorflow_estimator"
_HINT = "tf.estimator is tensorflow-estimator 1.15: pip install 'tfcore[estimator]'"
# Prefix of public names -> what they need and tfcore lacks.
_LACKING = {
    "BoostedTrees": "boosted trees",
    "KMeans": "clustering",
    "LinearSDCA": "stochastic dual coordinate ascent",
}
_KERAS_PARTS = re.compile(
    r"tensorflow\.python\.keras\."
    r"(engine\.training|layers\.(core|normalization_v2)|optimizer_v2\.\w+|utils\.losses_utils)"
)
_LINE = re.compile(rf"from ({_PACKAGE}\.python\.\S+) import (\w+)(?: as (\w+))?$", re.MULTILINE)


class Finder(importlib.abc.MetaPathFinder):
    """Finds tensorflow_estimator, whose own `__init__.py` is not run, and its modules."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] != _PACKAGE:
            return None
        spec = own_spec(self, fullname, path, target)
        if spec is not None:
            spec.loader = _Bare() if fullname == _PACKAGE else _Loader(spec.loader)
        return spec


class _Bare(importlib.abc.Loader):
    """Makes a package that has modules and, as `estimator`, their public names."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__getattr__ = _public


class _Loader(importlib.abc.Loader):
    """Loads a module whose imports of some parts of Keras find `keras_parts.py`.

    These parts are TensorFlow's own, or differ from those of Keras, which other programs get.
    """

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):  # the text of the module, its path
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__builtins__ = {**vars(builtins), "__import__": _import}
        self._loader.exec_module(module)


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    """The function __import__ of the package's modules, which import one name in each statement."""
    if fromlist and _KERAS_PARTS.fullmatch(f"{name}.{fromlist[0]}"):
        return types.SimpleNamespace(**{fromlist[0]: importlib.import_module(f"{__name__}.keras_parts")})
    return __import__(name, globals, locals, fromlist, level)


def _public(name):
    if name != "estimator":
        raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}")
    return importlib.import_module("tensorflow.estimator")


def folder_of(path):
    """The folder of the API that stands for a module: "estimator/inputs"; None if none does.

    Args:
      path: Name of the module, relative to `tensorflow`.
    """
    found = re.fullmatch(r"estimator(?:\.(experimental|export|inputs))?", path)
    return found and "/".join(filter(None, ("estimator", found[1])))


def is_module(path):
    """Whether a module is one of tf.estimator, or inside of it."""
    if folder_of(path):
        return True
    name = name_in_package(path)
    # The version first: find_spec() imports the package.
    return name is not None and _is_right(_version()) and importlib.util.find_spec(name) is not None


def name_in_package(path):
    """The module of the package that stands for one of tensorflow.python.estimator; None if none does."""
    return f"{_PACKAGE}.{path}" if re.fullmatch(r"python\.estimator(\.\w+)*", path) else None


def module(fullname, name):
    """A module of the package.

    Args:
      fullname: Name by which it was imported, for errors.
      name: Name of the module in the package.

    Raises:
      ModuleNotFoundError: The package is not installed, or has no such module.
      ImportError: It is one for another version of TensorFlow.
    """
    check(fullname)
    return importlib.import_module(name)


def check(fullname):
    """Raises an ImportError if the package is not there, or not the right one."""
    version = _version()
    if version is None:
        raise ModuleNotFoundError(f"No module named {fullname!r}: {_HINT}")
    if not _is_right(version):
        raise ImportError(f"{fullname}: {_HINT}. Installed is {version}")


class Names:
    """The public names of a folder of the API, which are imported when they are used."""

    has_private = False

    def __init__(self, folder):
        self._folder = folder

    def __call__(self, name):
        try:
            path, own_name = _listed(self._folder)[name]
        except KeyError:
            raise AttributeError(name) from None
        for beginning, part in _LACKING.items():
            if name.startswith(beginning):
                raise ImportError(f"{_PACKAGE}'s {name} needs what tfcore lacks: {part}")
        try:
            return getattr(importlib.import_module(path), own_name)
        except AttributeError as error:  # of a module that it imports: that name is there
            raise ImportError(f"{_PACKAGE}'s {name} needs what tfcore lacks: {error}") from error

    def names(self):
        return list(_listed(self._folder))


@functools.cache
def _listed(folder):
    """{public name: (module, name in it)}, from the imports of the package's file for that part of the API."""
    root = importlib.util.find_spec(_PACKAGE).submodule_search_locations[0]
    with open(os.path.join(root, "_api", "v1", *folder.split("/"), "__init__.py")) as file:
        listed = {found[3] or found[2]: (found[1], found[2]) for found in _LINE.finditer(file.read())}
    if "ModeKeys" in listed:  # the API has it from a module that imports all of the package
        listed["ModeKeys"] = (f"{_PACKAGE}.python.estimator.mode_keys", "ModeKeys")
    return listed


def _is_right(version):
    return version is not None and version.startswith("1.15.")


def _version():
    try:
        return importlib.metadata.version("tensorflow-estimator")
    except importlib.metadata.PackageNotFoundError:
        return None
