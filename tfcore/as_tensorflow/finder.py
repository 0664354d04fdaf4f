"""The import hook: what each module below `tensorflow` is.

A module is one of three: a namespace of tfcore under another name (`tensorflow.nn`), a module of another package
(`tensorflow.contrib.slim`), or a `Namespace` that looks names up in the places that `modules.py` lists for it, or in a
file of protocol buffers. All are made when they are imported, and their names when they are used.
"""

import difflib
import functools
import importlib
import importlib.abc
import sys
import types

import tfcore
from tfcore.as_tensorflow import estimator, keras, modules, old_code, snake_case
from tfcore.as_tensorflow.loaders import alias
from tfcore.framework import protos
from tfcore.framework.lazy import load, missing_names, near_name, unknown_name

# Programs for TensorFlow 1 compare it, mostly as strings or by the first number. Those that also know TensorFlow 2 take
# the part for 1. The API is that of this version, with what tf.compat.v1 got later.
TENSORFLOW_VERSION = "1.15.5"
_VERSIONS = {
    "VERSION": TENSORFLOW_VERSION,
    "GIT_VERSION": f"v{TENSORFLOW_VERSION}-tfcore-{tfcore.__version__}",
    "__version__": TENSORFLOW_VERSION,
    "__git_version__": f"v{TENSORFLOW_VERSION}-tfcore-{tfcore.__version__}",
}


_PREFIXES = ("tensorflow.", "tfcore.estimator.", "tfcore.keras.")


class Finder(importlib.abc.MetaPathFinder):
    """Finds `tensorflow` and all modules below it, and those below `tfcore.keras` and `tfcore.estimator`."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "tensorflow" and not fullname.startswith(_PREFIXES):
            return None
        module = make(fullname)
        return alias(fullname, module, keeps=isinstance(module, Namespace))


class Namespace(types.ModuleType):
    """A module whose names are looked up in several places, in order.

    Args:
      name: Full name of the module.
      places: Functions from a name to a value, which raise AttributeError if they lack it, with an attribute `names`, a
        function that lists what they have.
      renamed: {name: path of what it stands for}
      lacking: Namespaces of TensorFlow that have names of this module, and that tfcore does not have.
      **values: What the module has besides.
    """

    def __init__(self, name, places=(), renamed=None, lacking=(), **values):
        super().__init__(name, f"{name}, as far as tfcore has it.")
        self.__dict__.update(
            {"__path__": []},
            **values,
            _places=tuple(places),
            _renamed=renamed or {},
            _lacking=lacking,
        )

    def __setattr__(self, name, value):
        # importlib binds a module that it has imported to the one above. As in TensorFlow, a function of the same name
        # comes first: contrib/framework/python/ops has both.
        if isinstance(value, Namespace) and value.__name__ == f"{self.__name__}.{name}" and name not in self._renamed:
            if any(name in place.names() for place in self._places):
                return
        super().__setattr__(name, value)

    def __getattr__(self, name):
        value = self._find(name)
        setattr(self, name, value)
        return value

    def _find(self, name):
        if name in self._renamed:
            return self._module(name, self._renamed[name])
        if name == "__all__":
            return [n for n in dir(self) if not n.startswith("_")]
        if name.startswith("__"):  # Python asks for these; no module has such a name
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        missing = []
        for place in self._places:
            if place.has_private or not name.startswith("_"):
                try:
                    value = place(name)
                    # A file of tfcore is not the module of that name in TensorFlow.
                    if not (isinstance(value, types.ModuleType) and modules.in_table(f"{self.__name__}.{name}")):
                        return value
                except AttributeError as error:
                    missing.append(error)
        if modules.is_module(f"{self.__name__}.{name}".removeprefix("tensorflow.")):
            return self._module(name, f"{self.__name__}.{name}")
        for error in missing:
            alone = len(missing) == 1 and "Did you mean" in str(error)
            without_package = isinstance(error.__cause__, ImportError)
            if alone or without_package or str(error).endswith(" yet."):  # TensorFlow has it
                raise error
        text = f"module {self.__name__!r} has no attribute {name!r}"
        if self._lacking and not self._places:
            raise unknown_name(self, f"{text}: tfcore does not have {' and '.join(self._lacking)} yet.")
        raise unknown_name(self, _explain(text, name, dir(self)))

    def _module(self, name, path):
        try:
            return _by_path(path)
        except ImportError as error:  # so that hasattr() is false
            raise unknown_name(self, f"module {self.__name__!r} has no attribute {name!r}: {error}") from error

    def __dir__(self):
        found = {*vars(self), *self._renamed}
        for place in self._places:
            found.update(place.names())
        return sorted(found - {"_places", "_renamed", "_lacking"})


def _explain(text, name, known):
    near = None if name.startswith("_") else near_name(name, known)
    return f"{text}. Did you mean: {near!r}?" if near else f"{text}: tfcore does not have it."


# ---- Places


class _Module:
    """The public names of a module."""

    has_private = False

    def __init__(self, module):
        self._module = module

    def __call__(self, name):
        return getattr(self._module, name)

    def names(self):
        return dir(self._module)


class _OfKeras:
    """The names of a module of Keras, which is imported when one is used."""

    has_private = True

    def __init__(self, fullname, name):
        self._fullname = fullname
        self._name = name

    def __call__(self, name):
        try:
            keras.check(self._fullname)
        except ImportError as error:  # so that hasattr() is false, and modules below it are looked for
            raise AttributeError(f"module {self._fullname!r} has no attribute {name!r}: {error}") from error
        return getattr(keras.module(self._fullname, self._name), name)

    def names(self):
        return dir(sys.modules[self._name]) if self._name in sys.modules else []


class _RawOps:
    """Op types as functions: `mat_mul` for MatMul, as in TensorFlow's generated modules.

    Args:
      all_versions: Whether `gather_v2` is GatherV2. In modules that are not generated it is another function.
    """

    has_private = True  # before TensorFlow 1.8 these names began with an underscore

    def __init__(self, all_versions):
        self._ops = {
            name: op
            for name, op in snake_case.raw_ops().items()
            if all_versions or not snake_case.ends_in_version(name)
        }
        self._generated = all_versions

    def __call__(self, name):
        try:
            return self._ops[name[1:] if self._generated and name.startswith("_") else name]
        except KeyError:
            raise AttributeError(name) from None

    def names(self):
        return list(self._ops)


@functools.cache
def _place(source):
    """The place that a word of the table stands for; None if tfcore does not have it yet."""
    if source in ("raw", "generated"):
        return _RawOps(source == "generated")
    if source.partition(".")[0] == "tf":
        try:
            return _Module(_by_path(source))
        except AttributeError:
            return None
    return _Module(load(source))


def _by_path(path):
    """The value of `tf.nn.relu` or `tfcore.framework.graph.graph.Graph`, or the module `tensorflow.compat`."""
    if path.startswith("tensorflow."):
        return importlib.import_module(path)
    if path.startswith("tfcore."):
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)
    value = tfcore
    for name in path.split(".")[1:]:
        value = getattr(value, name)
    return value


class Absent(Namespace):
    """A module that can be imported, but not used: tfcore lacks that part of TensorFlow.

    Args:
      name: Full name of the module.
      part: Full name of the part.
      renamed: {name that is there: path of what it stands for}
    """

    def __init__(self, name, part, renamed=None):
        super().__init__(name, renamed=renamed, lacking=(part,))

    def _find(self, name):
        if name in self._renamed:
            return _by_path(self._renamed[name])
        text = f"module {self.__name__!r} has no attribute {name!r}"
        raise unknown_name(self, f"{text}: tfcore does not have {self._lacking[0]} yet.")

    def __call__(self, *args, **kwargs):  # a function that was imported by its name is taken for a module
        raise NotImplementedError(f"{self.__name__}: tfcore does not have {self._lacking[0]} yet.")


# ---- Modules


def make(fullname):
    """The module of a name.

    Raises:
      ModuleNotFoundError: there is none.
    """
    path = fullname.removeprefix("tensorflow").removeprefix("tfcore").removeprefix(".")
    if path == "compat.v1" or path.startswith("compat.v1."):
        return importlib.import_module(f"tensorflow{path.removeprefix('compat.v1')}")
    if path == "":
        own = {
            name: f"tensorflow.{name}"
            for name in ("compat", "contrib", "core", "distribute", "examples", "python", "version")
        }
        own.update(_old_names(path))
        return Namespace(
            fullname, [_Module(tfcore)], own, **_VERSIONS, __path__=tfcore.__path__, __file__=tfcore.__file__
        )
    for find in (_keras, _estimator, _special, _internal, _messages, _other_package, _old, _public):
        module = find(fullname, path)
        if module is not None:
            return module
    part = modules.absent_part(path)
    if part is not None:
        return Absent(fullname, f"tensorflow.{part}", modules.RENAMED.get(path))
    # Without the argument `name`: Python would replace the text by its own in `from parent import name`.
    raise ModuleNotFoundError(_explain_module(fullname, path))


def _explain_module(fullname, path):
    """What to say about a name that is neither a module nor, if it was imported from one, another name in it."""
    parent, _, name = fullname.rpartition(".")
    text = f"No module named {fullname!r}"
    if name in missing_names().get(parent.replace("tensorflow", "tfcore", 1), ()):
        return f"{text}: TensorFlow has it, tfcore does not have it yet"
    if parent.removeprefix("tensorflow.") not in modules.PACKAGES and parent in sys.modules:
        return _explain(f"cannot import name {name!r} from {parent!r}", name, dir(sys.modules[parent]))
    near = difflib.get_close_matches(fullname, modules.known(), 1, 0.85)
    return f"{text}. Did you mean: {near[0]!r}?" if near else f"{text}: tfcore does not have it"


def _special(fullname, path):
    if path in modules.PACKAGES:
        return Namespace(fullname)
    if path == "version":
        return Namespace(fullname, [_Module(tfcore.version)], **_VERSIONS)
    if path == "compat":
        return Namespace(fullname, [_Module(tfcore.compat)], v1=importlib.import_module("tensorflow"))
    if path == "contrib":
        return Namespace(fullname, [_Module(tfcore.contrib)], {"slim": "tensorflow.contrib.slim"})
    return None


def _old_table(name):
    """A table of what TensorFlow 0.5 to 0.12 had; empty unless the program asks for old code."""
    if not old_code.is_installed():
        return {}
    from tfcore.as_tensorflow.old_code import tensorflow_names

    return getattr(tensorflow_names, name)


def _old_names(path):
    """{name: what it stands for} of a module that has lost names."""
    names = {
        name: f"tfcore.as_tensorflow.old_code.tensorflow_names{value}" if value.startswith(".") else f"tf.{value}"
        for name, value in _old_table("NAMES").get(path, {}).items()
    }
    if path == "":
        names.update({name: f"tensorflow.{name}" for name in _old_table("NAMES") if name and "." not in name})
    return names


def _old(fullname, path):
    """Modules that TensorFlow 1 took away, or that have lost names, for old code."""
    target = _old_table("MODULES").get(path)
    if target is not None:
        return importlib.import_module(f"tensorflow.{target}") if target else Namespace(fullname)
    names = _old_names(path)
    return Namespace(fullname, [_Module(_by_path(f"tf.{path}"))], names) if names else None


def _keras(fullname, path):
    """tensorflow.keras and tensorflow.python.keras"""
    name = keras.name_in_keras(path)
    if name is None or path in modules.PACKAGES:  # a package is there without Keras
        return name and Namespace(fullname, [_OfKeras(fullname, name)])
    if not path.startswith("python.") or not keras.is_module(path):
        return keras.module(fullname, name)
    own = keras.own_module(name)
    places = [_Module(own)] if own else []
    if own is None or name == "keras.backend":
        places.append(_OfKeras(fullname, name))
    return Namespace(fullname, places)


def _estimator(fullname, path):
    """tensorflow.estimator and tensorflow.python.estimator"""
    folder = estimator.folder_of(path)
    if folder:
        estimator.check(fullname)
        return Namespace(fullname, [estimator.Names(folder)])
    name = estimator.name_in_package(path)
    return name and estimator.module(fullname, name)


def _internal(fullname, path):
    """tensorflow.python.*, and what is deep inside a part of tf.contrib."""
    sources = modules.sources(path)
    if sources is None:
        return None
    # A part that tfcore lacks is reported when a name is used: many programs import modules that they do not need.
    places = [place for place in map(_place, sources) if place is not None]
    lacking = [source for source in sources if _place(source) is None]
    return Namespace(fullname, places, {**modules.RENAMED.get(path, {}), **_old_names(path)}, lacking)


def _other_package(fullname, path):
    target = modules.other_package(path)
    if target is None:
        return None
    try:
        module = importlib.import_module(target.module)
    except ModuleNotFoundError as error:
        if error.name is None or not target.module.startswith(error.name):
            raise
        raise ModuleNotFoundError(f"No module named {fullname!r}: {error}.{target.hint}") from error
    return module


def _messages(fullname, path):
    """The module of a file of protocol buffers."""
    found = modules.messages_file(path)
    if found is None:
        return None
    file, renamed = found
    return Namespace(fullname, [_Module(protos.file_module(file))], renamed)


def _public(fullname, path):
    """A namespace of tf."""
    try:
        value = _by_path(f"tf.{path}")
    except AttributeError:
        return None
    return value if isinstance(value, types.ModuleType) else None
