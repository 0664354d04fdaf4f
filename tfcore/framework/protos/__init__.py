"""TensorFlow's protocol buffers: `protos.GraphDef`, `protos.ConfigProto`, ...

The .proto files below this folder describe them; the `protobuf` package makes their classes. Both are loaded when the
first message is used, not by `import tfcore`. The classes are in a pool of their own: TensorFlow and tensorboard may be
imported into the same process, in any order. `as_message` accepts messages of their classes.
"""

import functools
import os
import re
import threading
import types

from tfcore.framework.fork_safety import fork_safe

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_ROOT = "tensorflow/core/"  # of the files' names, which are TensorFlow's
_loaded = []  # (the DescriptorPool, the classes, which it does not keep alive)
_lock = fork_safe(threading.RLock())  # of _loaded


def __getattr__(name):
    """The class of a message, or an enum."""
    if not name.startswith("_"):
        pool = _pool()
        for full_name in (f"tensorflow.{name}", f"tensorflow.tfprof.{name}", f"google.protobuf.{name}"):
            for find, made in ((pool.FindMessageTypeByName, _message_class), (pool.FindEnumTypeByName, _enum)):
                try:
                    return globals().setdefault(name, made(find(full_name)))
                except KeyError:
                    continue
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def files():
    """The names of the files, such as "framework/graph"."""
    return {
        f"{os.path.basename(folder)}/{name.removesuffix('.proto')}"
        for folder, _, names in os.walk(_FOLDER)
        for name in names
        if name.endswith(".proto")
    }


def file_module(name):
    """What protoc makes of a file, as a module: its messages, its enums with their values, and DESCRIPTOR."""
    module = types.ModuleType(f"{__name__}.{name.replace('/', '.')}_pb2")
    module.DESCRIPTOR = _pool().FindFileByName(f"{_ROOT}{name}.proto")
    for message in module.DESCRIPTOR.message_types_by_name.values():
        setattr(module, message.name, _message_class(message))
    for enum in module.DESCRIPTOR.enum_types_by_name.values():
        setattr(module, enum.name, _enum(enum))
        vars(module).update({value.name: value.number for value in enum.values})
    return module


def as_message(cls, value):
    """Turns a message of TensorFlow's or tensorboard's class into one of ours.

    Args:
      cls: our class.
      value: anything.

    Returns:
      A copy of `value` of the class, if it is a message of the same type; otherwise `value`.
    """
    type_ = getattr(value, "DESCRIPTOR", None)
    if type_ is None or isinstance(value, (cls, type)) or type_.full_name != f"{type_.file.package}.{cls.__qualname__}":
        return value
    return cls.FromString(value.SerializeToString())


def _pool():
    """The DescriptorPool, which takes a megabyte. If a signal handler makes one meanwhile, both use the first."""
    if not _loaded:
        with _lock:
            if not _loaded:
                _loaded.append(_load())
    return _loaded[0][0]


def _load():
    """(pool, classes of the messages in it)"""
    from google.protobuf.descriptor_pool import DescriptorPool

    pool, classes = DescriptorPool(), []
    with open(os.path.join(_FOLDER, "descriptors.binpb"), "rb") as file:
        for part in _split(file.read()):
            messages = pool.AddSerializedFile(part).message_types_by_name.values()
            classes += [_named_class(message) for message in messages]
    return pool, classes


def _split(files):
    """The files of a FileDescriptorSet, serialized; importing protobuf's class for it would take longer than this."""
    at = 0
    while at < len(files):
        size, shift, at = 0, 0, at + 1  # after the tag
        while True:
            byte = files[at]
            size, shift, at = size | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                break
        yield files[at : at + size]
        at += size


def _message_class(descriptor):
    from google.protobuf.message_factory import GetMessageClass

    return GetMessageClass(descriptor)


def _enum(descriptor):
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

    return EnumTypeWrapper(descriptor)


def _named_class(descriptor, within=""):
    """The class of a message, which says what it is, for `help`, and where it is, for `pickle`, with those in it."""
    cls = _message_class(descriptor)
    cls.__module__ = __name__
    cls.__qualname__ = within + descriptor.name
    cls.__reduce__ = _reduce
    if not within and descriptor.file.name.startswith(_ROOT):
        cls.__doc__ = _Description()
    for nested in descriptor.nested_types:
        setattr(cls, nested.name, _named_class(nested, f"{cls.__qualname__}."))
    return cls


def _reduce(message):  # that of protobuf finds messages within messages in the common pool only
    return _parsed, (type(message), message.SerializeToString())


def _parsed(cls, data):
    return cls.FromString(data)


class _Description:
    """The `__doc__` of a message: what its file says of it, read on demand."""

    def __get__(self, message, cls):
        path = os.path.join(_FOLDER, cls.DESCRIPTOR.file.name.removeprefix(_ROOT))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        found = re.search(rf"((?:^//.*\n)*)^message {cls.__name__} {{(?:}}|(?s:.)*?^}})", text, re.MULTILINE)
        comment = re.sub("^// ?", "", found[1], flags=re.MULTILINE)
        return f"{comment}\n{found[0][len(found[1]) :]}\n"
