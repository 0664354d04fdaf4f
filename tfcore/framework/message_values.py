"""Values of the fields of messages: what a field accepts, and the lists and maps that fields can be."""

import operator
import struct
from collections.abc import MutableMapping, MutableSequence

import numpy as np

# Scalar types and their defaults.
SCALARS = {
    "double": 0.0, "float": 0.0, "int32": 0, "int64": 0, "uint32": 0, "uint64": 0, "bool": False, "string": "",
    "bytes": b"", "enum": 0,
}  # fmt: skip
_RANGES = {"int32": (-(2**31), 2**31), "int64": (-(2**63), 2**63), "uint32": (0, 2**32), "uint64": (0, 2**64)}
_RANGES["enum"] = _RANGES["int32"]


def check(field, value):
    """The value as a field of this kind holds it; TypeError or ValueError if it can't."""
    kind = field.kind
    if kind == "bool":
        return bool(value) if isinstance(value, (bool, np.bool_)) else bool(operator.index(value))
    if kind in ("double", "float"):
        return _number(value, kind)
    if kind in ("string", "bytes"):
        return _text(field.full_name, kind, value)
    if kind == "enum" and isinstance(value, str):
        if value not in field.type.numbers:
            raise ValueError(f'unknown enum label "{value}"')
        return field.type.numbers[value]
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"Field {field.full_name}: Expected an int, got a boolean.")
    return _integer(kind, value)


def check_key(field, key):
    """The key as a map holds it."""
    if field.key == "string":
        return _text(field.full_name, "string", key)
    return _integer(field.key, key)


def _integer(kind, value):
    value = operator.index(value)
    low, high = _RANGES[kind]
    if not low <= value < high:
        raise ValueError(f"Value out of range: {value}")
    return value


def _number(value, kind):
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    value = float(value)
    if kind == "float":
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = float("inf") if value > 0 else float("-inf")
    return value


def _text(where, kind, value):
    if kind == "string" and isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str if kind == "string" else bytes):
        raise TypeError(f"bad argument type for built-in operation: {where} must be {kind}, not {value!r}")
    if kind == "string":
        value.encode()  # UnicodeEncodeError now, not when the message is written
    return value


def is_message_of(cls, value):
    """Whether a value is a message of a class, or of the same type in another package of protocol buffers."""
    found, wanted = (getattr(getattr(x, "DESCRIPTOR", None), "full_name", None) for x in (value, cls))
    return found is not None and not isinstance(value, type) and found.split(".")[1:] == wanted.split(".")[1:]


# ---- Lists


class ScalarList(MutableSequence):
    """A repeated field of scalars."""

    __iadd__ = None  # a field cannot be assigned

    def __init__(self, owner, field):
        self._owner, self._field, self._items = owner, field, []

    def _detach(self):
        self._owner = None

    def _changed(self):
        if self._owner is not None:
            self._owner._touch()

    def _item(self, value):
        return check(self._field, value)

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        return self._items[index]

    def __setitem__(self, index, value):
        self._items[index] = [self._item(v) for v in value] if isinstance(index, slice) else self._item(value)
        self._changed()

    def __delitem__(self, index):
        del self._items[index]
        self._changed()

    def insert(self, index, value):
        self._items.insert(index, self._item(value))
        self._changed()

    def append(self, value):
        self.insert(len(self), value)

    def extend(self, values):
        self._items.extend([self._item(v) for v in values])
        self._changed()

    MergeFrom = extend  # the protocol buffers' name

    def sort(self, **options):
        self._items.sort(**options)

    def __eq__(self, other):
        return self._items == (other._items if isinstance(other, ScalarList) else other)

    __hash__ = None

    def __repr__(self):
        return repr(self._items)


class MessageList(ScalarList):
    """A repeated field of messages. Messages that are appended are copied."""

    def _item(self, value):
        if not hasattr(value, "DESCRIPTOR"):
            raise TypeError(f"Expected a message object, but got {value!r}.")
        if not is_message_of(self._field.type, value):
            raise TypeError(
                f"Parameter to MergeFrom() must be instance of same class: expected {self._field.type} got "
                f"{type(value)}."
            )
        copy = self._field.type()
        copy.MergeFrom(value)
        return copy

    def __setitem__(self, index, value):
        raise TypeError("does not support assignment")

    def add(self, **values):
        """Appends a new message with these fields and returns it."""
        message = self._field.type(**values)
        self._items.append(message)
        self._changed()
        return message

    def extend(self, values):
        self._items.extend([self._field.type(**v) if isinstance(v, dict) else self._item(v) for v in values])
        self._changed()

    MergeFrom = extend


# ---- Maps


class ScalarMap(MutableMapping):
    """A map to scalars. Reading a key that is not there adds it, with the default."""

    def __init__(self, owner, field):
        self._owner, self._field, self._items = owner, field, {}

    def _detach(self):
        self._owner = None

    def _changed(self):
        if self._owner is not None:
            self._owner._touch()

    def __getitem__(self, key):
        key = check_key(self._field, key)
        if key not in self._items:
            self._items[key] = self._field.default if self._field.kind != "message" else self._field.type()
            self._changed()
        return self._items[key]

    def __setitem__(self, key, value):
        self._items[check_key(self._field, key)] = check(self._field, value)
        self._changed()

    def __delitem__(self, key):
        del self._items[key]
        self._changed()

    def __contains__(self, key):
        return key in self._items

    def get(self, key, default=None):
        return self._items.get(key, default)

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def MergeFrom(self, other):  # noqa: N802  the protocol buffers' name
        self.update(other)

    def GetEntryClass(self):  # noqa: N802
        """The class of the messages that stand for entries in the binary and text formats."""
        from tfcore.framework.message_text import entry_class

        return entry_class(self._field)

    def __eq__(self, other):
        return self._items == (other._items if isinstance(other, ScalarMap) else other)

    __hash__ = None

    def __repr__(self):
        return repr(self._items)


class MessageMap(ScalarMap):
    """A map to messages, which are changed in place."""

    def __setitem__(self, key, value):
        raise ValueError("Direct assignment of submessage not allowed")

    def get_or_create(self, key):
        """The message of a key, a new one if there is none."""
        return self[key]

    def update(self, other):
        for key, value in dict(other).items():
            self[key].CopyFrom(value)

    def MergeFrom(self, other):  # noqa: N802
        self.update(other)
