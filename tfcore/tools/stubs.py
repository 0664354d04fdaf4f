"""Writes type stubs for the public namespaces: python -m tfcore.tools.stubs [--check].

The names of namespaces stand in the list names.txt, which editors and type checkers cannot follow. So each namespace in
it gets a stub: the signatures, the first paragraph of each docstring, and the type with which its Returns section
begins. Parameters are `Any`, as there is no type for values that convert to a Tensor. Type checkers read the source of
public modules that define their names themselves.
"""

import argparse
import ast
import builtins
import enum
import functools
import inspect
import math
import os
import re
import textwrap
import types

from google.protobuf.message import Message

import tfcore.testing  # `import tfcore` does not import it
from tfcore.framework import lazy
from tfcore.framework.definitions.op_call import compile_call
from tfcore.framework.definitions.op_def import OpDef

FOLDER = os.path.dirname(os.path.abspath(tfcore.__file__))
COMMAND = "python -m tfcore.tools.stubs"
LISTED = [path.removeprefix("tf").removeprefix(".") for path in lazy.public_names()]
# Namespaces import what they share from the first of them that has it: `tf` itself, tf.contrib last.
NAMESPACES = sorted([*LISTED, "errors", "raw_ops", "testing"], key=lambda path: (path.startswith("contrib"), path))
CLASSES = "Tensor Operation Variable SparseTensor IndexedSlices TensorShape DType Graph TensorArray".split()
# Patterns for the beginning of a Returns section, and their types. `bool` would be tf.bool.
RETURNS = (
    (r"(A|The) list of `?Tensor`?s(?! or)", "list[Tensor]"),
    (r"(A|The) (scalar |mutable )?`Tensor`(?! \(?or)", "Tensor"),
    *((rf"(An?|The) `{name}`(?! \(?or)", name) for name in CLASSES[1:]),
    (r"(A bool\b|Whether |True (if|when|where)\b)", "builtins.bool"),
    (r"An (int|integer)\b", "int"),
    (r"A (str|string)\b", "str"),
)
ARITHMETIC = "add sub mul truediv floordiv mod pow matmul and or xor".split()
OPERATORS = {f"__{prefix}{name}__" for name in ARITHMETIC for prefix in ("", "r")}
OPERATORS |= {f"__{name}__" for name in "lt le gt ge neg abs invert getitem".split()}
# The types of fields of protocol buffers, by those of their defaults; lists and messages are not among them.
FIELDS = {int: "int", float: "float", builtins.bool: "builtins.bool", str: "str", bytes: "bytes"}
# The base class of protocol buffers; the package protobuf has no types of its own.
MESSAGE = '''class _Message:
    """A protocol buffer."""
    DESCRIPTOR: _Any
    def ByteSize(self) -> int: ...
    def Clear(self) -> None: ...
    def ClearField(self, field_name: str) -> None: ...
    def CopyFrom(self, other_msg: _Any) -> None: ...
    def DiscardUnknownFields(self) -> None: ...
    @classmethod
    def FromString(cls, s: bytes) -> _Any: ...
    def HasField(self, field_name: str) -> builtins.bool: ...
    def IsInitialized(self) -> builtins.bool: ...
    def ListFields(self) -> list[_Any]: ...
    def MergeFrom(self, other_msg: _Any) -> None: ...
    def MergeFromString(self, serialized: bytes) -> int: ...
    def ParseFromString(self, serialized: bytes) -> int: ...
    def SerializePartialToString(self, *, deterministic: _Any = None) -> bytes: ...
    def SerializeToString(self, *, deterministic: _Any = None) -> bytes: ...
    def SetInParent(self) -> None: ...
    def WhichOneof(self, oneof_group: str) -> str | None: ...
'''
# Properties of Tensor and Variable.
PROPERTIES = {"dtype": "DType", "graph": "Graph", "name": "str", "op": "Operation", "shape": "TensorShape"}
# Special methods in stubs, besides operators, with their return types if known.
SPECIAL = {"__init__": "None", "__exit__": "None", "__len__": "int", "__int__": "int", "__float__": "float"}
SPECIAL |= dict.fromkeys(("__call__", "__contains__", "__iter__", "__new__", "__setitem__", "__getattr__"))


def _fields(cls):
    """The public attributes that an initializer's class declares."""
    return set(vars(cls).get("_fields") or ())


class Source:
    """Source text in a signature, which uses the `repr` of annotations and defaults."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def literal(value):
    """A default as source text; `...` if it is not a literal."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return repr(value) if all(literal(v) != "..." for v in value) else "..."
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "..."
    return repr(value) if value is None or type(value) in (bool, int, str, bytes) else "..."


def signature(function, returns, method=False):
    """`(a: _Any, name: str | None = None) -> Tensor`; the first parameter of a method has no annotation."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of C, without a signature
        return f"({'self, ' if method else ''}*args: _Any, **kwargs: _Any) -> {returns}"
    written = []
    for place, parameter in enumerate(parameters):
        optional_text = parameter.name == "name" and (parameter.default is None or isinstance(parameter.default, str))
        if method and place == 0:
            written.append(parameter.replace(annotation=parameter.empty))
            continue
        if parameter.default is not parameter.empty:
            parameter = parameter.replace(default=Source(literal(parameter.default)))
        written.append(parameter.replace(annotation=Source("str | None" if optional_text else "_Any")))
    return str(inspect.Signature(written, return_annotation=Source(returns)))


def described_type(text):
    """The type with which a description begins; Any if it is unknown."""
    return next((found for pattern, found in RETURNS if re.match(pattern, text)), "_Any")


def result_type(doc):
    match = re.search(r"^Returns:\s+(.*)", inspect.cleandoc(doc or ""), re.MULTILINE)
    return described_type(match[1]) if match else "_Any"


def raw_result_type(op_def):
    if not op_def.outputs:
        return "Operation"
    if len(op_def.outputs) > 1:
        return "_Any"
    return "list[Tensor]" if op_def.outputs[0].is_list else "Tensor"


def definition(head, doc):
    """A function or class whose body is the first paragraph of its docstring."""
    text = inspect.cleandoc(doc or "").split("\n\n")[0]
    if not text:
        return f"{head}: ...\n"
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    end = " " if text.endswith('"') else ""
    return f"{head}:\n" + textwrap.indent(f'"""{text}{end}"""\n', "    ")


def instance_attributes(cls):
    """The public names that the methods of a class assign to `self`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):  # a class of Cython
        return set()
    stored = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return {n.attr for n in stored if isinstance(n.value, ast.Name) and n.value.id == "self" and n.attr[0] != "_"}


def member(cls, class_name, name, value):
    """The stub of a member of a class, not indented."""
    if isinstance(value, property):
        doc = inspect.cleandoc(value.__doc__ or "")
        returns = PROPERTIES.get(name) if cls in (tfcore.Tensor, tfcore.Variable) else None
        text = "@property\n" + definition(f"def {name}(self) -> {returns or described_type(doc)}", doc)
        return text + (f"@{name}.setter\ndef {name}(self, value: _Any) -> None: ...\n" if value.fset else "")
    if isinstance(value, (classmethod, staticmethod)) and name != "__new__":
        method = isinstance(value, classmethod)
        head = f"def {name}{signature(value.__func__, result_type(value.__doc__), method)}"
        return f"@{type(value).__name__}\n" + definition(head, value.__doc__)
    function = getattr(value, "__func__", value)
    if not inspect.isroutine(function):
        return f"{name}: _Any\n"
    returns = SPECIAL.get(name) or result_type(function.__doc__)
    if name in ("__enter__", "__new__"):
        returns = class_name
    elif name in OPERATORS and cls in (tfcore.Tensor, tfcore.Variable):
        returns = "Tensor"
    return definition(
        f"def {name}{signature(function, returns, True)}", None if name in OPERATORS else function.__doc__
    )


class Stub:
    """The stub of one namespace. `homes` maps functions and classes to their declarations: {id: (namespace, name)}."""

    def __init__(self, path, homes):
        self.path, self.homes = path, homes
        self.space = namespace(path)
        self.imports, self.body = set(), []

    def text(self):
        for name in public_names(self.path):
            self.add(name, getattr(self.space, name))
        body = "\n".join(self.body)
        if "(_Message)" in body:
            if self.path:
                self.imports.add("from tfcore import _Message as _Message")
            else:
                body = f"{MESSAGE}\n{body}"
        if self.path:
            for name in CLASSES:
                if re.search(rf"(?m)(->|^\w+:)[^\n]*\b{name}\b", body) and f"class {name}" not in body:
                    self.imports.add(f"from tfcore import {name} as {name}")
        if "builtins." in body:
            self.imports.add("import builtins")
        self.imports.add("from typing import Any as _Any")  # `Any` is also an op
        head = sorted(self.imports, key=lambda line: (line.startswith("from"), line))
        # Without it type checkers take names that are imported under another name for private ones.
        listed = textwrap.fill(", ".join(map(repr, public_names(self.path))), 120, break_on_hyphens=False)
        return f"# Written by {COMMAND}: do not edit.\n\n" + "\n".join(head) + f"\n\n__all__ = [\n{listed}\n]\n\n{body}"

    def add(self, name, value):
        if isinstance(value, types.ModuleType):
            inner = f"{self.path}.{name}".removeprefix(".")
            package, _, own = (module_name(inner) if inner in NAMESPACES else value.__name__).rpartition(".")
            self.imports.add(f"from {package} import {own} as {name}")
        elif self.homes.get(id(value), (self.path, name)) != (self.path, name):
            space, other = self.homes[id(value)]
            if space == self.path:
                self.body.append(f"{name} = {other}\n")
            else:
                self.imports.add(f"from {module_name(space)} import {other} as {name}")
        elif isinstance(value, OpDef):
            head = f"def {name}{signature(compile_call(value), raw_result_type(value))}"
            self.body.append(definition(head, value.__doc__))
        elif inspect.isclass(value) and issubclass(value, Message):
            self.body.append(self.message_text(name, value))
        elif inspect.isclass(value):
            self.body.append(self.class_text(name, value))
        elif callable(value):
            self.body.append(definition(f"def {name}{signature(value, result_type(value.__doc__))}", value.__doc__))
        else:
            kind = type(value).__name__
            self.body.append(f"{name}: {kind if kind in ('DType', 'int', 'str', 'float') else '_Any'}\n")

    def class_text(self, name, cls):
        """A class with its members and those of its private base classes."""
        bases, inherited = [], []
        for base in cls.__mro__[1:-1]:
            if any(issubclass(b, base) for b in bases):
                continue
            if id(base) in self.homes or not base.__module__.startswith("tfcore."):
                bases.append(base)
            else:
                inherited.append(base)
        members = {}
        for owner in [*reversed(inherited), cls]:
            members |= dict.fromkeys((instance_attributes(owner) | _fields(owner)) - members.keys())
            members |= vars(owner)
        text = definition(f"class {name}({', '.join(map(self.reference, bases))})".replace("()", ""), cls.__doc__)
        text = text.replace(": ...\n", ":\n    ...\n")  # without a docstring; members may follow
        for key in sorted(members):
            if issubclass(cls, enum.Enum) and isinstance(members[key], cls):
                text += f"    {key} = {members[key].value!r}\n"
            elif not key.startswith("_") or key in OPERATORS or key in SPECIAL or key == "__enter__":
                text += textwrap.indent(member(cls, name, key, members[key]), "    ")
        return text

    def message_text(self, name, cls):
        """A protocol buffer: its fields, the messages and enums in it, and the values of these."""
        message = cls.DESCRIPTOR
        members = {field.name: FIELDS.get(type(field.default_value), "_Any") for field in message.fields}
        members |= dict.fromkeys([m.name for m in message.nested_types if not m.GetOptions().map_entry], "_Any")
        for enum_type in message.enum_types:
            members |= {enum_type.name: "_Any"} | dict.fromkeys(enum_type.values_by_name, "int")
        text = definition(f"class {name}(_Message)", cls.__doc__).replace(": ...\n", ":\n    ...\n")
        text += "    def __init__(self, **fields: _Any) -> None: ...\n"
        return text + "".join(f"    {key}: {members[key]}\n" for key in sorted(members))

    def reference(self, cls):
        """The name of a base class in this stub."""
        if id(cls) not in self.homes:
            self.imports.add(f"import {cls.__module__}")
            return f"{cls.__module__}.{cls.__name__}"
        space, name = self.homes[id(cls)]
        if space != self.path:
            self.imports.add(f"from {module_name(space)} import {name} as {name}")
        return name


def namespace(path):
    return functools.reduce(getattr, filter(None, path.split(".")), tfcore)


def module_name(path):
    """The module of a namespace: what the list says, if it has its names, else one of the same path."""
    space, _, name = f"tf.{path}".rpartition(".")
    target = lazy.public_names()[space].get(name, "") if path in LISTED and path else ""
    return f"tfcore.{target.removeprefix('late ') or path}".rstrip(".")


def public_names(path):
    if path == "raw_ops":
        return [name for name in dir(tfcore.raw_ops) if not name.startswith("_")]
    if path:
        return sorted(namespace(path).__all__)
    listed = lazy.public_names()["tf"]
    return sorted([*listed, *lazy.made_namespaces("tf"), "VERSION", "__version__", "raw_ops"])


def stubs():
    """{file: text} of all stubs."""
    homes = {}
    for path in NAMESPACES:
        space = namespace(path)
        for name in public_names(path):
            value = getattr(space, name)
            if (inspect.isclass(value) or inspect.isroutine(value)) and value.__module__ != "builtins":
                homes.setdefault(id(value), (path, name))
    return {file_of(path): Stub(path, homes).text() for path in NAMESPACES}


def file_of(path):
    """The path of a stub: next to the source of its namespace, or in the package if there is no source."""
    base = os.path.join(FOLDER, *module_name(path).split(".")[1:])
    return os.path.join(base, "__init__.pyi") if os.path.isdir(base) else f"{base}.pyi"


def stale(texts):
    """The files that are out of date."""

    def read(file):
        if not os.path.exists(file):
            return None
        with open(file, encoding="utf-8") as opened:
            return opened.read()

    return [file for file, text in texts.items() if read(file) != text]


def main():
    parser = argparse.ArgumentParser(description="Writes the type stubs of the public namespaces.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a stub is out of date")
    check = parser.parse_args().check
    texts = stubs()
    old = stale(texts)
    for file in old:
        print(f"{os.path.relpath(file)} is out of date: run {COMMAND}" if check else os.path.relpath(file))
        if not check:
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(texts[file])
    if check and old:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
