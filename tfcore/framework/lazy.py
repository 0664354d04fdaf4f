"""Lazy imports of a namespace's names, so that `import tfcore` stays fast."""

import difflib
import functools
import importlib
import os


def lazy_names(namespace, table):
    """The module-level `__getattr__` and `__dir__` that import names on first use.

    Args:
      namespace: `globals()` of the module.
      table: dict from a name to the module that defines it, "module:own" where it has another name there; a trailing
        "." means the module itself.
    """

    def get(name):
        path = table.get(name)
        if path is None:
            raise AttributeError(_explain(namespace["__name__"], name, names()))
        path, _, own = path.partition(":")
        value = importlib.import_module(path.rstrip("."))
        if not path.endswith("."):
            value = getattr(value, own or name)
        namespace[name] = value
        return value

    def names():
        return sorted({*namespace, *table})

    return get, names


def _explain(module, name, known):
    """The error message for an unknown name: TensorFlow has it, or the nearest known name."""
    text = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):  # not part of the API; Python itself looks up many of these
        return text
    if name in tensorflow_names().get(module, ()):
        return f"{text}: TensorFlow has it, tfcore does not have it yet."
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], 1)
    return f"{text}. Did you mean: {near[0]!r}?" if near else text


@functools.cache
def tensorflow_names():
    """Names of TensorFlow's API that tfcore does not have yet: a dict from a module's name to a set of names."""
    found = {}
    with open(os.path.join(os.path.dirname(__file__), "tensorflow_names.txt")) as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            head, colon, rest = line.rpartition(":")
            if colon:
                found[head] = names = set()
            names.update(rest.split())
    return found
