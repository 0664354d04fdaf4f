"""The names of public namespaces, from the list names.txt: imported with the namespace, or on first use."""

import functools
import importlib
import importlib.machinery
import os
import sys
import types

# Modules that are other packages, {namespace: names}. They are found when they are used, and not listed: a program that
# goes through all names may run without them.
OTHER_PACKAGES = {"tfcore": ("estimator", "keras")}
_HERE = os.path.dirname(os.path.abspath(__file__))


@functools.cache
def public_names():
    """The list of public names, as {namespace: {name: target}}: {"tf.math": {"abs": "ops.cwise.unary:abs"}}."""
    with open(os.path.join(os.path.dirname(_HERE), "names.txt"), encoding="utf-8") as lines:
        return read_names(lines)


def read_names(lines):
    """What lines of the list say, as `public_names` returns it."""
    found = {}
    for line in lines:
        path, separator, target = line.rstrip("\n").partition(" = ")
        if separator and line[0] != "#":
            space, _, name = path.rpartition(".")
            found.setdefault(space, {})[name] = target
    return found


def namespaces():
    """The paths of the public namespaces, such as "tf.math": those that the list has names of, and public modules."""
    listed = public_names()
    modules = {f"{space}.{name}" for space in listed for name, target in listed[space].items() if ":" not in target}
    return sorted({*listed, *modules})


def made_namespaces(space):
    """The names of the namespaces in another one that have no source."""
    inside = (path.rpartition(".") for path in public_names())
    return [name for above, _, name in inside if above == space and name not in public_names()[space]]


def publish(module, space):
    """Gives a module the names of a namespace, and makes the namespaces in it that have no source.

    Args:
      module: `globals()` of the module.
      space: path of the namespace, such as "tf.train".
    """
    now, late = {}, {}
    for name, target in public_names()[space].items():
        if target.startswith("late "):
            late[name] = f"tfcore.{target[5:]}"
        else:
            now[name] = f"tfcore.{target}"
    module["__getattr__"], module["__dir__"] = lazy_names(module, late)
    module.update((name, load(target)) for name, target in now.items())
    made = made_namespaces(space)
    for name in made:
        inner = module[name] = types.ModuleType(f"{module['__name__']}.{name}", f"The namespace {space}.{name}.")
        inner.__spec__ = importlib.machinery.ModuleSpec(inner.__name__, None)
        sys.modules[inner.__name__] = inner
        publish(vars(inner), f"{space}.{name}")
    module["__all__"] = sorted([*now, *late, *made])


def lazy_names(module, targets):
    """The module-level `__getattr__` and `__dir__` that import names on first use.

    Args:
      module: `globals()` of the module.
      targets: dict from a name to "module:attribute", or to "module" for the module itself.
    """

    def get(name):
        if name not in targets:
            space = module["__name__"]
            if name in OTHER_PACKAGES.get(space, ()):
                try:
                    return importlib.import_module(f"{space}.{name}")
                except (ImportError, RuntimeError) as error:  # so that hasattr() is false
                    text = f"module {space!r} has no attribute {name!r}: {error}"
                    raise AttributeError(text, name=name, obj=sys.modules.get(space)) from error
            raise unknown_name(sys.modules.get(space), _explain(space, name, names()))
        value = module[name] = load(targets[name])
        return value

    def names():
        return sorted({*module, *targets})

    return get, names


def load(target):
    """The attribute of a module, of "module:attribute", or the module of "module"."""
    path, _, attribute = target.partition(":")
    importlib.import_module(path.rpartition(".")[0] or path)  # first: threads wait for it with no lock on the module
    module = importlib.import_module(path)
    return getattr(module, attribute) if attribute else module


def _explain(module, name, known):
    """The error message for an unknown name: TensorFlow has it, or the nearest known name."""
    text = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):  # not part of the API; Python itself looks up many of these
        return text
    if name in missing_names().get(module, ()):
        return f"{text}: TensorFlow has it, tfcore does not have it yet."
    near = near_name(name, known)
    return f"{text}. Did you mean: {near!r}?" if near else text


def unknown_name(module, text):
    """The AttributeError for a name that a module does not have. Its text is all that Python prints.

    Python appends a suggestion of its own to errors that it can complete by the name that was looked up. It completes
    none that has an object.
    """
    return AttributeError(text, obj=module)


def near_name(name, known):
    """The public name that `name` is probably a typing error of, or None if none of those that are known is near."""
    import difflib  # `import tfcore` explains no names

    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], 1, cutoff=0.75)
    return near[0] if near else None


@functools.cache
def missing_names():
    """Names of TensorFlow's API that tfcore does not have yet: a dict from a module's name to a set of names."""
    found = {}
    with open(os.path.join(_HERE, "missing_names.txt")) as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            head, colon, rest = line.rpartition(":")
            if colon:
                found[head] = names = set()
            names.update(rest.split())
    return found
