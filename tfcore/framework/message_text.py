"""Descriptors of messages, and their text format.

Descriptors have the attributes that `google.protobuf.text_format` and `json_format` use, so that these work on them.
"""

import functools
import struct
import types

from tfcore.framework.message import Field, Message

# The number of a scalar type and that of its C++ type, as in descriptor.proto.
_TYPES = {
    "double": (1, 5),
    "float": (2, 6),
    "int64": (3, 2),
    "uint64": (4, 4),
    "int32": (5, 1),
    "bool": (8, 7),
    "string": (9, 9),
    "message": (11, 10),
    "bytes": (12, 9),
    "uint32": (13, 3),
    "enum": (14, 8),
}
_OPTIONAL, _REPEATED = 1, 3
_MAP_ENTRIES, _PLAIN = (
    types.SimpleNamespace(map_entry=entry, message_set_wire_format=False, packed=True, deprecated=False)
    for entry in (True, False)
)


class EnumDescriptor:
    """The names and numbers of an enumeration."""

    def __init__(self, enum):
        self.full_name = enum.full_name
        self.name = enum.full_name.rpartition(".")[2]
        self.is_closed = False
        self.values = [types.SimpleNamespace(name=n, number=v, index=i) for i, (n, v) in enumerate(enum.items())]
        self.values_by_name = {v.name: v for v in self.values}
        self.values_by_number = {v.number: v for v in self.values}


class FieldDescriptor:
    """A field of a message."""

    LABEL_OPTIONAL, LABEL_REPEATED = _OPTIONAL, _REPEATED
    is_extension = has_options = is_required = False
    containing_oneof = extension_scope = None

    def __init__(self, field, index, containing_type):
        self._field = field
        kind = field.kind if field.key is None else "message"
        self.name, self.full_name, self.number, self.index = field.name, field.full_name, field.number, index
        self.type, self.cpp_type = _TYPES[kind]
        self.is_repeated = not field.single
        self.label = _REPEATED if self.is_repeated else _OPTIONAL
        self.has_presence = kind == "message" and not self.is_repeated
        self.is_packed = self.is_repeated and kind not in ("string", "bytes", "message")
        self.containing_type = containing_type
        first, *others = field.name.split("_")
        self.json_name = self.camelcase_name = first + "".join(part.capitalize() for part in others)
        self.default_value = [] if self.is_repeated else field.default
        self.enum_type = EnumDescriptor(field.type) if kind == "enum" else None

    @property
    def message_type(self):
        if self._field.key is not None:
            return descriptor(entry_class(self._field))
        return self._field.type.DESCRIPTOR if self._field.kind == "message" else None

    def GetOptions(self):  # noqa: N802  the protocol buffers' name
        return _PLAIN


class Descriptor:
    """A type of messages."""

    is_extendable = False
    extensions = oneofs = ()
    file = types.SimpleNamespace(name="", package="tensorflow", syntax="proto3", pool=None)

    def __init__(self, cls):
        self._concrete_class = cls
        self.name = cls.__name__
        self.full_name = f"tensorflow.{cls.__qualname__}"
        self.has_options = issubclass(cls, _Entry)
        self.fields = [FieldDescriptor(f, i, self) for i, f in enumerate(cls._table().values())]
        self.fields_by_name = {f.name: f for f in self.fields}
        self.fields_by_number = {f.number: f for f in self.fields}
        self.fields_by_camelcase_name = {f.camelcase_name: f for f in self.fields}
        self.oneofs_by_name, self.extensions_by_name = {}, {}

    def GetOptions(self):  # noqa: N802  the protocol buffers' name
        return _MAP_ENTRIES if self.has_options else _PLAIN


@functools.cache
def descriptor(cls):
    """The Descriptor of a Message class."""
    return Descriptor(cls)


class _Entry(Message):
    """A map's entry, with the fields `key` and `value`, which are both written even if they are defaults."""

    def _present(self):
        return list(self._table().values())


@functools.cache
def entry_class(field):
    """The class of the entries of a map, such as ConfigProto.DeviceCountEntry."""
    name = "".join(part.capitalize() for part in field.name.split("_")) + "Entry"
    qualified = f"{field.owner.__qualname__}.{name}"
    cls = type(name, (_Entry,), {"__qualname__": qualified, "__module__": field.owner.__module__})
    key, value = Field.__new__(Field), Field.__new__(Field)
    for made, kind, type_, label, number in (
        (key, field.key, None, "key", 1),
        (value, field.kind, field.type, "value", 2),
    ):
        made.owner, made.name, made.number, made.repeated, made.key = cls, label, number, False, None
        made.kind, made.type = kind, type_
        made.default = "" if kind == "string" else 0 if label == "key" else field.default
    cls._by_name = {"key": key, "value": value}
    return cls


# ---- Text


def text(message):
    """The text format of a message: a line for each scalar, a block for each message."""
    return "".join(_lines(message, ""))


def _lines(message, indent):
    for field in message._present():
        value = getattr(message, field.name)
        if field.key is not None:
            for key in sorted(value):
                yield f"{indent}{field.name} {{\n{indent}  key: {_scalar(field.key, None, key)}\n"
                if field.kind == "message":
                    yield from _block("value", value[key], indent + "  ")
                else:
                    yield f"{indent}  value: {_scalar(field.kind, field.type, value[key])}\n"
                yield f"{indent}}}\n"
            continue
        for item in value if field.repeated else (value,):
            if field.kind == "message":
                yield from _block(field.name, item, indent)
            else:
                yield f"{indent}{field.name}: {_scalar(field.kind, field.type, item)}\n"


def _block(name, message, indent):
    yield f"{indent}{name} {{\n"
    if isinstance(message, Message):
        yield from _lines(message, indent + "  ")
    else:
        yield from (f"{indent}  {line}\n" for line in str(message).splitlines())
    yield f"{indent}}}\n"


_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}


def _scalar(kind, enum, value):
    if kind == "bool":
        return "true" if value else "false"
    if kind == "enum":
        names = {number: name for name, number in reversed(enum.items())}
        return names.get(value, str(value))
    if kind in ("double", "float"):
        return _number(kind, value)
    if kind == "bytes":
        value = value.decode("latin-1")
    if kind in ("string", "bytes"):
        plain = 127 if kind == "bytes" else 0x110000
        return '"' + "".join(
            _ESCAPES.get(c) or (c if 32 <= ord(c) < plain and ord(c) != 127 else f"\\{ord(c):03o}") for c in value
        ) + '"'  # fmt: skip
    return str(value)


def _number(kind, value):
    """The shortest text that reads back as this number."""
    digits = range(1, 10) if kind == "float" else range(15, 18)
    for precision in digits:
        shown = f"{value:.{precision}g}"
        if kind == "double" and float(shown) == value:
            break
        if kind == "float" and struct.pack("<f", float(shown)) == struct.pack("<f", value):
            break
    return shown
