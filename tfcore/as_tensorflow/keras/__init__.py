"""tensorflow.keras is the installed package Keras, and tensorflow.python.keras has what that package is built on."""

import importlib
import importlib.metadata
import importlib.util
import re

from tfcore.as_tensorflow import old_code
from tfcore.as_tensorflow.keras import differences

# Of tensorflow.python.keras, what Keras 2.3 imports from there.
_OWN_MODULES = {
    "backend": "tfcore.as_tensorflow.keras.backend",
    "utils.tf_utils": "tfcore.as_tensorflow.keras.tf_utils",
}
_HINT = "tf.keras is Keras 2.2.4 to 2.3.1: pip install 'tfcore[keras]'"


def name_in_keras(path):
    """The module of Keras that stands for a module, such as "keras.layers"; None if none does.

    Args:
      path: Name of the module, relative to `tensorflow`.
    """
    found = re.fullmatch(r"(?:contrib\.|python\.)?keras(?:\._impl(?:\.keras)?)?((?:\.\w+)*)", path)
    # tf.layers has input_spec; Keras has no optimizers of TensorFlow 2.
    is_other = found and (found[1] == ".engine.input_spec" or found[1].startswith(".optimizer_v2"))
    return f"keras{found[1]}" if found and not is_other else None


def is_module(path):
    """Whether Keras, or what it is built on, has a module."""
    name = name_in_keras(path)
    if name is None:
        return False
    return (
        path in ("keras", "contrib.keras")
        or name.removeprefix("keras.") in {*_OWN_MODULES, "metrics"}
        or _is_right(_version())  # before find_spec() imports the package
        and _exists(name)
    )


def _exists(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # for what it is in: a class, or a module that Keras lacks
        return False


def module(fullname, name):
    """A module of Keras.

    Args:
      fullname: Name by which it was imported, for errors.
      name: Name of the module in Keras.

    Raises:
      ModuleNotFoundError: Keras is not installed, or has no such module.
      ImportError: This is a Keras for TensorFlow 2, or it runs on another library.
    """
    check(fullname)
    old_code.install_for_keras()
    found = importlib.import_module(name)
    backend = importlib.import_module("keras.backend")
    if getattr(backend, "backend", lambda: "tensorflow")() != "tensorflow":  # a module that is being imported lacks it
        raise ImportError(f"{fullname}: Keras runs on {backend.backend()}. Set KERAS_BACKEND=tensorflow")
    if hasattr(importlib.import_module("keras"), "__version__"):  # all of it has been imported
        differences.remove()
    return found


def check(fullname):
    """Raises an ImportError if Keras is not there, or not the right one."""
    version = _version()
    if version is None:
        raise ModuleNotFoundError(f"No module named {fullname!r}: {_HINT}")
    if not _is_right(version):
        raise ImportError(f"{fullname}: {_HINT}. Installed is {version}")


def own_module(name):
    """tfcore's module that takes the place of one of Keras in tensorflow.python.keras; None if Keras has its own."""
    version = _version() or ""
    if name == "keras.metrics":
        path = None if version.startswith("2.3.") else f"{__name__}.metrics"
    else:  # Keras 2.2 has all of it itself
        path = None if version.startswith("2.2.") else _OWN_MODULES.get(name.removeprefix("keras."))
    return path and importlib.import_module(path)


def _is_right(version):
    return version is not None and re.match(r"2\.[23]\.", version) is not None


def _version():
    try:
        return importlib.metadata.version("keras")
    except importlib.metadata.PackageNotFoundError:
        return None
