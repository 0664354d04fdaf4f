"""Messages with the interface of protocol buffers, as plain Python classes that need no package and load at once.

A class states its fields as a `.proto` file does:

        class GPUOptions(Message):
            _schema = '''
                double per_process_gpu_memory_fraction = 1
                Experimental experimental = 9
            '''

Types are scalars, the names of enums and messages, looked up as in `.proto` files, and those that `proto.py` loads.
The format of bytes is in `message_wire.py`, descriptors and text are in `message_text.py`.
"""

import math
import re

from tfcore.framework import protos
from tfcore.framework.message_values import (
    SCALARS,
    MessageList,
    MessageMap,
    ScalarList,
    ScalarMap,
    check,
    is_message_of,
)

_LINE = re.compile(r"(?:(repeated) )?(?:map<(\w+), (\w+)>|(\w+)) (\w+) = (\d+)")
_PACKAGE = "tensorflow"
_classes = {}  # qualified name -> Message or Enum


class Enum:
    """An enumeration: `Level("L1 = 0", "L0 = -1")`. Its values are attributes, too.

    Args:
      name: Qualified name, such as "OptimizerOptions.Level".
      **values: The number of each name.
    """

    def __init__(self, name, **values):
        self.full_name = f"{_PACKAGE}.{name}"
        self.numbers = values
        self.__dict__.update(values)
        _classes[name] = self

    def Name(self, number):  # noqa: N802  the protocol buffers' names
        """The name of a number; ValueError if there is none."""
        for name, value in self.numbers.items():
            if value == number:
                return name
        raise ValueError(f"Enum {self.full_name.rpartition('.')[2]} has no name defined for value {number!r}")

    def Value(self, name):  # noqa: N802
        """The number of a name; ValueError if there is none."""
        if name in self.numbers:
            return self.numbers[name]
        raise ValueError(f"Enum {self.full_name.rpartition('.')[2]} has no value defined for name {name!r}")

    def keys(self):
        return list(self.numbers)

    def values(self):
        return list(self.numbers.values())

    def items(self):
        return list(self.numbers.items())


class Field:
    """A field of a message.

    Attributes:
      kind: a scalar type, "enum" or "message".
      type: the class of messages, the Enum, or None.
      key: for a map, the type of its keys; then `kind` and `type` are those of its values.
    """

    __slots__ = ("owner", "name", "number", "repeated", "key", "kind", "type", "default")

    def __init__(self, owner, repeated, key, kind, name, number):
        self.owner, self.name, self.number = owner, name, int(number)
        self.repeated, self.key = bool(repeated), key
        self.type = None if kind in SCALARS else _find(kind, owner.__qualname__)
        self.kind = kind if self.type is None else "enum" if isinstance(self.type, Enum) else "message"
        self.default = None if self.kind == "message" else SCALARS[self.kind]

    @property
    def full_name(self):
        return f"{_PACKAGE}.{self.owner.__qualname__}.{self.name}"

    @property
    def single(self):
        return not self.repeated and self.key is None

    def container(self, owner):
        """An empty list or map for a message."""
        if self.key is not None:
            return (MessageMap if self.kind == "message" else ScalarMap)(owner, self)
        return (MessageList if self.kind == "message" else ScalarList)(owner, self)


def _find(name, scope):
    """The Message, Enum or class of protocol buffers that a name means within a message."""
    while scope:
        found = _classes.get(f"{scope}.{name}")
        if found is not None:
            return found
        scope = scope.rpartition(".")[0]
    return _classes[name] if name in _classes else getattr(protos, name)


class Message:
    """Base class of messages: the methods that protocol buffers have.

    Fields are attributes. A message or list that is a field cannot be assigned: change it in place, or use `CopyFrom`.
    Reading a message does not set it; changing something in it does.

    Args:
      **values: Values of fields; for messages also dicts. None leaves a field as it is.

    Raises:
      ValueError: There is no such field, or a number is out of range.
      TypeError: A value has a wrong type.
    """

    _schema = ""
    _by_name = None  # name -> Field, in numerical order; made on first use

    def __init_subclass__(cls):
        _classes[cls.__qualname__] = cls
        for value in list(vars(cls).values()):
            if isinstance(value, Enum):
                for name, number in value.items():
                    setattr(cls, name, number)

    def __init__(self, *args, **values):
        if args:
            raise TypeError("No positional arguments allowed")
        self.__dict__.update(_parent=None, _set=False, _unknown=b"")
        for name, value in values.items():
            field = self._field(name)
            if value is None:
                continue
            if field.single and field.kind != "message":
                self.__dict__[name] = check(field, value)
            else:
                _fill(getattr(self, name), field, value)

    # ---- Attributes

    @classmethod
    def _table(cls):
        if "_by_name" not in cls.__dict__:
            found = [
                Field(cls, r, k or None, v or t, name, number)
                for r, k, v, t, name, number in _LINE.findall(cls._schema)
            ]
            cls._by_name = {f.name: f for f in sorted(found, key=lambda f: f.number)}
        return cls._by_name

    @classmethod
    def _field(cls, name, error=ValueError):
        field = cls._table().get(name)
        if field is None:
            raise error(f'Protocol message {cls.__name__} has no "{name}" field.')
        return field

    def __getattr__(self, name):
        """Fields that are not in `__dict__` yet: a default, or an empty message, list or map."""
        field = None if name.startswith("__") else self._table().get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if field.single and field.kind != "message":
            return field.default
        value = field.type() if field.single else field.container(self)
        if isinstance(value, Message):
            value.__dict__["_parent"] = self
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        field = self._field(name, AttributeError)
        if not field.single:
            raise AttributeError(
                f'Assignment not allowed to map, or repeated field "{name}" in protocol message object.'
            )
        if field.kind == "message":
            raise AttributeError(f'Assignment not allowed to message field "{name}" in protocol message object.')
        self.__dict__[name] = check(field, value)
        self._touch()

    def __delattr__(self, name):
        raise AttributeError("Cannot delete field attribute")

    def __dir__(self):
        return sorted({*super().__dir__(), *self._table()})

    def _touch(self):
        """The message was changed, so it and those that it is a field of count as set."""
        self.__dict__["_set"] = True
        if self._parent is not None:
            self._parent._touch()

    def _present(self):
        """The Fields that are set."""
        return [f for f in self._table().values() if f.name in self.__dict__ and _is_set(f, self.__dict__[f.name])]

    # ---- The methods of protocol buffers

    def HasField(self, field_name):  # noqa: N802  the protocol buffers' names
        """Whether a field that is a message is set."""
        field = self._field(field_name)
        if not field.single or field.kind != "message":
            raise ValueError(f"Field {field.full_name} does not have presence.")
        return field in self._present()

    def ClearField(self, field_name):  # noqa: N802
        """Resets a field to its default. Objects that were read from it before are on their own from then on."""
        self._field(field_name)
        old = self.__dict__.pop(field_name, None)
        if isinstance(old, Message):
            old.__dict__["_parent"] = None
        elif hasattr(old, "_detach"):
            old._detach()
        self._touch()

    def Clear(self):  # noqa: N802
        """Resets all fields."""
        for name in self._table():
            self.ClearField(name)
        self.DiscardUnknownFields()

    def ListFields(self):  # noqa: N802
        """A list of pairs (descriptor, value) of the fields that are set."""
        by_name = self.DESCRIPTOR.fields_by_name
        return [(by_name[f.name], getattr(self, f.name)) for f in self._present()]

    def WhichOneof(self, oneof_group):  # noqa: N802
        """ValueError: no message here has alternatives."""
        raise ValueError(f'Protocol message {type(self).__name__} has no "{oneof_group}" field.')

    def CopyFrom(self, other_msg):  # noqa: N802
        """Becomes equal to another message of this type, also of another package's class."""
        if other_msg is not self:
            self._check_class(other_msg, "CopyFrom")
            self.Clear()
            self.MergeFrom(other_msg)

    def MergeFrom(self, other_msg):  # noqa: N802
        """Takes over the fields that are set in another message; lists are appended."""
        self._check_class(other_msg, "MergeFrom")
        if not isinstance(other_msg, Message):
            self.MergeFromString(other_msg.SerializeToString())
            return
        for field in other_msg._present():
            value = getattr(other_msg, field.name)
            if not field.single or field.kind == "message":
                getattr(self, field.name).MergeFrom(value)
                _mark(getattr(self, field.name))
            else:
                self.__dict__[field.name] = value
        self.__dict__["_unknown"] += other_msg._unknown
        self._touch()

    def _check_class(self, other, method):
        if not is_message_of(type(self), other):
            raise TypeError(
                f"Parameter to {method}() must be instance of same class: expected {type(self)} got {type(other)}."
            )

    def SetInParent(self):  # noqa: N802
        """Counts as set from now on."""
        self._touch()

    def SerializeToString(self, deterministic=None):  # noqa: N802
        """The message in binary format, bytes."""
        from tfcore.framework.message_wire import encode

        return encode(self, bool(deterministic))

    SerializePartialToString = SerializeToString

    def ParseFromString(self, serialized):  # noqa: N802
        """Becomes the message that bytes stand for; DecodeError if they are corrupt. Returns their number."""
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized):  # noqa: N802
        """Like `ParseFromString`, but keeps what the bytes don't set."""
        from tfcore.framework.message_wire import decode

        decode(self, serialized)
        self._touch()
        return len(serialized)

    @classmethod
    def FromString(cls, s):  # noqa: N802
        """The message that bytes stand for."""
        message = cls()
        message.ParseFromString(s)
        return message

    def ByteSize(self):  # noqa: N802
        """The length of the binary format."""
        return len(self.SerializeToString())

    def IsInitialized(self):  # noqa: N802
        """True: there are no required fields."""
        return True

    def FindInitializationErrors(self):  # noqa: N802
        """An empty list: there are no required fields."""
        return []

    def DiscardUnknownFields(self):  # noqa: N802
        """Forgets fields that were parsed but that the class lacks; otherwise they are written again."""
        self.__dict__["_unknown"] = b""

    # ---- Python

    def __eq__(self, other):
        if not isinstance(other, Message) or type(self) is not type(other):
            return NotImplemented
        mine, others = self._present(), other._present()
        same = mine == others and all(getattr(self, f.name) == getattr(other, f.name) for f in mine)
        return same and self._unknown == other._unknown

    def __hash__(self):
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    def __str__(self):
        from tfcore.framework.message_text import text

        return text(self)

    __repr__ = __str__

    def __deepcopy__(self, memo):
        copy = type(self)()
        copy.MergeFrom(self)
        return copy

    def __copy__(self):  # a shallow copy would share messages, which have one parent
        return self.__deepcopy__({})

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)


class _Descriptor:
    """`SomeMessage.DESCRIPTOR`, made on first use."""

    def __get__(self, instance, cls):
        from tfcore.framework.message_text import descriptor

        return descriptor(cls)


Message.DESCRIPTOR = _Descriptor()


def _is_set(field, value):
    if not field.single:
        return len(value) > 0
    if field.kind == "message":
        return value._set if isinstance(value, Message) else value.ByteSize() > 0
    if field.kind in ("double", "float") and value == 0:
        return math.copysign(1, value) < 0  # -0.0 is not the default
    return value != field.default


def _mark(value):
    if isinstance(value, Message):
        value._touch()


def _fill(target, field, value):
    """Puts what a constructor's argument gives into a message, list or map."""
    if not field.single:
        if field.key is not None:
            target.update(value)
        else:
            try:
                items = iter(value)
            except TypeError:
                raise TypeError("must assign iterable") from None
            target.extend(items)
    elif isinstance(value, dict):
        target.MergeFrom(field.type(**value))
        _mark(target)
    else:
        if not is_message_of(field.type, value):
            raise TypeError(
                "Parameter to initialize message field must be dict or instance of same class: expected "
                f"{field.type} got {type(value)}."
            )
        target.MergeFrom(value)
        _mark(target)
