"""Names of a namespace that are imported when they are first used, so that `import tfcore` stays fast."""

import importlib


def lazy_names(namespace, table):
    """The module-level `__getattr__` and `__dir__` for names that are not in `namespace` yet.

    Args:
      namespace: `globals()` of the module.
      table: dict from a name to the module that has it; a module that is meant itself ends in ".".
    """

    def get(name):
        path = table.get(name)
        if path is None:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        value = importlib.import_module(path.rstrip("."))
        if not path.endswith("."):
            value = getattr(value, name)
        namespace[name] = value
        return value

    def names():
        return sorted({*namespace, *table})

    return get, names
