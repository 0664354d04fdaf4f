"""Compares the public names of tfcore and their signatures with those of TensorFlow 1's API.

The record of TensorFlow's is api.json; with an interpreter that has TensorFlow, it is asked instead
(but for tf.contrib, which only the record has). `python -m tests.coverage --api` prints the report.
"""

import ast
import functools
import importlib
import json
import os
import subprocess

from tests.coverage import extract_api
from tests.coverage.differences import DIFFERENCES, LATER
from tests.coverage.tested_names import is_read

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "api.json")
# What most programs use besides ops.
PROGRAMS = """
    app app.flags compat contrib.framework contrib.layers contrib.metrics contrib.training debugging distributions flags
    gfile initializers layers logging losses manip metrics resource_loader sets test version
""".split()


@functools.cache
def record(python=None):
    """{namespace: {name: entry}} of TensorFlow, of the record or of what an interpreter has."""
    with open(RECORD, encoding="utf-8") as file:
        recorded = json.load(file)
    if python is None:
        return recorded
    script = os.path.join(HERE, "extract_api.py")
    env = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}
    answer = subprocess.run([python, script], stdout=subprocess.PIPE, check=True, text=True, env=env).stdout
    return {path: recorded[path] for path in recorded if path.startswith("tf.contrib")} | json.loads(answer)


def namespace(path):
    """The module or object of a path such as "tf.nn", None if it does not exist."""
    value = importlib.import_module("tfcore")
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def parameters(signature):
    """The parameters and their defaults; those equal in Python are equal: 1 and 1.0, also lists and tuples."""
    found = []
    args = ast.parse(f"def f({signature.replace('=...', '=OTHER')}): pass").body[0].args
    for kind in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
        group = getattr(args, kind)
        found += [(kind, a.arg) for a in (group if isinstance(group, list) else [group]) if a]
    defaults = [None] * (len(args.posonlyargs + args.args) - len(args.defaults)) + args.defaults + args.kw_defaults
    return found, [_value(d) for d in defaults]


def _value(node):
    if node is None:
        return "required"
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)
    return tuple(value) if isinstance(value, list) else value


def agree(ours, theirs):
    """Whether two signatures are the same. A default of TensorFlow's that the record cannot write is like any other."""
    (names, defaults), (their_names, their_defaults) = parameters(ours), parameters(theirs)
    return names == their_names and all(
        own == their or (their == "OTHER" and own != "required") for own, their in zip(defaults, their_defaults)
    )


def difference(name, entry, value):
    """How a public value differs from TensorFlow's entry of that name, "" if it does not."""
    if entry["kind"] not in ("function", "class") or entry["signature"] is None:
        return ""
    own = extract_api.signature(value)
    if own is None or agree(own, entry["signature"]):
        return ""
    return f"{name}({own}) is {name}({entry['signature']}) in TensorFlow"


def method_differences(path, entry, cls):
    """What the public methods of a class lack or do differently, as lines."""
    for name, theirs in sorted(entry.get("methods", {}).items()):
        where = f"{path}.{name}"
        if not hasattr(cls, name):
            yield f"{where} is missing"
        elif theirs not in (None, "property"):
            own = extract_api.signature(getattr(cls, name), bound=not _is_static(cls, name))
            if own is not None and not agree(own, theirs):
                yield f"{where}({own}) is {where}({theirs}) in TensorFlow"


def _is_static(cls, name):
    for base in cls.__mro__:
        if name in vars(base):
            return isinstance(vars(base)[name], (staticmethod, classmethod))
    return False


@functools.cache
def _tested_objects():
    """The identities of the functions and classes that tests read under any of their names."""
    return {
        id(getattr(namespace(path), name))
        for path, names in record().items()
        for name, entry in names.items()
        if entry["kind"] in ("function", "class")
        and hasattr(namespace(path), name)
        and is_read(path.rpartition(".")[2], name)
    }


class Space:
    """One namespace: which of TensorFlow's names are there, equal in signature, and tested."""

    def __init__(self, path, names):
        self.path = path
        self.names = names
        self.missing, self.different, self.accepted = [], {}, {}
        own = namespace(path)
        for name, entry in names.items():
            if not hasattr(own, name):
                self.missing.append(name)
            elif text := difference(f"{path}.{name}", entry, getattr(own, name)):
                found = self.accepted if f"{path}.{name}" in DIFFERENCES else self.different
                found[name] = text
        there = set(names) - set(self.missing)
        self.there = len(there)
        self.equal = self.there - len(self.different) - len(self.accepted)
        self.untested = [name for name in sorted(there) if not self._is_tested(getattr(own, name), name)]
        self.tested = self.there - len(self.untested)

    def _is_tested(self, value, name):
        return is_read(self.path.rpartition(".")[2], name) or id(value) in _tested_objects()

    def without(self, names):
        """The same namespace without some names."""
        return Space(self.path, {name: entry for name, entry in self.names.items() if name not in names})

    @property
    def counts(self):
        return len(self.names), self.there, self.equal, self.tested, len(self.missing)


def spaces(only="", python=None):
    return [Space(path, names) for path, names in record(python).items() if only in path]


def report(only="", missing=False, python=None):
    """The lines that `python -m tests.coverage --api` prints."""
    found = spaces(only, python)
    yield f"{'namespace':32}" + "".join(f"{head:>9}" for head in ("names", "there", "equal", "tested", "missing"))
    for space in found:
        yield line(space.path, space.counts)
        if missing:
            if space.missing:
                yield "    missing: " + " ".join(space.missing)
            yield from ("    " + text for text in space.different.values())
    chosen = [space for space in found if space.path.removeprefix("tf.") in PROGRAMS]
    yield line("what most programs use", total(chosen))
    yield line("- without what comes later", total([space.without(later_names(space.path)) for space in chosen]))
    yield ""
    yield "Accepted differences:"
    yield from (f"    {name}: {DIFFERENCES[name]}" for space in found for name in _accepted(space))
    yield "Later:"
    for reason, names in LATER.items():
        yield f"    {reason}: {sum(len(n.split()) for n in names.values())} names of {', '.join(names)}"


def total(chosen):
    """The sums of the counts of namespaces."""
    return [sum(column) for column in zip(*(space.counts for space in chosen))]


def later_names(path):
    """The names of a namespace that need parts of the system that do not exist yet."""
    return {name for names in LATER.values() for name in names.get(path, "").split()}


def line(head, counts):
    return f"{head:32}" + "".join(f"{count:>9}" for count in counts)


def _accepted(space):
    return [f"{space.path}.{name}" for name in space.accepted]
